"""Who calls: what a request presents, who that turns out to be, and what a caller may do."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol
from uuid import UUID

from msgspec import Struct

from trilha.core.credentials import Actor, Credential, PresentedCredential, Scope
from trilha.core.errors import Failure, Unauthenticated
from trilha.core.web.rate_limits import Hit, Usage
from trilha.core.web.request import Request

Found = Mapping[PresentedCredential, Credential]


class Presented(Struct, frozen=True):
    """What a request brings along to show who sends it; nothing of it is proven yet.

    `failure` says why it cannot be read. `detail` is for the identity that made this.
    """

    credentials: Sequence[PresentedCredential] = ()
    failure: Failure | None = None
    detail: Any = None


class Caller(Struct, frozen=True):
    """Who calls. `failure` is why authentication failed: told where a route asks for a caller.

    `credential` may be set beside it, for the log: a key that was revoked is still known. `found` are those
    of the presented credentials that exist.
    """

    credential: Credential | None = None
    failure: Failure | None = None
    address: str = ""
    found: Found = {}
    usage: Usage | None = None  # of what only an identified caller counts against

    @property
    def tenant_id(self) -> UUID:
        assert self.credential is not None
        return self.credential.tenant_id

    @property
    def actor(self) -> Actor:
        assert self.credential is not None
        return Actor(self.credential.kind, str(self.credential.id), self.address)


class Identity(Protocol):
    """How a surface knows its callers: first what is presented, then, once that is looked up, who it is."""

    async def present(self, request: Request) -> Presented: ...

    async def identify(self, request: Request, presented: Presented, found: Found) -> Caller: ...


class Anonymous:
    """No caller is authenticated."""

    async def present(self, request: Request) -> Presented:
        return _NOTHING

    async def identify(self, request: Request, presented: Presented, found: Found) -> Caller:
        return Caller(address=request.source)


_NOTHING = Presented()


class Limits(Protocol):
    """What a request counts against."""

    def __call__(self, request: Request, presented: Presented) -> Sequence[Hit]: ...


class Access(Protocol):
    """Who may call a route. `refusals` are the codes that others are refused with."""

    @property
    def refusals(self) -> Sequence[str]: ...

    def check(self, caller: Caller) -> None:
        """Raises Failure unless this caller may."""


class Public(Struct, frozen=True):
    """Anybody, including callers whose credentials are invalid."""

    refusals: ClassVar[Sequence[str]] = ()

    def check(self, caller: Caller) -> None:
        pass


class Identified(Struct, frozen=True):
    """Whoever the surface could identify. How it refuses others is in its own words."""

    refusals: ClassVar[Sequence[str]] = ()

    def check(self, caller: Caller) -> None:
        if caller.failure is not None:
            raise caller.failure
        if caller.credential is None:
            raise Unauthenticated("credential_missing")


class RequiresScope(Struct, frozen=True):
    """A live credential with this scope."""

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
        IDENTIFIED.check(caller)
        assert caller.credential is not None
        caller.credential.require(self.scope)


PUBLIC = Public()
IDENTIFIED = Identified()
