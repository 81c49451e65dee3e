"""The SQL of statements, activities and attachments."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from uuid import UUID

import msgspec

from trilha.core.database import Tx, columns_of
from trilha.training.xapi.pages import PAGE_BYTES
from trilha.training.xapi.schema import (
    ActivityRow,
    Attachment,
    KnownStatement,
    StatementFilter,
    StoredStatement,
)
from trilha.training.xapi.statements import NewStatement

_STATEMENT = columns_of(StoredStatement)


async def advance_clock(tx: Tx, now: int, count: int) -> int:
    """Returns the time of the first of `count` new statements, whose times are one microsecond apart.

    The tenant's other writers wait until this transaction ends.
    """
    last: int = await tx.value(
        """
        INSERT INTO xapi_clocks (tenant_id, last_stored) VALUES (:tenant, :newest)
        ON CONFLICT (tenant_id) DO UPDATE
            SET last_stored = GREATEST(xapi_clocks.last_stored + CAST(:count AS bigint), EXCLUDED.last_stored)
        RETURNING last_stored
        """,
        newest=now + count - 1,
        count=count,
    )
    return last - count + 1


async def lock_clock(tx: Tx) -> None:
    """Waits for the tenant's writers. Others wait until this transaction ends."""
    await tx.execute(
        """
        INSERT INTO xapi_clocks (tenant_id, last_stored) VALUES (:tenant, 0)
        ON CONFLICT (tenant_id) DO UPDATE SET last_stored = xapi_clocks.last_stored
        """
    )


async def push_clock(tx: Tx, now: int, stale: int) -> None:
    """Promises that no later statement has a time up to `now`, if the clock stands before `stale`. Does not
    wait for a transaction that has locked the clock.
    """
    await tx.execute(
        """
        UPDATE xapi_clocks SET last_stored = :newest
        WHERE tenant_id = :tenant AND tenant_id = (
            SELECT tenant_id FROM xapi_clocks
            WHERE tenant_id = :tenant AND last_stored < CAST(:stale AS bigint)
            FOR UPDATE SKIP LOCKED)
        """,
        newest=now,
        stale=stale,
    )


async def find_clock(tx: Tx) -> int | None:
    """Returns the time of the newest statement, or None if there is none."""
    last: int | None = await tx.value("SELECT last_stored FROM xapi_clocks WHERE tenant_id = :tenant")
    return last


async def list_known(
    tx: Tx, ids: Collection[UUID], targets: Collection[UUID]
) -> tuple[dict[UUID, KnownStatement], list[KnownStatement]]:
    """Returns the stored statements with these ids, or those of `targets`, by id; and those that refer to the
    ids: the first ones, and all that void one of them.
    """
    columns = columns_of(KnownStatement)
    rows = await tx.list(
        KnownStatement,
        f"""
        SELECT {columns} FROM xapi_statements WHERE tenant_id = :tenant AND id = ANY(:all_ids::uuid[])
        UNION ALL
        (SELECT {columns} FROM xapi_statements
         WHERE tenant_id = :tenant AND refers_to = ANY(:ids::uuid[]) ORDER BY stored LIMIT 1000)
        UNION ALL
        (SELECT DISTINCT ON (refers_to) {columns} FROM xapi_statements
         WHERE tenant_id = :tenant AND refers_to = ANY(:ids::uuid[]) AND voids ORDER BY refers_to, stored)
        """,  # noqa: S608
        all_ids=[*ids, *targets],
        ids=list(ids),
    )
    all_ids = {*ids, *targets}
    known = {each.id: each for each in rows if each.id in all_ids}
    return known, [each for each in dict.fromkeys(rows) if each.refers_to in ids]


