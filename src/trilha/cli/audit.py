"""trilha audit …"""

import click

from trilha.cli.output import as_json, in_tenant, in_transaction, show
from trilha.core.database import Tx
from trilha.core.lists import list_rows
from trilha.platform.audit import names
from trilha.platform.audit.lists import RECORDS
from trilha.platform.audit.schema import AuditQuery, AuditRecord
from trilha.settings import Settings


@click.command()
@in_tenant
@click.option("--limit", type=click.IntRange(1, 10_000), default=100, help="How many.", show_default=True)
@click.option("--action", metavar="PREFIX", help="Only actions that begin so: enrollment.")
@click.option("--target", type=click.UUID, help="Only what was done to this.")
@as_json
def audit(tenant: str, limit: int, action: str | None, target: object, as_json: bool) -> None:
    """Show who changed what, newest first."""

    async def work(_: Settings, tx: Tx) -> list[AuditRecord]:
        query = AuditQuery(action=action, target_id=target)  # type: ignore[arg-type]
        return await names.add(tx, await list_rows(tx, RECORDS, query, limit=limit))

    show(in_transaction(tenant, work), as_json)
