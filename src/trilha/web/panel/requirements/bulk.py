"""What can be done to selected people of a requirement."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from trilha.access.permissions.roles import Permission
from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.kit import N_, NN_
from trilha.training.reminders import actions as reminders
from trilha.training.requirements import actions, extension_queries, matrix, people_queries
from trilha.training.requirements.matrix import MatrixPerson
from trilha.web.panel.bulk.actions import (
    BulkAction,
    Context,
    Reasons,
    States,
    Targets,
    declare,
    one_by_one,
    undo_one_by_one,
)
from trilha.web.panel.enrollments.bulk import (
    REMINDER_CONSEQUENCE,
    ExtendOptions,
    ReminderOptions,
    choose_days,
    choose_text,
    offer_days,
)
from trilha.web.panel.requirements.panel_lists import ListedPerson, of_requirement
from trilha.web.panel.view import PanelView


def _requirement_of(context: Context) -> UUID:
    return UUID(context.options["requirement_id"])


_DONE_TEXTS = NN_("%(num)s person was reminded.", "%(num)s people were reminded.")
_HELD_TEXTS = NN_("%(num)s person is reminded in one minute.", "%(num)s people are reminded in one minute.")
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


def _skip_done(context: Context, row: ListedPerson) -> str | None:
    return "nothing_open" if row.enrollment_id is None or row.state in ("VALID", "EXCUSED") else None


async def _remind_of(
    tx: Tx, context: Context, user_ids: Sequence[UUID], requirement_id: UUID | None
) -> Reasons:
    enrollments = await people_queries.list_enrollments_to_remind(tx, user_ids, requirement_id)
    reminded = await reminders.remind_many(tx, enrollments, context.options["text"], context.begun_at)
    reasons = {id: "nothing_open" for id in user_ids if id not in enrollments}
    return reasons | {id: "not_to_remind" for id in enrollments if id not in reminded}


async def _remind(tx: Tx, context: Context, rows: Sequence[ListedPerson]) -> Reasons:
    return await _remind_of(tx, context, [row.id for row in rows], _requirement_of(context))


async def _remind_of_all(tx: Tx, context: Context, rows: Sequence[MatrixPerson]) -> Reasons:
    """Reminds of the requirement by which the list was filtered, or of all."""
    requirement = context.options["requirement_id"]
    return await _remind_of(tx, context, [row.id for row in rows], UUID(requirement) if requirement else None)


async def _choose_requirement(tx: Tx, view: PanelView, form: Any) -> Mapping[str, Any]:
    return {"text": form.text, "requirement_id": str(form.requirement) if form.requirement else None}


REMIND = declare(
    BulkAction(
        name="requirements/remind",
        targets=TARGETS,
        permission=Permission.ENROLLMENTS_WRITE,
        label=N_("Remind"),
        icon="bell",
        question=NN_("Remind %(num)s person?", "Remind %(num)s people?"),
        consequence=REMINDER_CONSEQUENCE,
        button=N_("Send reminders"),
        done=_DONE_TEXTS,
        options=ReminderOptions,
        fields="panel/enrollments/_reminder_fields.html",
        choose=choose_text,
        skip=_skip_done,
        act=_remind,
        held=_HELD_TEXTS,
    )
)
REMIND_OF_ALL = declare(
    BulkAction(
        name="matrix/remind",
        targets=Targets(matrix.PEOPLE, lambda row: row.name),
        permission=Permission.ENROLLMENTS_WRITE,
        label=N_("Remind"),
        icon="bell",
        question=NN_("Remind %(num)s person?", "Remind %(num)s people?"),
        consequence=REMINDER_CONSEQUENCE,
        button=N_("Send reminders"),
        done=_DONE_TEXTS,
        options=ReminderOptions,
        fields="panel/enrollments/_reminder_fields.html",
        choose=_choose_requirement,
        act=_remind_of_all,
        held=_HELD_TEXTS,
    )
)
ACTIONS = (REMIND, EXTEND)
