"""Finds missing documents and study time in regulated courses, one page of enrollments at a time."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import msgspec
from msgspec import Struct

from trilha.core.database import Tx, columns_of, structs_of
from trilha.core.types import Timestamp
from trilha.people.users.reach import Reach
from trilha.people.users.rules import missing_documents
from trilha.people.users.schema import Profile
from trilha.training.courses.schema import Regulation
from trilha.training.reports.report_filter import ReportFilter, find_people

# How many enrollments are examined for one page.
LOOKED_AT = 400


class RegulatedCourse(Struct, frozen=True):
    id: UUID
    title: str
    regulation: Regulation


class Lacking(Struct, frozen=True):
    """An open enrollment that lacks something; `minutes` are credited so far."""

    enrollment_id: UUID
    user_id: UUID
    user_name: str
    documents: Sequence[str]
    minutes: int
    expires_at: Timestamp | None


class LackingPage(Struct, frozen=True):
    """`after` is the position of the next page; None on the last one."""

    found: Sequence[Lacking]
    looked_at: int
    after: str | None


class _Row(Struct, frozen=True):
    enrollment_id: UUID
    user_id: UUID
    user_name: str
    expires_at: Timestamp | None
    created_at: Timestamp
    credited_seconds: float | None


async def list_courses(tx: Tx, reach: Reach, limit: int = 200) -> list[RegulatedCourse]:
    """Lists regulated courses by title; an instructor's only if they teach it."""
    taught, params = "", dict[str, Any]()
    if reach.role == "instrutor":
        taught = """AND id = ANY(ARRAY(SELECT course_id FROM course_teachers
            WHERE tenant_id = :tenant AND user_id = :teacher))"""
        params["teacher"] = reach.user_id
    rows = await tx.rows(
        f"""SELECT id, title, regulation FROM courses
            WHERE tenant_id = :tenant AND regulation IS NOT NULL AND status <> 'DRAFT' {taught}
            ORDER BY title_key, id LIMIT :limit""",  # noqa: S608
        limit=limit,
        **params,
    )
    return [
        RegulatedCourse(row["id"], row["title"], msgspec.convert(row["regulation"], Regulation))
        for row in rows
    ]


async def list_lacking(
    tx: Tx,
    reach: Reach,
    course: RegulatedCourse,
    report_filter: ReportFilter,
    after: str | None,
    limit: int = LOOKED_AT,
) -> LackingPage:
    """Lists open enrollments, the newest first. `after` comes from the previous page. If few people are
    within reach, their enrollments are scanned; otherwise the course's enrollments are scanned and
    filtered.
    """
    people = await find_people(tx, reach, report_filter)
    beyond, params = "", dict(people.params) if people else {}
    if (position := _position(after)) is not None:
        beyond = "AND (e.created_at, e.id) < (:at, :after_id)"
        params |= {"at": position[0], "after_id": position[1]}
    theirs = people.condition if people else "true"
    place = "FROM enrollments AS e"
    if people and people.few:
        place += f" JOIN users AS u ON u.tenant_id = :tenant AND u.id = e.user_id AND {theirs}"
    rows = await tx.rows(
        f"""
        SELECT {columns_of(Profile, "u")}, e.id AS enrollment_id, u.id AS user_id, u.name AS user_name,
               e.expires_at, e.created_at, e.is_open AND {theirs} AS is_shown,
               COALESCE(h.credited_seconds, 0) + COALESCE((
                   SELECT sum(p.credited_seconds) FROM module_progress AS p
                   WHERE p.tenant_id = :tenant AND p.enrollment_id = e.id AND p.module_id = ANY(ARRAY(
                       SELECT id FROM modules
                       WHERE tenant_id = :tenant AND course_id = :course
                         AND type IN ('CLASS', 'PRACTICE')))), 0)
               AS credited_seconds
        FROM (SELECT e.*, e.status IN ('NOT_STARTED', 'IN_PROGRESS') AS is_open {place}
              WHERE e.tenant_id = :tenant AND e.course_id = :course {beyond}
              ORDER BY e.created_at DESC, e.id DESC LIMIT {limit}) AS e
        JOIN users AS u ON u.tenant_id = :tenant AND u.id = e.user_id
        LEFT JOIN learning_heads AS h ON h.tenant_id = :tenant AND h.enrollment_id = e.id
        ORDER BY e.created_at DESC, e.id DESC
        """,  # noqa: S608
        course=course.id,
        **params,
    )
    demands = course.regulation
    pairs = zip(structs_of(Profile, rows, "u"), structs_of(_Row, rows), rows, strict=True)
    today = tx.today
    found = [
        Lacking(row.enrollment_id, row.user_id, row.user_name, documents, minutes, row.expires_at)
        for profile, row, raw in pairs
        if raw["is_shown"]
        for documents in [missing_documents(profile, demands.required_profile_fields, today)]
        for minutes in [int((row.credited_seconds or 0) // 60)]
        if documents or minutes < demands.minimum_workload_minutes
    ]
    last = rows[-1] if len(rows) == limit else None
    return LackingPage(found, len(rows), f"{last['created_at']}~{last['enrollment_id']}" if last else None)


def _position(after: str | None) -> tuple[str, UUID] | None:
    """Returns None also for an invalid position, which means the first page."""
    at, _, id = (after or "").partition("~")
    try:
        return Timestamp.parse(at), UUID(id)
    except ValueError:
        return None
