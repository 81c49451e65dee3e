"""How many requests a process has in flight: in all, and for one client's address.

Requests that wait (for their body, for a place in the database, for a client that does not read) are what
fills a server. One too many is refused at once, which costs nothing but the answer.
"""

from typing import Literal

# An address may hold this part of the places that are left. Twenty that take all they can leave a tenth.
_SHARE = 8

Refused = Literal["address", "server"]


class Places:
    """The places of one process."""

    def __init__(self, total: int, per_address: int) -> None:
        self._total = total
        self._per_address = per_address
        self._taken = 0
        self._held: dict[str, int] = {}

    def take(self, address: str | None) -> Refused | None:
        """A place for a request, or why there is none. `address` is None for one that is bounded by the
        total alone, as a proxy is that speaks for many.
        """
        free = self._total - self._taken
        if free <= 0:
            return "server"
        if address is not None:
            held = self._held.get(address, 0)
            # The fewer places are left, the fewer one address may have: a new one finds a place still.
            if held >= self._per_address or held * _SHARE >= free:
                return "address"
            self._held[address] = held + 1
        self._taken += 1
        return None

    def leave(self, address: str | None) -> None:
        """Gives back what `take` gave."""
        self._taken -= 1
        if address is not None:
            left = self._held[address] - 1
            if left:
                self._held[address] = left
            else:
                del self._held[address]


class Capacity:
    """The places of a process, and apart from them a few for the requests that ask how it is."""

    def __init__(self, total: int = 4096, per_address: int = 512) -> None:
        self.usual = Places(total, per_address)
        self.health = Places(max(total // 8, 128), max(per_address // 8, 4))
