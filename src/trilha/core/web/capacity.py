"""Limits the requests in progress in a process, in total and for each client address.

Requests that wait (for their body, for the database, for a slow client) are what fills a server. Requests
above the limit are refused at once, which costs almost nothing.
"""

from typing import Literal

# An address may hold this fraction of the free places. Twenty that take all they can leave a tenth.
_SHARE = 8

RefusalReason = Literal["address", "server"]


class Places:
    """The places of one process."""

    def __init__(self, total: int, per_address: int) -> None:
        self._total = total
        self._per_address = per_address
        self._taken = 0
        self._held: dict[str, int] = {}

    def take(self, address: str | None) -> RefusalReason | None:
        """Takes a place, or returns why there is none. `address` is None for a client that is limited only
        by the total, such as a proxy for many people.
        """
        free = self._total - self._taken
        if free <= 0:
            return "server"
        if address is not None:
            held = self._held.get(address, 0)
            # With fewer free places, each address may have fewer, so a new address still finds one.
            if held >= self._per_address or held * _SHARE >= free:
                return "address"
            self._held[address] = held + 1
        self._taken += 1
        return None

    def leave(self, address: str | None) -> None:
        """Returns a place that `take` took."""
        self._taken -= 1
        if address is not None:
            left = self._held[address] - 1
            if left:
                self._held[address] = left
            else:
                del self._held[address]


class Capacity:
    """The places of a process, and a few separate ones for health checks."""

    def __init__(self, total: int = 4096, per_address: int = 512) -> None:
        self.usual = Places(total, per_address)
        self.health = Places(max(total // 8, 128), max(per_address // 8, 4))
