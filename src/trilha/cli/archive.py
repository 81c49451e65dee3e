"""trilha archive …"""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import click

from trilha.cli.output import CommandError, as_json, in_tenant, in_transaction, show
from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.platform.retention import archive_queries
from trilha.platform.retention.archive import read_files
from trilha.platform.retention.archive_queries import ArchiveFile
from trilha.settings import Settings

log_option = click.option("--log", help="Only this log, such as audit_log or events.")
month_option = click.option("--month", metavar="YYYY-MM", help="Only rows of this month, in UTC.")


@click.group()
def archive() -> None:
    """Rows that were deleted at the end of their retention, in the file store."""


@archive.command("list")
@in_tenant
@log_option
@month_option
@as_json
def list_files(tenant: str, log: str | None, month: str | None, as_json: bool) -> None:
    """List the files of the archive."""

    async def work(_: Settings, tx: Tx) -> list[dict[str, Any]]:
        files = await archive_queries.list_files(tx, log, month)
        return [
            {"log": each.log, "month": each.month, "rows": each.rows, "file": each.file_key} for each in files
        ]

    show(in_transaction(tenant, work), as_json)


@archive.command()
@in_tenant
@log_option
@month_option
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the Parquet files to this folder, not encrypted, instead of printing rows.",
)
def read(tenant: str, log: str | None, month: str | None, output: Path | None) -> None:
    """Print archived rows as JSON, one on each line, or write them to a folder as Parquet."""
    take = _print_rows if output is None else _write_to(output)

    async def work(settings: Settings, tx: Tx) -> int:
        files = await archive_queries.list_files(tx, log, month)
        async for file, content in read_files(settings.open_files(), tx.keyring, files):
            await take(file, content)
        return len(files)

    try:
        count = in_transaction(tenant, work)
    except FileNotFoundError as error:
        raise CommandError(f"The file store has no {error}.") from None
    if output is not None:
        click.echo(f"{count} files are in {output}.")


async def _print_rows(file: ArchiveFile, content: bytes) -> None:
    from trilha.platform.retention import parquet

    for row in parquet.read(content):
        click.echo(json.dumps({"log": file.log, **row}, ensure_ascii=False, default=Timestamp.of))


def _write_to(folder: Path) -> Callable[[ArchiveFile, bytes], Awaitable[None]]:
    async def write(file: ArchiveFile, content: bytes) -> None:
        place = folder / file.log / file.month / Path(file.file_key).name
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        place.write_bytes(content)

    return write
