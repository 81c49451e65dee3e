"""The agents that are people of the company: how they are recognized, exported and erased."""

import hashlib
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from typing import Any
from uuid import UUID, uuid4

import msgspec
from msgspec import Struct

from trilha.core.database import Tx
from trilha.feature import ExportPart, ExportReader
from trilha.training.xapi import queries
from trilha.training.xapi.identifiers import agent_key
from trilha.training.xapi.schema import Microseconds
from trilha.training.xapi.signatures import USAGE
from trilha.training.xapi.statements import digest_of
from trilha.training.xapi.times import format_microseconds

# The home page of the accounts of erased people.
ERASED_HOME_PAGE = "https://erased.invalid"
_BATCH = 200
_SCHEME = "mailto:"
_LONGEST_INDEXED = 500  # bytes


async def keep_agent(tx: Tx, key: UUID, agent: dict[str, Any]) -> None:
    """Adds an agent if it is new. An erasure of it waits until the transaction ends."""
    lock = "SELECT true FROM xapi_agents WHERE tenant_id = :tenant AND key = :key FOR KEY SHARE"
    # Another transaction may insert it first.
    while not await tx.value(lock, key=key):
        await insert_agents(tx, {key: agent})


async def insert_agents(tx: Tx, agents: Mapping[UUID, dict[str, Any]]) -> None:
    """Adds agents by their keys. Those that exist are left as they are."""
    agents = dict(sorted(agents.items()))  # Two transactions insert in the same order.
    await tx.execute(
        """
        INSERT INTO xapi_agents (tenant_id, key, address, sha1, account)
        SELECT :tenant, new.key, new.address, new.sha1, new.account
        FROM unnest(:keys::uuid[], :addresses::text[], :sums::text[], :accounts::text[])
            AS new (key, address, sha1, account)
        ON CONFLICT DO NOTHING
        """,
        keys=list(agents),
        addresses=[_cut(each.get("mbox", "")[len(_SCHEME) :].lower()) for each in agents.values()],
        sums=[each["mbox_sha1sum"].lower() if "mbox_sha1sum" in each else None for each in agents.values()],
        accounts=[_cut(each["account"]["name"]) if "account" in each else None for each in agents.values()],
    )


def _cut(text: str) -> str | None:
    """Returns text that fits into an index. What is longer, or empty, is of no person."""
    return text if text and len(text.encode()) <= _LONGEST_INDEXED else None


async def list_keys(tx: Tx, user_id: UUID) -> list[UUID]:
    """Returns the keys of the agents that are this person: by the e-mail address, or by an account whose
    name is the person's id.
    """
    email = await tx.value(
        "SELECT email FROM users WHERE tenant_id = :tenant AND id = :user_id", user_id=user_id
    )
    sha1 = hashlib.sha1(f"{_SCHEME}{email}".encode(), usedforsecurity=False).hexdigest()
    rows = await tx.rows(
        """
        SELECT key FROM xapi_agents WHERE tenant_id = :tenant AND address = :email
        UNION SELECT key FROM xapi_agents WHERE tenant_id = :tenant AND sha1 = :sha1
        UNION SELECT key FROM xapi_agents WHERE tenant_id = :tenant AND account = :account
        """,
        email=email,
        sha1=sha1,
        account=str(user_id),
    )
    return [row["key"] for row in rows]


class _Row(Struct, frozen=True):
    id: UUID
    stored: int
    content: str


async def _list_statements(tx: Tx, keys: Collection[UUID], after: int) -> list[_Row]:
    """Returns the next statements in which one of the agents is, oldest first."""
    return await tx.list(
        _Row,
        """
        SELECT id, stored, content FROM xapi_statements
        WHERE tenant_id = :tenant AND stored = ANY(ARRAY(
            SELECT DISTINCT stored FROM xapi_references
            WHERE tenant_id = :tenant AND key = ANY(:keys::uuid[]) AND stored > :after
            ORDER BY stored LIMIT :limit))
        ORDER BY stored
        """,
        keys=list(keys),
        after=after,
        limit=_BATCH,
    )


class ExportedStatement(Struct, frozen=True):
    """A statement about a person."""

    stored: Microseconds
    statement: dict[str, Any]


