"""Finding people: by the beginning of a name's words, e-mail address or employee number, or by CPF.

What is typed is brought to the form of the table `user_words`, whose ranges answer it.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx, columns_of
from trilha.core.errors import NotFound
from trilha.core.types import Refused
from trilha.core.web.pagination import Order, Page, fetch_page
from trilha.users import finding
from trilha.users.documents import Cpf, cpf_fingerprint
from trilha.users.filters import MEMBERS, Filters, filters_of
from trilha.users.reach import TAUGHT, Reach
from trilha.users.schema import PeopleQuery, Person, User
from trilha.users.terms import ranges_of, terms_of

MOST_COUNTED = 100
# An instrutor's learners are looked up where these are no more enrollments.
_FEW_LEARNERS = 3000
# No more people than these are found first, and put in order then.
_MOST_FEW = 1000
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
_SHOWN = finding.Shown(Person, f"person.id, person.name_key, {_OTHERS}")


class Found(Struct, frozen=True):
    """A page of people, and how many there are in all: counted no further than one more than MOST_COUNTED; 0
    where nobody asked."""

    page: Page[Person]
    total: int


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
    select, params = _everybody(tx, query, filters, few)
    counted_to = MOST_COUNTED + 1
    total = await tx.value(f"SELECT count(*) FROM ({select} LIMIT {counted_to}) AS found", **params)  # noqa: S608
    return Found(page, total)


async def _page(
    tx: Tx, query: PeopleQuery, reach: Reach, filters: Filters, few: list[UUID] | None
) -> Page[Person]:
    order = Order(_ORDERS[query.sort.lstrip("-")], "DESC" if query.sort.startswith("-") else "ASC")
    route = f"people/{reach.role}/{reach.user_id}"
    terms = _terms(query)
    if query.sort == "name" and _are_words(terms):
        passing = finding.Passing(filters.conditions, filters.ids)
        found_by = (query, terms, passing, filters.params)
        return await finding.list_by_name(tx, *found_by, few=few, shown=_SHOWN, route=f"{route}/words")
    where, params = filters.conditions, filters.params
    source, found, more = _source(tx, query, order, is_filtered=bool(where))
    if few is not None:
        source, found, params = _FEW_PEOPLE, _words_of_each(len(terms)), params | {"few": few}
    elif source is _USERS and filters.units:
        if (these := await _at_most(tx, filters.of_units)) is not None:
            source, params = _FEW_PEOPLE, params | {"few": these}
        where = filters.walked
    conditions = " AND ".join(where + found) or "true"
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


async def find_ids_after(
    tx: Tx, query: PeopleQuery, reach: Reach, last: UUID | None, most: int
) -> list[UUID]:
    """As `find_ids`, by id: those that come after `last`, to go through all of them in parts."""
    select, params = await _all_of(tx, query, reach)
    beyond = "" if last is None else "AND person.id > :last"
    rows = await tx.rows(
        f"{select} {beyond} ORDER BY person.id LIMIT :most",
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
    _, found, more = _source(tx, query, Order("created_at", "ASC"), is_filtered=True)
    return filters.conditions + found, filters.params | more


async def _all_of(tx: Tx, query: PeopleQuery, reach: Reach) -> tuple[str, dict[str, Any]]:
    filters = await _filters(tx, query, reach)
    return _everybody(tx, query, filters, await _few(tx, query, filters))


def _everybody(
    tx: Tx, query: PeopleQuery, filters: Filters, few: list[UUID] | None
) -> tuple[str, dict[str, Any]]:
    """In no order and on no page."""
    source, found, more = _source(tx, query, None, is_filtered=True)
    params = filters.params | more
    if few is not None:
        source, found, params = _FEW_PEOPLE, _words_of_each(len(_terms(query))), params | {"few": few}
    elif source is _USERS and not found:
        return filters.ids, params
    conditions = " AND ".join(filters.conditions + found) or "true"
    return f"SELECT person.id FROM {source.rows} WHERE {conditions}", params  # noqa: S608


async def _few(tx: Tx, query: PeopleQuery, filters: Filters) -> list[UUID] | None:
    """Who has a rare one of the words that were typed, or passes the filters: who is found is among them."""
    terms = _terms(query)
    is_one_word = len(terms) == 1 and not filters.conditions and query.sort in ("name", "-name")
    if not _are_words(terms) or is_one_word:
        return None
    return await finding.find_few(tx, terms, finding.Passing(filters.conditions, filters.ids), filters.params)


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


class _Source(Struct, frozen=True):
    """Where people are read from, and their two keys there."""

    rows: str
    keys: str = "person.id, person.name_key"


_USERS = _Source("(SELECT * FROM users WHERE tenant_id = :tenant) AS person")

_FEW_PEOPLE = _Source("(SELECT * FROM users WHERE tenant_id = :tenant AND id = ANY(:few) OFFSET 0) AS person")

# One row a word; who reads no more than some of them ends early.
_OF_WORDS = _Source(
    """
    (SELECT word, user_id AS id FROM user_words
     WHERE tenant_id = :tenant AND word >= :term_0 AND word < :end_0) AS found
    JOIN LATERAL (SELECT * FROM users WHERE tenant_id = :tenant AND id = found.id OFFSET 0) AS person ON true
    """,
)
# Of several words of a person that begin so the first one counts. Asked of those alone who pass all else.
_FIRST_WORD = """NOT EXISTS (
    SELECT FROM user_words AS x WHERE x.tenant_id = :tenant AND x.word >= :term_0 AND x.word < found.word
      AND x.user_id = person.id OFFSET 0)"""

# Each part has an index of its own, which an OR would not use.
_WITH_NUMBER = _Source(
    """
    (SELECT * FROM users WHERE tenant_id = :tenant AND id IN (
        SELECT id FROM users WHERE tenant_id = :tenant AND cpf_fingerprint = :cpf AND NOT cpf_shared
        UNION ALL
        SELECT id FROM users WHERE tenant_id = :tenant AND cpf_fingerprint = :cpf AND cpf_shared
        UNION ALL
        SELECT id FROM users WHERE tenant_id = :tenant AND employee_number = :number)) AS person
    """
)


def _source(
    tx: Tx, query: PeopleQuery, order: Order | None, *, is_filtered: bool
) -> tuple[_Source, list[str], dict[str, Any]]:
    """What is searched, the conditions of what was typed, and their parameters."""
    typed = (query.q or "").strip()
    if cpf := _cpf(typed):
        return _WITH_NUMBER, [], {"cpf": cpf_fingerprint(tx, cpf), "number": typed}
    terms = _terms(query)
    return _words(query, terms, order, is_filtered) if terms else (_USERS, [], {})


def _terms(query: PeopleQuery) -> list[str]:
    """None of a CPF, which is looked for as a whole."""
    typed = (query.q or "").strip()
    return [] if _cpf(typed) else terms_of(typed)


def _words(
    query: PeopleQuery, terms: Sequence[str], order: Order | None, is_filtered: bool
) -> tuple[_Source, list[str], dict[str, Any]]:
    """As `_source`, of these words."""
    if not _are_words(terms):
        return _USERS, ["person.name_key >= :term_0 AND person.name_key < :end_0"], ranges_of(terms[:1])
    params = ranges_of(terms)
    if order is None:
        return _OF_WORDS, [_FIRST_WORD, *_words_of_each(len(terms))[1:]], params
    if order.column != "name_key":
        # Not a matter of names: walking the order finds a page of a common word at once.
        return _USERS, _words_of_each(len(terms)), params
    return _found_by_name(query, len(terms), order, is_filtered), [], params


def _found_by_name(query: PeopleQuery, terms: int, order: Order, is_filtered: bool) -> _Source:
    """The people in whom every term is found, by name.

    A name's order and its words go together, so walking all people by name could be long. What is found is
    ordered from the words alone, and the people are read one after the other until a page is full.
    """
    where = _in_range(0) + "".join(
        f" AND user_id IN (SELECT user_id FROM user_words WHERE {_in_range(n)})"  # noqa: S608
        for n in range(1, terms)
    )
    if query.group is not None:  # is known without reading the people
        where += f" AND user_id IN ({MEMBERS})"
    page = f"ORDER BY name_key {order.direction}, user_id {order.direction}"
    if not is_filtered:
        page += f" LIMIT {query.limit + 1}"
        if query.cursor is not None:
            beyond = "<" if order.direction == "DESC" else ">"
            where += f" AND (name_key, user_id) {beyond} (:after_at, :after_id)"
    rows = f"""
        (SELECT DISTINCT name_key, user_id AS id FROM user_words WHERE {where} {page}) AS found
        JOIN LATERAL (SELECT * FROM users WHERE tenant_id = :tenant AND id = found.id OFFSET 0) AS person
          ON true"""  # noqa: S608
    return _Source(rows, "found.id, found.name_key")


def _words_of_each(terms: int) -> list[str]:
    return [
        f"EXISTS (SELECT FROM user_words WHERE {_in_range(n)} AND user_id = person.id)" for n in range(terms)
    ]


async def _at_most(tx: Tx, filters: Filters) -> list[UUID] | None:
    """Those who pass; None where they are many."""
    rows = await tx.rows(f"{filters.ids} LIMIT {_MOST_FEW + 1}", **filters.params)
    return [row["id"] for row in rows] if len(rows) <= _MOST_FEW else None


def _are_words(terms: Sequence[str]) -> bool:
    """So much begins with one letter that only the first word of a name is looked at."""
    return bool(terms) and len(terms[0]) > 1


def _in_range(number: int) -> str:
    return f"tenant_id = :tenant AND word >= :term_{number} AND word < :end_{number}"


def _cpf(typed: str) -> Cpf | None:
    try:
        return Cpf.parse(typed.strip())
    except Refused:
        return None
