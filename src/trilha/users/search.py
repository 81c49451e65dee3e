"""Finding people: by the beginning of a name's words, e-mail address or employee number, or by CPF.

What is typed is brought to the form of the table `user_words`, whose ranges answer it.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx, columns_of
from trilha.core.errors import NotFound
from trilha.core.web.pagination import Order, Page, fetch_page
from trilha.users import finding
from trilha.users.filters import MEMBERS, Filters, filters_of
from trilha.users.reach import TAUGHT, Reach
from trilha.users.schema import PeopleQuery, Person, User
from trilha.users.sources import BEGINS, FEW_PEOPLE, USERS, are_words, source_of, typed_terms, words_of_each
from trilha.users.terms import ranges_of

MOST_COUNTED = 100
# An instrutor's learners are looked up where these are no more enrollments.
_FEW_LEARNERS = 3000
# No more people than these are found first, and put in order then: to look for more takes as long as to walk
# an order in which there are more.
_MOST_FEW = 500
_ORDERS = {
    "name": "name_key",
    "email": "email",
    "last_login": "last_login_key",
    "created": "created_at",
}
_UNIT = """(SELECT unit.name FROM business_units AS unit
    WHERE unit.tenant_id = :tenant AND unit.id = person.business_unit_id) AS business_unit"""
_COLUMNS = columns_of(Person)
_KEYS = ("id", "name_key")
_OTHERS = ", ".join(
    _UNIT if name == "business_unit" else f"person.{name}"
    for name in Person.__struct_fields__
    if name not in _KEYS
)
_BEGIN = f"SELECT person.id FROM users AS person WHERE tenant_id = :tenant AND {BEGINS}"  # noqa: S608
_SHOWN = finding.Shown(Person, f"person.id, person.name_key, {_OTHERS}")


class _Few(Struct, frozen=True):
    """The only people among whom to look. `found`: these are all who are looked for, and none has to be asked
    again."""

    ids: list[UUID]
    found: bool = False


class Found(Struct, frozen=True):
    """A page of people, and how many there are in all: counted no further than one more than `most`; 0 where
    nobody asked."""

    page: Page[Person]
    total: int
    most: int = MOST_COUNTED


async def search(tx: Tx, query: PeopleQuery, reach: Reach) -> Page[Person]:
    """One page of the people within reach. Every word of `query.q` must begin something of theirs."""
    filters = await _filters(tx, query, reach)
    return await _page(tx, query, reach, filters, await _few(tx, query, filters))


async def search_and_count(tx: Tx, query: PeopleQuery, reach: Reach, *, counted: bool = True) -> Found:
    """As `search`; what is a whole list by itself need not be counted."""
    filters = await _filters(tx, query, reach)
    few = await _few(tx, query, filters)
    page = await _page(tx, query, reach, filters, few)
    if not counted:
        return Found(page, 0)
    if query.cursor is None and not page.has_more:
        return Found(page, len(page.data))
    if few is None and (filters.ask_each or are_words(typed_terms(query))):
        # It is enough that there are more: to count them would be to read far more than a page.
        return Found(page, page.limit + 1, page.limit)
    if few is not None and few.found:
        return Found(page, min(len(few.ids), MOST_COUNTED + 1))
    select, params = _everybody(tx, query, filters, few)
    total = f"SELECT count(*) FROM ({select} LIMIT {MOST_COUNTED + 1}) AS found"  # noqa: S608
    return Found(page, await tx.value(total, **params))


async def _page(tx: Tx, query: PeopleQuery, reach: Reach, filters: Filters, few: _Few | None) -> Page[Person]:
    order = Order(_ORDERS[query.sort.lstrip("-")], "DESC" if query.sort.startswith("-") else "ASC")
    route = f"people/{reach.role}/{reach.user_id}"
    terms = typed_terms(query)
    if query.sort == "name" and are_words(terms):
        passing = finding.Passing(filters.conditions, filters.ids)
        found_by = (query, terms, passing, filters.params)
        ids = None if few is None else few.ids
        return await finding.list_by_name(tx, *found_by, few=ids, shown=_SHOWN, route=f"{route}/words")
    where, params = filters.conditions, filters.params
    source, found, more = source_of(tx, query, order, is_filtered=bool(where))
    if few is None and source is USERS and filters.units:
        if not (are_words(terms) and filters.narrow):  # else it was looked for
            few = await _at_most(tx, filters.of_units.ids, filters.params)
        where = filters.walked
    conditions = " AND ".join(where + found) or "true"
    if few is not None:
        source, conditions, params = FEW_PEOPLE, _in_few(few, where, terms, found), params | {"few": few.ids}
    inner = f"SELECT {source.keys}, {_OTHERS} FROM {source.rows} WHERE {conditions}"  # noqa: S608
    return await fetch_page(
        tx,
        Person,
        f"SELECT {_COLUMNS} FROM ({inner}) AS person WHERE true",  # noqa: S608
        query,
        route=route,
        order=order,
        **params,
        **more,
    )


async def find_ids(tx: Tx, query: PeopleQuery, reach: Reach, most: int) -> list[UUID]:
    """At most so many of the people whom `search` would list, in no order."""
    select, params = await _all_of(tx, query, reach)
    return [row["id"] for row in await tx.rows(f"{select} LIMIT :most", most=most, **params)]


async def find_few_ids(tx: Tx, query: PeopleQuery, reach: Reach, most: int) -> list[UUID] | None:
    """As `find_ids`; None where they are more."""
    select, params = await _all_of(tx, query, reach)
    ids: list[UUID] | None = await tx.value(
        f"""
        SELECT CASE WHEN count(*) <= :most THEN COALESCE(array_agg(id), '{{}}') END
        FROM ({select} LIMIT :most + 1) AS found
        """,  # noqa: S608
        most=most,
        **params,
    )
    return ids


async def are_many(tx: Tx, query: PeopleQuery, reach: Reach) -> bool:
    """Whether many people have each of the words, many are in the group, and many in the units within reach;
    but few may have all of it."""
    filters = await _filters(tx, query, reach)
    if filters.units and await _at_most(tx, filters.of_units.ids, filters.params) is not None:
        return False
    if query.group and not filters.in_group:
        return False
    terms = typed_terms(query)
    if are_words(terms):
        return await finding.find_few(tx, terms, finding.Passing([], ""), {}) is None
    if terms:
        return await _at_most(tx, _BEGIN, ranges_of(terms[:1])) is None
    return not query.q  # else a CPF


async def find_ids_after(
    tx: Tx, query: PeopleQuery, reach: Reach, last: UUID | None, most: int
) -> list[UUID]:
    """As `find_ids`, by id: those that come after `last`, to go through all of them in parts."""
    select, params = await _all_of(tx, query, reach)
    beyond = "true" if last is None else "id > :last"
    rows = await tx.rows(
        f"SELECT id FROM ({select}) AS person WHERE {beyond} ORDER BY id LIMIT :most",  # noqa: S608
        most=most,
        **params,
        **({"last": last} if last else {}),
    )
    return [row["id"] for row in rows]


def condition(tx: Tx, query: PeopleQuery, reach: Reach) -> tuple[list[str], dict[str, Any]]:
    """What holds for the rows of `users`, named `person`, whom `search` would list; and its parameters.

    Not for a CPF, which finds at most a few: `find_ids` does.
    """
    filters = filters_of(query, reach, tx.today)
    _, found, more = source_of(tx, query, Order("created_at", "ASC"), is_filtered=True)
    return filters.conditions + found, filters.params | more


def words_of(query: PeopleQuery, user_id: str) -> tuple[list[str], dict[str, Any]]:
    """That the words which were typed are those of the person whose id is in this column, and the parameters.

    Empty where no words were typed.
    """
    terms = typed_terms(query)
    return (words_of_each(len(terms), user_id), ranges_of(terms)) if are_words(terms) else ([], {})


async def _all_of(tx: Tx, query: PeopleQuery, reach: Reach) -> tuple[str, dict[str, Any]]:
    filters = await _filters(tx, query, reach)
    return _everybody(tx, query, filters, await _few(tx, query, filters))


def _everybody(tx: Tx, query: PeopleQuery, filters: Filters, few: _Few | None) -> tuple[str, dict[str, Any]]:
    """In no order and on no page."""
    source, found, more = source_of(tx, query, None, is_filtered=bool(filters.conditions))
    where, params = filters.conditions, filters.params | more
    if few is not None:
        conditions = _in_few(few, where, typed_terms(query), found)
        source, params = FEW_PEOPLE, params | {"few": few.ids}
    elif source is USERS and not found:
        return filters.ids, params
    else:
        conditions = " AND ".join((filters.besides_group if source.in_group else where) + found) or "true"
    return f"SELECT person.id FROM {source.rows} WHERE {conditions}", params  # noqa: S608


async def _few(tx: Tx, query: PeopleQuery, filters: Filters) -> _Few | None:
    """Among whom alone is looked for what was typed, where they are few: who has a rare one of the words, who
    passes the filters, or who does and has them all."""
    terms = typed_terms(query)
    is_by_name = query.sort in ("name", "-name")
    if not terms:
        return None
    if not are_words(terms):
        begin = None if is_by_name else await _at_most(tx, _BEGIN, ranges_of(terms[:1]))
        if begin is None and filters.units:
            return await _at_most(tx, filters.of_units.ids, filters.params)
        return begin
    if is_by_name and len(terms) == 1 and not filters.conditions:
        return None
    # Of who is in a large group and in some units, it is the units that may have few.
    narrow = filters.of_units if filters.in_group else filters
    passing = finding.Passing(narrow.conditions if filters.narrow else [], narrow.ids)
    ids = await finding.find_few(tx, terms, passing, filters.params)
    if ids is not None or is_by_name:
        return None if ids is None else _Few(ids)
    # Names have an order of their own; in any other, who is rare would be looked for among all.
    few = await _at_most(tx, *_everybody(tx, query, filters, None))
    return few and _Few(few.ids, found=True)


async def _at_most(tx: Tx, select: str, params: Mapping[str, Any]) -> _Few | None:
    """Whom it finds; None where they are many."""
    rows = await tx.rows(f"{select} LIMIT {_MOST_FEW + 1}", **params)
    return _Few([row["id"] for row in rows]) if len(rows) <= _MOST_FEW else None


def _in_few(few: _Few, where: list[str], terms: Sequence[str], found: list[str]) -> str:
    """What is asked of each of them."""
    if few.found:
        return "true"
    return " AND ".join(where + (words_of_each(len(terms)) if are_words(terms) else found)) or "true"


async def _filters(tx: Tx, query: PeopleQuery, reach: Reach) -> Filters:
    members = await _few_members(tx, query.group) if query.group else None
    return filters_of(query, await _with_learners(tx, reach), tx.today, members)


async def _few_members(tx: Tx, group: UUID) -> list[UUID] | None:
    """None where they are many: then each person is asked."""
    rows = await tx.rows(f"{MEMBERS} LIMIT {_MOST_FEW + 1}", group=group)
    return [row["user_id"] for row in rows] if len(rows) <= _MOST_FEW else None


async def _with_learners(tx: Tx, reach: Reach) -> Reach:
    if reach.role != "instrutor":
        return reach
    rows = await tx.rows(
        f"""
        SELECT user_id FROM enrollments WHERE tenant_id = :tenant AND course_id = {TAUGHT} LIMIT :most
        """,  # noqa: S608
        reach_user=reach.user_id,
        most=_FEW_LEARNERS + 1,
    )
    if len(rows) > _FEW_LEARNERS:
        return reach
    return Reach(reach.role, reach.user_id, list({row["user_id"] for row in rows}))


async def get_within(tx: Tx, user_id: UUID, reach: Reach) -> User:
    """Raises NotFound, also for who is out of reach."""
    condition, params = reach.condition("person")
    user = await tx.find(
        User,
        f"""
        SELECT {columns_of(User)} FROM users AS person
        WHERE tenant_id = :tenant AND id = :user_id AND {condition}
        """,  # noqa: S608
        user_id=user_id,
        **params,
    )
    if user is None:
        raise NotFound("user_not_found")
    return user
