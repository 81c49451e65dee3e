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

MOST_COUNTED = 300
# An instrutor's learners are looked up where these are no more enrollments.
_FEW_LEARNERS = 3000
# Where no more people than these pass the filters, what was typed is looked for in them alone.
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
    return await _page(tx, query, await _with_learners(tx, reach))


async def search_and_count(tx: Tx, query: PeopleQuery, reach: Reach, *, counted: bool = True) -> Found:
    """As `search`; what is a whole list by itself need not be counted."""
    reach = await _with_learners(tx, reach)
    page = await _page(tx, query, reach)
    if not counted:
        return Found(page, 0)
    if query.cursor is None and not page.has_more:
        return Found(page, len(page.data))
    return Found(page, await count(tx, query, reach))


async def _page(tx: Tx, query: PeopleQuery, reach: Reach) -> Page[Person]:
    order = Order(_ORDERS[query.sort.lstrip("-")], "DESC" if query.sort.startswith("-") else "ASC")
    route = f"people/{reach.role}/{reach.user_id}"
    filters = filters_of(query, reach, tx.today)
    terms = _terms(query)
    if query.sort == "name" and terms and len(terms[0]) > 1:
        passing = finding.Passing(filters.conditions, filters.ids)
        found_by = (query, terms, passing, filters.params)
        return await finding.list_by_name(tx, *found_by, shown=_SHOWN, route=f"{route}/words")
    where, params = filters.conditions, filters.params
    source, found, more = _source(tx, query, order, is_filtered=bool(where))
    if where and source.is_of_words and (few := await _few(tx, filters)) is not None:
        where, params = [], {"few": few}
        source, found = _FEW_PEOPLE, _words_of_each(len(more) // 2)
    elif source is _USERS and filters.units:
        if (few := await _few(tx, filters.of_units)) is not None:
            source, params = _FEW_PEOPLE, params | {"few": few}
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
    select, params = await _everybody(tx, query, await _with_learners(tx, reach), most)
    return [row["id"] for row in await tx.rows(f"{select} LIMIT :most", **params)]


async def find_ids_after(
    tx: Tx, query: PeopleQuery, reach: Reach, last: UUID | None, most: int
) -> list[UUID]:
    """As `find_ids`, by id: those that come after `last`, to go through all of them in parts."""
    select, params = await _everybody(tx, query, await _with_learners(tx, reach), most)
    beyond = "" if last is None else "AND person.id > :last"
    rows = await tx.rows(
        f"{select} {beyond} ORDER BY person.id LIMIT :most",
        **params,
        **({"last": last} if last else {}),
    )
    return [row["id"] for row in rows]


async def count(tx: Tx, query: PeopleQuery, reach: Reach, most: int = MOST_COUNTED + 1) -> int:
    """How many `search` would list; counted no further than `most`."""
    select, params = await _everybody(tx, query, reach, most)
    counted: int = await tx.value(
        f"SELECT count(*) FROM ({select} LIMIT :most) AS found",  # noqa: S608
        **params,
    )
    return counted


def condition(tx: Tx, query: PeopleQuery, reach: Reach) -> tuple[list[str], dict[str, Any]]:
    """What holds for the rows of `users`, named `person`, whom `search` would list; and its parameters.

    Not for a CPF, which finds at most a few: `find_ids` does.
    """
    filters = filters_of(query, reach, tx.today)
    _, found, more = _source(tx, query, Order("created_at", "ASC"), is_filtered=True)
    return filters.conditions + found, filters.params | more


async def _everybody(tx: Tx, query: PeopleQuery, reach: Reach, most: int) -> tuple[str, dict[str, Any]]:
    """In no order and on no page."""
    filters = filters_of(query, reach, tx.today)
    source, found, more = _source(tx, query, None, is_filtered=True)
    params = {"most": most, **filters.params, **more}
    if source is _USERS:
        return filters.ids, params
    where = filters.conditions
    common = where and source.is_of_words and await _are_common(tx, _terms(query))
    if common and (few := await _few(tx, filters)) is not None:
        where, params = [], {"most": most, "few": few, **more}
        source, found = _FEW_PEOPLE, _words_of_each(len(more) // 2)
    conditions = " AND ".join(where + found) or "true"
    return f"SELECT person.id FROM {source.rows} WHERE {conditions}", params  # noqa: S608


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
    is_of_words: bool = False


_USERS = _Source("(SELECT * FROM users WHERE tenant_id = :tenant) AS person")

_FEW_PEOPLE = _Source("(SELECT * FROM users WHERE tenant_id = :tenant AND id = ANY(:few) OFFSET 0) AS person")

# One row a word; who reads no more than some of them ends early.
_OF_WORDS = _Source(
    """
    (SELECT word, user_id AS id FROM user_words
     WHERE tenant_id = :tenant AND word >= :term_0 AND word < :end_0) AS found
    JOIN LATERAL (SELECT * FROM users WHERE tenant_id = :tenant AND id = found.id OFFSET 0) AS person ON true
    """,
    is_of_words=True,
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
    if len(terms[0]) == 1:
        # So much begins with one letter that only the first word of a name is looked at.
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
    return _Source(rows, "found.id, found.name_key", is_of_words=True)


def _words_of_each(terms: int) -> list[str]:
    return [
        f"EXISTS (SELECT FROM user_words WHERE {_in_range(n)} AND user_id = person.id)" for n in range(terms)
    ]


async def _few(tx: Tx, filters: Filters) -> list[UUID] | None:
    """Those who pass, whatever their names. None where they are many."""
    rows = await tx.rows(f"{filters.ids} LIMIT {_MOST_FEW + 1}", **filters.params)
    return [row["id"] for row in rows] if len(rows) <= _MOST_FEW else None


async def _are_common(tx: Tx, terms: Sequence[str]) -> bool:
    """Whether so many have a word that begins with the longest term that they had better not be asked."""
    counted: int = await tx.value(
        f"SELECT count(*) FROM (SELECT FROM user_words WHERE {_in_range(0)} LIMIT {_MOST_FEW + 1}) AS found",  # noqa: S608
        **ranges_of(terms[:1]),
    )
    return counted > _MOST_FEW


def _in_range(number: int) -> str:
    return f"tenant_id = :tenant AND word >= :term_{number} AND word < :end_{number}"


def _cpf(typed: str) -> Cpf | None:
    try:
        return Cpf.parse(typed.strip())
    except Refused:
        return None
