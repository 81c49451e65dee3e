"""What a course requires, what a learner has reached of it, and what is missing."""

from collections.abc import Sequence, Set
from typing import Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp
from trilha.courses.schema import ModuleType

CriterionKind = Literal["modules", "workload", "score"]


class CourseModule(Struct, frozen=True):
    """What the rules read of a module. `claimed`: its score is what the learner's browser says."""

    id: UUID
    duration_minutes: int
    required: bool
    claimed: bool = False


class ModuleProgress(Struct, frozen=True):
    """In one module, over all attempts: the best of each. `met` once it is completed and not failed;
    `seconds` in which it was open and seen, by the server's clock."""

    progress: float = 0.0
    score: float | None = None
    met: bool = False
    seconds: float = 0.0


class Requirements(Struct, frozen=True):
    """What a course's regulation asks for; without one, nothing beside the modules."""

    workload_minutes: int = 0
    score: float = 0
    sequential: bool = False


class Criterion(Struct, frozen=True):
    """`required` and `actual` are modules, whole minutes or points from 0 to 100.

    `modules` are those that are missing; of a score, those whose score waits for `seconds` more in them, all
    together. `actual` is None where nothing is scored yet.
    """

    kind: CriterionKind
    required: float
    actual: float | None
    modules: Sequence[UUID] = ()
    seconds: float = 0.0

    @property
    def met(self) -> bool:
        return self.reached and not self.modules

    @property
    def reached(self) -> bool:
        """Whether the figure is there, be it that a score waits for its time."""
        # A course without a required module is never completed.
        return self.required > 0 and self.actual is not None and self.actual >= self.required


class Course(Struct, frozen=True):
    """What decides on completing it."""

    demands: Requirements
    parts: list[CourseModule]


class CompletionStatus(Struct, frozen=True):
    """How far an enrollment is, and what is missing. `credited_seconds` are by the server's clock."""

    progress: float
    score: float | None
    credited_seconds: float
    unmet: Sequence[Criterion]


class ModuleOverview(Struct, frozen=True):
    """A module, and how far one person is in it. `attempts` is how many were begun, `failed` how the last of
    them ended; `locked_by` are the modules that come first."""

    id: UUID
    position: int
    title: str
    type: ModuleType
    duration_minutes: int
    required: bool
    progress: float
    score: float | None
    attempts: int
    failed: bool
    started_at: Timestamp | None
    completed_at: Timestamp | None
    locked_by: Sequence[UUID] = ()


class Overview(Struct, frozen=True):
    """`criteria` is all that the course asks for; `next_module` is what to go on with. Of the modules in
    `awaiting`, an answer is to be graded."""

    modules: Sequence[ModuleOverview]
    criteria: Sequence[Criterion]
    next_module: UUID | None
    awaiting: Set[UUID]
