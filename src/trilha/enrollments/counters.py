"""What a course's enrollments come to, kept up in the transaction that changes them.

Statistics are read from here, so that they cost the same however many people take a course.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from random import randrange
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx

# Two who write of one course at a time meet in one row once in so many times; then one waits for a commit.
SLOTS = 16


class Standing(Struct, frozen=True):
    """An enrollment as far as a tally counts it."""

    course_id: UUID
    status: str
    progress: float
    score: float | None


# What each status is counted as. Expired is what is left over.
_COUNTED_AS = {"NOT_STARTED": "not_started", "IN_PROGRESS": "in_progress", "COMPLETED": "completed"}
_TYPES = {
    "enrollments": "bigint",
    **dict.fromkeys(_COUNTED_AS.values(), "bigint"),
    "scored": "bigint",
    "score": "numeric",
    "progress": "numeric",
}


async def add_new(tx: Tx, course_ids: Iterable[UUID]) -> None:
    """One more place, not started, for each time a course is named."""
    counted = Counter(course_ids)
    courses = _in_order(counted)
    counts = [counted[course] for course in courses]
    await _add(tx, courses, enrollments=counts, not_started=counts)


async def move(tx: Tx, moves: Iterable[tuple[Standing, Standing]]) -> None:
    """From where each enrollment stood to where it stands."""
    changed: dict[UUID, dict[str, Any]] = {}
    for was, now in moves:
        sums = changed.setdefault(now.course_id, dict.fromkeys(_TYPES, 0))
        _count(sums, was, -1)
        _count(sums, now, +1)
    courses = _in_order(changed)
    await _add(tx, courses, **{name: [changed[course][name] for course in courses] for name in _TYPES})


def _count(sums: dict[str, Any], standing: Standing, sign: int) -> None:
    sums["enrollments"] += sign
    if name := _COUNTED_AS.get(standing.status):
        sums[name] += sign
    if standing.score is not None:
        sums["scored"] += sign
        sums["score"] += sign * Decimal(str(standing.score))
    sums["progress"] += sign * Decimal(str(standing.progress))


def _in_order(courses: Iterable[UUID]) -> list[UUID]:
    """The same everywhere: two that meet wait for each other instead of deadlocking."""
    return sorted(courses, key=lambda course: course.int)


async def _add(tx: Tx, courses: Sequence[UUID], **sums: Sequence[Any]) -> None:
    if not courses:
        return
    columns = ", ".join(sums)
    await tx.execute(
        f"""
        INSERT INTO course_counters AS t (tenant_id, course_id, slot, {columns})
        SELECT :tenant, added.course_id, :slot, {", ".join(f"added.{name}" for name in sums)}
        FROM unnest(:courses::uuid[], {", ".join(f":{name}::{_TYPES[name]}[]" for name in sums)})
             AS added (course_id, {columns})
        ON CONFLICT (tenant_id, course_id, slot)
        DO UPDATE SET {", ".join(f"{name} = t.{name} + excluded.{name}" for name in sums)}
        """,  # noqa: S608
        slot=randrange(SLOTS),  # noqa: S311
        courses=courses,
        **sums,
    )
