"""trilha audit …"""

import click
from msgspec import structs

from trilha.audit import queries
from trilha.audit.schema import AuditQuery, AuditRecord
from trilha.cli.output import as_json, in_tenant, in_transaction, show
from trilha.core.database import Tx
from trilha.settings import Settings

_PAGE = 100


@click.command()
@in_tenant
@click.option("--limit", type=click.IntRange(1, 10_000), default=100, help="How many.", show_default=True)
@click.option("--action", metavar="PREFIX", help="Only actions that begin so: enrollment.")
@click.option("--target", type=click.UUID, help="Only what was done to this.")
@as_json
def audit(tenant: str, limit: int, action: str | None, target: object, as_json: bool) -> None:
    """Show who changed what, newest first."""

    async def work(_: Settings, tx: Tx) -> list[AuditRecord]:
        found: list[AuditRecord] = []
        query = AuditQuery(action=action, target_id=target, limit=_PAGE)  # type: ignore[arg-type]
        while len(found) < limit:
            page = await queries.list_page(tx, query)
            found += page.data
            if not page.has_more:
                break
            query = structs.replace(query, cursor=page.next_cursor)
        return found[:limit]

    show(in_transaction(tenant, work), as_json)
