"""What can be done to selected enrollments."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission
from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.types import STORABLE, Timestamp
from trilha.kit import N_, NN_
from trilha.training.enrollments import actions, restoring, validity_queries
from trilha.training.enrollments.lists import ENROLLMENT_ROWS
from trilha.training.enrollments.restoring import Terms
from trilha.training.enrollments.schema import ListedEnrollment
from trilha.training.reminders import actions as reminders
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
from trilha.web.panel.days import end_of_day
from trilha.web.panel.view import PanelView

DAYS = (7, 15, 30, 60, 90)
_END_OF_DAY = time(23, 59, 59)
REMINDER_CONSEQUENCE = N_(
    "Each person gets one message about what is late or due. People who were reminded within 24 hours are "
    "skipped."
)
TARGETS = Targets(ENROLLMENT_ROWS, lambda row: f"{row.user_name}, {row.course_title}")


class ExtendOptions(Struct, frozen=True):
    days: Literal[7, 15, 30, 60, 90] = 30


class ReminderOptions(Struct, frozen=True):
    text: Annotated[str, Meta(max_length=2000, extra_json_schema=STORABLE)] | None = None


class DueDateOptions(Struct, frozen=True):
    day: date | None = None


def _skip_unchangeable(context: Context, row: ListedEnrollment) -> str | None:
    if row.status == "COMPLETED":
        return "enrollment_completed"
    if row.user_id == context.user_id and not context.reach.is_everyone:
        return "yourself"
    return None


def _skip_extension(context: Context, row: ListedEnrollment) -> str | None:
    return _skip_unchangeable(context, row) or (None if row.expires_at else "no_due_date")


async def offer_days(tx: Tx, view: PanelView, values: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"days": DAYS}


async def choose_days(tx: Tx, view: PanelView, form: ExtendOptions) -> Mapping[str, Any]:
    return {"days": form.days}


async def _choose_day(tx: Tx, view: PanelView, form: DueDateOptions) -> Mapping[str, Any]:
    """Raises Invalid (required, invalid_date, not_in_future)."""
    if form.day is None:
        raise invalid("day", "required")
    expires_at = end_of_day(form.day, view, "day")
    if expires_at is None or expires_at <= Timestamp.of(tx.now):
        raise invalid("day", "not_in_future")
    return {"expires_at": expires_at}


async def _extend(tx: Tx, context: Context, row: ListedEnrollment) -> None:
    """Adds the days to the due date, or to today if that has passed."""
    assert row.expires_at is not None
    zone = await validity_queries.get_zone(tx)
    begin = max(Timestamp(row.expires_at).moment(), tx.now).astimezone(zone).date()
    day = begin + timedelta(days=context.options["days"])
    await actions.change_expiry(tx, row.id, Timestamp.of(datetime.combine(day, _END_OF_DAY, zone)))


async def _set_due_date(tx: Tx, context: Context, row: ListedEnrollment) -> None:
    await actions.change_expiry(tx, row.id, Timestamp(context.options["expires_at"]))


def _skip_same_date(context: Context, row: ListedEnrollment) -> str | None:
    same = context.options.get("expires_at") is not None and row.expires_at == context.options["expires_at"]
    return _skip_unchangeable(context, row) or ("same_due_date" if same else None)


async def _cancel(tx: Tx, context: Context, row: ListedEnrollment) -> None:
    await actions.cancel(tx, row.id)


async def choose_text(tx: Tx, view: PanelView, form: ReminderOptions) -> Mapping[str, Any]:
    return {"text": form.text}


def _skip_completed(context: Context, row: ListedEnrollment) -> str | None:
    return "enrollment_completed" if row.status == "COMPLETED" else None


async def _remind(tx: Tx, context: Context, rows: Sequence[ListedEnrollment]) -> Reasons:
    enrollments: defaultdict[UUID, list[UUID]] = defaultdict(list)
    for row in rows:
        enrollments[row.user_id].append(row.id)
    reminded = await reminders.remind_many(tx, enrollments, context.options["text"], context.begun_at)
    return {row.id: "not_to_remind" for row in rows if row.user_id not in reminded}


async def read(tx: Tx, context: Context, ids: Sequence[UUID]) -> States:
    terms = await restoring.read_terms(tx, ids)
    return {id: msgspec.to_builtins(each) for id, each in terms.items()}


async def _restore_terms(tx: Tx, context: Context, id: UUID, before: Any) -> None:
    await restoring.restore_terms(tx, id, msgspec.convert(before, Terms))


async def _restore_cancelled(tx: Tx, context: Context, id: UUID, before: Any) -> None:
    await restoring.restore_cancelled(tx, id, msgspec.convert(before, Terms))


EXTEND = declare(
    BulkAction(
        name="enrollments/extend",
        targets=TARGETS,
        permission=Permission.ENROLLMENTS_WRITE,
        label=N_("Extend due date"),
        icon="calendar-plus",
        question=NN_(
            "Extend the due date of %(num)s enrollment?", "Extend the due date of %(num)s enrollments?"
        ),
        consequence=N_(
            "The days are added to each due date, or to today if it has passed. Expired enrollments reopen "
            "with their progress."
        ),
        button=N_("Extend due dates"),
        done=NN_(
            "The due date of %(num)s enrollment was extended.",
            "The due dates of %(num)s enrollments were extended.",
        ),
        options=ExtendOptions,
        fields="panel/enrollments/_extend_fields.html",
        offer=offer_days,
        choose=choose_days,
        skip=_skip_extension,
        act=one_by_one(_extend),
        read=read,
        undo=undo_one_by_one(_restore_terms),
    )
)
SET_DUE_DATE = declare(
    BulkAction(
        name="enrollments/set-due-date",
        targets=TARGETS,
        permission=Permission.ENROLLMENTS_WRITE,
        label=N_("Set due date"),
        icon="calendar-clock",
        question=NN_("Set the due date of %(num)s enrollment?", "Set the due date of %(num)s enrollments?"),
        consequence=N_("All get the same due date. Expired enrollments reopen with their progress."),
        button=N_("Set due date"),
        done=NN_("%(num)s enrollment has the new due date.", "%(num)s enrollments have the new due date."),
        options=DueDateOptions,
        fields="panel/enrollments/_due_date_fields.html",
        choose=_choose_day,
        skip=_skip_same_date,
        act=one_by_one(_set_due_date),
        read=read,
        undo=undo_one_by_one(_restore_terms),
    )
)
CANCEL = declare(
    BulkAction(
        name="enrollments/cancel",
        targets=TARGETS,
        permission=Permission.ENROLLMENTS_WRITE,
        label=N_("Cancel enrollments"),
        icon="ban",
        kind="danger",
        question=NN_("Cancel %(num)s enrollment?", "Cancel %(num)s enrollments?"),
        consequence=N_(
            "People lose access to the course now. Their progress and answers stay in the records, and "
            "certificates remain valid."
        ),
        button=N_("Cancel enrollments"),
        done=NN_("%(num)s enrollment was canceled.", "%(num)s enrollments were canceled."),
        skip=_skip_unchangeable,
        act=one_by_one(_cancel),
        read=read,
        undo=undo_one_by_one(_restore_cancelled),
    )
)
REMIND = declare(
    BulkAction(
        name="enrollments/remind",
        targets=TARGETS,
        permission=Permission.ENROLLMENTS_WRITE,
        label=N_("Remind"),
        icon="bell",
        question=NN_("Remind about %(num)s enrollment?", "Remind about %(num)s enrollments?"),
        consequence=REMINDER_CONSEQUENCE,
        button=N_("Send reminders"),
        done=NN_(
            "The reminder about %(num)s enrollment was sent.",
            "The reminders about %(num)s enrollments were sent.",
        ),
        options=ReminderOptions,
        fields="panel/enrollments/_reminder_fields.html",
        choose=choose_text,
        skip=_skip_completed,
        act=_remind,
        together=lambda row: row.user_id,
        held=NN_(
            "The reminder about %(num)s enrollment is sent in one minute.",
            "The reminders about %(num)s enrollments are sent in one minute.",
        ),
    )
)
ACTIONS = (REMIND, EXTEND, SET_DUE_DATE, CANCEL)
