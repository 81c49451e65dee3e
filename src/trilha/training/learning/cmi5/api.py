"""The statements of an enrollment."""

from typing import Annotated, Any
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from trilha.core.credentials import Scope
from trilha.core.database import Tx
from trilha.core.web.pagination import Cursors, ListQuery, Page
from trilha.core.web.routes import Routes
from trilha.training.enrollments import queries as enrollments
from trilha.training.xapi import queries
from trilha.training.xapi.pages import cut_page
from trilha.training.xapi.schema import Microseconds, StatementFilter, StoredStatement
from trilha.training.xapi.times import format_microseconds

routes = Routes("Statements", "What content has stated about an enrollment (xAPI and cmi5).")
_ROUTE = "enrollments/statements"
_Members = dict[str, Any]


class Statement(Struct, frozen=True, kw_only=True):
    """A whole statement of the Experience API. Members that it does not have are left out."""

    id: UUID
    actor: Annotated[
        _Members, Meta(examples=[{"account": {"homePage": "https://acme.example", "name": "7"}}])
    ]
    verb: Annotated[_Members, Meta(examples=[{"id": "http://adlnet.gov/expapi/verbs/completed"}])]
    object: Annotated[_Members, Meta(examples=[{"id": "https://acme.example/activities/modules/1"}])]
    result: _Members | UnsetType = UNSET
    context: _Members | UnsetType = UNSET
    attachments: list[_Members] | UnsetType = UNSET
    timestamp: Annotated[str, Meta(examples=["2026-11-28T09:30:00.000Z"])]
    stored: Microseconds
    authority: _Members
    version: Annotated[str, Meta(examples=["1.0.0"])]


@routes.get(
    "/enrollments/{enrollment_id}/statements",
    scope=Scope.ENROLLMENTS_READ,
    errors=["enrollment_not_found"],
)
async def list_enrollment_statements(tx: Tx, enrollment_id: UUID, query: ListQuery) -> Page[Statement]:
    """List the statements of the enrollment's registration, oldest first. Voided ones are left out."""
    await enrollments.get(tx, enrollment_id)
    cursors = Cursors(tx, query, route=_ROUTE, reach=str(enrollment_id))
    search = StatementFilter(
        registration=enrollment_id,
        limit=query.limit,
        ascending=True,
        after=cursors.open(int),
        follows_references=False,
    )
    rows = await queries.list_statements(tx, search)
    page = cut_page(rows[: query.limit])
    more = len(rows) > len(page)
    data = [_build(row) for row in page]
    return Page(data, cursors.seal(page[-1].stored) if more else None, more, query.limit)


def _build(row: StoredStatement) -> Statement:
    members = msgspec.json.decode(row.content) | {"id": row.id}
    return Statement(stored=format_microseconds(row.stored), **members)
