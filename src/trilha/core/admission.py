"""The one step every request passes: find its credential, count it against its limit.

Both are read from and written to the database for every request, so a revoked key is refused on the
very next one and a limit is exact, whichever process is asked. Requests that arrive while the
database is being asked are asked together next: under load, the cost of a request falls.
"""

import asyncio
from collections.abc import Awaitable, Sequence
from typing import Protocol

from msgspec import Struct

from trilha.core.auth import Credential
from trilha.core.clock import Clock
from trilha.core.limits import Hit, Usage, share


class Doors(Protocol):
    """What admission needs of the database."""

    def admit(
        self, fingerprints: Sequence[bytes], counts: dict[tuple[str, int, int], int]
    ) -> Awaitable[tuple[Sequence[Credential], dict[str, int]]]: ...


class Admitted(Struct, frozen=True):
    usage: Usage
    credential: Credential | None


class _Waiting(Struct, frozen=True, eq=False):
    fingerprint: bytes | None
    hits: Sequence[Hit]
    answer: "asyncio.Future[Admitted]"


class Admission:
    def __init__(self, doors: Doors, clock: Clock, batch: int = 256) -> None:
        self._doors = doors
        self._clock = clock
        self._batch = batch
        self._queue: list[_Waiting] = []
        self._running: asyncio.Task[None] | None = None

    async def admit(self, fingerprint: bytes | None, hits: Sequence[Hit]) -> Admitted:
        """Counts one request; `credential` is None where none was sent or none is known.

        Of several buckets, `usage` is that of the one with the least left.
        """
        waiting = _Waiting(fingerprint, hits, asyncio.get_running_loop().create_future())
        self._queue.append(waiting)
        if self._running is None:
            self._running = asyncio.create_task(self._drain())
        return await waiting.answer

    async def _drain(self) -> None:
        while self._queue:
            batch, self._queue = self._queue[: self._batch], self._queue[self._batch :]
            try:
                await self._answer(batch)
            except Exception as error:
                for waiting in batch:
                    if not waiting.answer.done():
                        waiting.answer.set_exception(error)
        self._running = None

    async def _answer(self, batch: list[_Waiting]) -> None:
        now = self._clock()
        fingerprints = {waiting.fingerprint for waiting in batch if waiting.fingerprint is not None}
        hits = [hit for waiting in batch for hit in waiting.hits]
        counts: dict[tuple[str, int, int], int] = {}
        for hit in hits:
            key = (hit.bucket, hit.limit.window(now), hit.limit.seconds)
            counts[key] = counts.get(key, 0) + 1
        found, totals = await self._doors.admit(sorted(fingerprints), counts)
        credentials = {credential.fingerprint: credential for credential in found}
        usages = iter(share(hits, totals, now))
        for waiting in batch:
            usage = min((next(usages) for _ in waiting.hits), key=lambda each: each.left)
            credential = credentials.get(waiting.fingerprint) if waiting.fingerprint else None
            if not waiting.answer.done():
                waiting.answer.set_result(Admitted(usage, credential))
