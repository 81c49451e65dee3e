"""The lists of requests for enrollment."""

from typing import Any

from trilha.core.database import Tx
from trilha.core.lists import CHANGED_SINCE, Condition, Conditions, List, Walk, equal
from trilha.people.users.lists import in_reach
from trilha.training.enrollment_requests.schema import (
    EnrollmentRequest,
    EnrollmentRequestQuery,
    ListedRequest,
)


async def _in_states(tx: Tx, query: EnrollmentRequestQuery, reach: Any) -> Conditions:
    states = query.status.items() if query.status else []
    if len(states) == 1:
        return (Condition(where="row.status = :state", leads=("created_at",), params={"state": states[0]}),)
    return (Condition(where="row.status = ANY(:states::text[])", params={"states": states}),)


REQUESTS = List(
    name="enrollment-requests",
    table="enrollment_requests",
    kind=EnrollmentRequest,
    filters={
        "updated_since": CHANGED_SINCE,
        "user_id": equal("user_id", "created_at"),
        "course_id": equal("course_id", "created_at"),
        "status": _in_states,
    },
)
_NAME = "(SELECT name FROM users WHERE tenant_id = :tenant AND id = row.{})"
REQUEST_ROWS = List(
    name="enrollment-requests/listed",
    table="enrollment_requests",
    kind=ListedRequest,
    columns={
        "user_name": _NAME.format("user_id"),
        "course_title": "(SELECT title FROM courses WHERE tenant_id = :tenant AND id = row.course_id)",
        "decider_name": _NAME.format("decided_by"),
    },
    default_walk=Walk(keys=("created_at",)),
    reach=lambda reach: in_reach(reach, "user_id"),
)
_HAS_ENROLLMENT = """(
    SELECT true FROM enrollments AS e
    WHERE e.tenant_id = :tenant AND e.user_id = row.user_id AND e.course_id = row.course_id AND e.current
      AND e.status IN ('NOT_STARTED', 'IN_PROGRESS') AND (e.expires_at IS NULL OR e.expires_at > :now)
    LIMIT 1)"""
# Those that somebody has to answer, the oldest first: not of people who were enrolled in another way.
WAITING = REQUEST_ROWS.with_kind(
    ListedRequest,
    "enrollment-requests/waiting",
    always=(
        Condition(where="row.status = 'WAITING'", leads=("created_at",)),
        Condition(where=f"{_HAS_ENROLLMENT} IS NOT TRUE"),
    ),
)
