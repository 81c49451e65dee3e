"""The SQL of evaluations."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.training.evaluations.rules import (
    GRADES,
    NPS_GRADES,
    QUESTIONS,
    Answer,
    Kind,
    build_nps,
    build_scale,
)
from trilha.training.evaluations.schema import OwnEvaluation, Results

_MAX_TEXTS = 500
_MAX_PUBLISHED = 1000


async def are_offered(tx: Tx) -> bool:
    """Returns whether the company asks people to evaluate courses."""
    offered: bool | None = await tx.value(
        "SELECT course_evaluations FROM tenant_settings WHERE tenant_id = :tenant"
    )
    return offered is not False


async def set_offered(tx: Tx, *, offered: bool) -> None:
    await tx.execute(
        """
        INSERT INTO tenant_settings (tenant_id, course_evaluations, updated_at)
        VALUES (:tenant, :offered, :now)
        ON CONFLICT (tenant_id) DO UPDATE
        SET course_evaluations = excluded.course_evaluations, updated_at = excluded.updated_at
        """,
        offered=offered,
    )


async def find_own(tx: Tx, enrollment_id: UUID, kind: Kind) -> OwnEvaluation | None:
    """Returns what the person of this enrollment answered, skipped, or will be asked."""
    return await tx.find(
        OwnEvaluation,
        """
        SELECT kind, skipped, asked_at, answered_at, content, clarity, instructor, platform, applicability,
               nps, applied, text, batch_id IS NOT NULL AS published
        FROM course_evaluations
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id AND kind = :kind
        """,
        enrollment_id=enrollment_id,
        kind=kind,
    )


async def insert_skipped(tx: Tx, course_id: UUID, enrollment_id: UUID, user_id: UUID) -> None:
    await tx.execute(
        """
        INSERT INTO course_evaluations (tenant_id, kind, course_id, enrollment_id, user_id, skipped)
        VALUES (:tenant, 'REACTION', :course_id, :enrollment_id, :user_id, true) ON CONFLICT DO NOTHING
        """,
        course_id=course_id,
        enrollment_id=enrollment_id,
        user_id=user_id,
    )


async def put_reaction(
    tx: Tx,
    course_id: UUID,
    enrollment_id: UUID,
    user_id: UUID,
    answers: dict[str, Any],
    changeable_since: datetime,
) -> bool:
    """Inserts an answer, or changes one that is newer than `changeable_since` and not published. Returns
    whether that was possible.
    """
    names = (*QUESTIONS, "nps", "text")
    return bool(
        await tx.execute(
            f"""
            INSERT INTO course_evaluations AS e (tenant_id, kind, course_id, enrollment_id, user_id,
                                                 answered_at, {", ".join(names)})
            VALUES (:tenant, 'REACTION', :course_id, :enrollment_id, :user_id, :now,
                    {", ".join(f":{name}" for name in names)})
            ON CONFLICT (tenant_id, enrollment_id, kind) DO UPDATE
            SET skipped = false, answered_at = COALESCE(e.answered_at, excluded.answered_at),
                {", ".join(f"{name} = excluded.{name}" for name in names)}
            WHERE e.batch_id IS NULL AND (e.answered_at IS NULL OR e.answered_at > :changeable_since)
            """,  # noqa: S608
            course_id=course_id,
            enrollment_id=enrollment_id,
            user_id=user_id,
            changeable_since=changeable_since,
            **answers,
        )
    )


async def put_application(
    tx: Tx, enrollment_id: UUID, applied: int, text: str | None, changeable_since: datetime
) -> bool:
    """Stores or changes the answer of a person who was asked. Returns whether that was possible."""
    return bool(
        await tx.execute(
            """
            UPDATE course_evaluations
            SET applied = :applied, text = :text, answered_at = COALESCE(answered_at, :now)
            WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id AND kind = 'APPLICATION'
              AND asked_at IS NOT NULL AND batch_id IS NULL
              AND (answered_at IS NULL OR answered_at > :changeable_since)
            """,
            enrollment_id=enrollment_id,
            applied=applied,
            text=text,
            changeable_since=changeable_since,
        )
    )


async def plan_application(
    tx: Tx, course_id: UUID, enrollment_id: UUID, user_id: UUID, due_at: datetime
) -> None:
    """Plans when the person is asked how much they use what they learned. Happens once."""
    await tx.execute(
        """
        INSERT INTO course_evaluations (tenant_id, kind, course_id, enrollment_id, user_id, due_at)
        VALUES (:tenant, 'APPLICATION', :course_id, :enrollment_id, :user_id, :due_at) ON CONFLICT DO NOTHING
        """,
        course_id=course_id,
        enrollment_id=enrollment_id,
        user_id=user_id,
        due_at=due_at,
    )


class DuePerson(Struct, frozen=True):
    """A person to be asked about an enrollment."""

    enrollment_id: UUID
    user_id: UUID


async def take_due(tx: Tx, limit: int) -> list[DuePerson]:
    """Returns people who are to be asked now, and records that they are."""
    return await tx.list(
        DuePerson,
        """
        UPDATE course_evaluations SET asked_at = :now
        WHERE tenant_id = :tenant AND id IN (
            SELECT id FROM course_evaluations
            WHERE tenant_id = :tenant AND asked_at IS NULL AND due_at <= :now
            ORDER BY due_at, id LIMIT :limit FOR UPDATE SKIP LOCKED)
        RETURNING enrollment_id, user_id
        """,
        limit=limit,
    )


async def cancel_due(tx: Tx, limit: int) -> int:
    """Gives up asking people who are due, because the company no longer asks. Returns how many."""
    return await tx.execute(
        """
        DELETE FROM course_evaluations
        WHERE tenant_id = :tenant AND id IN (
            SELECT id FROM course_evaluations
            WHERE tenant_id = :tenant AND asked_at IS NULL AND due_at <= :now
            ORDER BY due_at, id LIMIT :limit FOR UPDATE SKIP LOCKED)
        """,
        limit=limit,
    )


async def lock_answers(tx: Tx, course_id: UUID) -> None:
    """Lets one person at a time answer about a course: whoever changes an answer locks it before the others,
    so that two of them would wait for each other.
    """
    await tx.rows(
        "SELECT pg_advisory_xact_lock(hashtextextended("
        "'course_evaluations ' || :tenant::uuid::text || CAST(:course_id AS uuid)::text, 0))",
        course_id=course_id,
    )


async def lock_unpublished(tx: Tx, course_id: UUID, kind: Kind) -> list[Answer]:
    """Locks the answers about a course that are not published yet.

    Two transactions wait for each other here, and the second one sees what the first one has published.
    """
    return await tx.list(
        Answer,
        """
        SELECT id, user_id FROM course_evaluations
        WHERE tenant_id = :tenant AND course_id = :course_id AND kind = :kind AND answered_at IS NOT NULL
          AND batch_id IS NULL
        ORDER BY id LIMIT :limit FOR UPDATE
        """,
        course_id=course_id,
        kind=kind,
        limit=_MAX_PUBLISHED,
    )


async def publish(tx: Tx, course_id: UUID, kind: Kind, ids: Sequence[UUID]) -> None:
    """Publishes answers as one batch."""
    batch_id = await tx.value(
        """
        INSERT INTO course_evaluation_batches (tenant_id, course_id, kind, published_at)
        VALUES (:tenant, :course_id, :kind, :now) RETURNING id
        """,
        course_id=course_id,
        kind=kind,
    )
    await tx.execute(
        "UPDATE course_evaluations SET batch_id = :batch_id WHERE tenant_id = :tenant AND id = ANY(:ids)",
        batch_id=batch_id,
        ids=ids,
    )


# The answers in whole batches. A batch is published at one time, so a period never takes a part of one.
_WHOLE_BATCHES = """
    FROM course_evaluation_batches b
    JOIN course_evaluations e ON e.tenant_id = :tenant AND e.batch_id = b.id
    WHERE b.tenant_id = :tenant AND b.course_id = :course_id AND b.kind = :kind
      AND (CAST(:since AS timestamptz) IS NULL OR b.published_at >= CAST(:since AS timestamptz))
