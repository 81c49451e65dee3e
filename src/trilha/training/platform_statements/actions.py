"""Turns the platform's statements on or off."""

from trilha.core.database import Tx
from trilha.platform.audit import queries as audit
from trilha.training.platform_statements import queries


async def set_recording(tx: Tx, *, on: bool) -> None:
    """Sets whether what the platform knows is written as statements, from now on. Stored statements stay."""
    if (await queries.find_settings(tx) is not None) == on:
        return
    await (queries.turn_on(tx) if on else queries.turn_off(tx))
    await audit.record(tx, "tenant.statements_changed", tx.tenant_id, on=on)
