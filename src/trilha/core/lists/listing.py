"""A list as a value.

SQL here consists of whole fragments about `row`, a row of the list's table, with named parameters. Fragments
are joined by AND and never edited. A fragment that looks into another table is a scalar subquery, such as
`(SELECT true FROM … LIMIT 1)` instead of EXISTS: PostgreSQL evaluates it row by row, and never reads all of
the other table to join it.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any, Generic, Literal, TypeVar, cast
from uuid import UUID

from msgspec import Struct, structs

from trilha.core.database import Tx
from trilha.core.web.pagination import ListQuery

T = TypeVar("T", bound=Struct)
U = TypeVar("U", bound=Struct)


class Branch(Struct, frozen=True):
    """A part of a condition that one index range serves: `values` is a select, and `where` is a condition on
    `row` and on `value`, one of its rows.

    `sparse` means that few rows of the range meet the whole condition, so more of them are examined.
    """

    values: str
    where: str
    sparse: bool = False


class Walk(Struct, frozen=True, kw_only=True):
    """The rows in the order of an index: by `keys`, then by id.

    `table` is set if the index belongs to another table, whose column `id` holds the ids of the list's
    rows. `where` is the condition that the index begins with, and `branches` are several such conditions.
    If an order consists of several walks, `among` selects the rows of this one. `sorted_by` are the keys
    as expressions on `row`.
    """

    keys: tuple[str, ...]
    direction: Literal["ASC", "DESC"] = "ASC"
    table: str = ""
    id: str = ""
    where: str = "true"
    branches: tuple[Branch, ...] = ()
    among: str = "true"
    sorted_by: tuple[str, ...] = ()


NEWEST = Walk(keys=("created_at",), direction="DESC")


class Condition(Struct, frozen=True, kw_only=True):
    """The condition of a filter, and the ways to find the rows that meet it.

    - `ids`: a select of the ids of all rows that meet the condition, in any order. `one`: the name of the
      parameter that holds the only id. `of`: the column with these ids.
    - `leads`: keys of walks whose index begins with `where`, or with one of the `branches`, which together
      mean the same as `where`.
    - `bounds`: the key of walks in which `where` is a range.
    - `order`: the order of the list while this filter is set.
    """

    where: str
    params: Mapping[str, Any] = {}
    ids: str = ""
    one: str = ""
    of: str = "id"
    leads: tuple[str, ...] = ()
    branches: tuple[Branch, ...] = ()
    bounds: str = ""
    order: tuple[Walk, ...] = ()


Conditions = Sequence[Condition]
_BY_CHANGE = Walk(keys=("updated_at",))
CHANGED_SINCE = Condition(where="row.updated_at >= :updated_since", bounds="updated_at", order=(_BY_CHANGE,))
CREATED_SINCE = Condition(where="row.created_at >= :created_since", bounds="created_at")


_ZONE = """COALESCE(
    (SELECT time_zone FROM tenant_settings WHERE tenant_id = :tenant), 'America/Sao_Paulo')"""


def since_day(column: str) -> Condition:
    """Selects rows from the beginning of the day `:since` in the tenant's time zone."""
    where = f"row.{column} >= CAST(:since AS text)::date::timestamp AT TIME ZONE {_ZONE}"
    return Condition(where=where, bounds=column)


def until_day(column: str) -> Condition:
    """Selects rows to the end of the day `:until` in the tenant's time zone."""
    where = f"row.{column} < (CAST(:until AS text)::date + 1)::timestamp AT TIME ZONE {_ZONE}"
    return Condition(where=where, bounds=column)


def equal(name: str, *leads: str, column: str = "") -> Condition:
    """Compares a column with the query's member `name`. See `Condition` for `leads`."""
    return Condition(where=f"row.{column or name} = :{name}", leads=leads)


def by_owner(column: str, *leads: str) -> Callable[[UUID], Conditions]:
    """Builds the reach of a list whose rows belong to one row of another table; `column` holds that row's
    id.
    """
    condition = Condition(where=f"row.{column} = :owner", leads=leads)
    return lambda owner: (structs.replace(condition, params={"owner": owner}),)


# Returns the number of rows if it is stored, or None. Receives the query, the names of the active filters and
# the reach.
Total = Callable[[Tx, Any, Collection[str], Any], Awaitable[int | None]]


async def no_total(tx: Tx, query: Any, filters: Collection[str], reach: Any) -> int | None:
    return None


# A condition for any value (bound as a parameter with the member's name), conditions for each possible value,
# or a function that builds conditions from the query and the reach.
Filter = Condition | Mapping[str, Conditions] | Callable[[Tx, Any, Any], Awaitable[Conditions]]


class List(Struct, Generic[T], frozen=True, kw_only=True):
    """The rows of a table as objects of `kind`.

    - `columns`: SQL expressions for members that are not columns of the table.
    - `orders`: the walks by the values of the query's `sort`; a leading `-` reverses a walk.
    - `filters`: conditions by the query's members. `always`: conditions for every row.
    - `reach`: the conditions for the rows that a viewer may see. By default the list has all rows.
    - `total`: returns the stored number of rows. It is called if there are more rows than a list counts.
    """

    name: str
    table: str
    kind: type[T]
    id: str = "id"
    columns: Mapping[str, str] = {}
    orders: Mapping[str, Walk] = {}
    default_walk: Walk = NEWEST
    filters: Mapping[str, Filter] = {}
    always: Conditions = ()
    reach: Callable[[Any], Conditions] = lambda _: ()
    total: Total = no_total

    def with_kind(self, kind: type[U], name: str, **changes: Any) -> "List[U]":
        """Returns a list of the same rows as objects of another kind."""
        return structs.replace(cast(Any, self), kind=kind, name=name, **changes)

    @property
    def select_columns(self) -> str:
        names = self.kind.__struct_fields__
        return ", ".join(f"{self.columns.get(name, f'row.{name}')} AS {name}" for name in names)


class SqlQuery(Struct, frozen=True):
    """The conditions of a query, their parameters, and the walks that make up its order."""

    conditions: Conditions
    params: dict[str, Any]
    walks: tuple[Walk, ...]


async def build_query(tx: Tx, listing: List[Any], query: ListQuery, reach: Any) -> SqlQuery:
    conditions = list(listing.always)
    params: dict[str, Any] = {}
    for name, filter in list_active_filters(listing, query).items():
        value = getattr(query, name)
        if isinstance(filter, Condition):
            params[name] = value
            conditions.append(filter)
        else:
            conditions += filter[value] if isinstance(filter, Mapping) else await filter(tx, query, reach)
    conditions += listing.reach(reach)
    for condition in conditions:
        params |= condition.params
    orders = (condition.order for condition in conditions if condition.order)
    return SqlQuery(conditions, params, next(orders, (_choose_walk(listing, query),)))


def list_active_filters(listing: List[Any], query: ListQuery) -> dict[str, Filter]:
    values = {name: getattr(query, name, None) for name in listing.filters}
    return {
        name: listing.filters[name]
        for name, value in values.items()
        if value is not None and value is not False and value != ""
    }


def _choose_walk(listing: List[Any], query: ListQuery) -> Walk:
    sort: str = getattr(query, "sort", "")
    if not sort:
        return listing.default_walk
    walk = listing.orders[sort.lstrip("-")]
    return Walk(keys=walk.keys, direction="DESC" if sort.startswith("-") else "ASC")
