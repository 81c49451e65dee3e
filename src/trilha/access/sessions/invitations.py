"""Invitations: people without a password are mailed a link to choose one."""

from collections.abc import Sequence
from functools import partial
from uuid import UUID

from msgspec import Struct

from trilha.access.sessions import queries
from trilha.access.sessions.rules import INVITATION_LINK, new_token
from trilha.core.database import Tx
from trilha.core.jobs import TenantJob, each_tenant_once
from trilha.platform.mail import daily_limits, outbox
from trilha.platform.mail.catalogue import Invitation
from trilha.platform.mail.schema import Locale, Recipient

_BATCH = 100


class InvitedPerson(Struct, frozen=True):
    """An invited person. `open` is False if they no longer need an invitation: inactive, or with a
    password.
    """

    id: UUID
    email: str
    name: str
    locale: Locale
    time_zone: str
    open: bool


async def send_due(tx: Tx, *, address: str, per_day: int) -> int:
    """Mails the next batch and returns its size. `address` is the base of links.

    Invitations by administrators come first. Those by integrations are sent, oldest first, until the tenant's
    daily limit is reached; the others wait for the next day. `per_day` is the server's limit.
    """
    due = await _take(tx, _BATCH, limited=False) or await _take_admitted(tx, per_day)
    tokens = {person.id: new_token() for person in due if person.open}
    fingerprints = {user_id: tx.keyring.fingerprint(token) for user_id, token in tokens.items()}
    await queries.put_links(tx, "invitation", fingerprints)
    await outbox.send_all(
        tx, [_build_message(person, tokens[person.id], address) for person in due if person.open]
    )
    return len(due)


def _build_message(invited: InvitedPerson, token: str, address: str) -> tuple[Recipient, Invitation]:
    to = Recipient(invited.email, invited.name, invited.locale, invited.time_zone, invited.id)
    return to, Invitation(link=f"{address}/login/reset/{token}", days=INVITATION_LINK.days)


async def _take_admitted(tx: Tx, per_day: int) -> Sequence[InvitedPerson]:
    """Claims and counts as many as today's limit allows."""
    if not await tx.value(_HAS_LIMITED):
        return []
    limit = await daily_limits.get_limit(tx)
    counters = await daily_limits.lock_counters(tx, limit.today)
    remaining = (limit.invitations or per_day) - counters.invitations
    if remaining <= 0:
        return []
    due = await _take(tx, min(remaining, _BATCH), limited=True)
    await daily_limits.count(tx, invitations=sum(person.open for person in due))
    return due


_HAS_LIMITED = """
    SELECT EXISTS (SELECT FROM users WHERE tenant_id = :tenant AND invitation_due AND invitation_limited)"""


async def _take(tx: Tx, limit: int, *, limited: bool) -> Sequence[InvitedPerson]:
    """Claims due invitations, skipping rows locked by others.

    If the tenant requires single sign-on, nobody is asked to choose a password.
    """
    return await tx.list(
        InvitedPerson,
        """
        WITH due AS MATERIALIZED ( -- once: a limit below IN may be applied again and again
            SELECT id FROM users
            WHERE tenant_id = :tenant AND invitation_due AND invitation_limited = :limited
            ORDER BY created_at, id LIMIT :limit FOR UPDATE SKIP LOCKED)
        UPDATE users u SET invitation_due = false
        FROM due CROSS JOIN tenants t LEFT JOIN tenant_settings c ON c.tenant_id = t.id
        WHERE u.tenant_id = :tenant AND t.id = u.tenant_id AND u.id = due.id
        RETURNING u.id, u.email, u.name, COALESCE(u.locale, t.locale) AS locale,
                  COALESCE(c.time_zone, 'America/Sao_Paulo') AS time_zone,
                  u.status = 'ACTIVE' AND u.password_hash IS NULL
                  AND NOT COALESCE(c.sso_required, false) AS open
        """,
        limit=limit,
        limited=limited,
    )


def job(address: str, per_day: int) -> TenantJob:
    """`per_day` is the daily limit of tenants that have none of their own."""
    return TenantJob(
        name="invite people",
        due=each_tenant_once("users", "invitation_due"),
        batch=partial(send_due, address=address, per_day=per_day),
        rest=2,
    )
