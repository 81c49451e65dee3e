"""The limit of requests that applies to a tenant without a limit of its own."""

from msgspec import Struct

from trilha.core.web.rate_limits import Limit


class ServerLimit(Struct, frozen=True):
    """The setting `TRILHA_LIMIT_SCIM`, which the panel shows beside the tenant's own limit."""

    limit: Limit