async def insert_statements(tx: Tx, statements: Sequence[NewStatement], first: int) -> None:
    """Inserts statements with times from `first` on, and what they are found by."""
    numbered = list(enumerate(statements, first))
    references = [(stored, each, key) for stored, each in numbered for key in each.references]
    await tx.execute(
        """
        WITH refers AS (
            INSERT INTO xapi_references (tenant_id, key, stored, verb, is_direct)
            SELECT :tenant, new.key, new.stored, new.verb, new.is_direct
            FROM unnest(:keys::uuid[], :times::bigint[], :key_verbs::uuid[], :directs::boolean[])
                AS new (key, stored, verb, is_direct)
            RETURNING tenant_id
        )
        INSERT INTO xapi_statements (tenant_id, id, stored, verb, registration, refers_to, voids, digest,
                                     sent_at, attachments, content)
        SELECT :tenant, new.id, new.stored, new.verb, new.registration, new.refers_to, new.voids, new.digest,
               new.sent_at, string_to_array(new.attachments, ' '), new.content
        FROM unnest(:ids::uuid[], :stored::bigint[], :verbs::uuid[], :registrations::uuid[], :targets::uuid[],
                    :voids::boolean[], :digests::bytea[], :sent::text[], :attachments::text[],
                    :contents::text[])
            AS new (id, stored, verb, registration, refers_to, voids, digest, sent_at, attachments, content)
        RETURNING tenant_id
        """,
        ids=[each.id for each in statements],
        stored=[stored for stored, _ in numbered],
        verbs=[each.verb for each in statements],
        registrations=[each.registration for each in statements],
        targets=[each.refers_to for each in statements],
        voids=[each.voids for each in statements],
        digests=[each.digest for each in statements],
        sent=[each.sent_at for each in statements],
        attachments=[" ".join(each.attachments) or None for each in statements],
        contents=[each.content.decode() for each in statements],
        keys=[key for _, _, key in references],
        times=[stored for stored, _, _ in references],
        key_verbs=[each.verb for _, each, _ in references],
        directs=[each.references[key] for _, each, key in references],
    )


class Link(msgspec.Struct, frozen=True):
    """A statement that leads to another one by its StatementRef, or by those of others in between."""

    stored: int
    target: int
    distance: int


async def list_links(tx: Tx, times: Collection[int]) -> list[Link]:
    """Returns the links of and to the statements with these times."""
    return await tx.list(
        Link,
        """
        SELECT stored, target, distance FROM xapi_targets
        WHERE tenant_id = :tenant AND stored = ANY(:times::bigint[])
        UNION
        SELECT stored, target, distance FROM xapi_targets
        WHERE tenant_id = :tenant AND target = ANY(:times::bigint[])
        ORDER BY stored, target LIMIT 10000
        """,
        times=list(times),
    )


async def insert_links(tx: Tx, links: Collection[Link]) -> None:
    await tx.execute(
        """
        INSERT INTO xapi_targets (tenant_id, stored, target, distance)
        SELECT :tenant, new.stored, new.target, new.distance
        FROM unnest(:stored::bigint[], :targets::bigint[], :distances::integer[])
            AS new (stored, target, distance)
        ON CONFLICT DO NOTHING
        """,
        stored=[each.stored for each in links],
        targets=[each.target for each in links],
        distances=[each.distance for each in links],
    )


async def void(tx: Tx, ids: Collection[UUID]) -> None:
    """Marks statements as voided. Voiding statements cannot be voided."""
    await tx.execute(
        """
        UPDATE xapi_statements SET is_voided = true
        WHERE tenant_id = :tenant AND id = ANY(:ids::uuid[]) AND NOT voids AND NOT is_voided
        """,
        ids=list(ids),
    )


async def list_seen_definitions(tx: Tx, activities: Collection[UUID]) -> dict[UUID, bytes]:
    """Returns the digests of the definitions that were merged last, by the keys of their activities."""
    rows = await tx.rows(
        "SELECT key, seen FROM xapi_activities WHERE tenant_id = :tenant AND key = ANY(:activities::uuid[])",
        activities=list(activities),
    )
    return {row["key"]: row["seen"] for row in rows}


