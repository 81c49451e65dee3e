"""Limits concurrent work, with tenants taking turns."""

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from uuid import UUID

_Turn = asyncio.Future[None]
_RECENT, _LONGEST_REST = 1.0, 0.5  # seconds


class Askers:
    """The tenants that asked within the last second."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        # the tenant that asked last comes last
        self._asked_at: OrderedDict[UUID | None, float] = OrderedDict()

    def note(self, tenant_id: UUID | None) -> None:
        now = self._clock()
        self._asked_at[tenant_id] = now
        self._asked_at.move_to_end(tenant_id)
        while next(iter(self._asked_at.values())) < now - _RECENT:
            self._asked_at.popitem(last=False)

    @property
    def several(self) -> bool:
        return len(self._asked_at) > 1


class _Line:
    """The waiting turns of one tenant. Urgent ones come first."""

    def __init__(self) -> None:
        self._urgent = deque[_Turn]()
        self._usual = deque[_Turn]()

    def __len__(self) -> int:
        return len(self._urgent) + len(self._usual)

    def append(self, turn: _Turn, *, urgent: bool) -> None:
        (self._urgent if urgent else self._usual).append(turn)

    def popleft(self) -> _Turn:
        return (self._urgent or self._usual).popleft()


class Turns:
    """At most `places` are taken, `per_tenant` by one tenant, and `beside` by one tenant while several of
    `askers` are active.

    With `rests`, a tenant that frees a place while others are active cannot use it again for as long as it
    had it. Work that occupies the processor then takes at most half of one tenant's time. Work of no
    tenant counts as one more tenant.
    """

    def __init__(
        self,
        places: int,
        per_tenant: int,
        beside: int | None = None,
        askers: Askers | None = None,
        *,
        rests: bool = False,
    ) -> None:
        self._free = places
        self._per_tenant = per_tenant
        self._beside = per_tenant if beside is None else beside
        self._askers = askers or Askers()
        self._rests = rests
        self._taken: dict[UUID | None, int] = {}
        self._waiting: dict[UUID | None, _Line] = {}  # the tenant whose turn is next comes first

    def count_places(self, tenant_id: UUID | None) -> int:
        """Counts the places that this tenant has or waits for."""
        return self._taken.get(tenant_id, 0) + len(self._waiting.get(tenant_id, ()))

    @asynccontextmanager
    async def turn(self, tenant_id: UUID | None) -> AsyncIterator[None]:
        """Waits for a place, which the caller has until the block ends."""
        await self.take(tenant_id)
        began = time.monotonic()
        try:
            yield
        finally:
            self._leave_and_rest(tenant_id, time.monotonic() - began)

    async def take(self, tenant_id: UUID | None, *, urgent: bool = False) -> None:
        """Waits for a place, which the caller must leave. `urgent` callers go first."""
        self._askers.note(tenant_id)
        if self._free and not self._waiting and self._may_take(tenant_id):
            self._free -= 1
            self._taken[tenant_id] = self._taken.get(tenant_id, 0) + 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(tenant_id, _Line()).append(turn, urgent=urgent)
        self._begin()
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self.leave(tenant_id)  # the place was granted at the same moment
            raise

    def _may_take(self, tenant_id: UUID | None) -> bool:
        limit = self._beside if self._askers.several else self._per_tenant
        return self._taken.get(tenant_id, 0) < limit

    def _begin(self) -> None:
        """Grants the free places."""
        for tenant_id in list(self._waiting):
            if not self._free:
                return
            if self._may_take(tenant_id):
                self._let_in(tenant_id)

    def _let_in(self, tenant_id: UUID | None) -> None:
        """Grants a place to the tenant's first turn that still waits."""
        waiting = self._waiting.pop(tenant_id)
        while waiting and (turn := waiting.popleft()):
            if not turn.cancelled():
                self._free -= 1
                self._taken[tenant_id] = self._taken.get(tenant_id, 0) + 1
                turn.set_result(None)
                break
        if waiting:
            self._waiting[tenant_id] = waiting  # behind the others

    def _leave_and_rest(self, tenant_id: UUID | None, seconds: float) -> None:
        if not (self._rests and self._askers.several):
            self.leave(tenant_id)
            return
        self._free += 1
        rest = min(seconds, _LONGEST_REST)
        asyncio.get_running_loop().call_later(rest, self._end_rest, tenant_id)
        if self._waiting:
            self._begin()

    def leave(self, tenant_id: UUID | None) -> None:
        self._free += 1
        self._end_rest(tenant_id)

    def _end_rest(self, tenant_id: UUID | None) -> None:
        self._taken[tenant_id] -= 1
        if not self._taken[tenant_id]:
            del self._taken[tenant_id]
        if self._waiting:
            self._begin()
