"""Inviting people who came without a password: each is mailed a link by which they choose one."""

from collections.abc import Sequence
from functools import partial
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.jobs import TenantJob, each_tenant_once
from trilha.mail import daily_limits, outbox
from trilha.mail.catalogue import Invitation
from trilha.mail.schema import Locale, Recipient
from trilha.sessions import queries
from trilha.sessions.rules import INVITATION_LINK, new_token

_BATCH = 100


class Invited(Struct, frozen=True):
    """`open` is whether they still wait for a way in: active, and without a password."""

    id: UUID
    email: str
    name: str
    locale: Locale
    time_zone: str
    open: bool


async def send_due(tx: Tx, *, address: str, per_day: int) -> int:
    """Mails the next of them; how many were looked at. `address` is what links begin with.

    Those that administrators asked for come first. Those of integrations are sent, oldest first, until the
    tenant's daily limit is reached; the others wait for the next day. `per_day` is the server's limit.
    """
    due = await _take(tx, _BATCH, limited=False) or await _take_admitted(tx, per_day)
    tokens = {each.id: new_token() for each in due if each.open}
    fingerprints = {user_id: tx.keyring.fingerprint(token) for user_id, token in tokens.items()}
    await queries.put_links(tx, "invitation", fingerprints)
    await outbox.send_all(tx, [_letter(each, tokens[each.id], address) for each in due if each.open])
    return len(due)


def _letter(invited: Invited, token: str, address: str) -> tuple[Recipient, Invitation]:
    to = Recipient(invited.email, invited.name, invited.locale, invited.time_zone, invited.id)
    return to, Invitation(link=f"{address}/login/reset/{token}", days=INVITATION_LINK.days)


async def _take_admitted(tx: Tx, per_day: int) -> Sequence[Invited]:
    """As many as today's limit leaves, which are counted."""
    if not await tx.value(_HAS_LIMITED):
        return []
    limit = await daily_limits.get_limit(tx)
    counters = await daily_limits.lock_counters(tx, limit.today)
    left = (limit.invitations or per_day) - counters.invitations
    if left <= 0:
        return []
    due = await _take(tx, min(left, _BATCH), limited=True)
    await daily_limits.count(tx, invitations=sum(each.open for each in due))
    return due


_HAS_LIMITED = """
    SELECT EXISTS (SELECT FROM users WHERE tenant_id = :tenant AND invitation_due AND invitation_limited)"""


async def _take(tx: Tx, most: int, *, limited: bool) -> Sequence[Invited]:
    """Whose invitation is due, and from now on is not; those that others write to are passed over.

    Where nobody gets in by a password, nobody is asked to choose one.
    """
    return await tx.list(
        Invited,
        """
        WITH due AS MATERIALIZED ( -- once: a limit below IN may be applied again and again
            SELECT id FROM users
            WHERE tenant_id = :tenant AND invitation_due AND invitation_limited = :limited
            ORDER BY created_at, id LIMIT :most FOR UPDATE SKIP LOCKED)
        UPDATE users u SET invitation_due = false
        FROM due CROSS JOIN tenants t LEFT JOIN tenant_settings c ON c.tenant_id = t.id
        WHERE u.tenant_id = :tenant AND t.id = u.tenant_id AND u.id = due.id
        RETURNING u.id, u.email, u.name, COALESCE(u.locale, t.locale) AS locale,
                  COALESCE(c.time_zone, 'America/Sao_Paulo') AS time_zone,
                  u.status = 'ACTIVE' AND u.password_hash IS NULL
                  AND NOT COALESCE(c.sso_required, false) AS open
        """,
        most=most,
        limited=limited,
    )


def job(address: str, per_day: int) -> TenantJob:
    """`per_day` is the daily limit of a tenant that has none of its own."""
    return TenantJob(
        name="invite people",
        due=each_tenant_once("users", "invitation_due"),
        batch=partial(send_due, address=address, per_day=per_day),
        rest=2,
    )
