"""Finding records: by what they are about, who made them, what was done and from where.

There are many records and few kinds of actions, so a page is put together from the newest of each kind, as
indexes give them: it reads about as much as it shows, however much there is and however little is found.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.audit.schema import AuditQuery
from trilha.core.database import Tx

_NAMED = {"courses": "title", "api_keys": "name", "oauth_clients": "name"}
# Of a text that stands in more names than these, the records of some are not found.
_MOST = 200
# So many of the newest enrollments of the people and courses that are found, whose records name them.
_MOST_ENROLLMENTS = 500
# So many of the newest of each course are looked at first. Where these are _MOST_ENROLLMENTS in all or more,
# none is read that is older than as many of them.
_FIRST_LOOK = 10
_MOST_TERMS = 6
# Sorts after every character that a word may go on with.
_LAST = "\U0010ffff"
_KINDS = """
    WITH RECURSIVE kinds AS (
        (SELECT action FROM audit_records WHERE tenant_id = :tenant ORDER BY action LIMIT 1)
        UNION ALL
        SELECT (SELECT action FROM audit_records
                WHERE tenant_id = :tenant AND action > kinds.action ORDER BY action LIMIT 1)
        FROM kinds WHERE kinds.action IS NOT NULL)
    SELECT action FROM kinds WHERE action IS NOT NULL
    """


class _Matches(Struct, frozen=True):
    """What a text stands for: `targets` are people, things and enrollments, `actors` who did something."""

    targets: Sequence[UUID]
    actors: Sequence[str]


async def condition(tx: Tx, query: AuditQuery) -> tuple[list[str], dict[str, Any]]:
    """What holds for the records on this page; and its parameters."""
    ranges, params = _ranges(query)
    if query.search is None and query.action is None and query.actor is None:
        return ranges, params
    kinds = [row["action"] for row in await tx.rows(_KINDS)]
    wanted = [each for each in kinds if each.startswith(query.action or "")]
    params["wanted"] = wanted
    if query.actor is not None:
        params["actor"] = query.actor
    if query.search is None:
        parts = [_newest(query, ranges, "actor = :actor" if query.actor is not None else "true")]
    else:
        matches = await _matches(tx, query.search)
        params |= {"targets": matches.targets, "actors": matches.actors, "text": query.search}
        params["named"] = _pattern(query.search)
        params["alike"] = [each for each in wanted if query.search.lower() in each]
        parts = _parts(query, ranges)
    found = f"""id IN (
        SELECT id FROM ({" UNION ".join(f"({each})" for each in parts)}) AS found
        ORDER BY created_at DESC, id DESC LIMIT {query.limit + 1})"""  # noqa: S608
    return [found], params


def _ranges(query: AuditQuery) -> tuple[list[str], dict[str, Any]]:
    where, params = [], dict[str, Any]()
    if query.target_id is not None:
        where.append("target_id = :target_id")
        params["target_id"] = query.target_id
    if query.since is not None:
        where.append("created_at >= :since")
        params["since"] = query.since
    if query.until is not None:
        where.append("created_at < :until")
        params["until"] = query.until
    return where, params


def _parts(query: AuditQuery, ranges: Sequence[str]) -> list[str]:
    """By each of the ways in which a text finds records."""
    also = list(ranges)
    if query.actor is not None:
        also.append("actor = :actor")
    in_kinds = [*also, "action = ANY(:wanted)"]
    return [
        _lateral("unnest(:targets::uuid[]) AS one (id)", ["target_id = one.id", *in_kinds], query),
        _lateral(
            "unnest(:actors::text[]) AS one (name), unnest(:wanted::text[]) AS kind (action)",
            ["actor = one.name", "action = kind.action", *also],
            query,
        ),
        _newest(query, also, "true", "alike"),
        _newest(query, also, "source = :text"),
        _first(query, ["target_name <> ''", "target_name ILIKE :named", *in_kinds]),
    ]


def _newest(query: AuditQuery, ranges: Sequence[str], which: str, kinds: str = "wanted") -> str:
    where = [which, "action = kind.action", *ranges]
    return _lateral(f"unnest(:{kinds}::text[]) AS kind (action)", where, query)


def _lateral(each: str, where: Sequence[str], query: AuditQuery) -> str:
    return f"SELECT first.* FROM {each} CROSS JOIN LATERAL ({_first(query, where)}) AS first"  # noqa: S608


def _first(query: AuditQuery, where: Sequence[str]) -> str:
    """The newest, as many as a page shows, from its cursor on."""
    beyond = ["(created_at, id) < (:after_at, :after_id)"] if query.cursor is not None else []
    return f"""SELECT created_at, id FROM audit_records
        WHERE {" AND ".join(["tenant_id = :tenant", *where, *beyond])}
        ORDER BY created_at DESC, id DESC LIMIT {query.limit + 1}"""  # noqa: S608


async def _matches(tx: Tx, text: str) -> _Matches:
    """People by the beginnings of words, as in the list of people; things by any part of their names."""
    terms = text.split()[:_MOST_TERMS]
    words = [
        f"SELECT user_id FROM user_words WHERE tenant_id = :tenant AND word >= search_text(:term_{n}) "  # noqa: S608
        f"AND word < search_text(:term_{n}) || '{_LAST}'"
        for n in range(len(terms))
    ]
    people = " AND user_id IN ".join([words[0], *(f"({each})" for each in words[1:])]) if words else ""
    parts = [f"(SELECT DISTINCT user_id AS id FROM ({people} LIMIT :most) AS one)"] if people else []  # noqa: S608
    parts += [
        f"(SELECT id FROM {table} WHERE tenant_id = :tenant AND {name} ILIKE :pattern LIMIT :most)"  # noqa: S608
        for table, name in _NAMED.items()
    ]
    rows = await tx.rows(
        f"""
        WITH named AS MATERIALIZED ({" UNION ALL ".join(parts)}),
        oldest AS MATERIALIZED (
            SELECT COALESCE((
                SELECT place.created_at FROM named CROSS JOIN LATERAL (
                    SELECT created_at FROM all_enrollments WHERE tenant_id = :tenant AND course_id = named.id
                    ORDER BY created_at DESC LIMIT {_FIRST_LOOK}) AS place
                ORDER BY place.created_at DESC OFFSET {_MOST_ENROLLMENTS - 1} LIMIT 1), '-infinity') AS at)
        SELECT id, EXISTS (SELECT FROM audit_records
                           WHERE tenant_id = :tenant AND actor = named.id::text) AS acts FROM named
        UNION ALL
        (SELECT place.id, false FROM named CROSS JOIN LATERAL (
            (SELECT id, created_at FROM all_enrollments WHERE tenant_id = :tenant AND user_id = named.id)
            UNION ALL
            (SELECT id, created_at FROM all_enrollments WHERE tenant_id = :tenant AND course_id = named.id
               AND created_at >= (SELECT at FROM oldest)
             ORDER BY created_at DESC LIMIT {_MOST_ENROLLMENTS})) AS place
         ORDER BY place.created_at DESC LIMIT {_MOST_ENROLLMENTS})
        """,  # noqa: S608
        pattern=_pattern(text),
        most=_MOST,
        **{f"term_{n}": term for n, term in enumerate(terms)},
    )
    return _Matches([row["id"] for row in rows], [str(row["id"]) for row in rows if row["acts"]])


def _pattern(text: str) -> str:
    return "%" + text.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_") + "%"
