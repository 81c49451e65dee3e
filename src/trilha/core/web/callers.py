"""Callers: the credentials of a request, their owner, and what the owner may do."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol
from uuid import UUID

from msgspec import Struct

from trilha.core.credentials import Actor, Credential, PresentedCredential, Scope
from trilha.core.errors import Failure, Unauthenticated
from trilha.core.web.rate_limits import Hit, Usage
from trilha.core.web.request import Request

KnownCredentials = Mapping[PresentedCredential, Credential]


class RequestCredentials(Struct, frozen=True):
    """The credentials that a request presents, before any are checked.

    `failure` says why they cannot be read. `detail` is for the identity that created this.
    """

    credentials: Sequence[PresentedCredential] = ()
    failure: Failure | None = None
    detail: Any = None


class Caller(Struct, frozen=True):
    """The caller of a request. `failure` is the reason why authentication failed; it is raised by routes that
    require a caller.

    `credential` may be set at the same time, for the log: a revoked key still has an owner.
    `known_credentials` are those presented credentials that exist.
    """

    credential: Credential | None = None
    failure: Failure | None = None
    address: str = ""
    known_credentials: KnownCredentials = {}
    usage: Usage | None = None  # for limits that apply only to identified callers

    @property
    def tenant_id(self) -> UUID:
        assert self.credential is not None
        return self.credential.tenant_id

    @property
    def actor(self) -> Actor:
        assert self.credential is not None
        return Actor(self.credential.kind, str(self.credential.id), self.address)


class Identity(Protocol):
    """How a surface identifies callers: it reads the presented credentials, and after their look-up
    decides who calls.
    """

    async def present(self, request: Request) -> RequestCredentials: ...

    async def identify(
        self, request: Request, presented: RequestCredentials, known_credentials: KnownCredentials
    ) -> Caller: ...


class Anonymous:
    """An identity that authenticates nobody."""

    async def present(self, request: Request) -> RequestCredentials:
        return _NOTHING

    async def identify(
        self, request: Request, presented: RequestCredentials, known_credentials: KnownCredentials
    ) -> Caller:
        return Caller(address=request.source)


_NOTHING = RequestCredentials()


class Limits(Protocol):
    """The limits that a request counts against."""

    def __call__(self, request: Request, presented: RequestCredentials) -> Sequence[Hit]: ...


class Access(Protocol):
    """Decides who may call a route. `refusals` are the possible error codes."""

    @property
    def refusals(self) -> Sequence[str]: ...

    def check(self, caller: Caller) -> None:
        """Raises Failure if this caller may not call the route."""


class Public(Struct, frozen=True):
    """Allows everybody, including callers with invalid credentials."""

    refusals: ClassVar[Sequence[str]] = ()

    def check(self, caller: Caller) -> None:
        pass


class IdentifiedCaller(Struct, frozen=True):
    """Allows every identified caller. The surface words the refusal of others."""

    refusals: ClassVar[Sequence[str]] = ()

    def check(self, caller: Caller) -> None:
        if caller.failure is not None:
            raise caller.failure
        if caller.credential is None:
            raise Unauthenticated("credential_missing")


class RequiresScope(Struct, frozen=True):
    """Requires a valid credential with this scope."""

    refusals: ClassVar[Sequence[str]] = (
        "credential_missing",
        "credential_invalid",
        "credential_expired",
        "credential_revoked",
        "insufficient_scope",
        "ip_not_allowed",
    )
    scope: Scope

    def check(self, caller: Caller) -> None:
        IDENTIFIED_CALLER.check(caller)
        assert caller.credential is not None
        caller.credential.require(self.scope)


PUBLIC = Public()
IDENTIFIED_CALLER = IdentifiedCaller()
