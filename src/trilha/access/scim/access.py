"""The access rule of /scim/v2."""

from collections.abc import Sequence
from typing import ClassVar

from trilha.core.web.callers import IdentifiedCaller


class ByToken(IdentifiedCaller, frozen=True):
    """Requires a SCIM token of the tenant."""

    refusals: ClassVar[Sequence[str]] = (
        "credential_missing",
        "credential_invalid",
        "credential_expired",
        "credential_revoked",
        "ip_not_allowed",
    )


BY_TOKEN = ByToken()
