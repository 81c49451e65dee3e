"""Daily limits for e-mails that integrations cause.

Whoever creates a user chooses the address of the invitation. The operator and people who use the panel are
trusted with that. An API key can be stolen, so its invitations are counted for each day in the tenant's
time zone.
"""

from datetime import date
from zoneinfo import ZoneInfo

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.lists import MAX_COUNTED, Count, cap_count
from trilha.platform.audit import queries as audit

MAX_INVITATIONS = 1_000_000
# daily notices of changed addresses to addresses with which nobody has signed in
NOTICES = 100
_UNLIMITED_ACTORS = ("session", "operator")
_NEAR = 0.8


class ServerLimit(Struct, frozen=True):
    """The daily limit of invitations for tenants without their own limit."""

    invitations: int


class TenantLimit(Struct, frozen=True):
    """`invitations` is the tenant's own limit, or None if the server's applies. `today` is the date in the
    tenant's time zone.
    """

    invitations: int | None
    today: date


class Counters(Struct, frozen=True):
    """The number of messages sent today."""

    invitations: int = 0
    notices: int = 0


class Usage(Struct, frozen=True):
    """Today's invitations from integrations: the limit, how many were sent, and how many wait.

    `waiting` is 0 until the limit is reached, because the others will be sent soon.
    """

    limit: int
    sent: int
    waiting: int
    own: bool

    @property
    def waiting_count(self) -> Count:
        return cap_count(self.waiting)

    @property
    def is_reached(self) -> bool:
        return self.sent >= self.limit

    @property
    def is_near(self) -> bool:
        return self.sent >= self.limit * _NEAR


def is_limited(tx: Tx) -> bool:
    """Returns whether e-mails caused by this caller count against the limit."""
    return tx.actor.kind not in _UNLIMITED_ACTORS


async def get_limit(tx: Tx) -> TenantLimit:
    row = await tx.rows("SELECT invitation_limit, time_zone FROM tenant_settings WHERE tenant_id = :tenant")
    limit, zone = (row[0]["invitation_limit"], row[0]["time_zone"]) if row else (None, "America/Sao_Paulo")
    return TenantLimit(limit, tx.now.astimezone(ZoneInfo(zone)).date())


async def set_limit(tx: Tx, invitations: int | None) -> None:
    """Sets the tenant's daily limit, from 1 to `MAX_INVITATIONS`. None restores the server's limit."""
    if invitations == (await get_limit(tx)).invitations:
        return
    await tx.execute(
        """
        INSERT INTO tenant_settings (tenant_id, invitation_limit, updated_at)
        VALUES (:tenant, :invitations, :now)
        ON CONFLICT (tenant_id) DO UPDATE SET invitation_limit = :invitations, updated_at = :now
        """,
        invitations=invitations,
    )
    await audit.record(tx, "mail.limit_changed", tx.tenant_id, invitations=invitations)


async def lock_counters(tx: Tx, today: date) -> Counters:
    """Locks the tenant's counters until the transaction ends."""
    counters = await tx.find(
        Counters,
        """
        INSERT INTO mail_counters AS counted (tenant_id, day) VALUES (:tenant, :today)
        ON CONFLICT (tenant_id) DO UPDATE SET day = excluded.day,
            invitations = CASE WHEN counted.day = excluded.day THEN counted.invitations ELSE 0 END,
            notices = CASE WHEN counted.day = excluded.day THEN counted.notices ELSE 0 END
        RETURNING invitations, notices
        """,
        today=today,
    )
    assert counters is not None
    return counters


async def count(tx: Tx, *, invitations: int = 0, notices: int = 0) -> None:
    """Adds to the locked counters."""
    await tx.execute(
        """
        UPDATE mail_counters SET invitations = invitations + :invitations, notices = notices + :notices
        WHERE tenant_id = :tenant
        """,
        invitations=invitations,
        notices=notices,
    )


async def count_notices(tx: Tx, number: int) -> int:
    """Counts up to `number` notices, and returns how many of them may be sent today."""
    limit = await get_limit(tx)
    counters = await lock_counters(tx, limit.today)
    admitted = min(number, max(0, NOTICES - counters.notices))
    await count(tx, notices=admitted)
    return admitted


async def get_usage(tx: Tx, server: ServerLimit, limit: int = MAX_COUNTED + 1) -> Usage:
    """Returns today's usage. Waiting invitations are counted up to `limit`."""
    own = await get_limit(tx)
    allowed = own.invitations or server.invitations
    sent = await tx.value(
        "SELECT invitations FROM mail_counters WHERE tenant_id = :tenant AND day = :today", today=own.today
    )
    waiting = await _count_waiting(tx, limit) if (sent or 0) >= allowed else 0
    return Usage(allowed, sent or 0, waiting, own.invitations is not None)


async def _count_waiting(tx: Tx, limit: int) -> int:
    count: int = await tx.value(
        """
        SELECT count(*) FROM (
            SELECT FROM users WHERE tenant_id = :tenant AND invitation_due AND invitation_limited
            LIMIT :limit) AS waiting
        """,
        limit=limit,
    )
    return count
