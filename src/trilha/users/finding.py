"""Finding users for integrations: all of the words that are looked for begin something of theirs.

Those who are found by a word of their name come first, by name; then those whose e-mail address or employee
number begins so, by that. A page costs the same in a company of ten thousand as in one of a million: of the
words of names that begin alike, some hundreds, no more than a page is read of each.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx, columns_of, structs_of
from trilha.core.web.pagination import Keyset, ListQuery, Order, Page, empty_page, fetch_page
from trilha.users.schema import Person, User, UserQuery
from trilha.users.terms import ranges_of, terms_of

T = TypeVar("T", User, Person)

# What no more people than these pass is looked for first; then all else in these alone.
_FEW = 1000
# How many are looked at before more are, where not all of them pass.
_FIRST_LOOK = 200
# Between a word and a name in the place of a row; sorts before every character of a word.
_BETWEEN = "\x01"
_IN_RANGE = "{0}.tenant_id = :tenant AND {0}.word >= :term_{1} AND {0}.word < :end_{1}"
_OF_A_NAME = "strpos({0}.name_key, {0}.word) > 0"
# The pattern takes ten times as long: it is tried only where a name has the term, and not after a space.
# It is in the collation in which names are taken apart.
_IN_NAME = """(strpos({0}.name_key, :term_{1}) > 0 AND (
    strpos(' ' || {0}.name_key, ' ' || :term_{1}) > 0
    OR ((' ' || {0}.name_key) COLLATE "default") ~ :begins_{1}))"""
_USER = "(SELECT * FROM users WHERE tenant_id = :tenant AND id = {} OFFSET 0)"
# By name, from the words of names that begin so, each of which is found from the one before. The last that is
# looked at is there in any case, as that is where to go on.
_BY_NAME = f"""
    WITH RECURSIVE words AS (
        (SELECT w.word FROM user_words AS w
         WHERE {_IN_RANGE.format("w", 0)} AND {_OF_A_NAME.format("w")} ORDER BY w.word LIMIT 1)
        UNION ALL
        SELECT (SELECT w.word FROM user_words AS w
                WHERE w.tenant_id = :tenant AND w.word > words.word AND w.word < :end_0
                  AND {_OF_A_NAME.format("w")} ORDER BY w.word LIMIT 1)
        FROM words WHERE words.word IS NOT NULL),
    found AS (
        SELECT DISTINCT page.name_key, page.user_id FROM words CROSS JOIN LATERAL (
            SELECT w.name_key, w.user_id FROM user_words AS w
            WHERE w.tenant_id = :tenant AND w.word = words.word AND {_OF_A_NAME.format("w")} {{names}}
            ORDER BY w.name_key, w.user_id LIMIT :looked_at) AS page
        ORDER BY page.name_key, page.user_id LIMIT :looked_at),
    numbered AS (SELECT *, row_number() OVER (ORDER BY name_key, user_id) = :looked_at AS last FROM found)
    SELECT 'n' || found.name_key AS place, found.user_id, found.last, {{columns}}
    FROM numbered AS found LEFT JOIN LATERAL (
        SELECT * FROM {_USER.format("found.user_id")} AS person WHERE true {{passed}} OFFSET 0) AS person
      ON true
    WHERE person.id IS NOT NULL OR found.last ORDER BY found.name_key, found.user_id LIMIT :most
"""  # noqa: S608
# By the other words that begin so: of several of one person by the first.
_BY_OTHERS = f"""
    SELECT 'o{{term}}' || found.word || :between || found.name_key AS place, {{columns}}
    FROM (
        SELECT w.word, w.name_key, w.user_id FROM user_words AS w
        WHERE {{in_range}} {{names}} AND NOT EXISTS (
            SELECT FROM user_words AS x
            WHERE {{x_in_range}} AND x.user_id = w.user_id AND x.word < w.word OFFSET 0)
        ORDER BY w.word, w.name_key, w.user_id {{most}}) AS found
    JOIN LATERAL {_USER.format("found.user_id")} AS person ON true
    WHERE true {{passed}} ORDER BY found.word, found.name_key, found.user_id LIMIT :most
"""  # noqa: S608
_IN_FEW = """
    SELECT * FROM (
        SELECT ({place}) COLLATE "C" AS place, {columns}
        FROM (SELECT * FROM users WHERE tenant_id = :tenant AND id = ANY(:few) OFFSET 0) AS person
        WHERE {passed}) AS found
    WHERE {beyond} ORDER BY place, id LIMIT :most
"""

# Of who has the terms before this one in their name.
_PLACE = """
    WHEN NOT {in_name} THEN 'o{0}' || (
        SELECT min(x.word) FROM user_words AS x WHERE {in_range} AND x.user_id = person.id
    ) || :between || person.name_key
