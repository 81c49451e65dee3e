"""Answers, skips and publishes evaluations of courses."""

from uuid import UUID

from msgspec import structs

import trilha.training.evaluations.errors  # noqa: F401
from trilha.core.database import Tx
from trilha.core.errors import Conflict, NotFound, invalid
from trilha.platform.audit import queries as audit
from trilha.platform.events.catalogue import CourseRated
from trilha.platform.events.outbox import emit
from trilha.training.enrollments import learner
from trilha.training.enrollments.learner import MyCourse
from trilha.training.evaluations import queries, rules
from trilha.training.evaluations.rules import MAX_TEXT, Kind
from trilha.training.evaluations.schema import Application, Reaction
from trilha.training.reminders import actions as reminders
from trilha.training.reminders.rules import Kind as ReminderKind

_BATCH = 200


def _tidy(text: str | None) -> str | None:
    """Returns the text with one character for each line break. Raises Invalid (too_long)."""
    tidy = (text or "").replace("\r\n", "\n").replace("\r", "\n").strip()
    if len(tidy) > MAX_TEXT:
        raise invalid("text", "too_long")
    return tidy or None


async def find_completed(tx: Tx, user_id: UUID, enrollment_id: UUID) -> MyCourse:
    """Returns a person's own completed course. Raises NotFound (enrollment_not_found,
    evaluation_not_offered).
    """
    course = await learner.get(tx, user_id, enrollment_id)
    if course.status != "COMPLETED" or not await queries.are_offered(tx):
        raise NotFound("evaluation_not_offered")
    return course


async def find_applied(tx: Tx, user_id: UUID, enrollment_id: UUID) -> MyCourse:
    """Returns a completed course about whose use the person was asked. Raises NotFound
    (enrollment_not_found, evaluation_not_offered).
    """
    course = await find_completed(tx, user_id, enrollment_id)
    own = await queries.find_own(tx, enrollment_id, "APPLICATION")
    if own is None or own.asked_at is None:
        raise NotFound("evaluation_not_offered")
    return course


async def is_open(tx: Tx, course: MyCourse) -> bool:
    """Returns whether the person is still to be asked: neither answered nor skipped."""
    if course.status != "COMPLETED" or not await queries.are_offered(tx):
        return False
    return await queries.find_own(tx, course.id, "REACTION") is None


async def skip(tx: Tx, user_id: UUID, enrollment_id: UUID) -> None:
    """Lets the person be asked no more; they can still answer. Raises NotFound."""
    course = await find_completed(tx, user_id, enrollment_id)
    await queries.insert_skipped(tx, course.course_id, enrollment_id, user_id)


async def evaluate(tx: Tx, user_id: UUID, enrollment_id: UUID, reaction: Reaction) -> None:
    """Stores the answer, or changes it. It can be changed for seven days, and until it is published.

    Raises NotFound, Conflict (evaluation_final).
    """
    course = await find_completed(tx, user_id, enrollment_id)
    answers = structs.asdict(structs.replace(reaction, text=_tidy(reaction.text)))
    since = tx.now - rules.CHANGEABLE
    await queries.lock_answers(tx, course.course_id)
    if not await queries.put_reaction(tx, course.course_id, enrollment_id, user_id, answers, since):
        raise Conflict("evaluation_final")
    due_at = tx.now + rules.FOLLOW_UP
    await queries.plan_application(tx, course.course_id, enrollment_id, user_id, due_at)
    await _publish(tx, course.course_id, "REACTION")


async def evaluate_application(tx: Tx, user_id: UUID, enrollment_id: UUID, application: Application) -> None:
    """Stores how much the person uses what they learned. Raises NotFound, Conflict (evaluation_final)."""
    course = await find_applied(tx, user_id, enrollment_id)
    text, since = _tidy(application.text), tx.now - rules.CHANGEABLE
    await queries.lock_answers(tx, course.course_id)
    if not await queries.put_application(tx, enrollment_id, application.applied, text, since):
        raise Conflict("evaluation_final")
    await _publish(tx, course.course_id, "APPLICATION")


async def _publish(tx: Tx, course_id: UUID, kind: Kind) -> None:
    """Publishes the answers about a course if they are of enough people."""
    answers = await queries.lock_unpublished(tx, course_id, kind)
    if not rules.may_publish(answers):
        return
    await queries.publish(tx, course_id, kind, [each.id for each in answers])
    if kind == "REACTION":
        results = await queries.get_results(tx, course_id)
        assert results.nps is not None
        await emit(
            tx, CourseRated(course_id=course_id, rating_count=results.rating_count, nps=results.nps.score)
        )


async def ask_due(tx: Tx) -> int:
    """Asks people how much they use what they learned 90 days before. Returns how many were due."""
    if not await queries.are_offered(tx):
        return await queries.cancel_due(tx, _BATCH)
    due = await queries.take_due(tx, _BATCH)
    kind: ReminderKind = "evaluation_follow_up"
    await reminders.make(tx, sorted((each.user_id, each.enrollment_id, kind) for each in due))
    return len(due)


async def set_offered(tx: Tx, *, offered: bool) -> None:
    """Sets whether people are asked to evaluate courses. Results stay."""
    if await queries.are_offered(tx) == offered:
        return
    await queries.set_offered(tx, offered=offered)
    await audit.record(tx, "tenant.evaluations_changed", tx.tenant_id, offered=offered)