async def list_activities(tx: Tx, keys: Collection[UUID]) -> list[ActivityRow]:
    return await tx.list(
        ActivityRow,
        """
        SELECT key, iri, definition FROM xapi_activities
        WHERE tenant_id = :tenant AND key = ANY(:keys::uuid[])
        """,
        keys=list(keys),
    )


async def upsert_activities(tx: Tx, rows: Sequence[ActivityRow], seen: Mapping[UUID, bytes]) -> None:
    await tx.execute(
        """
        INSERT INTO xapi_activities (tenant_id, key, iri, definition, seen, updated_at)
        SELECT :tenant, new.key, new.iri, new.definition, new.seen, :now
        FROM unnest(:keys::uuid[], :iris::text[], :definitions::text[], :seen::bytea[])
            AS new (key, iri, definition, seen)
        ON CONFLICT (tenant_id, key) DO UPDATE
            SET definition = EXCLUDED.definition, seen = EXCLUDED.seen, updated_at = EXCLUDED.updated_at
        """,
        keys=[each.key for each in rows],
        iris=[each.iri for each in rows],
        definitions=[each.definition for each in rows],
        seen=[seen[each.key] for each in rows],
    )


async def insert_attachments(tx: Tx, attachments: Collection[Attachment]) -> None:
    for each in attachments:
        await tx.execute(
            """
            INSERT INTO xapi_attachments (tenant_id, sha2, content_type, content, created_at)
            VALUES (:tenant, :sha2, :content_type, :content, :now) ON CONFLICT DO NOTHING
            """,
            **msgspec.structs.asdict(each),
        )


async def list_attachments(tx: Tx, sums: Collection[str]) -> list[Attachment]:
    return await tx.list(
        Attachment,
        """
        SELECT sha2, content_type, content FROM xapi_attachments
        WHERE tenant_id = :tenant AND sha2 = ANY(:sums::text[]) ORDER BY sha2
        """,
        sums=list(sums),
    )


async def list_attachment_sizes(tx: Tx, sums: Collection[str]) -> dict[str, int]:
    rows = await tx.rows(
        """
        SELECT sha2, octet_length(content) AS size FROM xapi_attachments
        WHERE tenant_id = :tenant AND sha2 = ANY(:sums::text[])
        """,
        sums=list(sums),
    )
    return {row["sha2"]: row["size"] for row in rows}


async def find_statement(tx: Tx, statement_id: UUID, *, is_voided: bool) -> StoredStatement | None:
    return await tx.find(
        StoredStatement,
        f"""
        SELECT {_STATEMENT} FROM xapi_statements
        WHERE tenant_id = :tenant AND id = :statement_id AND is_voided = :is_voided
        """,  # noqa: S608
        statement_id=statement_id,
        is_voided=is_voided,
    )


async def list_statements(tx: Tx, search: StatementFilter) -> list[StoredStatement]:
    """Returns up to one statement more than the limit, and than fits into a page."""
    direction = "ASC" if search.ascending else "DESC"
    parameters: dict[str, Any] = {"limit": search.limit + 1}
    end = f"ORDER BY stored {direction} LIMIT :limit"
    query = f"{_build_query(search, parameters)} {end}"
    if _follows_references(search):
        # Statements that refer to matching ones match too, whenever those were stored.
        query = f"({query}) UNION ({_build_link_query(search, parameters)} {end}) {end}"
    return await tx.list(
        StoredStatement,
        f"""
        WITH matching AS ({query})
        SELECT {_STATEMENT} FROM (
            SELECT *, sum(octet_length(content)) OVER (ORDER BY stored {direction}) - octet_length(content)
                AS bytes_before
            FROM xapi_statements
            WHERE tenant_id = :tenant AND stored = ANY(ARRAY(SELECT matching.stored FROM matching))
        ) listed
        WHERE bytes_before <= :page_bytes
        ORDER BY stored {direction}
        """,  # noqa: S608
        page_bytes=PAGE_BYTES,
        **parameters,
    )


