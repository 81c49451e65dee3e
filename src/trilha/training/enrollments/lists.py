"""The lists of enrollments: the panel's, with names of people and courses, and the API's."""

from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from msgspec import structs

from trilha.core.database import Tx
from trilha.core.lists import CHANGED_SINCE, CREATED_SINCE, NEWEST, Branch, Condition, Conditions, List, Walk
from trilha.core.web.pagination import ListQuery
from trilha.people.users import lists as people
from trilha.people.users import words
from trilha.people.users.reach import TAUGHT, Reach
from trilha.training.enrollments.schema import (
    Enrollment,
    EnrollmentQuery,
    EnrollmentRecord,
    EnrollmentSearch,
    ListedEnrollment,
    PersonEnrollment,
)
from trilha.training.enrollments.validity import DEFAULT_WINDOW_DAYS

SOON = timedelta(days=14)
# After its expires_at, and not stored as expired yet.
DUE = "({0}status IN ('NOT_STARTED', 'IN_PROGRESS') AND {0}expires_at <= :now)"
_DUE = DUE.format("row.")
# From when the person of a completed enrollment may be enrolled again. Completions from before requirements
# existed have only the end of their certificate.
RENEWABLE_FROM = f"COALESCE({{0}}.renewable_from, {{0}}.valid_until - interval '{DEFAULT_WINDOW_DAYS} days')"
STATUS = f"CASE WHEN {_DUE} THEN 'EXPIRED' ELSE row.status END"
_NOT_DUE = f"NOT COALESCE({_DUE}, false)"
_NOW = "CAST(:now AS timestamptz)"
_NEWEST = NEWEST.keys
_TITLE = "(SELECT title FROM courses WHERE tenant_id = :tenant AND id = row.course_id)"
_PERSON = "(SELECT {} FROM users WHERE tenant_id = :tenant AND id = row.user_id)"
_BY_EXPIRY = (Walk(keys=("expires_at",)),)
_BY_COMPLETION = (Walk(keys=("completed_at",), direction="DESC"),)
_LATEST_CHANGE = (Walk(keys=("updated_at",), direction="DESC"),)
_THIS_MONTH = f"date_trunc('month', {_NOW}, 'America/Sao_Paulo')"
_NOT_CANCELLED = Condition(where="row.cancelled_at IS NULL")
_TAUGHT_COURSES = (
    "SELECT course_id AS id FROM course_teachers WHERE tenant_id = :tenant AND user_id = :reach_user"
)
_IN_REVIEW = """(
    SELECT true FROM review_flags AS flag
    WHERE flag.tenant_id = :tenant AND flag.enrollment_id = row.id AND flag.dismissed_at IS NULL LIMIT 1)"""
_FLAGS = "SELECT enrollment_id FROM review_flags WHERE tenant_id = :tenant AND dismissed_at IS NULL"


def _match_status(status: str) -> Conditions:
    return (
        Condition(where=f"row.status = '{status}'", leads=_NEWEST),
        Condition(where=_NOT_DUE),
    )


_OPEN = Condition(where=f"row.status IN ('NOT_STARTED', 'IN_PROGRESS') AND {_NOT_DUE}")
_IN_STATE: Mapping[str, Conditions] = {
    "open": (_OPEN,),
    "not_started": _match_status("NOT_STARTED"),
    "in_progress": _match_status("IN_PROGRESS"),
    "completed": _match_status("COMPLETED"),
    "expired": (Condition(where=f"(row.status = 'EXPIRED' OR {_DUE})"),),
    # The condition of the index by expiration, for all enrollments and for those in a course.
    "ending": (
        Condition(
            where=f"""row.status IN ('NOT_STARTED', 'IN_PROGRESS') AND row.cancelled_at IS NULL
                AND row.expires_at > {_NOW} AND row.expires_at <= {_NOW} + interval '{SOON.days} days'""",
            bounds="expires_at",
            order=_BY_EXPIRY,
        ),
    ),
    # No enrollment is completed after its last change.
    "completed_this_month": (
        Condition(where=f"row.status = 'COMPLETED' AND row.completed_at >= {_THIS_MONTH}"),
        Condition(where=f"row.updated_at >= {_THIS_MONTH}", bounds="updated_at", order=_LATEST_CHANGE),
    ),
    "to_review": (Condition(where=_IN_REVIEW, ids=_FLAGS),),
}


async def _match_text(tx: Tx, query: EnrollmentSearch, reach: Reach) -> Conditions:
    return words.find_typed(tx, query.q or "", "user_id")


def taught(column: str, *leads: str) -> Condition:
    """Limits a list to the courses that an instructor teaches; `leads` are index keys that begin with the
    course.
    """
    return Condition(
        where=f"row.{column} = {TAUGHT}",
        leads=leads,
        branches=(Branch(_TAUGHT_COURSES, f"row.{column} = value.id"),),
    )


