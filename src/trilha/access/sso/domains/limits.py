"""The rate limits of domain discovery: per address, and per domain and address."""

from collections.abc import Sequence
from urllib.parse import parse_qs

from msgspec import Struct

from trilha.access.sso.domains.rules import normalize_or_empty
from trilha.core.secrets import Keyring
from trilha.core.web.callers import Limits, RequestCredentials
from trilha.core.web.rate_limits import Hit, Limit
from trilha.core.web.request import Request

DISCOVER = "discover"  # the rate_limit of the route


class DiscoverLimits(Struct, frozen=True):
    """Limits of discovery; `others` counts all other requests."""

    keyring: Keyring
    by_address: Limit
    by_domain: Limit
    others: Limits

    def __call__(self, request: Request, presented: RequestCredentials) -> Sequence[Hit]:
        if request.route is None or request.route.rate_limit != DISCOVER:
            return self.others(request, presented)
        bucket = f"discover:{request.counted_as}"
        # All spellings of a domain count together, and so does everything that is no domain.
        domain = normalize_or_empty(parse_qs(request.query).get("domain", [""])[0])
        of_domain = self.keyring.mac(b"discover", domain.encode()).hex()[:32]
        return [Hit(bucket, self.by_address), Hit(f"{bucket}:{of_domain}", self.by_domain)]
