"""Enrolls the people of an import. The features that enroll depend on this one, so they register here."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.types import Timestamp

EnrollKind = Literal["course", "path"]


class Target(Struct, frozen=True):
    """Where the people are enrolled, and until when. With `new_only`, people who existed before are not."""

    kind: EnrollKind
    id: UUID
    due_at: Timestamp | None = None
    new_only: bool = False


class EnrollProblem(Struct, frozen=True):
    """Why a person was not enrolled."""

    user_id: UUID
    code: str
    message: str


class Outcome(Struct, frozen=True):
    """How many people were enrolled, and how many were enrolled before."""

    enrolled: int
    enrolled_before: int
    problems: Sequence[EnrollProblem] = ()


class Enroller(Struct, frozen=True):
    """How an import enrolls people in one kind of target. `check` runs when the import is created,
    and `enroll` later: both raise ApiError if the target does not take people now. `lock` takes the
    locks that must come before those on people.
    """

    check: Callable[[Tx, UUID], Awaitable[None]]
    enroll: Callable[[Tx, Target, Sequence[UUID]], Awaitable[Outcome]]
    lock: Callable[[Tx, UUID], Awaitable[object]] | None = None


_ENROLLERS: dict[EnrollKind, Enroller] = {}


def register(kind: EnrollKind, enroller: Enroller) -> None:
    """Registers how people are enrolled in this kind."""
    _ENROLLERS[kind] = enroller


def get(kind: EnrollKind) -> Enroller:
    return _ENROLLERS[kind]
