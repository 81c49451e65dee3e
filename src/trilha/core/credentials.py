"""Credentials: the caller, the tenant and the scopes."""

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
    """The permissions of a credential. The descriptions appear in the API reference."""

    USERS_READ = "users:read"
    USERS_WRITE = "users:write"
    COURSES_READ = "courses:read"
    COURSES_WRITE = "courses:write"
    ENROLLMENTS_READ = "enrollments:read"
    ENROLLMENTS_WRITE = "enrollments:write"
    ENROLLMENTS_BULK = "enrollments:bulk"
    CLASSES_READ = "classes:read"
    CLASSES_WRITE = "classes:write"
    PRACTICE_READ = "practice:read"
    PRACTICE_WRITE = "practice:write"
    CERTIFICATES_READ = "certificates:read"
    REQUIREMENTS_READ = "requirements:read"
    REQUIREMENTS_WRITE = "requirements:write"
    ANALYTICS_READ = "analytics:read"
    WEBHOOKS_READ = "webhooks:read"
    WEBHOOKS_WRITE = "webhooks:write"
    XAPI_READ = "xapi:read"
    XAPI_WRITE = "xapi:write"


SCOPES: dict[str, str] = {
    Scope.USERS_READ: "List and read users.",
    Scope.USERS_WRITE: "Create, update, suspend and reactivate users.",
    Scope.COURSES_READ: "List and read courses and their modules.",
    Scope.COURSES_WRITE: "Create, change, publish and archive courses and their modules.",
    Scope.ENROLLMENTS_READ: "List and read enrollments, progress and answers.",
    Scope.ENROLLMENTS_WRITE: "Create single enrollments.",
    Scope.ENROLLMENTS_BULK: "Create up to 1000 enrollments in one call.",
    Scope.CLASSES_READ: "List and read classes, sessions, registrations and attendance.",
    Scope.CLASSES_WRITE: "Create, change and cancel classes, register people, and record attendance.",
    Scope.PRACTICE_READ: "List and read qualifications and assessments of practice.",
    Scope.PRACTICE_WRITE: "Manage qualifications, and assess practice.",
    Scope.CERTIFICATES_READ: "List and read certificates.",
    Scope.REQUIREMENTS_READ: "List, read and preview requirements, and read where people stand.",
    Scope.REQUIREMENTS_WRITE: "Create, change and delete requirements, and remind people.",
    Scope.ANALYTICS_READ: "Read reports, statistics and exports.",
    Scope.WEBHOOKS_READ: "List webhook endpoints, deliveries and events.",
    Scope.WEBHOOKS_WRITE: "Create, change, remove and test webhook endpoints.",
    Scope.XAPI_READ: "Read statements and documents of the learning record store, at `/xapi`.",
    Scope.XAPI_WRITE: "Store statements and documents in the learning record store, at `/xapi`.",
}


class CredentialKind(StrEnum):
    """The kind of a secret. Secrets of different kinds are never interchangeable."""

    API_KEY = "api_key"
    ACCESS_TOKEN = "access_token"  # noqa: S105
    CLIENT_SECRET = "client_secret"  # noqa: S105
    SESSION = "session"
    LAUNCH = "launch"
    SCIM_TOKEN = "scim_token"  # noqa: S105
    XAPI_KEY = "xapi_key"
    CMI5 = "cmi5"


class PresentedCredential(Struct, frozen=True):
    """A secret that a caller presents, in the form in which it is looked up. It is not verified yet."""

    kind: CredentialKind
    key: bytes  # a fingerprint, or the jti of an access token
    tenant_id: UUID | None = None  # set if the secret itself contains it


class Actor(Struct, frozen=True):
    """The author of a change and their address, for the audit log."""

    kind: str
    name: str
    source: str


# Trilha itself
SYSTEM = Actor("system", "trilha", "")


class Credential(Struct, frozen=True):
    """A stored credential, as returned by a look-up. Times are JSON text; `networks` is CIDR text or empty.

    `id` is the id of the API key, the OAuth client or the person, because access tokens and sessions are
    short-lived.
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
    use_is_due: bool = False  # whether the last use was recorded more than a minute ago
    detail: Any = None  # further data for its surface

    def rejection_reason(self, now: datetime) -> str | None:
        """Returns why the credential is rejected now, or None if it is valid."""
        if self.revoked_at or not self.tenant_active:
            return "credential_revoked"
        ends = [end for end in (self.expires_at, self.secret_expires_at) if end]
        # All are UTC and have the same form up to the milliseconds, so they can be compared as text.
        if ends and min(ends)[:23] <= now.isoformat(timespec="milliseconds")[:23]:
            return "credential_expired"
        return None

    def check(self, address: Address | None, now: datetime) -> None:
        """Raises Unauthenticated or Forbidden unless the credential may be used now from this address.

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

    `statement` selects the members of Credential under the second role, with `parameters`. `note_use`
    records the use of the credentials with these `:ids`, `:keys` and `:tenants`. `reads_workers` says that
    the statement reads tenants' rows, which on a cluster needs the workers to be up.
    """

    kind: CredentialKind
    statement: str
    parameters: Callable[[Sequence[PresentedCredential]], dict[str, Any]]
    note_use: str
    reads_workers: bool = True


class CredentialRefused(ValueError):
    """An invalid change of a credential. The message is one sentence."""


LONGEST_GRACE = timedelta(days=7)


def check_scopes(scopes: list[str]) -> None:
    """Raises CredentialRefused unless there is at least one scope and all are known."""
    if unknown := [scope for scope in scopes if scope not in SCOPES]:
        raise CredentialRefused(f"There is no scope {unknown[0]}.")
    if not scopes:
        raise CredentialRefused("A credential needs at least one scope.")


def check_networks(networks: str) -> str:
    """Normalizes networks. Raises CredentialRefused."""
    try:
        return ",".join(map(str, parse_networks(networks)))
    except ValueError as error:
        raise CredentialRefused(f"That is not a network: {error}.") from None


def check_grace(grace: timedelta) -> None:
    """Checks how long a replaced secret may continue to work. Raises CredentialRefused."""
    if not timedelta() <= grace <= LONGEST_GRACE:
        raise CredentialRefused("The grace is 0 to 7 days.")


_networks = lru_cache(1024)(parse_networks)


# how many secrets of one owner are valid at a time, including the current one
MAX_LIVE_SECRETS = 5
DEFAULT_GRACE = timedelta(days=1)


class LiveSecret(Struct, frozen=True):
    """A valid secret. `number` counts its owner's secrets; the current one has no end."""

    number: int
    expires_at: str | None


def ends_on_rotation(
    live: Sequence[LiveSecret], now: Timestamp, grace_ends: Timestamp
) -> dict[int, Timestamp]:
    """Returns the secrets whose end changes at a rotation, by number.

    The current secret works until `grace_ends`, which is `now` without a grace period. Earlier ones keep
    their ends, but the oldest end now if more than MAX_LIVE_SECRETS would be valid.
    """
    newest_first = sorted(live, key=lambda secret: secret.number, reverse=True)
    ends = {secret.number: grace_ends for secret in newest_first if secret.expires_at is None}
    working = [secret for secret in newest_first if ends.get(secret.number) != now]
    return ends | {secret.number: now for secret in working[MAX_LIVE_SECRETS - 1 :]}