def _follows_references(search: StatementFilter) -> bool:
    """Returns whether to look for statements that refer to matching ones. Without conditions, all match."""
    conditions = (search.agent, search.verb, search.activity, search.registration)
    return search.follows_references and any(conditions)


def _build_query(search: StatementFilter, parameters: dict[str, Any]) -> str:
    """Builds the query for the times of the statements that match themselves. It walks the index of one
    condition in the order of the list.
    """
    bounds = _build_bounds(search, parameters)
    by_key = _build_key_conditions(search, parameters)
    if not by_key:
        conditions = ["row.tenant_id = :tenant", "NOT row.is_voided"]
        conditions += [f"row.{each}" for each in (*_build_own_conditions(search, parameters), *bounds)]
        return f"SELECT row.stored FROM xapi_statements row WHERE {' AND '.join(conditions)}"  # noqa: S608
    first, *others = by_key
    conditions = ["reference.tenant_id = :tenant", "NOT row.is_voided"]
    conditions += [f"reference.{each}" for each in (*first, *bounds)]
    if search.verb is not None:
        parameters["verb"] = search.verb
        conditions.append("reference.verb = :verb")
    if search.registration is not None:
        parameters["registration"] = search.registration
        conditions.append("row.registration = :registration")
    conditions += [_build_existence(each) for each in others]
    return f"""
        SELECT row.stored FROM xapi_references reference
        JOIN xapi_statements row ON row.tenant_id = reference.tenant_id AND row.stored = reference.stored
        WHERE {" AND ".join(conditions)}
        """  # noqa: S608


def _build_link_query(search: StatementFilter, parameters: dict[str, Any]) -> str:
    """Builds the query for the times of statements that lead to matching ones."""
    conditions = ["link.tenant_id = :tenant", "NOT referring.is_voided"]
    conditions += [f"link.{each}" for each in _build_bounds(search, parameters)]
    conditions += [f"row.{each}" for each in _build_own_conditions(search, parameters)]
    conditions += [_build_existence(each) for each in _build_key_conditions(search, parameters)]
    return f"""
        SELECT DISTINCT link.stored FROM xapi_targets link
        JOIN xapi_statements row ON row.tenant_id = link.tenant_id AND row.stored = link.target
        JOIN xapi_statements referring
            ON referring.tenant_id = link.tenant_id AND referring.stored = link.stored
        WHERE {" AND ".join(conditions)}
        """  # noqa: S608


def _build_bounds(search: StatementFilter, parameters: dict[str, Any]) -> list[str]:
    bounds = []
    for name, operator in (
        ("since", ">"),
        ("until", "<="),
        ("after", ">" if search.ascending else "<"),
    ):
        if (value := getattr(search, name)) is not None:
            parameters[name] = value
            bounds.append(f"stored {operator} :{name}")
    return bounds


def _build_own_conditions(search: StatementFilter, parameters: dict[str, Any]) -> list[str]:
    """Builds the conditions on columns of the statement."""
    conditions = []
    for name in ("verb", "registration"):
        if (value := getattr(search, name)) is not None:
            parameters[name] = value
            conditions.append(f"{name} = :{name}")
    return conditions


def _build_key_conditions(search: StatementFilter, parameters: dict[str, Any]) -> list[list[str]]:
    """Builds the conditions on references: one list for the agent, one for the activity."""
    conditions = []
    for name, is_broad in (("agent", search.related_agents), ("activity", search.related_activities)):
        if (value := getattr(search, name)) is not None:
            parameters[name] = value
            conditions.append([f"key = :{name}", *([] if is_broad else ["is_direct"])])
    return conditions


def _build_existence(conditions: Sequence[str]) -> str:
    more = " AND ".join(f"other.{each}" for each in conditions)
    return f"""
        EXISTS (SELECT FROM xapi_references other
                WHERE other.tenant_id = :tenant AND other.stored = row.stored AND {more})
        """
