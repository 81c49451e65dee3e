"""The list of statements for administrators, newest first."""

from typing import Any, Literal
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.lists import Branch, Condition, Conditions, List, Walk, equal
from trilha.core.web.pagination import ListQuery
from trilha.training.xapi.schema import Record

_REFERENCE = """(
    SELECT true FROM xapi_references AS reference
    WHERE reference.tenant_id = :tenant AND reference.stored = row.stored AND reference.is_direct AND {}
    LIMIT 1)"""


class RecordQuery(ListQuery, frozen=True, kw_only=True):
    """Keys are those of `identifiers`, times microseconds since 1970. `agents` are one person's: a statement
    with any of them as its actor or object matches.
    """

    agents: list[UUID] | None = None
    activity: UUID | None = None
    registration: UUID | None = None
    verb: UUID | None = None
    voided: Literal["no", "only"] | None = None
    since: int | None = None
    until: int | None = None


def _build_walk(query: Any, values: str) -> Walk:
    """Builds the walk over the references to some keys, which `values` selects."""
    conditions = ["row.key = value.key", "row.is_direct"]
    if query.verb is not None:
        conditions.append("row.verb = :verb")
    if query.since is not None:
        conditions.append("row.stored >= :since")
    if query.until is not None:
        conditions.append("row.stored < :until")
    return Walk(
        keys=("stored",),
        direction="DESC",
        table="xapi_references",
        id="stored",
        branches=(Branch(values=values, where=" AND ".join(conditions)),),
    )


async def _match_agents(tx: Tx, query: Any, reach: Any) -> Conditions:
    walk = _build_walk(query, "SELECT key FROM unnest(CAST(:agents AS uuid[])) AS key")
    where = _REFERENCE.format("reference.key = ANY(CAST(:agents AS uuid[]))")
    return (Condition(where=where, params={"agents": query.agents}, order=(walk,)),)


async def _match_activity(tx: Tx, query: Any, reach: Any) -> Conditions:
    walk = _build_walk(query, "SELECT CAST(:activity AS uuid) AS key")
    where = _REFERENCE.format("reference.key = CAST(:activity AS uuid)")
    return (Condition(where=where, params={"activity": query.activity}, order=(walk,)),)


# A row's time is different for each statement of a tenant, and is all that references have of it.
RECORDS = List(
    name="statements",
    table="xapi_statements",
    kind=Record,
    id="stored",
    default_walk=Walk(keys=("stored",), direction="DESC"),
    filters={
        "agents": _match_agents,
        "activity": _match_activity,
        "registration": equal("registration", "stored"),
        "verb": equal("verb", "stored"),
        "voided": {
            "no": (Condition(where="NOT row.is_voided"),),
            "only": (Condition(where="row.is_voided"),),
        },
        "since": Condition(where="row.stored >= :since", bounds="stored"),
        "until": Condition(where="row.stored < :until", bounds="stored"),
    },
)
