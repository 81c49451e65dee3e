"""trilha status"""

import asyncio

import click

from trilha import __version__, settings
from trilha.cli.output import EXPECTED_ERRORS, CommandError, as_json, explain, show
from trilha.cli.server import check_schema
from trilha.platform.status import queries
from trilha.platform.status.schema import Status
from trilha.runtime import open_database, serving_urls
from trilha.settings import Settings


@click.command("status")
@as_json
def status_command(as_json: bool) -> None:
    """Show the running processes, the work that waits for a worker and since when, and the latest errors."""
    try:
        found = _find(settings.load())
    except EXPECTED_ERRORS as error:
        raise CommandError(explain(error)) from None
    if as_json:
        show(found, True)
        return
    for title, rows, nothing in (
        ("Processes", found.processes, "None runs: `trilha up` starts them."),
        ("Waiting for a worker", found.backlog, ""),
        ("Last errors", found.last_errors, "None."),
    ):
        click.echo(f"{title}:")
        if rows:
            show(rows, False)
        else:
            click.echo(nothing)
        click.echo()
    click.echo("Last backup:")
    if found.last_backup:
        show(found.last_backup, False)
    else:
        click.echo("None: `trilha backup` makes one.")


def _find(current: Settings) -> Status:
    async def load() -> Status:
        async with open_database(current, urls) as database:
            await check_schema(database)
            async with database.unscoped() as unscoped:
                return Status(
                    __version__,
                    await queries.list_processes(unscoped),
                    await queries.list_backlog(unscoped),
                    await queries.list_errors(unscoped),
                    await queries.find_last_backup(unscoped),
                )

    with serving_urls(current) as urls:
        return asyncio.run(load())
