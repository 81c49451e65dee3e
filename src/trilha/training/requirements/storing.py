"""Stores where people stand, with history and totals, and emits what has changed."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.platform.events.catalogue import RequirementOverdue, RequirementSatisfied
from trilha.platform.events.event import Event
from trilha.platform.events.outbox import emit
from trilha.training.requirements import people_queries
from trilha.training.requirements.judging import Pair, Verdict
from trilha.training.requirements.people_queries import NO_UNIT, Row, StateChange
from trilha.training.requirements.standing import State
from trilha.training.requirements.world import LoadedRequirement


async def store(
    tx: Tx,
    verdicts: Sequence[Verdict],
    released: Sequence[Row],
    created: Mapping[Pair, tuple[UUID, UUID]],
    problems: Mapping[Pair, str],
) -> None:
    """Stores where everybody stands now, with history and totals, and emits what has changed."""
    changed: list[Row] = []
    events: list[Event] = []
    history: list[StateChange] = []
    totals: Counter[tuple[UUID, UUID, State]] = Counter()
    for verdict in verdicts:
        before, after = verdict.before, _build_row(verdict, created, problems)
        if after == before:
            continue
        changed.append(after)
        events += _list_events(verdict, after)
        if before is None or before.state != after.state:
            history.append(
                StateChange(after.requirement_id, after.user_id, after.state, after.business_unit_id)
            )
        totals[_key(after)] += 1
        if before is not None:
            totals[_key(before)] -= 1
    for row in released:
        totals[_key(row)] -= 1
        history.append(StateChange(row.requirement_id, row.user_id, None, row.business_unit_id))
    if changed:
        await people_queries.put_rows(tx, changed)
    if released:
        await people_queries.delete_rows(tx, released)
    if history:
        await people_queries.add_history(tx, history)
    if deltas := {key: people for key, people in totals.items() if people}:
        await people_queries.add_totals(tx, deltas)
    await emit(tx, *events)


def _key(row: Row) -> tuple[UUID, UUID, State]:
    return row.requirement_id, row.business_unit_id, row.state


def _build_row(
    verdict: Verdict, created: Mapping[Pair, tuple[UUID, UUID]], problems: Mapping[Pair, str]
) -> Row:
    standing, before, user_id = verdict.standing, verdict.before, verdict.person.id
    pairs = [(user_id, course_id) for course_id in standing.courses_to_take]
    new = next((created[pair][0] for pair in pairs if pair in created), None)
    return Row(
        requirement_id=verdict.loaded.id,
        user_id=user_id,
        applies_since=before.applies_since if before else Timestamp.of(verdict.since),
        state=standing.state,
        due_at=format_moment(standing.due_at),
        valid_until=format_moment(standing.valid_until),
        enrollment_id=new or standing.enrollment_id,
        business_unit_id=verdict.person.business_unit_id or NO_UNIT,
        next_at=format_moment(standing.next_at),
        problem=next((problems[pair] for pair in pairs if pair in problems), None),
        satisfied_by=_find_satisfying(verdict),
        overdue_at=format_moment(standing.due_at)
        if standing.state == "OVERDUE"
        else (before.overdue_at if before else None),
    )


def _find_satisfying(verdict: Verdict) -> UUID | None:
    """Returns the completion that satisfies the requirement, or satisfied it last. A path is satisfied anew
    when all its courses are.
    """
    standing, before = verdict.standing, verdict.before
    is_path = verdict.loaded.requirement.learning_path_id is not None
    if standing.holds and (not is_path or standing.state == "VALID"):
        return standing.last_completion_id
    return before.satisfied_by if before else None


def _list_events(verdict: Verdict, after: Row) -> Iterator[Event]:
    before, ids = verdict.before, event_members(verdict.loaded, after.user_id)
    if after.satisfied_by is not None and after.satisfied_by != (before.satisfied_by if before else None):
        yield RequirementSatisfied(**ids)
    if after.overdue_at is not None and after.overdue_at != (before.overdue_at if before else None):
        yield RequirementOverdue(**ids)


def event_members(loaded: LoadedRequirement, user_id: UUID) -> dict[str, Any]:
    """Returns the members that every event of a requirement has."""
    course_id, path_id = loaded.target
    return {
        "requirement_id": loaded.id,
        "user_id": user_id,
        "course_id": course_id,
        "learning_path_id": path_id,
    }


def format_moment(moment: datetime | None) -> str | None:
    """Returns a time as in JSON, as rows have it."""
    return None if moment is None else str(Timestamp.of(moment))
