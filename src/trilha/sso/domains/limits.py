"""What looking a domain up counts against: the address, and the domain at that address."""

from collections.abc import Sequence
from urllib.parse import parse_qs

from msgspec import Struct

from trilha.core.secrets import Keyring
from trilha.core.web.callers import Limits, Presented
from trilha.core.web.rate_limits import Hit, Limit
from trilha.core.web.request import Request
from trilha.sso.domains.rules import looked_up

DISCOVER = "discover"  # the rate_limit of the route


class DiscoverLimits(Struct, frozen=True):
    """`others` is what requests for anything else count against."""

    keyring: Keyring
    by_address: Limit
    by_domain: Limit
    others: Limits

    def __call__(self, request: Request, presented: Presented) -> Sequence[Hit]:
        if request.route is None or request.route.rate_limit != DISCOVER:
            return self.others(request, presented)
        bucket = f"discover:{request.counted_as}"
        # However it is spelled, it is one domain. What names none is all counted together.
        domain = looked_up(parse_qs(request.query).get("domain", [""])[0])
        of_domain = self.keyring.mac(b"discover", domain.encode()).hex()[:32]
        return [Hit(bucket, self.by_address), Hit(f"{bucket}:{of_domain}", self.by_domain)]
