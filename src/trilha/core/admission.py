"""The one step every request passes: find its credential, count it against its limit.

Both are read from and written to the database for every request, so a revoked key is refused on the
very next one and a limit is exact, whichever process is asked. Requests that arrive while the
database is being asked are asked together next: under load, the cost of a request falls.
"""

from collections.abc import Awaitable, Collection, Sequence
from typing import Protocol

from msgspec import Struct

from trilha.core.auth import Credential, Shown
from trilha.core.clock import Clock
from trilha.core.limits import Hit, Usage, share
from trilha.core.together import Together


class Doors(Protocol):
    """What admission needs of the database."""

    def admit(
        self, shown: Collection[Shown], counts: dict[tuple[str, int, int], int]
    ) -> Awaitable[tuple[Sequence[Credential], dict[str, int]]]: ...


class Admitted(Struct, frozen=True):
    """`also` is what was asked about beside the caller's own credential."""

    usage: Usage
    credential: Credential | None
    also: Credential | None


class _Request(Struct, frozen=True):
    shown: Shown | None
    hits: Sequence[Hit]
    also: Shown | None


class Admission:
    def __init__(self, doors: Doors, clock: Clock, batch: int = 256) -> None:
        self._doors = doors
        self._clock = clock
        self._together = Together(self._answer, batch)

    async def admit(self, shown: Shown | None, hits: Sequence[Hit], also: Shown | None = None) -> Admitted:
        """Counts one request; `credential` is None where none was sent or none is known.

        Of several buckets, `usage` is that of the one with the least left.
        """
        return await self._together.ask(_Request(shown, hits, also))

    async def _answer(self, batch: list[_Request]) -> list[Admitted]:
        now = self._clock()
        shown = {each for asked in batch for each in (asked.shown, asked.also) if each is not None}
        hits = [hit for asked in batch for hit in asked.hits]
        counts: dict[tuple[str, int, int], int] = {}
        for hit in hits:
            key = (hit.bucket, hit.limit.window(now), hit.limit.seconds)
            counts[key] = counts.get(key, 0) + 1
        found, totals = await self._doors.admit(shown, counts)
        credentials = {(each.kind, each.key): each for each in found}
        usages = iter(share(hits, totals, now))
        return [
            Admitted(
                min((next(usages) for _ in asked.hits), key=lambda usage: usage.left),
                *(
                    credentials.get((each.kind, each.key)) if each else None
                    for each in (asked.shown, asked.also)
                ),
            )
            for asked in batch
        ]
