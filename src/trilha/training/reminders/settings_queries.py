"""The SQL of a company's reminder settings."""

from collections.abc import Mapping
from datetime import time
from typing import Any
from zoneinfo import ZoneInfo

from trilha.core.database import Tx
from trilha.training.reminders.rules import SWITCHES, SendingTimes
from trilha.training.reminders.schema import KindSwitches, ReminderSettings


async def get(tx: Tx) -> ReminderSettings:
    """Returns the settings; those that were never changed have their usual values."""
    rows = await tx.rows(
        "SELECT quiet_from, quiet_until, working_days, kinds_off FROM reminder_settings "
        "WHERE tenant_id = :tenant"
    )
    if not rows:
        return ReminderSettings(None, None, [1, 2, 3, 4, 5, 6, 7], KindSwitches())
    row = rows[0]
    switches = KindSwitches(**{name: name not in row["kinds_off"] for name in SWITCHES})
    return ReminderSettings(row["quiet_from"], row["quiet_until"], list(row["working_days"]), switches)


async def put(tx: Tx, settings: ReminderSettings) -> None:
    await tx.execute(
        """
        INSERT INTO reminder_settings (tenant_id, quiet_from, quiet_until, working_days, kinds_off,
                                       updated_at)
        VALUES (:tenant, :quiet_from, :quiet_until, :working_days, :kinds_off, :now)
        ON CONFLICT (tenant_id) DO UPDATE
        SET quiet_from = excluded.quiet_from, quiet_until = excluded.quiet_until,
            working_days = excluded.working_days, kinds_off = excluded.kinds_off,
            updated_at = excluded.updated_at
        """,
        quiet_from=settings.quiet_from,
        quiet_until=settings.quiet_until,
        working_days=list(settings.working_days),
        kinds_off=[name for name in SWITCHES if not getattr(settings.kinds, name)],
    )


def build_times(settings: ReminderSettings, zone: ZoneInfo) -> SendingTimes:
    """Returns when reminders may be sent."""
    quiet: Mapping[str, Any] = {
        name: time.fromisoformat(value) if (value := getattr(settings, name)) else None
        for name in ("quiet_from", "quiet_until")
    }
    return SendingTimes(quiet["quiet_from"], quiet["quiet_until"], settings.working_days, zone)
