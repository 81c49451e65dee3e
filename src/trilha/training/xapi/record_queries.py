"""The SQL of statements for administrators: one of them, those about it, and the agents of people."""

import hashlib
from collections.abc import Collection
from uuid import UUID

from trilha.core.database import Tx, columns_of
from trilha.training.xapi.schema import Record

_RECORD = columns_of(Record)
MAX_REFERRING = 20
# The agents of the people who match a typed text, at most.
MAX_AGENTS = 100


async def find_record(tx: Tx, statement_id: UUID) -> Record | None:
    """Returns a statement, voided or not."""
    sql = f"SELECT {_RECORD} FROM xapi_statements WHERE tenant_id = :tenant AND id = :statement_id"  # noqa: S608
    return await tx.find(Record, sql, statement_id=statement_id)


async def list_referring(tx: Tx, statement_id: UUID) -> list[Record]:
    """Returns the first MAX_REFERRING statements about a statement, those that void it first."""
    return await tx.list(
        Record,
        f"""
        SELECT {_RECORD} FROM (
            SELECT * FROM xapi_statements WHERE tenant_id = :tenant AND refers_to = :statement_id
            LIMIT 1000) AS referring
        ORDER BY voids DESC, stored LIMIT {MAX_REFERRING}
        """,  # noqa: S608
        statement_id=statement_id,
    )


async def list_session_records(
    tx: Tx, registration: UUID, since: int, after: int, limit: int
) -> list[Record]:
    """Returns the statements of a registration from a time on, oldest first, after the time of another."""
    return await tx.list(
        Record,
        f"""
        SELECT {_RECORD} FROM xapi_statements
        WHERE tenant_id = :tenant AND registration = :registration
          AND stored >= CAST(:since AS bigint) AND stored > CAST(:after AS bigint)
        ORDER BY stored LIMIT :limit
        """,  # noqa: S608
        registration=registration,
        since=since,
        after=after,
        limit=limit,
    )


async def is_verb(tx: Tx, key: UUID) -> bool:
    """Returns whether any statement has this verb."""
    return bool(
        await tx.value(
            "SELECT true FROM xapi_statements WHERE tenant_id = :tenant AND verb = :key LIMIT 1", key=key
        )
    )


async def list_agents(tx: Tx, emails: Collection[str], user_ids: Collection[UUID]) -> list[UUID]:
    """Returns the keys of agents with one of these e-mail addresses, or with an account whose name is the id
    of one of these people.
    """
    sums = [hashlib.sha1(f"mailto:{each}".encode(), usedforsecurity=False).hexdigest() for each in emails]
    rows = await tx.rows(
        f"""
        SELECT key FROM (
            SELECT key FROM xapi_agents WHERE tenant_id = :tenant AND address = ANY(:emails::text[])
            UNION SELECT key FROM xapi_agents WHERE tenant_id = :tenant AND sha1 = ANY(:sums::text[])
            UNION SELECT key FROM xapi_agents WHERE tenant_id = :tenant AND account = ANY(:accounts::text[])
        ) AS agent ORDER BY key LIMIT {MAX_AGENTS}
        """,  # noqa: S608
        emails=list(emails),
        sums=sums,
        accounts=[str(each) for each in user_ids],
    )
    return [row["key"] for row in rows]
