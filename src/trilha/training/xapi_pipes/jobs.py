"""The worker's job that forwards statements."""

import asyncio
import random
import time
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from msgspec import Struct, structs

from trilha.core import logs, metrics
from trilha.core.database import CONNECTION_ERRORS, Database, Tx
from trilha.core.jobs import SideBySide, each_tenant_once
from trilha.platform.events.catalogue import XapiPipePaused
from trilha.platform.events.outbox import emit
from trilha.training.xapi import queries as xapi
from trilha.training.xapi.schema import Attachment
from trilha.training.xapi_pipes import actions, queries, rules
from trilha.training.xapi_pipes.schema import Candidate, ClaimedPipe, Delivery, SendResult
from trilha.training.xapi_pipes.sender import SECONDS, Sender, Statement

# Companies that are served at the same time, and how long one of them occupies its place.
_TENANTS = 8
_TURN_SECONDS = 20.0
# A batch is sent one by one at worst, which is given up after this time.
_ONE_BY_ONE_SECONDS = 60.0
_LEASE = timedelta(seconds=_ONE_BY_ONE_SECONDS + 3 * SECONDS)
_MAX_ATTACHMENT_BYTES = 16 * 1024 * 1024


class _Batch(Struct, frozen=True):
    """What is sent next. `position` is that of the pipe after it, `is_last` whether nothing comes later."""

    pipe: ClaimedPipe
    password: str
    statements: Sequence[Statement]
    position: int
    is_last: bool


class ForwardStatements:
    """Forwards the statements of each pipe in the order of `stored`, in batches, outside any transaction."""

    name = "forward statements"
    rest = 1.0
    is_logged = True
    _due = each_tenant_once(
        "xapi_pipes",
        """active AND next_attempt_at <= :now AND position < (
            SELECT c.last_stored FROM xapi_clocks c WHERE c.tenant_id = xapi_pipes.tenant_id)""",
    )

    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        self._turns = SideBySide(_TENANTS, self.run_next, name=self.name)

    async def due_tenants(self, database: Database, start: UUID | None = None) -> list[UUID]:
        return [row["tenant_id"] for row in await database.search(self._due, start)]

    async def run_once(self, database: Database) -> int:
        return await self._turns.run_once(database, await self.due_tenants(database), self.rest)

    async def close(self) -> None:
        """Interrupts what is being sent: it is sent again, under the same ids."""
        await self._turns.cancel()

    async def run_next(self, database: Database, tenant_id: UUID) -> int:
        """Forwards for a while with all pipes of a tenant that are due. Returns how many statements."""
        async with database.transaction(tenant_id) as tx:
            claimed = await queries.claim(tx, _LEASE)
        return sum(await asyncio.gather(*(self._run(database, tenant_id, each) for each in claimed)))

    async def _run(self, database: Database, tenant_id: UUID, pipe_id: UUID) -> int:
        done, ends = 0, time.monotonic() + _TURN_SECONDS
        try:
            while True:
                async with database.transaction(tenant_id) as tx:
                    batch = await _load_batch(tx, pipe_id)
                if batch is None:
                    return done
                delivery = await self._deliver(batch)
                done += delivery.forwarded
                goes_on = not batch.is_last and time.monotonic() < ends
                async with database.transaction(tenant_id) as tx:
                    if not await _record(tx, batch.pipe, delivery, goes_on=goes_on) or not goes_on:
                        return done
        except CONNECTION_ERRORS:
            raise
        except Exception as error:
            # One pipe must not keep the others waiting. It is tried again once its lease is over.
            logs.log_failure("forward statements failed", error)
            return done

    async def _deliver(self, batch: _Batch) -> Delivery:
        """Sends a batch; if the receiver refuses it, one statement after the other."""
        if not batch.statements:
            return Delivery(position=batch.position)
        result = await self._sender.post(batch.pipe, batch.password, batch.statements)
        if result.is_success:
            return Delivery(
                position=batch.position, forwarded=len(batch.statements), http_status=result.http_status
            )
        if not result.refuses:
            return Delivery(position=batch.pipe.position, failed=result)
        return await self._deliver_one_by_one(batch, result)

    async def _deliver_one_by_one(self, batch: _Batch, result: SendResult) -> Delivery:
        """A statement that is refused is left out, if the receiver takes another one of the batch: otherwise
        the request may be what it does not understand, and nothing is left out.
        """
        position, forwarded, known = batch.pipe.position, 0, 0
        refused: list[UUID] = []
        failed: SendResult | None = None
        ends = time.monotonic() + _ONE_BY_ONE_SECONDS
        for each in batch.statements:
            if time.monotonic() > ends:
                break
            result = await self._sender.put(batch.pipe, batch.password, each)
            if result.is_success:
                forwarded += 1
            elif result.refuses:
                refused.append(each.id)
                known += result.http_status == 409  # it has another statement with this id
            else:
                failed = result
                break
            position = each.stored
        else:
            position = batch.position
        if not (forwarded or known):
            return Delivery(position=batch.pipe.position, failed=failed or result)
        return Delivery(
            position=position,
            forwarded=forwarded,
            refused=refused,
            http_status=result.http_status,
            failed=failed,
        )