async def _list_own(reader: ExportReader, user_id: UUID) -> AsyncIterator[Sequence[ExportedStatement]]:
    """Oldest first."""
    after = -1
    while True:
        async with reader.transaction() as tx:
            rows = await _list_statements(tx, await list_keys(tx, user_id), after)
        yield [
            ExportedStatement(format_microseconds(row.stored), msgspec.json.decode(row.content))
            for row in rows
        ]
        if len(rows) < _BATCH:
            return
        after = rows[-1].stored


EXPORT = [ExportPart(name="statements", kind=ExportedStatement, pages=_list_own)]


async def erase(tx: Tx, user_id: UUID) -> None:
    """Puts a pseudonym in the place of a person, the same in all statements, and deletes the documents.

    Transactions that store statements or documents of the person wait until this one ends, and then add the
    agent again.
    """
    await queries.lock_clock(tx)
    keys = set(await list_keys(tx, user_id))
    if not keys:
        return
    await tx.execute(
        "DELETE FROM xapi_agents WHERE tenant_id = :tenant AND key = ANY(:keys::uuid[])", keys=list(keys)
    )
    pseudonym = {"objectType": "Agent", "account": {"homePage": ERASED_HOME_PAGE, "name": str(uuid4())}}
    after = -1
    while rows := await _list_statements(tx, keys, after):
        await _rewrite(tx, rows, keys, pseudonym)
        after = rows[-1].stored
    await tx.execute(
        "DELETE FROM xapi_documents WHERE tenant_id = :tenant AND agent = ANY(:keys::uuid[])", keys=list(keys)
    )
    key = agent_key(pseudonym)
    assert key is not None
    await insert_agents(tx, {key: pseudonym})


async def _rewrite(tx: Tx, rows: Sequence[_Row], keys: set[UUID], pseudonym: dict[str, Any]) -> None:
    statements = [replace_agents(msgspec.json.decode(row.content), keys, pseudonym) for row in rows]
    signatures = [
        each["sha2"].lower()
        for statement in statements
        for each in statement.get("attachments", ())
        if each["usageType"] == USAGE
    ]
    await tx.execute(
        """
        UPDATE xapi_statements AS statement SET content = new.content, digest = new.digest
        FROM unnest(:ids::uuid[], :contents::text[], :digests::bytea[]) AS new (id, content, digest)
        WHERE statement.tenant_id = :tenant AND statement.id = new.id
        """,
        ids=[row.id for row in rows],
        contents=[msgspec.json.encode(each).decode() for each in statements],
        digests=[digest_of(each) for each in statements],
    )
    if signatures:
        # What is signed names the person.
        await tx.execute(
            "DELETE FROM xapi_attachments WHERE tenant_id = :tenant AND sha2 = ANY(:sums::text[])",
            sums=signatures,
        )
    times = [row.stored for row in rows]
    references = await tx.rows(
        """
        DELETE FROM xapi_references
        WHERE tenant_id = :tenant AND key = ANY(:keys::uuid[]) AND stored = ANY(:times::bigint[])
        RETURNING stored, verb, is_direct
        """,
        keys=list(keys),
        times=times,
    )
    merged: dict[int, tuple[UUID, bool]] = {}
    for row in references:
        is_direct = merged.get(row["stored"], (None, False))[1]
        merged[row["stored"]] = row["verb"], is_direct or row["is_direct"]
    await tx.execute(
        """
        INSERT INTO xapi_references (tenant_id, key, stored, verb, is_direct)
        SELECT :tenant, CAST(:key AS uuid), new.stored, new.verb, new.is_direct
        FROM unnest(:times::bigint[], :verbs::uuid[], :directs::boolean[]) AS new (stored, verb, is_direct)
        RETURNING tenant_id
        """,
        key=agent_key(pseudonym),
        times=list(merged),
        verbs=[verb for verb, _ in merged.values()],
        directs=[is_direct for _, is_direct in merged.values()],
    )


def replace_agents(value: Any, keys: set[UUID], pseudonym: dict[str, Any]) -> Any:
    """Replaces the agents with these keys, wherever they are in a statement."""
    if isinstance(value, list):
        return [replace_agents(each, keys, pseudonym) for each in value]
    if not isinstance(value, dict):
        return value
    if _is_one_of(value, keys):
        return pseudonym
    return {name: replace_agents(each, keys, pseudonym) for name, each in value.items()}


def _is_one_of(value: dict[str, Any], keys: set[UUID]) -> bool:
    try:
        return agent_key(value) in keys
    except (AttributeError, KeyError, TypeError):
        return False  # an extension that looks like an agent
