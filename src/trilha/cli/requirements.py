"""trilha requirement …"""

from pathlib import Path
from typing import Any

import click
import msgspec

from trilha.cli.output import CommandError, as_json, in_tenant, in_transaction, show
from trilha.core.database import Tx
from trilha.core.web.parsing import convert
from trilha.settings import Settings
from trilha.training.requirements import actions, previewing, queries
from trilha.training.requirements.schema import NewRequirement, PreviewRow, Requirement

_MAX_FILE = 1024 * 1024
in_file = click.option(
    "--file",
    "path",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A JSON file with the members of POST /v1/requirements.",
)


@click.group()
def requirement() -> None:
    """Requirements: who must hold which course or learning path."""


@requirement.command()
@in_tenant
@in_file
@as_json
def create(tenant: str, path: Path, as_json: bool) -> None:
    """Create a requirement from a file."""
    raw = _read(path)

    async def work(_: Settings, tx: Tx) -> Requirement:
        return await actions.create(tx, convert(NewRequirement, raw, tx.today))

    show(in_transaction(tenant, work), as_json)


@requirement.command()
@in_tenant
@in_file
@as_json
def preview(tenant: str, path: Path, as_json: bool) -> None:
    """Show to whom the requirement in a file would apply, without saving it."""
    raw = _read(path)

    async def work(_: Settings, tx: Tx) -> list[PreviewRow]:
        return await previewing.list_rows(tx, convert(NewRequirement, raw, tx.today))

    show(in_transaction(tenant, work), as_json)


@requirement.command("list")
@in_tenant
@as_json
def list_requirements(tenant: str, as_json: bool) -> None:
    """List the requirements, oldest first."""

    async def work(_: Settings, tx: Tx) -> list[Requirement]:
        return await queries.list_all(tx)

    show(in_transaction(tenant, work), as_json)


def _read(path: Path) -> Any:
    """Reads a JSON file. Raises CommandError."""
    if path.stat().st_size > _MAX_FILE:
        raise CommandError(f"{path} is larger than 1 MiB.")
    try:
        return msgspec.json.decode(path.read_bytes())
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise CommandError(f"{path} is not JSON.") from None
