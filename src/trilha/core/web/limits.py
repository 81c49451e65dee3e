"""Request limits: fixed windows, counted in the database, exact for all processes together.

A window is numbered by dividing the time since 1970 by its length, so every process names the same
one; each number admits its whole limit and no more, also at the edge between two.
"""

from datetime import datetime

from msgspec import Struct


class Limit(Struct, frozen=True):
    """So many requests a window. `Limit(1500, 900)` is 1500 in 15 minutes."""

    requests: int
    seconds: int

    def __str__(self) -> str:
        for unit, name in ((86_400, "d"), (3600, "h"), (60, "m")):
            if self.seconds % unit == 0:
                return f"{self.requests}/{self.seconds // unit}{name}"
        return f"{self.requests}/{self.seconds}s"

    def window(self, now: datetime) -> int:
        return int(now.timestamp()) // self.seconds

    def reset_after(self, now: datetime) -> int:
        """Whole seconds until the window's end, at least 1."""
        return self.seconds - int(now.timestamp()) % self.seconds


class Usage(Struct, frozen=True):
    """How a request stands against its limit."""

    limit: int
    used: int
    reset: int

    @property
    def left(self) -> int:
        """Negative once the limit is exceeded."""
        return self.limit - self.used

    @property
    def exceeded(self) -> bool:
        return self.left < 0

    def headers(self) -> list[tuple[bytes, bytes]]:
        limit = b"%d" % self.limit
        remaining = b"%d" % max(self.left, 0)
        reset = b"%d" % self.reset
        shown = [
            (b"x-ratelimit-limit", limit),
            (b"x-ratelimit-remaining", remaining),
            (b"x-ratelimit-reset", reset),
            (b"ratelimit-limit", limit),
            (b"ratelimit-remaining", remaining),
            (b"ratelimit-reset", reset),
        ]
        return [*shown, (b"retry-after", reset)] if self.exceeded else shown
