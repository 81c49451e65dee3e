"""Finding users for integrations: all of the words that are looked for begin something of theirs.

Those who are found by a word of their name come first, by name; then those whose e-mail address or employee
number begins so, by that. A page costs the same in a company of ten thousand as in one of a million: of the
words of names that begin alike, some hundreds, no more than a page is read of each.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from trilha.core.database import Tx, columns_of, structs_of
from trilha.core.web.pagination import Keyset, Order, Page, empty_page, fetch_page
from trilha.users import search
from trilha.users.schema import User, UserQuery

# What no more people than these pass is looked for first; then all else in these alone.
_FEW = 1000
# How many are looked at before more are, where not all of them pass.
_FIRST_LOOK = 200
# Between a word and a name in the place of a row; sorts before every character of a word.
_BETWEEN = "\x01"
_PERSON = ", ".join(f"person.{name}" for name in User.__struct_fields__)
_IN_RANGE = "{0}.tenant_id = :tenant AND {0}.word >= :term_{1} AND {0}.word < :end_{1}"
_OF_A_NAME = "strpos({0}.name_key, {0}.word) > 0"
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
            WHERE w.tenant_id = :tenant AND w.word = words.word AND {_OF_A_NAME.format("w")} {{beyond}}
            ORDER BY w.name_key, w.user_id LIMIT :looked_at) AS page
        ORDER BY page.name_key, page.user_id LIMIT :looked_at),
    numbered AS (SELECT *, row_number() OVER (ORDER BY name_key, user_id) = :looked_at AS last FROM found)
    SELECT 'n' || found.name_key AS place, found.user_id, found.last, {_PERSON}
    FROM numbered AS found LEFT JOIN LATERAL (
        SELECT * FROM {_USER.format("found.user_id")} AS person WHERE true {{where}} OFFSET 0) AS person
      ON true
    WHERE person.id IS NOT NULL OR found.last ORDER BY found.name_key, found.user_id
"""  # noqa: S608
# By the other words that begin so: of several of one person by the first.
_BY_OTHERS = f"""
    SELECT 'o' || w.word || :between || w.name_key AS place, {_PERSON}
    FROM user_words AS w JOIN LATERAL {_USER.format("w.user_id")} AS person ON true
    WHERE {_IN_RANGE.format("w", 0)} AND NOT {_OF_A_NAME.format("w")}
      AND NOT EXISTS (
          SELECT FROM user_words AS other
          WHERE {_IN_RANGE.format("other", 0)} AND other.user_id = w.user_id
            AND (other.word < w.word OR {_OF_A_NAME.format("other")}) OFFSET 0) {{where}}
    ORDER BY w.word, w.name_key, w.user_id LIMIT :most
"""  # noqa: S608
_IN_FEW = f"""
    SELECT * FROM (
        SELECT (CASE WHEN word.of_names THEN 'n' ELSE 'o' || word.first || :between END || person.name_key)
                   COLLATE "C" AS place, {_PERSON}
        FROM (SELECT * FROM users WHERE tenant_id = :tenant AND id = ANY(:few) OFFSET 0) AS person
        CROSS JOIN LATERAL (
            SELECT min(w.word) AS first, bool_or({_OF_A_NAME.format("w")}) AS of_names
            FROM user_words AS w WHERE {_IN_RANGE.format("w", 0)} AND w.user_id = person.id) AS word
        WHERE word.first IS NOT NULL {{where}}) AS found
    WHERE {{beyond}} ORDER BY place, id LIMIT :most
"""  # noqa: S608


async def list_users(tx: Tx, query: UserQuery, where: Sequence[str], params: Mapping[str, Any]) -> Page[User]:
    """One page; with `updated_since` by the last change, as of every list.

    `where` are conditions on the columns of `users`. A CPF is not looked for: it would stand in an address.
    """
    terms = search.terms_of(query.q or "")
    if not terms:
        return empty_page(query)
    given = {**params, **search.ranges_of(terms)}
    passed = [f"person.{each}" for each in where]
    if len(terms[0]) == 1:
        # So much begins with one letter that only the first word of a name is looked at.
        passed.append("person.name_key >= :term_0 AND person.name_key < :end_0")
        return await _walk(tx, query, passed, given)
    few = await _few(tx, query, terms, passed, given)
    if query.updated_since:
        passed += [_has("person.id", number) for number in range(len(terms))]
        return await _walk(tx, query, passed, given, few)
    passed += [_has("person.id", number) for number in range(1, len(terms))]
    return await _page(tx, query, passed, given, few)


