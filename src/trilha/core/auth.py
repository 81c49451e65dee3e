"""Credentials: who calls, for which tenant, with which scopes."""

from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from uuid import UUID

from msgspec import Struct

from trilha.core.errors import Forbidden, Unauthenticated
from trilha.core.net import Address, parse_networks, within


class Scope(StrEnum):
    """What a credential may do. The descriptions are shown in the API reference."""

    USERS_READ = "users:read"
    USERS_WRITE = "users:write"
    COURSES_READ = "courses:read"
    COURSES_WRITE = "courses:write"
    ENROLLMENTS_READ = "enrollments:read"
    ENROLLMENTS_WRITE = "enrollments:write"
    ENROLLMENTS_BULK = "enrollments:bulk"
    CERTIFICATES_READ = "certificates:read"
    ANALYTICS_READ = "analytics:read"
    WEBHOOKS_READ = "webhooks:read"
    WEBHOOKS_WRITE = "webhooks:write"


SCOPES: dict[str, str] = {
    Scope.USERS_READ: "List and read users.",
    Scope.USERS_WRITE: "Create, update, suspend and reactivate users.",
    Scope.COURSES_READ: "List and read courses and their modules.",
    Scope.COURSES_WRITE: "Opens nothing yet.",
    Scope.ENROLLMENTS_READ: "List and read enrollments, progress and answers.",
    Scope.ENROLLMENTS_WRITE: "Create single enrollments.",
    Scope.ENROLLMENTS_BULK: "Create up to 1000 enrollments in one call.",
    Scope.CERTIFICATES_READ: "List and read certificates.",
    Scope.ANALYTICS_READ: "Read reports, statistics and exports.",
    Scope.WEBHOOKS_READ: "List webhook endpoints, deliveries and events.",
    Scope.WEBHOOKS_WRITE: "Create, change, remove and test webhook endpoints.",
}


class Credential(Struct, frozen=True):
    """A stored credential as the door finds it. Times are wire text, `networks` is CIDR text or empty."""

    fingerprint: bytes
    id: UUID
    tenant_id: UUID
    tenant_active: bool
    scopes: list[str]
    networks: str
    expires_at: str | None
    secret_expires_at: str | None
    revoked_at: str | None
    unseen: bool  # not noted as used within the last minute

    def refuse(self, address: Address, now: datetime) -> None:
        """Raises Unauthenticated or Forbidden when it may not be used now, or from there."""
        moment = now.isoformat(timespec="milliseconds")
        if self.revoked_at or not self.tenant_active:
            raise Unauthenticated("credential_revoked")
        for end in (self.expires_at, self.secret_expires_at):
            # Both are UTC and of one form up to the milliseconds, so they compare as text.
            if end and end[:23] <= moment[:23]:
                raise Unauthenticated("credential_expired")
        if self.networks and not within(address, _networks(self.networks)):
            raise Forbidden("ip_not_allowed")

    def require(self, scope: Scope) -> None:
        if scope not in self.scopes:
            raise Forbidden("insufficient_scope", required_scope=scope)


_networks = lru_cache(1024)(parse_networks)


def bearer_token(authorization: list[bytes]) -> str | None:
    """The token of the one Authorization header. Raises Unauthenticated for two, or another scheme."""
    if not authorization:
        return None
    scheme, _, token = authorization[0].decode("latin-1").partition(" ")
    token = token.strip()
    if len(authorization) > 1 or scheme.lower() != "bearer" or not token:
        raise Unauthenticated("credential_invalid")
    return token
