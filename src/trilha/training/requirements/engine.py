"""Applies the requirements to people: enrolls them, renews their training, and sets due dates.

To settle people is to do this for them; doing it again changes nothing. One transaction at a time settles a
tenant's people.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from trilha.core.database import Tx
from trilha.platform.events.catalogue import RequirementAssigned, RequirementReleased
from trilha.platform.events.event import Event
from trilha.platform.events.outbox import emit
from trilha.training.enrollments import actions as enrollments
from trilha.training.enrollments import validity_queries
from trilha.training.enrollments.schema import NewEnrollment
from trilha.training.enrollments.validity import Terms, compute_end, compute_opening
from trilha.training.enrollments.validity_queries import PersonTerms
from trilha.training.learning_paths import advancing, assignments
from trilha.training.learning_paths import queries as paths
from trilha.training.requirements import extension_queries, people_queries
from trilha.training.requirements.conditions import Person
from trilha.training.requirements.judging import Learning, Pair, Verdict, judge_person, list_applying
from trilha.training.requirements.people_queries import Row
from trilha.training.requirements.storing import event_members, format_moment, store
from trilha.training.requirements.world import LoadedRequirement, World, load_world


async def settle(tx: Tx, user_ids: Sequence[UUID]) -> None:
    """Settles these people. The caller holds the lock of the tenant's engine."""
    terms = await validity_queries.list_terms(tx, user_ids)
    world = await load_world(tx, also={each.course_id for each in terms})
    people = await people_queries.list_people(tx, user_ids, world.parents)
    rows = {(row.user_id, row.requirement_id): row for row in await people_queries.list_rows(tx, user_ids)}
    applying = {person.id: list_applying(world, person, rows) for person in people}
    await _announce(tx, world, people, applying, rows)
    await _join_paths(tx, applying)
    learning = Learning(await people_queries.list_learning(tx, user_ids, world.course_ids))
    await _put_terms(tx, world, terms, applying, learning)
    excuses = {
        (each.user_id, each.requirement_id): each for each in await people_queries.list_excuses(tx, user_ids)
    }
    extensions = await extension_queries.list_due_dates(tx, user_ids)
    verdicts = [
        verdict
        for person in people
        for verdict in judge_person(
            tx.now, world, person, applying[person.id], rows, learning, excuses, extensions
        )
    ]
    created, problems = await _enroll(tx, verdicts)
    await _set_due_dates(tx, verdicts, learning, created)
    released = [row for key, row in rows.items() if world.by_id[key[1]] not in applying.get(key[0], ())]
    await _release(tx, world, released, {person.id for person in people}, applying, learning)
    await store(tx, verdicts, released, created, problems)


async def _announce(
    tx: Tx,
    world: World,
    people: Sequence[Person],
    applying: Mapping[UUID, Sequence[LoadedRequirement]],
    rows: Mapping[tuple[UUID, UUID], Row],
) -> None:
    """Emits the events of requirements that start or stop applying to people."""
    events: list[Event] = [
        RequirementAssigned(**event_members(each, person.id))
        for person in people
        for each in applying[person.id]
        if (person.id, each.id) not in rows
    ]
    events += [
        RequirementReleased(**event_members(world.by_id[requirement_id], user_id))
        for user_id, requirement_id in rows
        if world.by_id[requirement_id] not in applying.get(user_id, ())
    ]
    await emit(tx, *events)


async def _join_paths(tx: Tx, applying: Mapping[UUID, Sequence[LoadedRequirement]]) -> None:
    """Puts people on the published paths that are required of them, which enrolls them."""
    required: defaultdict[UUID, set[UUID]] = defaultdict(set)
    for user_id, requirements in applying.items():
        for each in requirements:
            if each.path is not None and each.path.is_published:
                required[each.path.id].add(user_id)
    for path_id in sorted(required):
        joined = await people_queries.list_on_path(tx, path_id, list(required[path_id]))
        if joining := sorted(required[path_id] - joined):
            await advancing.assign(tx, await paths.lock(tx, path_id), joining, open_ended=True)


