"""The log of SCIM requests: the last thousand of each tenant, or those of the tenant's own period.

Entries are buffered and written in batches a second later, so that no request waits. If the process is
killed, the last second is lost.
"""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core import logs
from trilha.core.database import Database, Tx
from trilha.core.ids import random_ids
from trilha.core.lists import List, Walk
from trilha.core.types import Timestamp
from trilha.core.web.callers import Caller
from trilha.core.web.pagination import ListQuery, PageSize
from trilha.core.web.request import Request
from trilha.platform.retention.logs import ArchivedLog

MAX_REQUESTS = 1000
LOG = ArchivedLog(
    name="request_log",
    at="at",
    columns={
        "id": "text",
        "at": "moment",
        "token_id": "text",
        "method": "text",
        "route": "text",
        "status": "integer",
        "scim_type": "text",
        "changed": "json",
        "resource": "text",
    },
)
_REST = 1.0
_MAX_WAITING = 10_000


class LogEntry(Struct, frozen=True):
    token_id: UUID
    at: datetime
    method: str
    route: str
    status: int
    scim_type: str | None
    changed: list[str]
    resource: UUID | None


class Activity(Struct, frozen=True):
    """Totals of all requests."""

    requests: int
    failures: int
    changes: int
    last_at: Timestamp
    last_change_at: Timestamp | None


class LoggedRequest(Struct, frozen=True):
    id: UUID
    at: Timestamp
    method: str
    route: str
    status: int
    scim_type: str | None
    changed: list[str]
    resource: UUID | None


class RequestQuery(ListQuery, frozen=True, kw_only=True):
    """A page of the log."""

    limit: PageSize = 50


class RequestLog:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: dict[UUID, list[LogEntry]] = {}
        self._count = 0
        self._writing: asyncio.Task[None] | None = None
        self._one_at_a_time = asyncio.Lock()

    def note(self, request: Request, caller: Caller, status: int) -> None:
        """Logs a request, only if it has a valid token, so that nobody else can fill a tenant's log."""
        credential = caller.credential
        if credential is None or self._count >= _MAX_WAITING:
            return
        entry = LogEntry(
            token_id=credential.id,
            at=self._database.clock(),
            method=request.method if request.route else "",
            route=request.route.path if request.route else "",
            status=status,
            scim_type=request.notes.get("scim_type"),
            changed=request.notes.get("changed", []),
            resource=request.notes.get("resource"),
        )
        self._waiting.setdefault(credential.tenant_id, []).append(entry)
        self._count += 1
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_soon())

    async def _write_soon(self) -> None:
        await asyncio.sleep(_REST)
        try:
            await self.write()
        except Exception as error:
            logs.log_failure("noting requests failed", error)

    async def write(self) -> None:
        """Writes all buffered entries, and waits for a write in progress."""
        async with self._one_at_a_time:
            buffered, self._waiting, self._count = self._waiting, {}, 0
            for tenant_id, entries in buffered.items():
                async with self._database.transaction(tenant_id) as tx:
                    await keep(tx, entries[-MAX_REQUESTS:])


async def keep(tx: Tx, entries: Sequence[LogEntry]) -> None:
    await tx.execute(
        """
        INSERT INTO scim_requests (tenant_id, id, token_id, at, method, route, status, scim_type, changed,
                                   resource)
        SELECT :tenant, one.id, one.token_id, one.at, one.method, one.route, one.status, one.scim_type,
               string_to_array(one.changed, ','), one.resource
        FROM unnest(:ids::uuid[], :tokens::uuid[], :ats::timestamptz[], :methods::text[], :routes::text[],
                    :statuses::int[], :types::text[], :changes::text[], :resources::uuid[])
             AS one (id, token_id, at, method, route, status, scim_type, changed, resource)
        RETURNING tenant_id
        """,
        ids=random_ids(len(entries)),
        tokens=[entry.token_id for entry in entries],
        ats=[entry.at for entry in entries],
        methods=[entry.method for entry in entries],
        routes=[entry.route for entry in entries],
        statuses=[entry.status for entry in entries],
        types=[entry.scim_type for entry in entries],
        changes=[",".join(entry.changed) for entry in entries],
        resources=[entry.resource for entry in entries],
    )
    changes = [entry for entry in entries if entry.changed]
    await tx.execute(
        """
        INSERT INTO scim_activity AS a (tenant_id, requests, failures, changes, last_at, last_change_at)
        VALUES (:tenant, :requests, :failures, :changes, :last_at, :last_change_at)
        ON CONFLICT (tenant_id) DO UPDATE
        SET requests = a.requests + excluded.requests, failures = a.failures + excluded.failures,
            changes = a.changes + excluded.changes, last_at = GREATEST(a.last_at, excluded.last_at),
            last_change_at = GREATEST(a.last_change_at, excluded.last_change_at)
        """,
        requests=len(entries),
        failures=sum(entry.status >= 400 for entry in entries),
        changes=len(changes),
        last_at=max(entry.at for entry in entries),
        last_change_at=max((entry.at for entry in changes), default=None),
    )
    await tx.execute(
        """
        DELETE FROM scim_requests WHERE tenant_id = :tenant AND id IN (
            SELECT id FROM scim_requests WHERE tenant_id = :tenant
            ORDER BY at DESC, id DESC OFFSET :kept)
          AND NOT EXISTS (SELECT FROM tenant_settings
                          WHERE tenant_id = :tenant AND request_log_days IS NOT NULL)
        """,
        kept=MAX_REQUESTS,
    )


async def prune_old(tx: Tx, before: datetime, limit: int) -> Sequence[Any]:
    """Deletes the oldest requests before `before`."""
    return await tx.rows(
        f"""
        DELETE FROM scim_requests WHERE tenant_id = :tenant AND id IN (
            SELECT id FROM scim_requests WHERE tenant_id = :tenant AND at < :before
            ORDER BY at, id LIMIT :limit)
        RETURNING {LOG.names}
        """,  # noqa: S608
        before=before,
        limit=limit,
    )


REQUESTS = List(
    name="scim_requests",
    table="scim_requests",
    kind=LoggedRequest,
    default_walk=Walk(keys=("at",), direction="DESC"),
)


async def find_activity(tx: Tx) -> Activity | None:
    """Returns None if there was no request yet."""
    return await tx.find(
        Activity,
        """
        SELECT requests, failures, changes, last_at, last_change_at FROM scim_activity
        WHERE tenant_id = :tenant
        """,
    )
