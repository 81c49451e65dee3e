"""Registers, renames and removes a person's passkeys."""

from uuid import UUID

from trilha.access.permissions.viewer import Viewer
from trilha.access.sessions import queries as sessions
from trilha.access.sessions.passkeys import queries, rules, verification
from trilha.access.sessions.passkeys.challenges import bind_session, new_challenge
from trilha.access.sessions.passkeys.schema import Passkey, RelyingParty
from trilha.core.database import Tx
from trilha.core.errors import BusinessRule, Conflict, Forbidden, NotFound
from trilha.core.types import Timestamp
from trilha.platform.audit import queries as audit
from trilha.platform.mail import outbox
from trilha.platform.mail.catalogue import PasskeyAdded, PasskeyRemoved
from trilha.platform.mail.schema import Recipient


async def find_party(tx: Tx, viewer: Viewer, address: str) -> RelyingParty | None:
    """Returns None where there are no passkeys: at this address, or in this company."""
    party = rules.find_relying_party(address, viewer.tenant_slug)
    return party if party is not None and await queries.are_allowed(tx) else None


async def get_party(tx: Tx, viewer: Viewer, address: str) -> RelyingParty:
    """Raises BusinessRule (passkeys_unavailable)."""
    party = await find_party(tx, viewer, address)
    if party is None:
        raise BusinessRule("passkeys_unavailable")
    return party


async def begin_registration(tx: Tx, viewer: Viewer, address: str) -> str:
    """Returns the options for a new passkey as JSON.

    Raises BusinessRule (passkeys_unavailable, too_many_passkeys) and Forbidden (recent_sign_in_required).
    """
    party = await get_party(tx, viewer, address)
    if not await queries.is_recent(tx, viewer.session_id):
        raise Forbidden("recent_sign_in_required")
    registered = await queries.list_of_user(tx, viewer.user_id)
    if len(registered) >= rules.MAX_PASSKEYS:
        raise BusinessRule("too_many_passkeys")
    challenge = new_challenge()
    await queries.put_challenge(tx, challenge, "REGISTRATION", bind_session(viewer), viewer.user_id)
    handle = rules.build_user_handle(tx.tenant_id, viewer.user_id)
    return verification.build_creation_options(
        party, challenge, handle, viewer.email, viewer.name, viewer.tenant_name, registered
    )


async def register(tx: Tx, viewer: Viewer, name: str, text: str, address: str) -> UUID:
    """Registers the passkey of a browser's answer, and notifies the person by e-mail.

    Raises BusinessRule (passkey_refused, passkeys_unavailable, too_many_passkeys) and Conflict
    (passkey_exists).
    """
    party = await get_party(tx, viewer, address)
    answer = verification.read_answer(text)
    challenge = verification.read_challenge(answer)
    taken = await queries.take_challenge(tx, challenge, "REGISTRATION", bind_session(viewer))
    if taken is None or taken.user_id != viewer.user_id:
        raise BusinessRule("passkey_refused")
    new = verification.verify_registration(answer, party, challenge)
    if not await queries.has_room(tx, viewer.user_id):
        raise BusinessRule("too_many_passkeys")
    passkey_id = await queries.insert(tx, viewer.user_id, name, new)
    if passkey_id is None:
        raise Conflict("passkey_exists")
    await audit.record(tx, "user.passkey_added", viewer.user_id, passkey_id=passkey_id, name=name)
    message = PasskeyAdded(at=Timestamp.of(tx.now), passkey=name, link=f"{address}/learn/security")
    await outbox.send(tx, to=viewer.recipient, message=message)
    return passkey_id


async def get(tx: Tx, viewer: Viewer, passkey_id: UUID) -> Passkey:
    """Raises NotFound (passkey_not_found)."""
    passkey = await queries.find(tx, viewer.user_id, passkey_id)
    if passkey is None:
        raise NotFound("passkey_not_found")
    return passkey


async def rename(tx: Tx, viewer: Viewer, passkey_id: UUID, name: str) -> None:
    """Raises NotFound (passkey_not_found)."""
    passkey = await get(tx, viewer, passkey_id)
    if passkey.name != name:
        await queries.rename(tx, viewer.user_id, passkey_id, name)
        await audit.record(tx, "user.passkey_renamed", viewer.user_id, passkey_id=passkey_id, name=name)


async def remove(tx: Tx, viewer: Viewer, passkey_id: UUID, address: str) -> str:
    """Removes a passkey, notifies the person by e-mail, and returns its name.

    Raises NotFound (passkey_not_found).
    """
    passkey = await get(tx, viewer, passkey_id)
    await queries.delete(tx, viewer.user_id, passkey_id)
    await audit.record(tx, "user.passkey_removed", viewer.user_id, passkey_id=passkey_id, name=passkey.name)
    message = PasskeyRemoved(
        at=Timestamp.of(tx.now),
        passkey=passkey.name,
        by_administrator=False,
        link=f"{address}/learn/security",
    )
    await outbox.send(tx, to=viewer.recipient, message=message)
    return passkey.name


async def remove_all(tx: Tx, user_id: UUID, address: str) -> bool:
    """Removes the passkeys of somebody who lost the device, and notifies them by e-mail.

    Returns False if there is none.
    """
    account = await sessions.get_account(tx, user_id)
    names = [each.name for each in await queries.list_of_user(tx, user_id)]
    if not await queries.delete_of_user(tx, user_id):
        return False
    await audit.record(tx, "user.passkey_removed", user_id, "", passkeys=len(names))
    message = PasskeyRemoved(
        at=Timestamp.of(tx.now),
        passkey=", ".join(names),
        by_administrator=True,
        link=f"{address}/learn/security",
    )
    to = Recipient(account.email, account.name, account.locale, account.time_zone, user_id)
    await outbox.send(tx, to=to, message=message)
    return True