async def _put_terms(
    tx: Tx,
    world: World,
    stored: Sequence[PersonTerms],
    applying: Mapping[UUID, Sequence[LoadedRequirement]],
    learning: Learning,
) -> None:
    """Stores the terms of renewal, and from when people may be enrolled again."""
    terms: dict[Pair, Terms] = {}
    for user_id, requirements in applying.items():
        for course_id in {course_id for each in requirements for course_id in each.course_ids}:
            merged = world.merge_terms(course_id, requirements)
            assert merged is not None
            terms[user_id, course_id] = merged
    before = {(each.user_id, each.course_id): each for each in stored}
    after = {pair: PersonTerms(*pair, each.months, each.window_days) for pair, each in terms.items()}
    if changed := [each for pair, each in after.items() if before.get(pair) != each]:
        await validity_queries.put_terms(tx, changed)
    if gone := [pair for pair in before if pair not in after]:
        await validity_queries.delete_terms(tx, gone)
    openings: dict[UUID, datetime | None] = {}
    for pair in {*after, *before}:
        record = learning.build_record(pair, terms.get(pair) or world.get_usual_terms(pair[1]))
        current = next((row for row in learning.completed.get(pair, ()) if row.current), None)
        if current is not None:
            end = compute_end([each.completed_at for each in record.completions], record.terms)
            opens_at = compute_opening(end, record.terms) if end else None
            if format_moment(opens_at) != current.renewable_from:
                openings[current.id] = opens_at
    if openings:
        await people_queries.set_renewable_from(tx, openings)


async def _enroll(
    tx: Tx, verdicts: Sequence[Verdict]
) -> tuple[dict[Pair, tuple[UUID, UUID]], dict[Pair, str]]:
    """Enrolls people in what they must take. Returns, by user and course, the new enrollments with the
    requirement that made them, and the error codes of those that could not be made.
    """
    wanted: dict[Pair, Verdict] = {}
    for verdict in sorted(verdicts, key=lambda each: _order(each.standing.due_at)):
        if verdict.loaded.path is not None and not verdict.loaded.path.is_published:
            continue
        for course_id in verdict.standing.courses_to_take:
            wanted.setdefault((verdict.person.id, course_id), verdict)
    if not wanted:
        return {}, {}
    items = [NewEnrollment(user_id=user_id, course_id=course_id) for user_id, course_id in wanted]
    made, errors = await enrollments.enroll_required(tx, items)
    created = {
        (each.user_id, each.course_id): (each.id, wanted[each.user_id, each.course_id].loaded.id)
        for each in made
    }
    return created, {(each.user_id, each.course_id): each.code for each in errors}


def _order(due_at: datetime | None) -> float:
    return due_at.timestamp() if due_at else float("inf")


async def _set_due_dates(
    tx: Tx,
    verdicts: Sequence[Verdict],
    learning: Learning,
    created: Mapping[Pair, tuple[UUID, UUID]],
) -> None:
    """Gives open enrollments the earliest due date of the requirements that ask for them."""
    asked: defaultdict[Pair, list[datetime]] = defaultdict(list)
    for verdict in verdicts:
        if verdict.standing.state != "EXCUSED" and verdict.standing.due_at is not None:
            for course_id in verdict.loaded.course_ids:
                asked[verdict.person.id, course_id].append(verdict.standing.due_at)
    changes: dict[UUID, datetime | None] = {}
    for pair, row in learning.open.items():
        due_at = min(asked[pair]) if pair in asked else None
        if format_moment(due_at) != row.due_at:
            changes[row.id] = due_at
    for pair, (enrollment_id, _) in created.items():
        changes[enrollment_id] = min(asked[pair]) if pair in asked else None
    if changes:
        await people_queries.set_due_dates(tx, changes, dict(created.values()))


async def _release(
    tx: Tx,
    world: World,
    released: Sequence[Row],
    active: set[UUID],
    applying: Mapping[UUID, Sequence[LoadedRequirement]],
    learning: Learning,
) -> None:
    """Cancels enrollments that nobody has started, if the requirement that made them says so. Suspending a
    person cancels nothing.
    """
    for row in released:
        loaded = world.by_id[row.requirement_id]
        if not loaded.requirement.cancel_not_started or row.user_id not in active:
            continue
        rest = applying[row.user_id]
        asked = {course_id for each in rest for course_id in each.course_ids}
        for course_id in loaded.course_ids:
            enrollment = learning.open.get((row.user_id, course_id))
            if (
                enrollment is not None
                and enrollment.status == "NOT_STARTED"
                and enrollment.required_by == loaded.id
                and course_id not in asked
            ):
                await enrollments.cancel(tx, enrollment.id)
        path_id = loaded.requirement.learning_path_id
        if path_id is not None and all(each.target != loaded.target for each in rest):
            await assignments.delete(tx, path_id, row.user_id)
