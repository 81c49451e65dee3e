"""How administrators see and change other people's sign-in."""

from uuid import UUID

from trilha.access.sessions import queries, second_factor_queries
from trilha.access.sessions.schema import SignInState
from trilha.core.database import Tx
from trilha.core.errors import Conflict
from trilha.core.passwords import HashedPassword
from trilha.core.types import Timestamp
from trilha.people.users import actions as users
from trilha.people.users import queries as user_queries
from trilha.people.users.schema import Role
from trilha.platform.audit import queries as audit
from trilha.platform.mail import outbox
from trilha.platform.mail.catalogue import SecondFactorOff
from trilha.platform.mail.schema import Recipient


async def set_temporary_password(tx: Tx, user_id: UUID, password: HashedPassword) -> None:
    """Sets a temporary password, and ends the person's sessions and password links.

    Raises NotFound or Conflict (user_erased).
    """
    await users.set_password(tx, user_id, password)
    await queries.delete_links(tx, user_id)
    await queries.delete_all(tx, user_id)


async def change_role(tx: Tx, user_id: UUID, role: Role, seen_email: str) -> bool:
    """Changes the role for an administrator who saw that the person's address is `seen_email`.

    If an integration changed that address, or created the person with a password, somebody else may know the
    password. In that case all ways to sign in are removed, and the person chooses a new password by
    invitation. Returns whether that happened. Raises NotFound or Conflict (last_admin, address_unconfirmed).
    """
    renewed = role != "learner" and await user_queries.is_address_unconfirmed(tx, user_id)
    if renewed:
        user = await user_queries.get_for_update(tx, user_id)
        if user.email != seen_email:
            raise Conflict("address_unconfirmed")
        await user_queries.confirm_address(tx, user_id)
        await queries.delete_all_of_user(tx, user_id)
        if await user_queries.forget_password(tx, user_id) and user.status == "ACTIVE":
            await users.invite(tx, user_id)
    await users.change_role(tx, user_id, role)
    return renewed


async def end_sessions(tx: Tx, user_id: UUID) -> int:
    """Ends all sessions and returns how many there were."""
    await user_queries.end_sessions(tx, user_id)  # including a session that starts at this moment
    ended = await queries.delete_all(tx, user_id)
    await audit.record(tx, "session.ended", user_id, "", sessions=ended)
    return ended


async def remove_second_factor(tx: Tx, user_id: UUID, address: str) -> bool:
    """Turns two-step verification off for somebody who lost the device, and notifies them by e-mail.

    Returns False if it is not on.
    """
    account = await queries.get_account(tx, user_id)
    if not await second_factor_queries.delete(tx, user_id):
        return False
    await audit.record(tx, "user.second_factor_off", user_id, "")
    message = SecondFactorOff(
        at=Timestamp.of(tx.now), by_administrator=True, link=f"{address}/learn/security"
    )
    to = Recipient(account.email, account.name, account.locale, account.time_zone, user_id)
    await outbox.send(tx, to=to, message=message)
    return True


async def unlock_second_factor(tx: Tx, user_id: UUID) -> None:
    """Lets the person enter codes again at once after too many wrong ones."""
    if await second_factor_queries.unlock(tx, user_id):
        await audit.record(tx, "user.second_factor_unlocked", user_id, "")


async def get_sign_in_state(tx: Tx, user_id: UUID) -> SignInState:
    """Raises LookupError if there is no such person."""
    state = await tx.find(
        SignInState,
        """
        SELECT u.password_hash IS NOT NULL AS has_password, u.must_change_password, u.invitation_due,
               u.invitation_limited, u.erased_at,
               EXISTS (SELECT FROM authenticators a WHERE a.tenant_id = u.tenant_id AND a.user_id = u.id
                       AND a.confirmed_at IS NOT NULL) AS has_second_factor,
               (SELECT a.locked_until FROM authenticators a WHERE a.tenant_id = u.tenant_id
                AND a.user_id = u.id AND a.locked_until > :now) AS second_factor_locked_until,
               (SELECT count(*) FROM passkeys p WHERE p.tenant_id = u.tenant_id
                AND p.user_id = u.id) AS passkeys,
               (SELECT count(*) FROM sessions s WHERE s.tenant_id = u.tenant_id AND s.user_id = u.id
                AND s.epoch = u.session_epoch AND s.expires_at > :now AND s.idle_ends_at > :now) AS sessions,
               (SELECT max(r.created_at) FROM password_resets r WHERE r.tenant_id = u.tenant_id
                AND r.user_id = u.id AND r.email = u.email AND r.expires_at > :now) AS link_sent_at
        FROM users u WHERE u.tenant_id = :tenant AND u.id = :user_id
        """,
        user_id=user_id,
    )
    if state is None:
        raise LookupError(user_id)
    return state
