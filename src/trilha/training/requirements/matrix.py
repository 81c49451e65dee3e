"""People against requirements: where each person stands with each, today or on an earlier day."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.database import Tx
from trilha.core.lists import Condition, Conditions, List, Walk
from trilha.core.moments import Day
from trilha.core.types import STORABLE, Timestamp
from trilha.core.web.pagination import ListQuery
from trilha.people.users import words
from trilha.people.users.lists import in_reach, in_unit
from trilha.people.users.reach import Reach
from trilha.training.enrollments import validity_queries
from trilha.training.requirements.standing import State

MAX_COLUMNS = 50
_APPLIES = """(
    SELECT true FROM requirement_people AS standing
    WHERE standing.tenant_id = :tenant AND standing.user_id = row.id{} LIMIT 1)"""
_PEOPLE = "SELECT DISTINCT user_id FROM requirement_people WHERE tenant_id = :tenant{}"


class MatrixPerson(Struct, frozen=True):
    id: UUID
    name: str
    email: str
    unit: str | None
    job_title: str | None


class Cell(Struct, frozen=True):
    """Where a person stands with a requirement. The dates are unknown for an earlier day."""

    user_id: UUID
    requirement_id: UUID
    state: State
    due_at: Timestamp | None = None
    valid_until: Timestamp | None = None
    enrollment_id: UUID | None = None


class MatrixQuery(ListQuery, frozen=True, kw_only=True):
    """`as_of` is the day to whose end the states belong; people, units and job titles are those of today."""

    q: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] | None = None
    unit: UUID | None = None
    job_title: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] | None = None
    requirement: UUID | None = None
    state: State | None = None
    as_of: Day | None = None

    @property
    def standing(self) -> tuple[UUID | None, State | None, Day | None]:
        """The members that say where people must stand. Without any, a requirement must apply to them."""
        return self.requirement, self.state, self.as_of


async def _match_text(tx: Tx, query: MatrixQuery, reach: Reach) -> Conditions:
    return words.find_typed(tx, query.q or "", "id")


def _select_present(**columns: Any) -> Condition:
    """Selects people by their rows of requirement_people: those with a row that has these values."""
    where = "".join(f" AND {name} = :{name}" for name in columns)
    return Condition(where=_APPLIES.format(where), ids=_PEOPLE.format(where), params=columns)


def _select_past(at: datetime, query: MatrixQuery) -> Condition:
    """Selects the people to whom a requirement applied at a time, with the query's requirement and state."""
    params: dict[str, Any] = {"at": at}
    requirement, state = "", "IS NOT NULL"
    if query.requirement is not None:
        requirement = "AND past.requirement_id = :requirement_id"
        params["requirement_id"] = query.requirement
    if query.state is not None:
        state = "= :state"
        params["state"] = query.state
    where = f"""(
        SELECT true FROM (
            SELECT DISTINCT ON (past.requirement_id) past.state FROM requirement_history AS past
            WHERE past.tenant_id = :tenant AND past.user_id = row.id AND past.changed_at < :at {requirement}
            ORDER BY past.requirement_id, past.changed_at DESC) AS latest
        WHERE latest.state {state} LIMIT 1)"""  # noqa: S608
    return Condition(where=where, params=params)


async def _match_state(tx: Tx, query: MatrixQuery, reach: Reach) -> Conditions:
    """Selects by requirement and state, of today or of the chosen day."""
    if query.as_of is not None:
        zone = await validity_queries.get_zone(tx)
        return [_select_past(query.as_of.end(zone.key).moment(), query)]
    columns: dict[str, Any] = {}
    if query.requirement is not None:
        columns["requirement_id"] = query.requirement
    if query.state is not None:
        columns["state"] = query.state
    return [_select_present(**columns)]


async def _match_job_title(tx: Tx, query: MatrixQuery, reach: Reach) -> Conditions:
    ids = "SELECT id FROM users WHERE tenant_id = :tenant AND job_title = :job_title"
    return [Condition(where="row.job_title = :job_title", ids=ids, params={"job_title": query.job_title})]


PEOPLE = List(
    name="requirements/matrix",
    table="users",
    kind=MatrixPerson,
    columns={
        "unit": """(
            SELECT unit.name FROM business_units AS unit
            WHERE unit.tenant_id = :tenant AND unit.id = row.business_unit_id)"""
    },
    default_walk=Walk(keys=("name_key",)),
    filters={
        "q": _match_text,
        "unit": in_unit("id"),
        "job_title": _match_job_title,
        "standing": _match_state,
    },
    reach=lambda reach: in_reach(reach, "id"),
)


async def load_cells(
    tx: Tx, user_ids: Sequence[UUID], requirement_ids: Sequence[UUID], at: datetime | None = None
) -> Mapping[UUID, Mapping[UUID, Cell]]:
    """Returns where people stand, by person and requirement; with `at`, where they stood at that time."""
    sql = """
        SELECT user_id, requirement_id, state, due_at, valid_until, enrollment_id FROM requirement_people
        WHERE tenant_id = :tenant AND user_id = ANY(:user_ids) AND requirement_id = ANY(:requirement_ids)
    """
    params: dict[str, Any] = {"user_ids": user_ids, "requirement_ids": requirement_ids}
    if at is not None:
        sql = f"""
            SELECT user_id, requirement_id, state, NULL::timestamptz AS due_at,
                   NULL::timestamptz AS valid_until, NULL::uuid AS enrollment_id FROM ({LATEST}) AS latest
            WHERE user_id = ANY(:user_ids) AND requirement_id = ANY(:requirement_ids) AND state IS NOT NULL
        """  # noqa: S608
        params["at"] = at
    cells: dict[UUID, dict[UUID, Cell]] = {}
    for cell in await tx.list(Cell, sql, **params):
        cells.setdefault(cell.user_id, {})[cell.requirement_id] = cell
    return cells


# The last state of everybody before a time. A NULL state: the requirement had ceased to apply.
LATEST = """
    SELECT DISTINCT ON (requirement_id, user_id) requirement_id, user_id, state, business_unit_id
    FROM requirement_history WHERE tenant_id = :tenant AND changed_at < :at
    ORDER BY requirement_id, user_id, changed_at DESC"""


async def list_job_titles(tx: Tx, limit: int) -> list[str]:
    """Lists the job titles that people have, in the order of the alphabet."""
    rows = await tx.rows(
        """
        WITH RECURSIVE titles AS (
            (SELECT tenant_id, job_title FROM users
             WHERE tenant_id = :tenant AND job_title IS NOT NULL ORDER BY job_title LIMIT 1)
            UNION ALL
            SELECT titles.tenant_id, (
                SELECT job_title FROM users
                WHERE tenant_id = :tenant AND job_title > titles.job_title ORDER BY job_title LIMIT 1)
            FROM titles WHERE titles.job_title IS NOT NULL)
        SELECT job_title FROM titles WHERE job_title IS NOT NULL LIMIT :limit
        """,
        limit=limit,
    )
    return [row["job_title"] for row in rows]
