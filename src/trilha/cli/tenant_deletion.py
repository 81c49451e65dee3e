"""trilha tenant delete, trilha tenant deletion"""

import sys
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar
from uuid import UUID

import click

from trilha.app import list_file_prefixes
from trilha.cli.output import CommandError, as_json, local_operator, run, show
from trilha.core.clock import system_clock
from trilha.platform.mail.delivery.store import SEALED_FILES
from trilha.platform.tenants.deletion import records
from trilha.platform.tenants.deletion.proof import build_proof
from trilha.platform.tenants.deletion.running import DeleteTenant, TenantContents
from trilha.platform.tenants.deletion.schema import DeletionProof
from trilha.platform.tenants.operator import begin_owner
from trilha.runtime import logins_of, open_database
from trilha.settings import Settings
from trilha.training.learning.evidence import verification

T = TypeVar("T")


@click.command()
@click.option("--tenant", "slug", required=True, metavar="SLUG", help="The tenant's slug.")
@click.option("--confirm", required=True, metavar="SLUG", help="The slug again, to be sure.")
@as_json
def delete(slug: str, confirm: str, as_json: bool) -> None:
    """Delete a tenant with everything that belongs to it, for good, and keep a proof.

    As soon as the deletion begins, the server refuses all sign-ins and credentials of the tenant. If the
    command is interrupted, run it again: it continues where it stopped.
    """
    if confirm != slug:
        raise CommandError(f"To delete {slug}, repeat its slug: --confirm {slug}")
    show(_run(lambda deletions: deletions.run(slug)), as_json)


@click.command()
@click.option("--id", type=click.UUID, help="The deletion's id. Without it, all proofs are listed.")
@as_json
def deletion(id: UUID | None, as_json: bool) -> None:
    """Show the proof of a deletion, and check that nothing of the tenant is left. The exit code is 1 if
    anything is wrong.
    """
    if id is None:
        show(_list_proofs(), as_json)
        return
    check = _run(lambda deletions: deletions.check(id))
    show(check, as_json)
    if check.problems:
        sys.exit(1)


def _list_proofs() -> list[DeletionProof]:
    async def work(current: Settings, url: str) -> list[DeletionProof]:
        async with begin_owner(url, system_clock) as owner:
            deletions = await records.list_all(owner)
        return [build_proof(each) for each in deletions if each.finished_at is not None]

    return run(work)


def _run(work: Callable[[DeleteTenant], Awaitable[T]]) -> T:
    async def with_deletions(current: Settings, url: str) -> T:
        async with open_database(current, logins_of(current, url)) as database:
            return await work(
                DeleteTenant(
                    database,
                    partial(begin_owner, url, system_clock),
                    current.open_files(),
                    _list_contents(),
                    local_operator(),
                    lambda line: click.echo(line, err=True),
                )
            )

    return run(with_deletions)


def _list_contents() -> TenantContents:
    # E-mails of all tenants are in one folder, when no mail server is configured.
    return TenantContents(list_file_prefixes, [SEALED_FILES], verification.summarize)
