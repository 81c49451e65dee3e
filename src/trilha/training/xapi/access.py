"""Who may call the store, and in whose name its statements are."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, ClassVar
from uuid import UUID

import msgspec
from msgspec import Struct

from trilha.core.credentials import CredentialKind, Scope
from trilha.core.database import Tx
from trilha.core.errors import Forbidden
from trilha.core.web.callers import IDENTIFIED_CALLER, Caller, RequiresScope
from trilha.training.xapi.actions import Submission

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

    session: UUID  # that of cmi5
    agent: UUID  # the key of the learner's agent
    registration: UUID
    is_ended: bool = False

    def check(self, agent: UUID | None, registration: UUID | None) -> None:
        """Raises Forbidden for another learner, or another registration."""
        if agent != self.agent or registration != self.registration:
            raise Forbidden("outside_of_launch")


def find_confinement(caller: Caller) -> Confinement | None:
    """Returns what the caller is confined to, or None if it may use everything of the tenant. Raises
    Forbidden if its launch has ended.
    """
    assert caller.credential is not None
    if caller.credential.kind != CredentialKind.CMI5:
        return None
    confinement = msgspec.convert(caller.credential.detail, Confinement)
    if confinement.is_ended:
        raise Forbidden("outside_of_launch")
    return confinement


class LaunchHost(Struct, frozen=True):
    """What the platform does for content that it has launched. The feature that makes launches builds it.

    `store` takes the statements of a session. `give_token` returns the token of a session, or None if it was
    given out before. `note_preferences` notes that the content has read the learner's preferences.
    `may_write` returns whether the content of a session may still write, and keeps the session from ending
    until the transaction does.
    """

    store: Callable[[UUID, UUID, Submission], Awaitable[None]]
    give_token: Callable[[UUID, UUID], Awaitable[str | None]]
    note_preferences: Callable[[Tx, UUID], Awaitable[None]]
    may_write: Callable[[Tx, UUID], Awaitable[bool]]


class BaseAddress(str):
    """The public address of the server, without a slash at the end."""

    __slots__ = ()


def build_authority(caller: Caller, base: BaseAddress) -> dict[str, Any]:
    """Returns the agent that vouches for the caller's statements: its credential."""
    assert caller.credential is not None
    detail = caller.credential.detail
    is_launch = caller.credential.kind == CredentialKind.CMI5
    name = f"{caller.credential.kind}:{detail['session'] if is_launch else caller.credential.id}"
    return {"objectType": "Agent", "account": {"homePage": str(base), "name": name}}
