"""trilha tenant statements"""

import click

from trilha.cli.output import as_json, in_tenant, in_transaction, show
from trilha.core.database import Tx
from trilha.settings import Settings
from trilha.training.platform_statements import actions, queries


@click.command()
@in_tenant
@click.option("--on/--off", "on", default=None, help="Whether the platform writes statements.")
@as_json
def statements(tenant: str, on: bool | None, as_json: bool) -> None:
    """Set or show whether what happens on the platform is recorded as xAPI statements."""

    async def work(_: Settings, tx: Tx) -> dict[str, object]:
        if on is not None:
            await actions.set_recording(tx, on=on)
        settings = await queries.find_settings(tx)
        return {"on": settings is not None, "since": settings.since if settings else None}

    show(in_transaction(tenant, work), as_json)
