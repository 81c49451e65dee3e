"""trilha practice …"""

from typing import Any
from uuid import UUID

import click
from msgspec import Struct

from trilha.cli.output import as_json, in_tenant, in_transaction, show
from trilha.core.database import Tx
from trilha.core.lists import list_rows
from trilha.core.types import Timestamp
from trilha.settings import Settings
from trilha.training.practice import queries
from trilha.training.practice.lists import ASSESSMENTS
from trilha.training.practice.rules import AssessmentStatus, Rating
from trilha.training.practice.schema import AssessmentQuery, AssessmentStatusFilter, ListedAssessment


class AssessmentLine(Struct, frozen=True):
    """An assessment in the command's list."""

    id: UUID
    user_id: UUID
    module_id: UUID
    number: int
    status: AssessmentStatus
    result: Rating | None
    assessor_id: UUID
    assessed_on: str | None
    created_at: Timestamp


def _build_line(listed: ListedAssessment) -> AssessmentLine:
    return AssessmentLine(**{name: getattr(listed, name) for name in AssessmentLine.__struct_fields__})


@click.group()
def practice() -> None:
    """Practical assessments: checklists that a qualified assessor rates."""


@practice.command("list")
@in_tenant
@click.option("--user", "user_id", type=click.UUID, help="Only assessments of this user.")
@click.option("--module", "module_id", type=click.UUID, help="Only assessments in this module.")
@click.option(
    "--status",
    type=click.Choice(["open", "assessed", "signed", "annulled"]),
    help="Only assessments in this status.",
)
@as_json
def list_assessments(
    tenant: str, user_id: UUID | None, module_id: UUID | None, status: str | None, as_json: bool
) -> None:
    """List a tenant's assessments, newest first."""
    wanted = AssessmentStatusFilter.parse(status) if status else None
    query = AssessmentQuery(user_id=user_id, module_id=module_id, status=wanted)

    async def work(_: Settings, tx: Tx) -> Any:
        return [_build_line(each) for each in await list_rows(tx, ASSESSMENTS, query)]

    show(in_transaction(tenant, work), as_json)


@practice.command("show")
@in_tenant
@click.argument("assessment_id", type=click.UUID, metavar="ASSESSMENT")
@as_json
def show_assessment(tenant: str, assessment_id: UUID, as_json: bool) -> None:
    """Show one assessment with the ratings of its items."""

    async def work(_: Settings, tx: Tx) -> Any:
        return await queries.get(tx, assessment_id)

    show(in_transaction(tenant, work), as_json)