async def _load_batch(tx: Tx, pipe_id: UUID) -> _Batch | None:
    """Returns None if the pipe is off or gone, or if nothing is to be sent."""
    pipe = await queries.renew(tx, pipe_id, _LEASE)
    if pipe is None:
        return None
    clock = await queries.find_clock(tx)
    if pipe.position >= clock:
        await queries.release(tx, [pipe_id])
        return None
    limit = rules.choose_batch_size(pipe.failures)
    candidates = await queries.list_next(tx, pipe.position, limit)
    matching = [each for each in candidates if rules.matches(each, pipe.verbs, pipe.activity_prefix)]
    chosen, cut = await _cut(tx, matching)
    if cut is not None:  # only up to the statement before the first that is too large to be sent along
        position = max((each.stored for each in candidates if each.stored < cut), default=pipe.position)
        is_last = False
    elif len(candidates) < limit and (not candidates or candidates[-1].stored >= clock):
        position, is_last = max(clock, candidates[-1].stored if candidates else clock), True
    elif candidates:
        position, is_last = candidates[-1].stored, False
    else:
        position, is_last = clock, True
    sums = {one for each in chosen for one in each.attachments or ()}
    attachments = {one.sha2: one for one in await xapi.list_attachments(tx, sums)} if sums else {}
    statements = [_write(each, pipe, attachments) for each in chosen]
    return _Batch(pipe, actions.open_password(tx, pipe), statements, position, is_last)


async def _cut(tx: Tx, chosen: Sequence[Candidate]) -> tuple[Sequence[Candidate], int | None]:
    """Returns as many statements as their attachments fit into a request, and `stored` of the next one."""
    sums = {one for each in chosen for one in each.attachments or ()}
    if not sums:
        return chosen, None
    sizes, total = await xapi.list_attachment_sizes(tx, sums), 0
    for number, each in enumerate(chosen):
        total += sum(sizes.get(one, 0) for one in each.attachments or ())
        if total > _MAX_ATTACHMENT_BYTES and number:
            return chosen[:number], each.stored
    return chosen, None


def _write(candidate: Candidate, pipe: ClaimedPipe, attachments: Mapping[str, Attachment]) -> Statement:
    own = [attachments[each] for each in candidate.attachments or () if each in attachments]
    content = rules.rewrite(candidate.content.encode(), pipe.version, {each.sha2 for each in own})
    return Statement(candidate.id, candidate.stored, content, own)


async def _record(tx: Tx, pipe: ClaimedPipe, delivery: Delivery, *, goes_on: bool) -> bool:
    """Stores what became of a batch. Returns whether the pipe may go on."""
    moved = pipe
    if delivery.position > pipe.position:
        next_at = tx.now + _LEASE if goes_on else tx.now
        if not await queries.advance(tx, pipe, delivery, next_at):
            return False
        moved = structs.replace(pipe, position=delivery.position)
        if delivery.forwarded or delivery.refused:
            moved = structs.replace(moved, failures=0, failing_since=None)
            metrics.count_sent("xapi", "sent")
    if delivery.failed is None:
        return True
    await _note_failure(tx, moved, delivery.failed)
    return False


async def _note_failure(tx: Tx, pipe: ClaimedPipe, failed: SendResult) -> None:
    since = datetime.fromisoformat(pipe.failing_since) if pipe.failing_since else tx.now
    failures = pipe.failures + 1
    retry = rules.decide_retry(failures, since, tx.now, random.random(), failed.retry_after)  # noqa: S311
    metrics.count_sent("xapi", "failed")
    logs.trouble(
        "statements not forwarded",
        tenant=tx.tenant_id,
        pipe=pipe.id,
        http_status=failed.http_status,
        error=failed.error,
        next_attempt_at=None if retry.pauses else retry.at,
    )
    if await queries.note_failure(tx, pipe, failed, retry.at, pauses=retry.pauses) and retry.pauses:
        await emit(
            tx,
            XapiPipePaused(
                pipe_id=pipe.id, name=pipe.name, failures=failures, http_status=failed.http_status
            ),
        )
