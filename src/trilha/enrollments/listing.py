"""Enrollments as integrations list them."""

from typing import Any

from trilha.core.database import Tx
from trilha.core.web.pagination import NEWEST, Order, Page, fetch_page
from trilha.enrollments import queries
from trilha.enrollments.queries import DUE
from trilha.enrollments.schema import Enrollment, EnrollmentQuery

_FILTERS = {
    "course_id": "course_id = :course_id",
    "completed_since": "completed_at >= :completed_since",
    "completed_before": "completed_at < :completed_before",
    "expires_before": "expires_at < :expires_before",
    "created_since": "created_at >= :created_since",
}
# As many as the worker has not stored yet at the most, but for one that stood still for long.
_FEW_DUE = 1000
_BY_COMPLETION, _BY_EXPIRY = Order("completed_at", "DESC"), Order("expires_at", "ASC")


async def list_page(tx: Tx, query: EnrollmentQuery) -> Page[Enrollment]:
    """In the order of what is asked about, so that a page is found without reading what comes before."""
    params: dict[str, Any] = {name: value for name in _FILTERS if (value := getattr(query, name)) is not None}
    where = [_FILTERS[name] for name in params]
    select = queries.SELECT
    if query.user_id is not None:
        select, params = queries.SELECT_OF_USER, params | {"user_id": query.user_id}
    order = NEWEST
    if params.keys() & {"completed_since", "completed_before"}:
        order = _BY_COMPLETION
    elif query.expires_before is not None:
        order = _BY_EXPIRY
    any_of = [part for status in query.status.items() for part in _IN[status]] if query.status else []
    if DUE.format("") in any_of and (due := await queries.find_due(tx, _FEW_DUE)) is not None:
        # In the order of all enrollments these few would be looked for without end.
        at = any_of.index(DUE.format(""))
        any_of[at : at + 1] = ["id = ANY(:due)"] if due else []
        params |= {"due": due} if due else {}
    if query.expires_before is not None:
        # What never expires is not asked for; so the walk begins at what is still open.
        any_of = [each.replace("expires_at IS NULL OR ", "") for each in any_of]
    return await fetch_page(
        tx,
        Enrollment,
        select,
        query,
        route="enrollments",
        where=where,
        any_of=any_of,
        order=order,
        **params,
    )


# What a status is looked for by: conditions that exclude each other.
_OPEN = "status = '{}' AND (expires_at IS NULL OR expires_at > :now)"
_IN = {
    "NOT_STARTED": [_OPEN.format("NOT_STARTED")],
    "IN_PROGRESS": [_OPEN.format("IN_PROGRESS")],
    "COMPLETED": ["status = 'COMPLETED'"],
    "EXPIRED": ["status = 'EXPIRED'", DUE.format("")],
}
