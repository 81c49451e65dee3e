"""Makes the reminders of due dates, and hands ready ones over to the mail."""

from collections import defaultdict
from datetime import UTC, date, datetime, time, timedelta
from typing import cast
from uuid import UUID
from zoneinfo import ZoneInfo

from msgspec import structs

from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.people.users import queries as users
from trilha.platform.mail import outbox
from trilha.platform.mail.catalogue import AnyMessage, ReminderItem, Reminders
from trilha.platform.mail.schema import Locale
from trilha.training.enrollments import validity_queries
from trilha.training.reminders import actions, delivery_queries, queries, texts, wording
from trilha.training.reminders.queries import DueSchedule
from trilha.training.reminders.rules import Kind, plan_threshold
from trilha.training.reminders.schema import Reminder
from trilha.training.reminders.texts import OwnTexts

_SCHEDULES = 500
_PEOPLE = 200
_INACTIVE_PAUSE = timedelta(hours=1)


async def make_due(tx: Tx) -> int:
    """Makes the reminders of a batch of enrollments, and plans the next ones; returns the batch's size."""
    due = await queries.take_due_schedules(tx, _SCHEDULES)
    if not due:
        return 0
    zone = await validity_queries.get_zone(tx)
    wanted: list[tuple[UUID, UUID, Kind]] = []
    next_times: dict[UUID, datetime | None] = {}
    for schedule in due:
        kinds, next_at = _plan(schedule, tx.now, zone)
        wanted += [(schedule.user_id, schedule.enrollment_id, kind) for kind in kinds]
        next_times[schedule.enrollment_id] = next_at
    await actions.make(tx, wanted)
    active = [each.enrollment_id for each in due if each.is_active]
    await queries.set_schedules(tx, next_times, active)
    return len(due)


def _plan(schedule: DueSchedule, now: datetime, zone: ZoneInfo) -> tuple[list[Kind], datetime | None]:
    """Returns the kinds that are due now, and when to look again; None ends the schedule."""
    if not schedule.is_open:
        return [], None
    if not schedule.is_active:
        return [], now + _INACTIVE_PAUSE
    kinds: list[Kind] = []
    if not schedule.announced and "assigned" not in schedule.made:
        kinds.append("assigned")
    if schedule.due_at is None:
        return kinds, None
    plan = plan_threshold(
        _day_of(schedule.created_at, zone),
        _day_of(schedule.due_at, zone),
        schedule.made,
        _local_day(now, zone),
    )
    if plan.kind is not None:
        kinds.append(plan.kind)
    return kinds, None if plan.next_day is None else _begin_of(plan.next_day, zone)


def _day_of(at: str, zone: ZoneInfo) -> date:
    return _local_day(datetime.fromisoformat(at), zone)


def _local_day(moment: datetime, zone: ZoneInfo) -> date:
    return moment.astimezone(zone).date()


def _begin_of(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), zone).astimezone(UTC)


async def send_mails(tx: Tx, *, address: str) -> int:
    """Hands ready reminders over to the outbox: one e-mail for each person. `address` is the base of links.
    Returns how many deliveries ended.
    """
    due = await delivery_queries.take_mails(tx, _PEOPLE)
    if not due:
        return 0
    if unwanted := [each.id for each in due if not each.is_wanted]:
        await delivery_queries.end_deliveries(tx, unwanted, "DROPPED")
    wanted = [each for each in due if each.is_wanted]
    if wanted:
        reminders = await queries.list_reminders(tx, [each.reminder_id for each in wanted])
        by_person: defaultdict[UUID, list[Reminder]] = defaultdict(list)
        for reminder in reminders:
            by_person[reminder.user_id].append(reminder)
        recipients = await users.list_recipients(tx, list(by_person))
        own = await texts.load(tx)
        messages = [
            (to, _compose(by_person[to.user_id], to.locale, address, own)) for to in recipients if to.user_id
        ]
        await outbox.send_all(tx, messages)
        await delivery_queries.end_deliveries(tx, [each.id for each in wanted], "SENT")
        await actions.emit_sent(tx, reminders, "mail")
    return len(due)


async def leave_out_done(tx: Tx, user_id: UUID, message: AnyMessage) -> AnyMessage | None:
    """Removes what was done while the e-mail waited. Returns None if nothing is left."""
    assert isinstance(message, Reminders)
    items = [(_get_subject(each), cast(Kind, each.kind)) for each in message.items]
    unwanted = await delivery_queries.list_unwanted(tx, user_id, items)
    rest = tuple(each for each in message.items if (_get_subject(each), each.kind) not in unwanted)
    if not rest:
        return None
    if len(rest) == len(message.items):
        return message
    if message.items[0].text and not rest[0].text:  # it may be that of all
        rest = (structs.replace(rest[0], text=message.items[0].text), *rest[1:])
    return Reminders(items=rest)


def _get_subject(item: ReminderItem) -> UUID:
    """Returns the enrollment, or the request for one."""
    subject = item.enrollment_id or item.request_id
    assert subject is not None
    return subject


def _compose(reminders: list[Reminder], locale: Locale, address: str, own: OwnTexts) -> Reminders:
    items = [_build_item(each, locale, address, own) for each in reminders]
    written = [None, *(each.text for each in items)]
    # One text for several courses is read once.
    return Reminders(
        items=tuple(
            structs.replace(item, text=None) if item.text == before else item
            for item, before in zip(items, written, strict=False)
        ),
        own_subject=_find_subject(reminders, locale, own),
    )


def _find_subject(reminders: list[Reminder], locale: Locale, own: OwnTexts) -> str | None:
    """Returns the company's own subject, or that of the kind, if all reminders are of one kind."""
    found = {own.find(each.kind, locale) for each in reminders}
    text = found.pop()
    if found:
        return None
    course = reminders[0].course
    if text is not None:
        return own.fill(text.subject, locale, course, None, "")
    kinds = {each.kind for each in reminders}
    is_one = len(kinds) == 1 and len({each.course for each in reminders}) == 1
    return wording.find_subject(kinds.pop(), locale, course) if is_one else None


def _build_item(reminder: Reminder, locale: Locale, address: str, own: OwnTexts) -> ReminderItem:
    return ReminderItem(
        kind=reminder.kind,
        enrollment_id=reminder.enrollment_id,
        request_id=reminder.request_id,
        sentence=wording.write_sentence(reminder, locale, own),
        due_at=None if reminder.due_at is None else Timestamp(reminder.due_at),
        text=reminder.text,
        link=f"{address}{find_path(reminder)}",
    )


def find_path(reminder: Reminder) -> str:
    """Returns the path of the page that a reminder leads to."""
    if reminder.kind == "voice_answer_waiting":
        return "/admin/answers"
    if reminder.kind == "question_waiting":
        return f"/admin/learner-questions/{reminder.question_id}"
    if reminder.kind == "question_answered":
        return f"/learn/enrollments/{reminder.enrollment_id}/questions/{reminder.question_id}"
    if reminder.kind == "evaluation_follow_up":
        return f"/learn/enrollments/{reminder.enrollment_id}/evaluation/follow-up"
    if reminder.kind == "certificate_expiring":
        return "/learn/certificates"
    if reminder.kind == "enrollment_requested":
        return f"/admin/enrollments/requests/{reminder.request_id}"
    if reminder.kind == "enrollment_rejected":
        return f"/learn/catalog/{reminder.course_id}"
    if reminder.kind == "quiz_graded":
        return f"/learn/enrollments/{reminder.enrollment_id}/results"
    return f"/learn/enrollments/{reminder.enrollment_id}"
