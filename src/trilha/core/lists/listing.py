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
    """Values of `each` (a select), and the condition on `row` and `each` that an index begins with.

    `sparse`: few of its rows meet the whole condition, so that more of them are examined.
    """

    each: str
    where: str
    sparse: bool = False


class Walk(Struct, frozen=True, kw_only=True):
    """Rows in the order of an index: by `keys`, then by id.

    Another `table` than the list's has the index, and ids of the list's rows in the column `id`. `where` is
    what that index begins with, and `branches` are several such beginnings. `among` are the rows that this
    walk shows, where an order consists of several walks. `sorted_by` are the keys as expressions on `row`.
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
    """What a filter asks of a row, and how the rows that meet it are found.

    - `ids`: a select of the ids of all rows that meet it, in no order, or `one`: the parameter that is the
      only id; `of` is the column that has these ids.
    - `leads`: keys of walks whose index begins with `where`, or with one of the `branches`, that together
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


def equal(name: str, *leads: str, column: str = "") -> Condition:
    """The column has the value of the query's member `name`; see Condition for `leads`."""
    return Condition(where=f"row.{column or name} = :{name}", leads=leads)


def owned(column: str, *leads: str) -> Callable[[UUID], Conditions]:
    """The reach of a list whose rows belong to one row of another table: `column` has that row's id."""
    condition = Condition(where=f"row.{column} = :owner", leads=leads)
    return lambda owner: (structs.replace(condition, params={"owner": owner}),)


# How many rows there are, where that is kept beside them: of the query, the names of the filters in use, and
# the reach. None where it is not kept.
Total = Callable[[Tx, Any, Collection[str], Any], Awaitable[int | None]]


async def no_total(tx: Tx, query: Any, filters: Collection[str], reach: Any) -> int | None:
    return None


# What a member of the query asks: for any value (bound as a parameter of the member's name), for each value
# that it can have, or what a function makes of the query and the reach.
Filter = Condition | Mapping[str, Conditions] | Callable[[Tx, Any, Any], Awaitable[Conditions]]


class List(Struct, Generic[T], frozen=True, kw_only=True):
    """Rows of a table as `kind`.

    - `columns`: the SQL expressions of members that are no columns of the table.
    - `orders`: the walks by the query's `sort`; `-` before it turns a walk around.
    - `filters`: what members of the query ask. `always`: what holds for every row.
    - `reach`: which rows somebody may see, or whose rows the list has. Without it, the list has all rows.
    - `total`: is asked where there are more rows than a list counts.
    """

    name: str
    table: str
    kind: type[T]
    id: str = "id"
    columns: Mapping[str, str] = {}
    orders: Mapping[str, Walk] = {}
    usual: Walk = NEWEST
    filters: Mapping[str, Filter] = {}
    always: Conditions = ()
    reach: Callable[[Any], Conditions] = lambda _: ()
    total: Total = no_total

    def showing(self, kind: type[U], name: str, **changes: Any) -> "List[U]":
        """The same rows as another kind, in a list of this name."""
        return structs.replace(cast(Any, self), kind=kind, name=name, **changes)

    @property
    def shown(self) -> str:
        names = self.kind.__struct_fields__
        return ", ".join(f"{self.columns.get(name, f'row.{name}')} AS {name}" for name in names)


class Asked(Struct, frozen=True):
    """A query in SQL: the conditions with their parameters, and the walks that its order consists of."""

    conditions: Conditions
    params: dict[str, Any]
    walks: tuple[Walk, ...]


async def ask(tx: Tx, listing: List[Any], query: ListQuery, reach: Any) -> Asked:
    conditions = list(listing.always)
    params: dict[str, Any] = {}
    for name, asks in filters_in_use(listing, query).items():
        value = getattr(query, name)
        if isinstance(asks, Condition):
            params[name] = value
            conditions.append(asks)
        else:
            conditions += asks[value] if isinstance(asks, Mapping) else await asks(tx, query, reach)
    conditions += listing.reach(reach)
    for each in conditions:
        params |= each.params
    order = next((each.order for each in conditions if each.order), (_sort(listing, query),))
    return Asked(conditions, params, order)


def filters_in_use(listing: List[Any], query: ListQuery) -> dict[str, Filter]:
    values = {name: getattr(query, name, None) for name in listing.filters}
    return {
        name: listing.filters[name]
        for name, value in values.items()
        if value is not None and value is not False and value != ""
    }


def _sort(listing: List[Any], query: ListQuery) -> Walk:
    sort: str = getattr(query, "sort", "")
    if not sort:
        return listing.usual
    walk = listing.orders[sort.lstrip("-")]
    return Walk(keys=walk.keys, direction="DESC" if sort.startswith("-") else "ASC")
