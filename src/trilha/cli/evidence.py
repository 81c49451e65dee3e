"""trilha evidence …"""

import sys
from uuid import UUID

import click

from trilha.cli.output import as_json, in_tenant, in_transaction, show
from trilha.core.database import Tx
from trilha.settings import Settings
from trilha.training.learning.evidence import verification
from trilha.training.learning.evidence.schema import Verification


@click.group()
def evidence() -> None:
    """The proof of what people learned."""


@evidence.command()
@in_tenant
@click.option("--enrollment", type=click.UUID, help="Only the log of this one.")
@as_json
def verify(tenant: str, enrollment: UUID | None, as_json: bool) -> None:
    """Check that the logs of enrollments were not changed. The exit code is 1 if one was."""

    async def work(_: Settings, tx: Tx) -> list[Verification]:
        if enrollment is not None:
            return [await verification.verify(tx, enrollment)]
        return [each async for each in verification.verify_all(tx)]

    found = in_transaction(tenant, work)
    show(found, as_json)
    if any(each.problem not in ("", "retired") for each in found):
        sys.exit(1)
