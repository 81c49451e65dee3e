"""Work that is done a few at a time: tenants take turns at it, however much one of them asks."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

_Waiting = deque[asyncio.Future[None]]


class Turns:
    """At most `places` are taken, `per_tenant` by one. What belongs to no tenant counts as one of its own."""

    def __init__(self, places: int, per_tenant: int) -> None:
        self._free = places
        self._per_tenant = per_tenant
        self._taken: dict[UUID | None, int] = {}
        self._waiting: dict[UUID | None, _Waiting] = {}  # the tenant whose turn is next comes first

    def asked(self, tenant_id: UUID | None) -> int:
        """How many places this tenant has or waits for."""
        return self._taken.get(tenant_id, 0) + len(self._waiting.get(tenant_id, ()))

    @asynccontextmanager
    async def turn(self, tenant_id: UUID | None) -> AsyncIterator[None]:
        """Waits for a place, which is the caller's until the block ends."""
        await self.take(tenant_id)
        try:
            yield
        finally:
            self.leave(tenant_id)

    async def take(self, tenant_id: UUID | None) -> None:
        """Waits for a place, which the caller has to leave."""
        if self._free and not self._waiting and self._taken.get(tenant_id, 0) < self._per_tenant:
            self._free -= 1
            self._taken[tenant_id] = self._taken.get(tenant_id, 0) + 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(tenant_id, deque()).append(turn)
        self._begin()
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self.leave(tenant_id)  # it came at the same moment
            raise

    def _begin(self) -> None:
        """Lets in whoever may."""
        for tenant_id in list(self._waiting):
            if not self._free:
                return
            if self._taken.get(tenant_id, 0) < self._per_tenant:
                self._let_in(tenant_id)

    def _let_in(self, tenant_id: UUID | None) -> None:
        """The first that still waits."""
        waiting = self._waiting.pop(tenant_id)
        while waiting and (turn := waiting.popleft()):
            if not turn.cancelled():
                self._free -= 1
                self._taken[tenant_id] = self._taken.get(tenant_id, 0) + 1
                turn.set_result(None)
                break
        if waiting:
            self._waiting[tenant_id] = waiting  # behind the others

    def leave(self, tenant_id: UUID | None) -> None:
        self._free += 1
        self._taken[tenant_id] -= 1
        if not self._taken[tenant_id]:
            del self._taken[tenant_id]
        if self._waiting:
            self._begin()
