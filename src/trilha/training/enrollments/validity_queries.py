"""The SQL of how long completions are valid."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from msgspec import Struct

from trilha.core.database import Tx
from trilha.training.enrollments.validity import (
    DEFAULT_WINDOW_DAYS,
    Terms,
    compute_end,
    compute_opening,
)

Pair = tuple[UUID, UUID]  # of a user and a course


class Validity(Struct, frozen=True):
    """None: for good, and never."""

    valid_until: datetime | None
    renewable_from: datetime | None


class PersonTerms(Struct, frozen=True):
    user_id: UUID
    course_id: UUID
    renew_months: int | None
    window_days: int


class Completion(Struct, frozen=True):
    id: UUID
    completed_at: datetime


class Record(Struct, frozen=True):
    """One person's completions of one course, in order, and their terms."""

    terms: Terms
    completions: list[Completion]


async def get_zone(tx: Tx) -> ZoneInfo:
    """Returns the company's time zone."""
    name = await tx.value("SELECT time_zone FROM tenant_settings WHERE tenant_id = :tenant")
    return ZoneInfo(name or "America/Sao_Paulo")


_PAIRS = "SELECT * FROM unnest(:users::uuid[], :courses::uuid[]) AS pair (user_id, course_id)"
_PAIRS_OF_ENROLLMENTS = """
    SELECT DISTINCT user_id, course_id FROM enrollments WHERE tenant_id = :tenant AND id = ANY(:ids)
"""


def _build_select(pairs: str) -> str:
    """Builds a select of completions; a pair without one has a row without an id."""
    return f"""
        SELECT pair.user_id, pair.course_id, e.id, e.completed_at,
               COALESCE(terms.renew_months, c.certificate_validity_months) AS months,
               COALESCE(terms.window_days, CAST(:window_days AS integer)) AS window_days,
               (SELECT time_zone FROM tenant_settings WHERE tenant_id = :tenant) AS time_zone
        FROM ({pairs}) AS pair
        JOIN courses c ON c.tenant_id = :tenant AND c.id = pair.course_id
        LEFT JOIN renewal_terms terms ON terms.tenant_id = :tenant AND terms.user_id = pair.user_id
                                     AND terms.course_id = pair.course_id
        LEFT JOIN enrollments e ON e.tenant_id = :tenant AND e.user_id = pair.user_id
                               AND e.course_id = pair.course_id AND e.status = 'COMPLETED'
        ORDER BY e.completed_at, e.id
        """  # noqa: S608


async def list_records(tx: Tx, pairs: Sequence[Pair]) -> dict[Pair, Record]:
    """Returns the completions of these pairs. A pair without any has an empty record."""
    users, courses = [user for user, _ in pairs], [course for _, course in pairs]
    return await _load(tx, _PAIRS, users=users, courses=courses)


async def _load(tx: Tx, pairs: str, **params: Any) -> dict[Pair, Record]:
    rows = await tx.rows(_build_select(pairs), window_days=DEFAULT_WINDOW_DAYS, **params)
    records: dict[Pair, Record] = {}
    for row in rows:
        pair = (row["user_id"], row["course_id"])
        if pair not in records:
            zone = ZoneInfo(row["time_zone"] or "America/Sao_Paulo")
            records[pair] = Record(Terms(row["months"], row["window_days"], zone), [])
        if row["id"]:
            moment = datetime.fromisoformat(row["completed_at"])
            records[pair].completions.append(Completion(row["id"], moment))
    return records


async def compute_validities(tx: Tx, enrollment_ids: Sequence[UUID]) -> dict[UUID, Validity]:
    """Computes for each of these completed enrollments how long it is valid, given the completions of the
    same person and course before it.
    """
    records = await _load(tx, _PAIRS_OF_ENROLLMENTS, ids=list(enrollment_ids))
    asked = set(enrollment_ids)
    return {
        each.id: compute_validity(
            [other.completed_at for other in record.completions[: number + 1]], record.terms
        )
        for record in records.values()
        for number, each in enumerate(record.completions)
        if each.id in asked
    }


def compute_validity(completions: Sequence[datetime], terms: Terms) -> Validity:
    """Computes how long the last of these completions is valid; there is at least one."""
    end = compute_end(completions, terms)
    return Validity(end, compute_opening(end, terms) if end else None)


async def set_validities(tx: Tx, validities: Mapping[UUID, Validity]) -> None:
    """Stores until when these completions are valid, and from when the course may be taken again."""
    await tx.execute(
        """
        UPDATE all_enrollments AS e SET valid_until = new.valid_until, renewable_from = new.renewable_from
        FROM unnest(:ids::uuid[], :ends::timestamptz[], :openings::timestamptz[])
             AS new (id, valid_until, renewable_from)
        WHERE e.tenant_id = :tenant AND e.id = new.id
        """,
        ids=list(validities),
        ends=[each.valid_until for each in validities.values()],
        openings=[each.renewable_from for each in validities.values()],
    )


async def raise_renewable_from(tx: Tx, pairs: Sequence[Pair]) -> None:
    """Carries the latest renewal window of each pair over to its current enrollment, after older or newer
    completions were added beside it.
    """
    await tx.execute(
        """
        UPDATE all_enrollments AS e SET renewable_from = latest.renewable_from
        FROM (SELECT user_id, course_id, max(renewable_from) AS renewable_from FROM enrollments
              WHERE tenant_id = :tenant AND status = 'COMPLETED' AND (user_id, course_id) IN (
                  SELECT pair.* FROM unnest(:users::uuid[], :courses::uuid[]) AS pair)
              GROUP BY user_id, course_id) AS latest
        WHERE e.tenant_id = :tenant AND e.user_id = latest.user_id AND e.course_id = latest.course_id
          AND e.current AND e.status = 'COMPLETED' AND e.renewable_from < latest.renewable_from
        """,
        users=[user for user, _ in pairs],
        courses=[course for _, course in pairs],
    )


async def put_terms(tx: Tx, terms: Sequence[PersonTerms]) -> None:
    """Stores the terms under which people hold courses from now on."""
    await tx.execute(
        """
        INSERT INTO renewal_terms (tenant_id, user_id, course_id, renew_months, window_days)
        SELECT :tenant, new.user_id, new.course_id, new.renew_months, new.window_days
        FROM unnest(:users::uuid[], :courses::uuid[], :months::integer[], :windows::integer[])
             AS new (user_id, course_id, renew_months, window_days)
        ON CONFLICT (tenant_id, user_id, course_id) DO UPDATE
        SET renew_months = excluded.renew_months, window_days = excluded.window_days
        """,
        users=[each.user_id for each in terms],
        courses=[each.course_id for each in terms],
        months=[each.renew_months for each in terms],
        windows=[each.window_days for each in terms],
    )


async def list_terms(tx: Tx, user_ids: Sequence[UUID]) -> list[PersonTerms]:
    return await tx.list(
        PersonTerms,
        """
        SELECT user_id, course_id, renew_months, window_days FROM renewal_terms
        WHERE tenant_id = :tenant AND user_id = ANY(:user_ids)
        """,
        user_ids=user_ids,
    )


async def delete_terms(tx: Tx, pairs: Sequence[Pair]) -> None:
    await tx.execute(
        """
        DELETE FROM renewal_terms WHERE tenant_id = :tenant AND (user_id, course_id) IN (
            SELECT old.* FROM unnest(:users::uuid[], :courses::uuid[]) AS old)
        """,
        users=[user for user, _ in pairs],
        courses=[course for _, course in pairs],
    )
