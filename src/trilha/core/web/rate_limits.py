"""Rate limits: fixed windows that are counted in the database, or in Valkey, exact across all processes.

A window's number is the time since 1970 divided by its length, so all processes agree on it. Each window
admits its limit and no more.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, NamedTuple, Protocol

from msgspec import Struct

from trilha.core.credentials import Credential, PresentedCredential

LimitsFailure = Literal["open", "closed"]


class Limit(Struct, frozen=True):
    """A number of requests, or of other units, for each window. `Limit(1500, 900)` is 1500 in 15 minutes."""

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
        """Returns whole seconds until the end of the window, at least 1."""
        return self.seconds - int(now.timestamp()) % self.seconds


class Usage(Struct, frozen=True):
    """The usage of a limit after a request."""

    limit: int
    used: int
    reset: int

    @property
    def remaining(self) -> int:
        """The number of requests left; negative once the limit is exceeded."""
        return self.limit - self.used

    @property
    def is_exceeded(self) -> bool:
        return self.remaining < 0

    def headers(self) -> list[tuple[bytes, bytes]]:
        limit = b"%d" % self.limit
        remaining = b"%d" % max(self.remaining, 0)
        reset = b"%d" % self.reset
        shown = [
            (b"x-ratelimit-limit", limit),
            (b"x-ratelimit-remaining", remaining),
            (b"x-ratelimit-reset", reset),
            (b"ratelimit-limit", limit),
            (b"ratelimit-remaining", remaining),
            (b"ratelimit-reset", reset),
        ]
        return [*shown, (b"retry-after", reset)] if self.is_exceeded else shown


class Hit(Struct, frozen=True):
    """One count of a request in one bucket, such as `v1:203.0.113.7`.

    With a `credential`, the bucket belongs to its owner: its name is `bucket` followed by the owner's id. If
    the credential does not exist, the request counts in `otherwise`.

    With `own_limit`, an owner has a bucket only if that member of the credential's `detail` holds a number of
    requests, which replaces the limit. Other requests count in `otherwise`.

    `count` is how much the request counts, such as the KiB of its body.
    """

    bucket: str
    limit: Limit
    credential: PresentedCredential | None = None
    otherwise: str | None = None
    own_limit: str | None = None
    count: int = 1

    def bucket_of(self, known: Credential | None) -> str | None:
        """Returns the bucket after the look-up of `credential`, or None if nothing is counted."""
        if self.credential is None:
            return self.bucket
        has_bucket = known and (self.own_limit is None or self._own(known) is not None)
        return f"{self.bucket}{known.id}" if known and has_bucket else self.otherwise

    def limit_of(self, credential: Credential | None) -> Limit:
        own = credential and self._own(credential)
        return Limit(own, self.limit.seconds) if own else self.limit

    def _own(self, credential: Credential) -> int | None:
        return (credential.detail or {}).get(self.own_limit) if self.own_limit else None


class BucketHit(Struct, frozen=True):
    """A hit with its final bucket and limit."""

    bucket: str
    limit: Limit
    count: int = 1


class Window(NamedTuple):
    """A bucket in one of its windows, which are `seconds` long and numbered since 1970."""

    bucket: str
    number: int
    seconds: int


class Counters(Protocol):
    """Counts hits elsewhere than in the database."""

    async def count(self, hits: Mapping[Window, int], /) -> Mapping[str, int] | None:
        """Adds hits and returns the new totals by bucket, or None if requests are not counted now."""
        ...

    async def close(self) -> None: ...


def usages_of(counted: Sequence[BucketHit], totals: Mapping[str, int], now: datetime) -> list[Usage]:
    """Returns the usage after each hit; `totals` include all hits of the batch."""
    left: dict[str, int] = {}
    for each in counted:
        left[each.bucket] = left.get(each.bucket, 0) + each.count
    usages = []
    for each in counted:
        left[each.bucket] -= each.count
        used = totals[each.bucket] - left[each.bucket]
        usages.append(Usage(each.limit.requests, used, each.limit.reset_after(now)))
    return usages
