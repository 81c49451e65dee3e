"""Search for people by CPF, or by beginnings of words of names, e-mail addresses or employee numbers.

The table `user_words` has the words; a range of its index has those that begin with a term.
"""

import unicodedata
from collections.abc import Sequence
from typing import Literal

from trilha.core.database import Tx
from trilha.core.lists import Branch, Condition, Walk
from trilha.core.lists.narrowing import select_among_first
from trilha.core.types import InvalidValue
from trilha.people.users.documents import Cpf, cpf_fingerprint

MAX_TERMS = 6
# Sorts after every character that can continue a word.
_LAST = "\U0010ffff"
_BEGINS = "{0}.word >= :term_{1} AND {0}.word < :end_{1}"
_WITH_WORD = f"SELECT w.user_id AS id FROM user_words AS w WHERE w.tenant_id = :tenant AND {_BEGINS}"  # noqa: S608
_HAS = """(
    SELECT true FROM user_words AS x
    WHERE x.tenant_id = :tenant AND x.user_id = {0} AND x.word >= :term_{1} AND x.word < :end_{1} LIMIT 1)"""
_NAME_BEGINS = "name_key >= :term_0 AND name_key < :end_0"
_WITH_NAME = f"SELECT id FROM users WHERE tenant_id = :tenant AND {_NAME_BEGINS}"  # noqa: S608
# One part per index: an OR would use neither.
_WITH_NUMBER = """
    SELECT id FROM users WHERE tenant_id = :tenant AND cpf_fingerprint = :cpf AND NOT cpf_shared
    UNION ALL
    SELECT id FROM users WHERE tenant_id = :tenant AND cpf_fingerprint = :cpf AND cpf_shared
    UNION ALL
    SELECT id FROM users WHERE tenant_id = :tenant AND employee_number = :number"""
_OF_A_NAME = "strpos({0}.name_key, {0}.word) > 0"
# Finds the distinct words of names that begin with the first term by skipping from one to the next, because
# there are few of them.
_NAME_WORDS = f"""
    WITH RECURSIVE words AS (
        (SELECT w.word FROM user_words AS w
         WHERE w.tenant_id = :tenant AND {_BEGINS.format("w", 0)} AND {_OF_A_NAME.format("w")}
         ORDER BY w.word LIMIT 1)
        UNION ALL
        SELECT (SELECT w.word FROM user_words AS w
                WHERE w.tenant_id = :tenant AND w.word > words.word AND w.word < :end_0
                  AND {_OF_A_NAME.format("w")} ORDER BY w.word LIMIT 1)
        FROM words WHERE words.word IS NOT NULL)
    SELECT word FROM words WHERE word IS NOT NULL"""  # noqa: S608
_IS_NAMED = f"""(
    SELECT true FROM user_words AS x
    WHERE x.tenant_id = :tenant AND x.user_id = row.id AND {_BEGINS.format("x", 0)}
      AND {_OF_A_NAME.format("x")} LIMIT 1)"""  # noqa: S608
_FIRST_WORD = f"""(
    SELECT min(x.word) FROM user_words AS x
    WHERE x.tenant_id = :tenant AND x.user_id = row.id AND {_BEGINS.format("x", 0)})"""  # noqa: S608


def search_text(text: str) -> str:
    """Returns the text in lower case without accents, like the database function of this name."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).lower())
    return "".join(character for character in plain if not "\u0300" <= character <= "\u036f")


def terms_of(typed: str) -> list[str]:
    """Returns the search terms, the longest first."""
    return sorted(set(search_text(typed).split()[:MAX_TERMS]), key=lambda term: (-len(term), term))


def find_typed(tx: Tx, typed: str, column: str) -> list[Condition]:
    """Returns conditions that match the text with the person whose id is in this column."""
    typed = typed.strip()
    try:
        cpf = Cpf.parse(typed)
    except InvalidValue:
        return find_terms(terms_of(typed), column)
    where = f"row.{column} = ANY(ARRAY({_WITH_NUMBER}))"
    params = {"cpf": cpf_fingerprint(tx, cpf), "number": typed}
    return [Condition(where=where, ids=_WITH_NUMBER, of=column, params=params)]


def find_terms(terms: Sequence[str], column: str) -> list[Condition]:
    """Returns conditions that each term begins one of the person's words; none without terms.

    If every term is a single letter, only the beginning of the name counts: too many words begin with one
    letter.
    """
    params: dict[str, str] = {}
    for number, term in enumerate(terms):
        params |= {f"term_{number}": term, f"end_{number}": term + _LAST}
    if terms and len(terms[0]) == 1:
        return [_begins_name(column, params)]
    conditions = []
    for number in range(len(terms)):
        others = [_HAS.format("w.id", other) for other in range(len(terms)) if other != number]
        ids = _WITH_WORD.format("w", number)
        if others:
            ids = select_among_first(ids, "w", " AND ".join(others))
        where = _HAS.format(f"row.{column}", number)
        conditions.append(Condition(where=where, ids=ids, of=column, params=params))
    return conditions


def _begins_name(column: str, params: dict[str, str]) -> Condition:
    if column == "id":
        where = "row.name_key >= :term_0 AND row.name_key < :end_0"
        return Condition(where=where, ids=_WITH_NAME, bounds="name_key", params=params)
    where = f"(SELECT {_NAME_BEGINS} FROM users AS person WHERE tenant_id = :tenant AND id = row.{column})"  # noqa: S608
    return Condition(where=where, ids=_WITH_NAME, of=column, params=params)


def order_by_name(terms: Sequence[str], direction: Literal["ASC", "DESC"] = "ASC") -> tuple[Walk, ...]:
    """Orders people with the longest term in their name first, by name, then all others by the matching word.

    Only for the list of people.
    """
    if not terms or len(terms[0]) == 1:
        return (Walk(keys=("name_key",), direction=direction),)
    named = Walk(
        keys=("name_key",),
        direction=direction,
        table="user_words",
        id="user_id",
        where=_OF_A_NAME.format("row"),
        branches=(Branch(_NAME_WORDS, "row.word = value.word"),),
        among=_IS_NAMED,
    )
    others = Walk(
        keys=("word", "name_key"),
        table="user_words",
        id="user_id",
        where=_BEGINS.format("row", 0),
        among=f"{_IS_NAMED} IS NOT TRUE AND row.key_0 = {_FIRST_WORD}",
        sorted_by=(_FIRST_WORD, "row.name_key"),
    )
    return named, others