def _within(reach: Reach) -> Conditions:
    """Limits instructors to enrollments in their courses, and managers to those of their people."""
    if reach.role != "instrutor":
        return people.in_reach(reach, "user_id")
    return (
        structs.replace(taught("course_id", *_NEWEST, "expires_at"), params={"reach_user": reach.user_id}),
    )


def of_person(name: str) -> Condition:
    """Limits a list to the person `:name`."""
    return Condition(where=f"row.user_id = :{name}", one=name, of="user_id")


# The counters of courses for these statuses.
_TOTALS = {
    None: "enrollments",
    "open": "not_started + in_progress",
    "not_started": "not_started",
    "in_progress": "in_progress",
    "completed": "completed",
    "expired": "enrollments - not_started - in_progress - completed",
}


async def find_total(tx: Tx, query: EnrollmentSearch, filters: Collection[str], reach: Reach) -> int | None:
    """Returns the total for all courses, one course, or an instructor's. An overdue enrollment counts as
    expired once the worker has stored it.
    """
    if reach.role not in ("admin", "instrutor") or not {"course", "status"}.issuperset(filters):
        return None
    if (column := _TOTALS.get(query.status)) is None:
        return None
    where, params = "true", dict[str, Any]()
    if reach.role == "instrutor":
        where, params = f"course_id = {TAUGHT}", {"reach_user": reach.user_id}
    if query.course:
        where, params = f"{where} AND course_id = :course", params | {"course": query.course}
    total: int = await tx.value(
        f"""
        SELECT COALESCE(sum({column}), 0)::bigint FROM course_counters
        WHERE tenant_id = :tenant AND {where}
        """,  # noqa: S608
        **params,
    )
    return total


ENROLLMENT_ROWS = List(
    name="enrollments/listed",
    table="all_enrollments",
    kind=ListedEnrollment,
    columns={
        "user_name": _PERSON.format("name"),
        "user_email": _PERSON.format("email"),
        "course_title": _TITLE,
        "status": STATUS,
    },
    orders={"created": Walk(keys=_NEWEST), "updated": Walk(keys=("updated_at",))},
    total=find_total,
    always=(_NOT_CANCELLED,),
    filters={
        "user": of_person("user"),
        "q": _match_text,
        "course": Condition(where="row.course_id = :course", leads=(*_NEWEST, "expires_at")),
        "group": people.in_group("user_id"),
        "unit": people.in_unit("user_id"),
        "status": _IN_STATE,
    },
    reach=_within,
)


async def _in_states(tx: Tx, query: EnrollmentQuery, reach: Any) -> Conditions:
    states = [each.lower() for each in query.status.items()] if query.status else []
    if len(states) == 1:
        return _IN_STATE[states[0]]
    every = (" AND ".join(each.where for each in _IN_STATE[state]) for state in states)
    return (Condition(where=" OR ".join(f"({each})" for each in every)),)


ENROLLMENTS = List(
    name="enrollments",
    table="all_enrollments",
    kind=Enrollment,
    columns={"status": STATUS},
    always=(_NOT_CANCELLED,),
    filters={
        "updated_since": CHANGED_SINCE,
        "user_id": of_person("user_id"),
        "course_id": Condition(where="row.course_id = :course_id", leads=("created_at", "completed_at")),
        "completed_since": Condition(
            where="row.completed_at >= :completed_since", bounds="completed_at", order=_BY_COMPLETION
        ),
        "completed_before": Condition(
            where="row.completed_at < :completed_before", bounds="completed_at", order=_BY_COMPLETION
        ),
        "expires_before": Condition(
            where="row.expires_at < :expires_before", bounds="expires_at", order=_BY_EXPIRY
        ),
        "created_since": CREATED_SINCE,
        "status": _in_states,
    },
)
# A person's enrollments, including cancelled ones, because their training is on record.
ALL_ENROLLMENTS = List(
    name="enrollments/kept",
    table="all_enrollments",
    kind=EnrollmentRecord,
    columns={"status": f"CASE WHEN row.cancelled_at IS NULL AND {_DUE} THEN 'EXPIRED' ELSE row.status END"},
    filters={"user_id": of_person("user_id")},
)
# A person's enrollments with the titles of the courses. An instructor sees those in their courses.
OF_PERSON = ENROLLMENTS.with_kind(
    PersonEnrollment,
    "enrollments/person",
    columns={"status": STATUS, "course_title": _TITLE},
    reach=_within,
)
OF_USER = structs.replace(ENROLLMENTS, name="users/enrollments")


def of_user(user_id: UUID, query: ListQuery) -> EnrollmentQuery:
    return EnrollmentQuery(user_id=user_id, **structs.asdict(query))
