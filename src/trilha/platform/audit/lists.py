"""The audit log as a list."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.core.lists import Branch, Condition, List
from trilha.platform.audit.schema import AuditQuery, AuditRow

# If many names contain the text, only MAX_NAMES of them are searched, with the newest enrollments that have
# one of these names.
MAX_NAMES = 200
MAX_ENROLLMENTS = 200
_MAX_TERMS = 6
_LAST_CHARACTER = "\U0010ffff"
_NAME_COLUMNS = {"courses": "title", "api_keys": "name", "oauth_clients": "name"}
_NEWEST = ("created_at",)
# Lists every distinct action: each step seeks the next one in the index.
_ACTIONS = """
    WITH RECURSIVE kinds AS (
        (SELECT action FROM audit_records WHERE tenant_id = :tenant ORDER BY action LIMIT 1)
        UNION ALL
        SELECT (SELECT action FROM audit_records
                WHERE tenant_id = :tenant AND action > kinds.action ORDER BY action LIMIT 1)
        FROM kinds WHERE kinds.action IS NOT NULL)
    SELECT action FROM kinds WHERE {}"""
_IN_ACTION = "strpos({}action, :text) > 0"
_MATCHES = f"""(
    row.target_id = ANY(:targets) OR row.actor = ANY(:actors) OR {_IN_ACTION.format("row.")}
    OR row.source = :typed OR row.target_name ILIKE :pattern) IS TRUE"""
_FINDS = (
    Branch("SELECT unnest(:targets::uuid[]) AS id", "row.target_id = value.id"),
    Branch("SELECT unnest(:actors::text[]) AS id", "row.actor = value.id"),
    Branch(_ACTIONS.format(_IN_ACTION.format("")), "row.action = value.action"),
    Branch("SELECT", "row.source = :typed"),
    Branch("SELECT", "row.target_name <> ''", sparse=True),
)


async def _search(tx: Tx, query: AuditQuery, reach: None) -> list[Condition]:
    """Builds a search for text in a name or an action, or for a whole source. In names of people, it
    matches the beginnings of words.
    """
    typed = query.search or ""
    pattern = "%" + typed.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_") + "%"
    targets, actors = await _find_named(tx, typed.split()[:_MAX_TERMS], pattern)
    params = {"targets": targets, "actors": actors, "text": typed.lower(), "typed": typed, "pattern": pattern}
    return [Condition(where=_MATCHES, params=params, leads=_NEWEST, branches=_FINDS)]


async def _find_named(tx: Tx, terms: list[str], pattern: str) -> tuple[list[UUID], list[str]]:
    """Finds the targets with a matching name, including their newest enrollments, and those of them that
    are actors.
    """
    words = [
        f"SELECT user_id FROM user_words WHERE tenant_id = :tenant AND word >= search_text(:term_{n}) "  # noqa: S608
        f"AND word < search_text(:term_{n}) || '{_LAST_CHARACTER}'"
        for n in range(len(terms))
    ]
    people = " AND user_id IN ".join([words[0], *(f"({each})" for each in words[1:])]) if words else ""
    parts = [f"(SELECT DISTINCT user_id AS id FROM ({people} LIMIT {MAX_NAMES}) AS found)"] if people else []  # noqa: S608
    parts += [
        f"(SELECT id FROM {table} WHERE tenant_id = :tenant AND {name} ILIKE :pattern LIMIT {MAX_NAMES})"  # noqa: S608
        for table, name in _NAME_COLUMNS.items()
    ]
    rows = await tx.rows(
        f"""
        WITH named AS MATERIALIZED (SELECT id FROM ({" UNION ALL ".join(parts)}) AS found LIMIT {MAX_NAMES})
        SELECT id, EXISTS (
            SELECT FROM audit_records WHERE tenant_id = :tenant AND actor = named.id::text) AS acts
        FROM named
        UNION ALL
        (SELECT place.id, false FROM named CROSS JOIN LATERAL (
            (SELECT id, created_at FROM all_enrollments WHERE tenant_id = :tenant AND user_id = named.id
             LIMIT {MAX_ENROLLMENTS})
            UNION ALL
            (SELECT id, created_at FROM all_enrollments WHERE tenant_id = :tenant AND course_id = named.id
             ORDER BY created_at DESC LIMIT {MAX_ENROLLMENTS})) AS place
         ORDER BY place.created_at DESC LIMIT {MAX_ENROLLMENTS})
        """,  # noqa: S608
        pattern=pattern,
        **{f"term_{n}": term for n, term in enumerate(terms)},
    )
    return [row["id"] for row in rows], [str(row["id"]) for row in rows if row["acts"]]


RECORDS = List(
    name="audit",
    table="audit_records",
    kind=AuditRow,
    filters={
        "target_id": Condition(where="row.target_id = :target_id", leads=_NEWEST),
        "actor": Condition(where="row.actor = :actor", leads=_NEWEST),
        "search": _search,
        "action": Condition(
            where="starts_with(row.action, :action)",
            leads=_NEWEST,
            branches=(Branch(_ACTIONS.format("starts_with(action, :action)"), "row.action = value.action"),),
        ),
        "since": Condition(where="row.created_at >= :since", bounds="created_at"),
        "until": Condition(where="row.created_at < :until", bounds="created_at"),
    },
)
