"""Who may call the store, and in whose name its statements are."""

from collections.abc import Sequence
from typing import Any, ClassVar
from uuid import UUID

import msgspec
from msgspec import Struct

from trilha.core.credentials import CredentialKind, Scope
from trilha.core.errors import Forbidden
from trilha.core.web.callers import IDENTIFIED_CALLER, Caller, RequiresScope

READS, WRITES = RequiresScope(Scope.XAPI_READ), RequiresScope(Scope.XAPI_WRITE)


class ReadsOrWrites(Struct, frozen=True):
    """For POST, which in the alternate syntax may be another method: its handler checks the scope."""

    refusals: ClassVar[Sequence[str]] = RequiresScope.refusals

    def check(self, caller: Caller) -> None:
        IDENTIFIED_CALLER.check(caller)
        assert caller.credential is not None
        if not {Scope.XAPI_READ, Scope.XAPI_WRITE} & set(caller.credential.scopes):
            raise Forbidden("insufficient_scope", required_scope=Scope.XAPI_WRITE)


POSTS = ReadsOrWrites()


def check_scope(caller: Caller, method: str) -> None:
    """Raises Forbidden unless the caller may use the method."""
    (READS if method in ("GET", "HEAD") else WRITES).check(caller)


class Confinement(Struct, frozen=True):
    """What a launch's credential is confined to. Its `detail` is this Struct's members."""

    agent: UUID  # the key of the learner's agent
    registration: UUID
    is_ended: bool = False

    def check(self, agent: UUID | None, registration: UUID | None) -> None:
        """Raises Forbidden for another learner, or another registration."""
        if agent != self.agent or registration != self.registration:
            raise Forbidden("outside_of_launch")

    def check_open(self) -> None:
        """Raises Forbidden if the launch has ended."""
        if self.is_ended:
            raise Forbidden("outside_of_launch")


def find_confinement(caller: Caller) -> Confinement | None:
    """Returns what the caller is confined to, or None if it may use everything of the tenant."""
    assert caller.credential is not None
    if caller.credential.kind != CredentialKind.LAUNCH:
        return None
    return msgspec.convert(caller.credential.detail, Confinement)


class BaseAddress(str):
    """The public address of the server, without a slash at the end."""

    __slots__ = ()


def build_authority(caller: Caller, base: BaseAddress) -> dict[str, Any]:
    """Returns the agent that vouches for the caller's statements: its credential."""
    assert caller.credential is not None
    name = f"{caller.credential.kind}:{caller.credential.id}"
    return {"objectType": "Agent", "account": {"homePage": str(base), "name": name}}