"""


class Shown(Struct, Generic[T], frozen=True):
    """What is told of the people who are found: members of `kind`, and as many columns of `person`."""

    kind: type[T]
    columns: str


class Passing(Struct, frozen=True):
    """Conditions on `person`, none for everybody; and a select of the ids of those who pass, in no order."""

    conditions: Sequence[str]
    ids: str


_USERS = Shown(User, ", ".join(f"person.{name}" for name in User.__struct_fields__))


async def list_users(tx: Tx, query: UserQuery, where: Sequence[str], params: Mapping[str, Any]) -> Page[User]:
    """One page; with `updated_since` by the last change, as of every list.

    `where` are conditions on the columns of `users`. A CPF is not looked for: it would stand in an address.
    """
    terms = terms_of(query.q or "")
    if not terms:
        return empty_page(query)
    given = {**params, **ranges_of(terms)}
    passed = [f"person.{each}" for each in where]
    ids = " AND ".join(["SELECT id FROM users AS person WHERE tenant_id = :tenant", *passed])
    if len(terms[0]) == 1:
        # So much begins with one letter that only the first word of a name is looked at.
        passed.append("person.name_key >= :term_0 AND person.name_key < :end_0")
        return await _walk(tx, query, passed, given)
    is_one_word = len(terms) == 1 and not passed and not query.updated_since
    few = None if is_one_word else await find_few(tx, terms, Passing(passed, ids), given)
    if query.updated_since:
        return await _walk(tx, query, [*passed, *_all_of(terms)], given, few)
    return await _Finding(tx, query, "users/words", _USERS, terms, passed, given).page(few)


async def list_by_name(
    tx: Tx,
    query: ListQuery,
    terms: Sequence[str],
    passing: Passing,
    params: Mapping[str, Any],
    *,
    few: list[UUID] | None,
    shown: Shown[T],
    route: str,
) -> Page[T]:
    """One page of those who pass in whom all terms are found, of two letters at least. `few` are of
    `find_few`, None also for one word alone, which is found as it is."""
    given = {**params, **ranges_of(terms)}
    return await _Finding(tx, query, route, shown, terms, passing.conditions, given).page(few)


async def find_few(
    tx: Tx, terms: Sequence[str], passing: Passing, params: Mapping[str, Any]
) -> list[UUID] | None:
    """Who has a rare one of these words, or who passes the filters; None where both are many."""
    given = {**params, **ranges_of(terms)}
    ranges = (_IN_RANGE.format("w", number) for number in range(len(terms)))
    selects = [f"SELECT w.user_id AS id FROM user_words AS w WHERE {each}" for each in ranges]  # noqa: S608
    found = await _at_most(tx, selects, given)
    if found is None and passing.conditions:
        found = await _at_most(tx, [passing.ids], given)
    return found


async def _at_most(tx: Tx, selects: Sequence[str], given: Mapping[str, Any]) -> list[UUID] | None:
    """Whom the one of these selects finds that finds fewest; None where all find many."""
    counted = (
        f"(SELECT CASE WHEN count(*) <= {_FEW} THEN COALESCE(array_agg(DISTINCT id), '{{}}') END "  # noqa: S608
        f"FROM ({each} LIMIT {_FEW + 1}) AS found) AS found_{number}"
        for number, each in enumerate(selects)
    )
    (row,) = await tx.rows(f"SELECT {', '.join(counted)}", **given)
    return min((ids for ids in row.values() if ids is not None), key=len, default=None)


def _has(user: str, number: int) -> str:
    found = f"{_IN_RANGE.format('x', number)} AND x.user_id = {user}"
    return f"EXISTS (SELECT FROM user_words AS x WHERE {found} OFFSET 0)"


class _FoundUser(User, frozen=True):
    name_key: str


async def _walk(
    tx: Tx, query: UserQuery, passed: Sequence[str], given: Mapping[str, Any], few: list[UUID] | None = None
) -> Page[User]:
    """People in the order of their names, or of their changes."""
    these = "" if few is None else "AND id = ANY(:few) OFFSET 0"
    page = await fetch_page(
        tx,
        _FoundUser,
        f"""
        SELECT {columns_of(_FoundUser)} FROM (
            SELECT {_USERS.columns}, person.name_key
            FROM (SELECT * FROM users WHERE tenant_id = :tenant {these}) AS person
            WHERE {" AND ".join(passed)}) AS person WHERE true""",  # noqa: S608
        query,
        route="users",
        order=Order("name_key", "ASC"),
        **(given if few is None else {**given, "few": few}),
    )
    return Page(_users(page.data), page.next_cursor, page.has_more, page.limit)


_Placed = tuple[str, T]


class _Finding(Generic[T]):
    """One page of those in whom all terms are found, and who pass."""

    def __init__(
        self,
        tx: Tx,
        query: ListQuery,
        route: str,
        shown: Shown[T],
        terms: Sequence[str],
        passed: Sequence[str],
        given: Mapping[str, Any],
    ) -> None:
        self._tx = tx
        self._shown: Shown[T] = shown
        self._terms = range(len(terms))
        self._passed = "".join(f" AND {each}" for each in passed)
        self._keyset = Keyset(tx, query, route=route)
        self._place, after_id = self._keyset.after or ("", None)
        self._most = query.limit + 1
        begins = {f"begins_{number}": _begins(term) for number, term in enumerate(terms)}
        self._given = {**given, **begins, "between": _BETWEEN, "place": self._place, "after_id": after_id}

    async def page(self, few: list[UUID] | None) -> Page[T]:
        found = await self._by_places() if few is None else await self._in_few(few)
        people = [person for _, person in found]
        return self._keyset.page(people, [(place, person.id) for place, person in found])

    def _placed(self, rows: Sequence[Any]) -> list[_Placed[T]]:
        people = structs_of(self._shown.kind, rows)
        return [(row["place"], person) for row, person in zip(rows, people, strict=True)]

    async def _by_places(self) -> list[_Placed[T]]:
        rows = await self._by_name() if self._place[:1] != "o" else []
        first = int(self._place[1]) if self._place[:1] == "o" else 0
        for term in self._terms[first:]:
            if len(rows) < self._most:
                rows += await self._by_others(term, self._most - len(rows))
        return rows

    async def _in_few(self, few: list[UUID]) -> list[_Placed[T]]:
        places = "".join(
            _PLACE.format(term, in_name=_IN_NAME.format("person", term), in_range=_IN_RANGE.format("x", term))
            for term in self._terms
        )
        found = " AND ".join(_found("person.id", "person", term) for term in self._terms)
        sql = _IN_FEW.format(
            columns=self._shown.columns,
            place=f"CASE {places} ELSE 'n' || person.name_key END",
            passed=found + self._passed,
            beyond="(place, id) > (:place, :after_id)" if self._place else "true",
        )
        return self._placed(await self._tx.rows(sql, **self._given, few=few, most=self._most))

    async def _by_name(self) -> list[_Placed[T]]:
        """Those who have all terms in their name. As many are looked at as it takes to find a page."""
        found: list[_Placed[T]] = []
        after = (self._place[1:], self._given["after_id"]) if self._place else None
        looked_at = max(_FIRST_LOOK, self._most) if self._passed else self._most
        while True:
            # The first word last: most of those who are looked at have it.
            names = "".join(f" AND {_IN_NAME.format('w', term)}" for term in reversed(self._terms))
            names += " AND (w.name_key, w.user_id) > (:name_key, :after_id)" if after else ""
            name_key, after_id = after or ("", None)
            given = {**self._given, "name_key": name_key, "after_id": after_id, "looked_at": looked_at}
            given["most"] = self._most - len(found)
            sql = _BY_NAME.format(columns=self._shown.columns, names=names, passed=self._passed)
            rows = await self._tx.rows(sql, **given)
            passing = self._placed([row for row in rows if row["id"]])
            found += passing
            if len(found) >= self._most or not rows or not rows[-1]["last"]:
                return found[: self._most]
            after = (rows[-1]["place"][1:], rows[-1]["user_id"])
            # As many more as it seems to take, and half as many again.
            share = max(len(passing), 1) / looked_at
            looked_at = min(4 * looked_at, max(_FIRST_LOOK, int(1.5 * (self._most - len(found)) / share)))

    async def _by_others(self, term: int, most: int) -> list[_Placed[T]]:
        """Those who have the terms before this one in their name, and this one elsewhere alone."""
        names = "".join(f" AND {_IN_NAME.format('w', each)}" for each in self._terms[:term])
        names += f" AND NOT {_IN_NAME.format('w', term)}"
        names += "".join(f" AND {_found('w.user_id', 'w', each)}" for each in self._terms[term + 1 :])
        word, name_key = "", ""
        if self._place[:2] == f"o{term}":
            names += " AND (w.word, w.name_key, w.user_id) > (:word, :name_key, :after_id)"
            word, _, name_key = self._place[2:].partition(_BETWEEN)
        sql = _BY_OTHERS.format(
            columns=self._shown.columns,
            term=term,
            in_range=_IN_RANGE.format("w", term),
            x_in_range=_IN_RANGE.format("x", term),
            names=names,
            passed=self._passed,
            most="" if self._passed else "LIMIT :most",
        )
        given = {**self._given, "most": most, "word": word, "name_key": name_key}
        return self._placed(await self._tx.rows(sql, **given))


def _begins(term: str) -> str:
    """The regular expression of what a word of a name begins with."""
    return "[^[:alnum:]]" + re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", term)


def _found(user: str, named: str, term: int) -> str:
    return f"({_IN_NAME.format(named, term)} OR {_has(user, term)})"


def _all_of(terms: Sequence[str]) -> list[str]:
    return [_has("person.id", number) for number in range(len(terms))]


def _users(rows: Sequence[User]) -> list[User]:
    return [User(*(getattr(each, name) for name in User.__struct_fields__)) for each in rows]
