"""What can be done to selected people of a requirement."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from trilha.access.permissions.roles import Permission
from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.kit import N_, NN_
from trilha.training.requirements import actions, extension_queries
from trilha.web.panel.bulk.actions import (
    BulkAction,
    Context,
    States,
    Targets,
    declare,
    one_by_one,
    undo_one_by_one,
)
from trilha.web.panel.enrollments.bulk import ExtendOptions, choose_days, offer_days
from trilha.web.panel.requirements.panel_lists import ListedPerson, of_requirement


def _requirement_of(context: Context) -> UUID:
    return UUID(context.options["requirement_id"])


TARGETS = Targets(lambda context: of_requirement(_requirement_of(context)), lambda row: row.name)


def _skip(context: Context, row: ListedPerson) -> str | None:
    if row.user_id == context.user_id and not context.reach.is_everyone:
        return "yourself"
    return None


async def _extend(tx: Tx, context: Context, row: ListedPerson) -> None:
    await actions.extend(tx, _requirement_of(context), row.user_id, context.options["days"])


async def _read(tx: Tx, context: Context, ids: Sequence[UUID]) -> States:
    due_dates = await extension_queries.lock_own(tx, _requirement_of(context), ids)
    return {id: {"due_at": due_dates.get(id)} for id in ids}


async def _restore(tx: Tx, context: Context, id: UUID, before: Any) -> None:
    due_at = Timestamp(before["due_at"]).moment() if before["due_at"] else None
    await actions.restore_due_date(tx, _requirement_of(context), id, due_at)


EXTEND = declare(
    BulkAction(
        name="requirements/extend",
        targets=TARGETS,
        permission=Permission.ENROLLMENTS_WRITE,
        label=N_("Extend due date"),
        icon="calendar-plus",
        question=NN_("Extend the due date of %(num)s person?", "Extend the due date of %(num)s people?"),
        consequence=N_(
            "They have the days from today for this requirement. The figures follow within a minute."
        ),
        button=N_("Extend due dates"),
        done=NN_("%(num)s person has more time.", "%(num)s people have more time."),
        options=ExtendOptions,
        fields="panel/enrollments/_extend_fields.html",
        offer=offer_days,
        choose=choose_days,
        skip=_skip,
        act=one_by_one(_extend),
        read=_read,
        undo=undo_one_by_one(_restore),
    )
)
ACTIONS = (EXTEND,)
