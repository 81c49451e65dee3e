"""How much e-mail integrations may send in a day to addresses of their own choice.

Whoever creates a user chooses where the invitation goes. The operator and people who use the panel are
trusted with that. A key can be stolen, so what it asks for is counted, exactly, by day in the tenant's time
zone.
"""

from datetime import date
from zoneinfo import ZoneInfo

from msgspec import Struct

from trilha.audit import queries as audit
from trilha.core.database import Tx
from trilha.core.lists import MOST_COUNTED, Count, capped

MOST_INVITATIONS = 1_000_000
# Notices a day of a change of address, to addresses that nobody ever signed in with.
NOTICES = 100
_TRUSTED = ("session", "operator")
_NEAR = 0.8


class ServerLimit(Struct, frozen=True):
    """Invitations a day of a tenant that has no limit of its own."""

    invitations: int


class TenantLimit(Struct, frozen=True):
    """`invitations` is the tenant's own limit, None where it has the server's; `today` is a day there."""

    invitations: int | None
    today: date


class Counters(Struct, frozen=True):
    """What was sent today."""

    invitations: int = 0
    notices: int = 0


class Usage(Struct, frozen=True):
    """Today's invitations of integrations: the limit, how many were sent, and how many wait.

    `waiting` is 0 until the limit is reached: the others are about to be sent.
    """

    limit: int
    sent: int
    waiting: int
    own: bool

    @property
    def waiting_count(self) -> Count:
        return capped(self.waiting)

    @property
    def is_reached(self) -> bool:
        return self.sent >= self.limit

    @property
    def is_near(self) -> bool:
        return self.sent >= self.limit * _NEAR


def is_limited(tx: Tx) -> bool:
    """Whether the mail that this caller has sent counts."""
    return tx.actor.kind not in _TRUSTED


async def get_limit(tx: Tx) -> TenantLimit:
    row = await tx.rows("SELECT invitation_limit, time_zone FROM tenant_settings WHERE tenant_id = :tenant")
    limit, zone = (row[0]["invitation_limit"], row[0]["time_zone"]) if row else (None, "America/Sao_Paulo")
    return TenantLimit(limit, tx.now.astimezone(ZoneInfo(zone)).date())


async def set_limit(tx: Tx, invitations: int | None) -> None:
    """How many a day, 1 to `MOST_INVITATIONS`; None for as many as of any tenant."""
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
    """Nobody else counts for this tenant before the transaction ends."""
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
    """Adds what is sent now to the locked counters."""
    await tx.execute(
        """
        UPDATE mail_counters SET invitations = invitations + :invitations, notices = notices + :notices
        WHERE tenant_id = :tenant
        """,
        invitations=invitations,
        notices=notices,
    )


async def count_notices(tx: Tx, wanted: int) -> int:
    """How many of the wanted notices may be sent today, and counts them."""
    limit = await get_limit(tx)
    counters = await lock_counters(tx, limit.today)
    admitted = min(wanted, max(0, NOTICES - counters.notices))
    await count(tx, notices=admitted)
    return admitted


async def get_usage(tx: Tx, server: ServerLimit, most: int = MOST_COUNTED + 1) -> Usage:
    """Waiting invitations are counted up to `most`."""
    limit = await get_limit(tx)
    allowed = limit.invitations or server.invitations
    sent = await tx.value(
        "SELECT invitations FROM mail_counters WHERE tenant_id = :tenant AND day = :today", today=limit.today
    )
    waiting = await _count_waiting(tx, most) if (sent or 0) >= allowed else 0
    return Usage(allowed, sent or 0, waiting, limit.invitations is not None)


async def _count_waiting(tx: Tx, most: int) -> int:
    count: int = await tx.value(
        """
        SELECT count(*) FROM (
            SELECT FROM users WHERE tenant_id = :tenant AND invitation_due AND invitation_limited
            LIMIT :most) AS waiting
        """,
        most=most,
    )
    return count
