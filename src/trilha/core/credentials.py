"""Credentials: who calls, for which tenant, with which scopes."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.errors import Forbidden, Unauthenticated
from trilha.core.net import Address, parse_networks, within
from trilha.core.types import Timestamp


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


class CredentialKind(StrEnum):
    """What a secret is good for. One kind never passes for another."""

    API_KEY = "api_key"
    ACCESS_TOKEN = "access_token"  # noqa: S105
    CLIENT_SECRET = "client_secret"  # noqa: S105
    SESSION = "session"
    LAUNCH = "launch"
    SCIM_TOKEN = "scim_token"  # noqa: S105


class PresentedCredential(Struct, frozen=True):
    """A secret that a caller presents, as it is looked up. Nothing about it is proven yet."""

    kind: CredentialKind
    key: bytes  # a fingerprint; of an access token its jti
    tenant_id: UUID | None = None  # where the secret itself tells it


class Actor(Struct, frozen=True):
    """Who does something, and from where, as the audit record keeps it."""

    kind: str
    name: str
    source: str


# Trilha itself, of its own accord.
SYSTEM = Actor("system", "trilha", "")


class Credential(Struct, frozen=True):
    """A stored credential, as a look-up finds it. Times are wire text, `networks` is CIDR text or empty.

    `id` is the API key's, the OAuth client's or the person's: access tokens and sessions come and go.
    """

    kind: str
    key: bytes
    id: UUID
    tenant_id: UUID
    tenant_active: bool
    scopes: list[str]
    networks: str
    expires_at: str | None
    secret_expires_at: str | None
    revoked_at: str | None
    use_is_due: bool = False  # its last use was noted more than a minute ago
    detail: Any = None  # what else its surface wants to know of it

    def rejection_reason(self, now: datetime) -> str | None:
        """Why it opens nothing now; None while it is live."""
        if self.revoked_at or not self.tenant_active:
            return "credential_revoked"
        ends = [end for end in (self.expires_at, self.secret_expires_at) if end]
        # All are UTC and of one form up to the milliseconds, so they compare as text.
        if ends and min(ends)[:23] <= now.isoformat(timespec="milliseconds")[:23]:
            return "credential_expired"
        return None

    def check(self, address: Address | None, now: datetime) -> None:
        """Raises Unauthenticated or Forbidden when it may not be used now, or from there.

        An `address` that could not be read is in no network.
        """
        if reason := self.rejection_reason(now):
            raise Unauthenticated(reason)
        if self.networks and not (address and within(address, _networks(self.networks))):
            raise Forbidden("ip_not_allowed")

    def require(self, scope: Scope) -> None:
        if scope not in self.scopes:
            raise Forbidden("insufficient_scope", required_scope=scope)


class CredentialLookup(Struct, frozen=True):
    """How one kind of credential is found before its tenant is known.

    `statement` selects the members of Credential for what was presented, under the second role; `parameters`
    are what it takes. `note_use` writes down that those with these `:ids`, `:keys` and `:tenants` were used.
    """

    kind: CredentialKind
    statement: str
    parameters: Callable[[Sequence[PresentedCredential]], dict[str, Any]]
    note_use: str


class CredentialRefused(ValueError):
    """What was asked of a credential cannot be done. The message is one sentence."""


LONGEST_GRACE = timedelta(days=7)


def check_scopes(scopes: list[str]) -> None:
    """Raises CredentialRefused unless there are some, and all are known."""
    if unknown := [scope for scope in scopes if scope not in SCOPES]:
        raise CredentialRefused(f"There is no scope {unknown[0]}.")
    if not scopes:
        raise CredentialRefused("A credential needs at least one scope.")


def check_networks(networks: str) -> str:
    """In their one form. Raises CredentialRefused."""
    try:
        return ",".join(map(str, parse_networks(networks)))
    except ValueError as error:
        raise CredentialRefused(f"That is not a network: {error}.") from None


def check_grace(grace: timedelta) -> None:
    """How long a replaced secret may go on working. Raises CredentialRefused."""
    if not timedelta() <= grace <= LONGEST_GRACE:
        raise CredentialRefused("The grace is 0 to 7 days.")


_networks = lru_cache(1024)(parse_networks)


# How many secrets of one owner work at a time: the current one and those it replaced.
MAX_LIVE_SECRETS = 5
DEFAULT_GRACE = timedelta(days=1)


class LiveSecret(Struct, frozen=True):
    """A secret that works now. `number` counts its owner's secrets; the current one has no end."""

    number: int
    expires_at: str | None


def ends_on_rotation(
    live: Sequence[LiveSecret], now: Timestamp, grace_ends: Timestamp
) -> dict[int, Timestamp]:
    """What a new secret changes: the secrets that get another end, by number.

    The current one works until `grace_ends`, which is `now` where there is no grace. Earlier ones keep their
    ends, but for the oldest, which end now where more than MAX_LIVE_SECRETS would work beside the new one.
    """
    newest_first = sorted(live, key=lambda secret: secret.number, reverse=True)
    ends = {secret.number: grace_ends for secret in newest_first if secret.expires_at is None}
    working = [secret for secret in newest_first if ends.get(secret.number) != now]
    return ends | {secret.number: now for secret in working[MAX_LIVE_SECRETS - 1 :]}
