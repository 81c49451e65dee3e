"""Observations of how modules were done, and the flags that unusual ones raise."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp

FlagKind = Literal["NO_ANSWERS", "TOO_FAST", "SAME_STATE", "CLAIMED_TIME"]


class TimeClaim(Struct, frozen=True):
    """How long content says that the session of a launch was, and how long the launch lasted, in seconds."""

    said: float
    lasted: float


class Observation(Struct, frozen=True):
    """How one person did a module.

    `seconds` is the time until the completion, by the server's clock, and None before it. `others` are the
    times of other people, and `alike` is how many of them have left the same state.
    """

    score: float | None
    answers: int
    others_answer: bool
    seconds: float | None
    others: Sequence[float]
    alike: int
    claims: Sequence[TimeClaim]


class Flag(Struct, frozen=True):
    """A sign of unusual learning. `detail` holds the figures behind it."""

    kind: FlagKind
    detail: Mapping[str, Any]


ModuleFlag = tuple[UUID, UUID, Flag]  # the enrollment, the module, the flag


class ReviewFlag(Struct, frozen=True):
    """A stored flag. `dismissed_by` is a name, or empty."""

    module_id: UUID
    module_title: str
    kind: FlagKind
    detail: dict[str, Any]
    flagged_at: Timestamp
    dismissed_at: Timestamp | None
    dismissed_by: str
    reason: str | None
