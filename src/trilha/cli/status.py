"""trilha status"""

import asyncio

import click

from trilha import __version__, settings
from trilha.cli.output import EXPECTED, CommandError, as_json, explain, show
from trilha.cli.server import check_schema
from trilha.runtime import opened, serving_urls
from trilha.settings import Settings
from trilha.status import queries
from trilha.status.schema import Status


@click.command("status")
@as_json
def status_command(as_json: bool) -> None:
    """Show the processes that run, what waits for a worker and since when, and the last errors."""
    try:
        found = _find(settings.load())
    except EXPECTED as error:
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


def _find(current: Settings) -> Status:
    async def found() -> Status:
        async with opened(current, urls) as database:
            await check_schema(database)
            async with database.unscoped() as unscoped:
                return Status(
                    __version__,
                    await queries.list_processes(unscoped),
                    await queries.list_backlog(unscoped),
                    await queries.list_errors(unscoped),
                )

    with serving_urls(current) as urls:
        return asyncio.run(found())
