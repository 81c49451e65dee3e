"""Where people are read from, by what was typed: a CPF or an employee number, words, or nothing."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.types import Refused
from trilha.core.web.pagination import Order
from trilha.users.documents import Cpf, cpf_fingerprint
from trilha.users.filters import MEMBERS
from trilha.users.schema import PeopleQuery
from trilha.users.terms import ranges_of, terms_of


class Source(Struct, frozen=True):
    """Where people are read from, and their two keys there. `in_group`: only those of the group are there."""

    rows: str
    keys: str = "person.id, person.name_key"
    in_group: bool = False


USERS = Source("(SELECT * FROM users WHERE tenant_id = :tenant) AS person")

FEW_PEOPLE = Source("(SELECT * FROM users WHERE tenant_id = :tenant AND id = ANY(:few) OFFSET 0) AS person")

# The members of a group that has no more than these are kept in memory; of a larger one each person is asked,
# as many are in it.
_KEPT = 25_000

# Of who is `found` by words alone: one after the other, so that who reads some of them ends early.
_EACH = """JOIN LATERAL (
    SELECT * FROM users WHERE tenant_id = :tenant AND id = found.id OFFSET 0) AS person ON true"""
# Of several words of a person that begin so the first one counts. Asked of those alone who pass all else.
_FIRST_WORD = """NOT EXISTS (
    SELECT FROM user_words AS x WHERE x.tenant_id = :tenant AND x.word >= :term_0 AND x.word < {0}.word
      AND x.user_id = person.id OFFSET 0)"""

# Whose name begins with one letter.
BEGINS = "person.name_key >= :term_0 AND person.name_key < :end_0"

# Each part has an index of its own, which an OR would not use.
_WITH_NUMBER = Source(
    """
    (SELECT * FROM users WHERE tenant_id = :tenant AND id IN (
        SELECT id FROM users WHERE tenant_id = :tenant AND cpf_fingerprint = :cpf AND NOT cpf_shared
        UNION ALL
        SELECT id FROM users WHERE tenant_id = :tenant AND cpf_fingerprint = :cpf AND cpf_shared
        UNION ALL
        SELECT id FROM users WHERE tenant_id = :tenant AND employee_number = :number)) AS person
    """
)


def source_of(
    tx: Tx, query: PeopleQuery, order: Order | None, *, is_filtered: bool
) -> tuple[Source, list[str], dict[str, Any]]:
    """What is searched, the conditions of what was typed, and their parameters."""
    typed = (query.q or "").strip()
    if cpf := _cpf(typed):
        return _WITH_NUMBER, [], {"cpf": cpf_fingerprint(tx, cpf), "number": typed}
    terms = typed_terms(query)
    return _words(query, terms, order, is_filtered) if terms else (USERS, [], {})


def typed_terms(query: PeopleQuery) -> list[str]:
    """None of a CPF, which is looked for as a whole."""
    typed = (query.q or "").strip()
    return [] if _cpf(typed) else terms_of(typed)


def _words(
    query: PeopleQuery, terms: Sequence[str], order: Order | None, is_filtered: bool
) -> tuple[Source, list[str], dict[str, Any]]:
    """As `source_of`, of these words."""
    if not are_words(terms):
        # In COALESCE it is asked of one person after the other, and not looked for by the name.
        begins = BEGINS if order is None or order.column == "name_key" else f"COALESCE({BEGINS}, false)"
        return USERS, [begins], ranges_of(terms[:1])
    params = ranges_of(terms)
    if order is None:
        # Who passes nothing else is found by words alone, and not read.
        name, read = ("found", _EACH) if is_filtered else ("person", "")
        is_one = len(terms) == 1
        found = _of_word(query) if is_one else _of_words(query, len(terms))
        source = Source(f"({found}) AS {name} {read}", in_group=query.group is not None)
        return source, [_FIRST_WORD.format(name)] if is_one else [], params
    if order.column != "name_key":
        # Not a matter of names: walking the order finds a page of a common word at once.
        return USERS, words_of_each(len(terms)), params
    return _found_by_name(query, len(terms), order, is_filtered), [], params


def _found_by_name(query: PeopleQuery, terms: int, order: Order, is_filtered: bool) -> Source:
    """The people in whom every term is found, by name.

    A name's order and its words go together, so walking all people by name could be long. What is found is
    ordered from the words alone, and the people are read one after the other until a page is full.
    """
    where = _in_all_ranges(terms)
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
        {_EACH}"""  # noqa: S608
    return Source(rows, "found.id, found.name_key")


def _of_word(query: PeopleQuery) -> str:
    """One row a word; who reads no more than some of them ends early."""
    found = f"SELECT word, user_id AS id FROM user_words WHERE {_in_range(0)}"  # noqa: S608
    if query.group is None:
        return found
    # Asked first: who is not in the group is not read at all.
    return f"""
        WITH member AS MATERIALIZED ({MEMBERS} LIMIT {_KEPT + 1})
        {found} AND CASE WHEN (SELECT count(*) FROM member) <= {_KEPT}
            THEN user_id IN (SELECT user_id FROM member)
            ELSE EXISTS ({MEMBERS} AND member.user_id = user_words.user_id OFFSET 0) END"""  # noqa: S608


def _of_words(query: PeopleQuery, terms: int) -> str:
    """Everybody with all of them, at once: those with one, who would each be asked for the others, may be far
    more."""
    where = _in_all_ranges(terms)
    if query.group is not None:
        where += f" AND user_id IN ({MEMBERS})"
    return f"SELECT DISTINCT user_id AS id FROM user_words WHERE {where}"  # noqa: S608


def words_of_each(terms: int, user_id: str = "person.id") -> list[str]:
    """Each is asked of one person after the other: who has a common one are far more than a page.

    `user_id` is the column with the person's id.
    """
    return [
        f"EXISTS (SELECT FROM user_words WHERE {_in_range(n)} AND user_id = {user_id} OFFSET 0)"
        for n in range(terms)
    ]


def are_words(terms: Sequence[str]) -> bool:
    """So much begins with one letter that only the first word of a name is looked at."""
    return bool(terms) and len(terms[0]) > 1


def _in_range(number: int) -> str:
    return f"tenant_id = :tenant AND word >= :term_{number} AND word < :end_{number}"


def _in_all_ranges(terms: int) -> str:
    return _in_range(0) + "".join(
        f" AND user_id IN (SELECT user_id FROM user_words WHERE {_in_range(n)})"  # noqa: S608
        for n in range(1, terms)
    )


def _cpf(typed: str) -> Cpf | None:
    try:
        return Cpf.parse(typed.strip())
    except Refused:
        return None
