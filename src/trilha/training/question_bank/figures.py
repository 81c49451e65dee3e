"""The SQL of the figures that `statistics` describes, and the job that stores those of the bank."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.jobs import TenantJob, oldest
from trilha.training.question_bank import queries
from trilha.training.question_bank.schema import Figures
from trilha.training.question_bank.statistics import MIN_ANSWERS, NEWEST_ANSWERS, choose_attempts

_AGE = timedelta(hours=1)
_BATCH = 50
# An answer counts once its attempt is handed in.
_LONGEST_ATTEMPT = timedelta(days=1)
# Interactions have the result of each question of an attempt, also of those without an answer.
_SHARE = """CASE WHEN i.result = 'correct' THEN 1 WHEN i.result = 'incorrect' THEN 0
                 WHEN i.result ~ '^[01][.][0-9]+$' THEN i.result::float8 END"""
_FIGURES = f"""
    count(*) AS answers, 100 * avg(share) AS difficulty,
    CASE WHEN count(rest) >= {MIN_ANSWERS} THEN corr(share, rest) END AS discrimination
"""


async def measure_quiz(tx: Tx, quiz_id: UUID, questions: int) -> dict[UUID, Figures]:
    """Measures the questions of a quiz, which asks so many, by its newest attempts."""
    attempts = await tx.rows(
        """
        SELECT attempt_id FROM quiz_attempts
        WHERE tenant_id = :tenant AND quiz_id = :quiz_id AND handed_in_at IS NOT NULL
        ORDER BY handed_in_at DESC LIMIT :limit
        """,
        quiz_id=quiz_id,
        limit=choose_attempts(questions),
    )
    if not attempts:
        return {}
    ids = [row["attempt_id"] for row in attempts]
    measured = await tx.rows(
        f"""
        WITH items AS MATERIALIZED (
            SELECT i.attempt_id, i.interaction_id, i.weighting AS weight, i.response <> '' AS is_answered,
                   {_SHARE} AS share
            FROM interactions i
            WHERE i.tenant_id = :tenant AND i.attempt_id = ANY(CAST(:ids AS uuid[]))),
        totals AS (
            SELECT attempt_id, sum(share * weight) AS points, sum(weight) AS weight
            FROM items WHERE share IS NOT NULL GROUP BY attempt_id)
        SELECT interaction_id AS id, {_FIGURES} FROM (
            SELECT items.interaction_id, items.share,
                   (totals.points - items.share * items.weight)
                       / NULLIF(totals.weight - items.weight, 0) AS rest
            FROM items JOIN totals ON totals.attempt_id = items.attempt_id
            WHERE items.share IS NOT NULL AND items.is_answered) AS answered
        GROUP BY interaction_id
        """,  # noqa: S608
        ids=ids,
    )
    chosen = await tx.rows(
        """
        SELECT question_id AS id, choice, count(*) AS answers FROM (
            SELECT a.question_id, jsonb_array_elements_text(
                       CASE WHEN jsonb_typeof(a.response) = 'array' THEN a.response
                       ELSE jsonb_build_array(a.response) END) AS choice
            FROM quiz_answers a
            WHERE a.tenant_id = :tenant AND a.attempt_id = ANY(CAST(:ids AS uuid[]))
              AND jsonb_typeof(a.response) IN ('array', 'boolean')) AS given
        GROUP BY question_id, choice
        """,
        ids=ids,
    )
    return _build([dict(row) | {"id": UUID(row["id"])} for row in measured], chosen)


async def measure_bank(tx: Tx, ids: Sequence[UUID]) -> dict[UUID, Figures]:
    """Measures questions of the bank by their newest answers, to copies in quizzes too."""
    newest = f"""
        newest AS MATERIALIZED (
            SELECT wanted.id, a.* FROM unnest(CAST(:ids AS uuid[])) AS wanted (id)
            CROSS JOIN LATERAL (
                SELECT attempt_id, question_id, response FROM quiz_answers
                WHERE tenant_id = :tenant AND bank_question_id = wanted.id
                ORDER BY answered_at DESC LIMIT {NEWEST_ANSWERS}) AS a)
    """  # noqa: S608
    measured = await tx.rows(
        f"""
        WITH {newest}
        SELECT id, {_FIGURES} FROM (
            SELECT newest.id, of_attempt.share, of_attempt.rest FROM newest CROSS JOIN LATERAL (
                SELECT max(share) FILTER (WHERE is_it) AS share,
                       sum(share * weight) FILTER (WHERE NOT is_it)
                           / NULLIF(sum(weight) FILTER (WHERE NOT is_it AND share IS NOT NULL), 0) AS rest
                FROM (
                    SELECT i.interaction_id = newest.question_id::text AS is_it, i.weighting AS weight,
                           {_SHARE} AS share
                    FROM interactions i
                    WHERE i.tenant_id = :tenant AND i.attempt_id = newest.attempt_id) AS item) AS of_attempt
            WHERE of_attempt.share IS NOT NULL) AS answered
        GROUP BY id
        """,  # noqa: S608
        ids=ids,
    )
    chosen = await tx.rows(
        f"""
        WITH {newest}
        SELECT id, choice, count(*) AS answers FROM (
            SELECT newest.id, jsonb_array_elements_text(
                       CASE WHEN jsonb_typeof(response) = 'array' THEN response
                       ELSE jsonb_build_array(response) END) AS choice
            FROM newest WHERE jsonb_typeof(response) IN ('array', 'boolean')) AS given
        GROUP BY id, choice
        """,  # noqa: S608
        ids=ids,
    )
    return _build(measured, chosen)


def _build(measured: Sequence[Any], chosen: Sequence[Any]) -> dict[UUID, Figures]:
    choices = defaultdict[UUID, dict[str, int]](dict)
    for row in chosen:
        choices[row["id"]][row["choice"]] = row["answers"]
    return {
        row["id"]: Figures(
            answers=row["answers"],
            difficulty=_round(row["difficulty"], 2),
            discrimination=_round(row["discrimination"], 3),
            chosen=choices[row["id"]],
        )
        for row in measured
    }


def _round(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


async def measure_due(tx: Tx) -> int:
    """Measures the questions that were not looked at for an hour and have new answers."""
    looked_at = await tx.rows(
        """
        WITH due AS (
            SELECT id, measured_at FROM bank_questions
            WHERE tenant_id = :tenant AND measured_at < :before
            ORDER BY measured_at, id LIMIT :limit FOR NO KEY UPDATE SKIP LOCKED)
        UPDATE bank_questions SET measured_at = :now FROM due
        WHERE bank_questions.tenant_id = :tenant AND bank_questions.id = due.id
        RETURNING bank_questions.id, (
            SELECT a.answered_at FROM quiz_answers a
            WHERE a.tenant_id = :tenant AND a.bank_question_id = bank_questions.id
            ORDER BY a.answered_at DESC LIMIT 1) >= due.measured_at - CAST(:longest AS interval) AS has_new
        """,
        before=tx.now - _AGE,
        limit=_BATCH,
        longest=_LONGEST_ATTEMPT,
    )
    if ids := [row["id"] for row in looked_at if row["has_new"]]:
        await queries.update_figures(tx, await measure_bank(tx, ids))
    return len(looked_at)


MEASURE = TenantJob(
    name="measure questions of the bank",
    due=oldest("bank_questions", "measured_at < :before", "measured_at"),
    batch=measure_due,
    rest=60,
    ages={"before": _AGE},
)
