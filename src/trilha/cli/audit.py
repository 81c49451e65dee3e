"""trilha audit …"""

import click

from trilha.audit import queries
from trilha.cli.output import as_json, in_tenant, in_transaction, show


@click.command()
@in_tenant
@click.option("--limit", type=click.IntRange(1, 10_000), default=100, help="How many.", show_default=True)
@as_json
def audit(tenant: str, limit: int, as_json: bool) -> None:
    """Show who changed which credential, newest first."""
    show(in_transaction(tenant, lambda _, tx: queries.list_latest(tx, limit)), as_json)
