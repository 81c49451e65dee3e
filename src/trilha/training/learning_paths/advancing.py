"""Assigns people to a path and enrolls them in its next courses. Repeating a step changes nothing."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from msgspec import Struct

from trilha.core.credentials import Actor
from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.platform.audit.schema import NewRecord
from trilha.platform.events.catalogue import LearningPathAssigned, LearningPathCompleted
from trilha.platform.events.outbox import emit
from trilha.training.enrollments import actions as enrollments
from trilha.training.enrollments.schema import BULK_LIMIT, BulkError, NewEnrollment
from trilha.training.learning_paths import assignments, queries, rollouts, rules
from trilha.training.learning_paths.schema import Assignment, LearningPath, Rollout

# In one transaction. For a path of many courses, fewer people, so that no more are enrolled than by one call.
_PEOPLE = 200
_CHANGES = 200


async def assign(tx: Tx, path: LearningPath, user_ids: Sequence[UUID], *, open_ended: bool = False) -> None:
    """Assigns people who are not on the path yet, emits an event for each, and enrolls them all. With
    `open_ended`, the path's deadline does not apply.
    """
    due_at = None if open_ended else rules.due_at(tx.now, path.deadline_days)
    await _assign(tx, path, user_ids, due_at)


class AssignResult(Struct, frozen=True):
    """The people who were not on the path before, and why some were not enrolled in a course."""

    added: Sequence[UUID]
    errors: Sequence[BulkError]


async def assign_until(
    tx: Tx, path: LearningPath, user_ids: Sequence[UUID], due_at: datetime | None
) -> AssignResult:
    """Like `assign`, with a due date instead of the path's deadline if there is one."""
    return await _assign(tx, path, user_ids, due_at or rules.due_at(tx.now, path.deadline_days))


async def _assign(
    tx: Tx, path: LearningPath, user_ids: Sequence[UUID], due_at: datetime | None
) -> AssignResult:
    added = await assignments.insert(tx, path.id, user_ids, due_at)
    events = [LearningPathAssigned(learning_path_id=path.id, user_id=each) for each in added]
    await emit(tx, *events, record=_record(path, added) if len(added) > 1 else None)
    return AssignResult(added, await go_on(tx, path, user_ids))


def _record(path: LearningPath, added: Sequence[UUID]) -> NewRecord:
    """Writes one audit record for everybody whom a batch assigns."""
    return NewRecord("learning_path.bulk_assigned", path.id, path.slug, {"user_ids": list(added)})


async def go_on(tx: Tx, path: LearningPath, user_ids: Sequence[UUID]) -> Sequence[BulkError]:
    """Enrolls people on the path in the courses open to them, and emits events for those who completed it.
    Returns why some were not enrolled.
    """
    courses = [each.id for each in await queries.list_courses(tx, path.id)]
    on_it = await assignments.lock(tx, path.id, user_ids)
    if not on_it or not courses:
        return []
    people = [each.user_id for each in on_it]
    taken, completed = await _places(tx, people, courses)
    wanted = [
        _enrollment(each, course)
        for each in on_it
        for course in rules.open_courses(courses, completed[each.user_id], in_order=path.in_order)
        if course not in taken[each.user_id]
    ]
    errors = (await enrollments.enroll_many(tx, wanted)).errors if wanted else []
    await assignments.replace_problems(tx, path.id, people, errors)
    through = [each for each in people if rules.is_completed(courses, completed[each])]
    await _complete(tx, path, through)
    return errors


async def _places(
    tx: Tx, people: Sequence[UUID], courses: Sequence[UUID]
) -> tuple[defaultdict[UUID, set[UUID]], defaultdict[UUID, set[UUID]]]:
    """Returns, by person, the courses with an enrollment and the courses that are completed."""
    taken: defaultdict[UUID, set[UUID]] = defaultdict(set)
    completed: defaultdict[UUID, set[UUID]] = defaultdict(set)
    for each in await assignments.list_places(tx, people, courses):
        taken[each.user_id].add(each.course_id)
        if each.completed:
            completed[each.user_id].add(each.course_id)
    return taken, completed


def _enrollment(assignment: Assignment, course_id: UUID) -> NewEnrollment:
    return NewEnrollment(user_id=assignment.user_id, course_id=course_id, expires_at=assignment.due_at)


async def _complete(tx: Tx, path: LearningPath, people: Collection[UUID]) -> None:
    first = await assignments.complete(tx, path.id, list(people)) if people else []
    at = Timestamp.of(tx.now)
    await emit(
        tx,
        *(LearningPathCompleted(learning_path_id=path.id, user_id=each, completed_at=at) for each in first),
    )


async def roll_out(tx: Tx) -> int:
    """Assigns the next people of the oldest rollout and finishes it after the last; returns how many."""
    rollout = await rollouts.claim(tx)
    if rollout is None:
        return 0
    path = await queries.lock(tx, rollout.path_id)
    size = max(1, min(_PEOPLE, BULK_LIMIT // max(1, len(await queries.list_courses(tx, path.id)))))
    # The transaction that locked it makes the changes.
    tx.actor = Actor(rollout.actor_kind, rollout.actor, rollout.source)
    total = await rollouts.count(tx, rollout) if rollout.total is None else rollout.total
    people = await rollouts.list_next(tx, rollout, size)
    await _take(tx, path, rollout, people)
    await rollouts.advance(tx, rollout, total, people, finished=len(people) < size)
    return max(len(people), 1)


async def _take(tx: Tx, path: LearningPath, rollout: Rollout, people: Sequence[UUID]) -> None:
    if rollout.kind != "ASSIGNED" and path.status == "PUBLISHED":
        await assign(tx, path, people)
    else:
        await go_on(tx, path, people)


async def take_changes(tx: Tx) -> int:
    """Handles people who joined a group or unit or completed a course; returns how many."""
    changes = await rollouts.take_changes(tx, _CHANGES)
    by_path: defaultdict[UUID, dict[UUID, bool]] = defaultdict(dict)
    for each in changes:
        people = by_path[each.path_id]
        people[each.user_id] = people.get(each.user_id, False) or each.joins
    for path_id in sorted(by_path):
        # Otherwise a person who completes a course during the assignment could be missed by both.
        path, people = await queries.lock(tx, path_id), by_path[path_id]
        joining = (
            sorted(each for each, joins in people.items() if joins) if path.status == "PUBLISHED" else []
        )
        if joining:
            await assign(tx, path, joining)
        await go_on(tx, path, sorted(set(people) - set(joining)))
    return len(changes)
