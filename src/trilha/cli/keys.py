"""trilha keys …"""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import asyncpg
import click

from trilha.app import FEATURES
from trilha.cli.output import CommandError, as_json, run, show
from trilha.core.resealing.files import ResealFiles
from trilha.core.resealing.installation import Installation, ResealingError
from trilha.core.web import idempotency
from trilha.runtime import has_own_logins, logins_of, open_database
from trilha.settings import Settings

T = TypeVar("T")


@click.group()
def keys() -> None:
    """The master keys: what is encrypted with which, and how an old one is retired."""


@keys.command()
@as_json
def status(as_json: bool) -> None:
    """Show how much is encrypted with which master key. Keys are shown by their ids."""
    found = _run(lambda installation: installation.load_status())
    if as_json:
        show(found, True)
        return
    show(found.uses, False)
    click.echo(f"\nKeys that must be at hand: {' '.join(found.recorded)}")
    click.echo(f"Lists of files that wait to be encrypted again: {found.files_left}")
    if found.processes:
        click.echo()
        show(found.processes, False)


@keys.command()
@as_json
def reseal(as_json: bool) -> None:
    """Encrypt everything with the newest master key, while the server runs, so that older keys can go."""
    forgotten = _run(lambda installation: installation.reseal(lambda line: click.echo(line, err=True)))
    if as_json:
        show({"forgotten": forgotten}, True)
    elif forgotten:
        click.echo(f"Nothing needs these keys any more; remove them: {' '.join(forgotten)}")
    else:
        click.echo("Everything is encrypted with the newest key.")


def _run(work: Callable[[Installation], Awaitable[T]]) -> T:
    async def with_installation(current: Settings, url: str) -> T:
        kinds = tuple(kind for feature in FEATURES for kind in feature.sealed_files)
        async with open_database(current, logins_of(current, url)) as database:
            owner = await asyncpg.connect(url)
            try:
                installation = Installation(
                    database,
                    owner,
                    ResealFiles(current.open_files(), kinds),
                    kinds,
                    (*(each for f in FEATURES for each in f.sealed_columns), idempotency.SEALED_RESPONSES),
                    [each for feature in FEATURES for each in feature.installation_columns],
                    with_logins=has_own_logins(current),
                )
                return await work(installation)
            finally:
                await owner.close()

    try:
        return run(with_installation)
    except ResealingError as error:
        raise CommandError(str(error)) from None
