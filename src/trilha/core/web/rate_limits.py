"""Request limits: fixed windows, counted in the database, exact for all processes together.

A window is numbered by dividing the time since 1970 by its length, so every process names the same
one; each number admits its whole limit and no more, also at the edge between two.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec import Struct

from trilha.core.credentials import Credential, PresentedCredential


class Limit(Struct, frozen=True):
    """So many requests a window, or so many units of what else is counted. `Limit(1500, 900)` is 1500 in 15
    minutes."""

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


class Hit(Struct, frozen=True):
    """One request that counts in one bucket, such as `v1:203.0.113.7`.

    With a `credential` the bucket is its owner's: `bucket` is the beginning of its name, the owner's id the
    rest. Only a credential that is found says who owns it; for any other the request counts `otherwise`.

    With `own_limit` an owner has a bucket only where the member of that name, in the credential's `detail`,
    says how many requests a window admits instead; any other's request counts `otherwise`.

    `count` is how much the request counts, such as the KiB of its body.
    """

    bucket: str
    limit: Limit
    credential: PresentedCredential | None = None
    otherwise: str | None = None
    own_limit: str | None = None
    count: int = 1

    def bucket_of(self, found: Credential | None) -> str | None:
        """Where it counts, None for nowhere, once it is known what `credential` was."""
        if self.credential is None:
            return self.bucket
        has_bucket = found and (self.own_limit is None or self._own(found) is not None)
        return f"{self.bucket}{found.id}" if found and has_bucket else self.otherwise

    def limit_of(self, found: Credential | None) -> Limit:
        own = found and self._own(found)
        return Limit(own, self.limit.seconds) if own else self.limit

    def _own(self, found: Credential) -> int | None:
        return (found.detail or {}).get(self.own_limit) if self.own_limit else None


class Counted(Struct, frozen=True):
    """A hit that is being counted: its bucket and limit are settled."""

    bucket: str
    limit: Limit
    count: int = 1


def usages_of(counted: Sequence[Counted], totals: Mapping[str, int], now: datetime) -> list[Usage]:
    """Each hit's own place in its bucket, where `totals` counts all of them at once."""
    left: dict[str, int] = {}
    for each in counted:
        left[each.bucket] = left.get(each.bucket, 0) + each.count
    usages = []
    for each in counted:
        left[each.bucket] -= each.count
        used = totals[each.bucket] - left[each.bucket]
        usages.append(Usage(each.limit.requests, used, each.limit.reset_after(now)))
    return usages