"""


async def _count(
    tx: Tx, course_id: UUID, kind: Kind, since: datetime | None, grades: dict[str, Sequence[int]]
) -> dict[str, list[int]]:
    """Counts how often each grade was chosen, by question."""
    counts = ", ".join(
        f"count(*) FILTER (WHERE e.{name} = {grade}) AS {name}_{grade}"
        for name, choices in grades.items()
        for grade in choices
    )
    (row,) = await tx.rows(
        f"SELECT {counts} {_WHOLE_BATCHES}",
        course_id=course_id,
        kind=kind,
        since=since,
    )
    return {name: [row[f"{name}_{grade}"] for grade in choices] for name, choices in grades.items()}


async def get_results(tx: Tx, course_id: UUID, since: datetime | None = None) -> Results:
    """Returns the results of the batches that were published since then."""
    grades: dict[str, Sequence[int]] = {**dict.fromkeys(QUESTIONS, GRADES), "nps": NPS_GRADES}
    counts = await _count(tx, course_id, "REACTION", since, grades)
    applied = await _count(tx, course_id, "APPLICATION", since, {"applied": GRADES})
    scales = {name: scale for name in QUESTIONS if (scale := build_scale(counts[name]))}
    return Results(sum(counts["nps"]), scales, build_nps(counts["nps"]), build_scale(applied["applied"]))


async def list_texts(tx: Tx, course_id: UUID, kind: Kind, since: datetime | None = None) -> list[str]:
    """Returns published texts in an order that says nothing about when they were written."""
    rows = await tx.rows(
        f"SELECT e.text {_WHOLE_BATCHES} AND e.text IS NOT NULL ORDER BY md5(e.id::text) LIMIT :limit",
        course_id=course_id,
        kind=kind,
        since=since,
        limit=_MAX_TEXTS,
    )
    return [row["text"] for row in rows]


async def erase(tx: Tx, user_id: UUID) -> None:
    """Removes a person's unpublished answers, and the link from the published ones to the person. Those stay
    as they are: a text that vanished from the results would show whose it was.
    """
    await tx.execute(
        """
        DELETE FROM course_evaluations
        WHERE tenant_id = :tenant AND batch_id IS NULL AND id IN (
            SELECT id FROM course_evaluations WHERE tenant_id = :tenant AND user_id = :user_id
            ORDER BY id FOR UPDATE)
        """,
        user_id=user_id,
    )
    await tx.execute(
        """
        UPDATE course_evaluations SET user_id = NULL, enrollment_id = NULL, answered_at = b.published_at
        FROM course_evaluation_batches b
        WHERE course_evaluations.tenant_id = :tenant AND course_evaluations.user_id = :user_id
          AND b.tenant_id = :tenant AND b.id = course_evaluations.batch_id
        """,
        user_id=user_id,
    )
