"""Requests as they count against limits: in which bucket, and whose."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from msgspec import Struct

from trilha.core.credentials import Credential, PresentedCredential
from trilha.core.web.limits import Limit, Usage


class Hit(Struct, frozen=True):
    """One request that counts in one bucket, such as `v1:203.0.113.7`.

    With a `credential` the bucket is its owner's: `bucket` is the beginning of its name, the owner's id the
    rest. Only a credential that is found says who owns it; for any other the request counts `otherwise`.
    """

    bucket: str
    limit: Limit
    credential: PresentedCredential | None = None
    otherwise: str | None = None
    # A limit that the credential's owner has of his own, in a window of the same length.
    own_limit: Callable[[Credential], Limit | None] | None = None

    def bucket_of(self, found: Credential | None) -> str | None:
        """Where it counts, None for nowhere, once it is known what `credential` was."""
        if self.credential is None:
            return self.bucket
        return f"{self.bucket}{found.id}" if found else self.otherwise

    def limit_of(self, found: Credential | None) -> Limit:
        return (found and self.own_limit and self.own_limit(found)) or self.limit


class Counted(Struct, frozen=True):
    """A hit that is being counted: its bucket and limit are settled."""

    bucket: str
    limit: Limit


def usages_of(counted: Sequence[Counted], totals: Mapping[str, int], now: datetime) -> list[Usage]:
    """Each hit's own place in its bucket, where `totals` counts all of them at once."""
    left: dict[str, int] = {}
    for each in counted:
        left[each.bucket] = left.get(each.bucket, 0) + 1
    usages = []
    for each in counted:
        left[each.bucket] -= 1
        used = totals[each.bucket] - left[each.bucket]
        usages.append(Usage(each.limit.requests, used, each.limit.reset_after(now)))
    return usages