async def _few(
    tx: Tx, query: UserQuery, terms: Sequence[str], passed: Sequence[str], given: Mapping[str, Any]
) -> list[UUID] | None:
    """Who has a rare one of these words, or who passes the filters; None where both are many."""
    if len(terms) == 1 and not passed and not query.updated_since:
        return None  # one word alone is found as it is
    for number in range(len(terms)):
        where = _IN_RANGE.format("w", number)
        ids = await _at_most(tx, f"SELECT w.user_id AS id FROM user_words AS w WHERE {where}", given)  # noqa: S608
        if ids is not None:
            return ids
    if not passed:
        return None
    select = f"SELECT id FROM users AS person WHERE tenant_id = :tenant AND {' AND '.join(passed)}"  # noqa: S608
    return await _at_most(tx, select, given)


async def _at_most(tx: Tx, select: str, given: Mapping[str, Any]) -> list[UUID] | None:
    rows = await tx.rows(f"{select} LIMIT {_FEW + 1}", **given)
    return list({row["id"] for row in rows}) if len(rows) <= _FEW else None


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
            SELECT {_PERSON}, person.name_key
            FROM (SELECT * FROM users WHERE tenant_id = :tenant {these}) AS person
            WHERE {" AND ".join(passed)}) AS person WHERE true""",  # noqa: S608
        query,
        route="users",
        order=Order("name_key", "ASC"),
        **(given if few is None else {**given, "few": few}),
    )
    return Page(_users(page.data), page.next_cursor, page.has_more, page.limit)


class _PlacedUser(User, frozen=True):
    place: str


async def _page(
    tx: Tx, query: UserQuery, passed: Sequence[str], given: Mapping[str, Any], few: list[UUID] | None
) -> Page[User]:
    keyset = Keyset(tx, query, route="users/words")
    place, after_id = keyset.after or ("", None)
    first, _, name_key = place[1:].partition(_BETWEEN)
    given = {**given, "most": query.limit + 1, "between": _BETWEEN, "after_id": after_id}
    where = "".join(f" AND {each}" for each in passed)
    if few is not None:
        beyond = "(place, id) > (:place, :after_id)" if place else "true"
        sql = _IN_FEW.format(where=where, beyond=beyond)
        return _shown(keyset, await tx.list(_PlacedUser, sql, **given, few=few, place=place))
    rows: list[_PlacedUser] = []
    if not place.startswith("o"):
        rows = await _by_name(tx, where, given, (first, after_id) if place else None)
    if len(rows) <= query.limit:
        beyond = " AND (w.word, w.name_key, w.user_id) > (:word, :name_key, :after_id)"
        sql = _BY_OTHERS.format(where=(beyond if place.startswith("o") else "") + where)
        more = {**given, "most": query.limit + 1 - len(rows)}
        rows += await tx.list(_PlacedUser, sql, **more, word=first, name_key=name_key)
    return _shown(keyset, rows)


async def _by_name(
    tx: Tx, where: str, given: Mapping[str, Any], after: tuple[str, UUID | None] | None
) -> list[_PlacedUser]:
    """Those who have the first term in their name. As many are looked at as it takes to find a page."""
    found: list[_PlacedUser] = []
    looked_at = max(_FIRST_LOOK, given["most"]) if where else given["most"]
    while True:
        name_key, after_id = after or ("", None)
        beyond = "AND (w.name_key, w.user_id) > (:name_key, :after_id)" if after else ""
        rows = await tx.rows(
            _BY_NAME.format(where=where, beyond=beyond),
            **{**given, "name_key": name_key, "after_id": after_id, "looked_at": looked_at},
        )
        found += structs_of(_PlacedUser, [row for row in rows if row["id"]])
        if len(found) >= given["most"] or not rows or not rows[-1]["last"]:
            return found[: given["most"]]
        after = (rows[-1]["place"][1:], rows[-1]["user_id"])
        looked_at *= 4


def _shown(keyset: Keyset, rows: Sequence[_PlacedUser]) -> Page[User]:
    return keyset.page(_users(rows), [(each.place, each.id) for each in rows])


def _users(rows: Sequence[User]) -> list[User]:
    return [User(*(getattr(each, name) for name in User.__struct_fields__)) for each in rows]
