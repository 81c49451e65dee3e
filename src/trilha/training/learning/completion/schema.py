"""What a course requires, what a learner has reached in it, and what is still missing."""

from collections.abc import Sequence, Set
from typing import Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp
from trilha.training.courses.schema import Delivery, ModuleType, WorkloadKind

CriterionKind = Literal["modules", "workload", "score", "identity"]


class CourseModule(Struct, frozen=True):
    """The members of a module that the rules need. `claimed`: the learner's browser reports the score.
    `attended`: learners open nothing, because the module is completed by presence in a class, or by an
    assessment of practice if it is `assessed`.
    """

    id: UUID
    duration_minutes: int
    required: bool
    claimed: bool = False
    attended: bool = False
    assessed: bool = False


class IdentityPhotos(Struct, frozen=True):
    """How many photos must confirm the person, and how many have done so."""

    required: int
    confirmed: int


class Requirements(Struct, frozen=True):
    """All modules of a course in their order, and what its regulation requires beyond them, if anything."""

    modules: Sequence[CourseModule]
    workload_minutes: int = 0
    score: float = 0
    sequential: bool = False
    identity: IdentityPhotos | None = None


class ModuleProgress(Struct, frozen=True):
    """The best that a learner has reached in one module over all attempts.

    `completed`: the module was completed and not failed. `seconds` is how long the module was open and
    visible, by the server's clock, or how long the learner was present in a class. For a practice, it
    is the length of the module.
    """

    progress: float = 0.0
    score: float | None = None
    completed: bool = False
    seconds: float = 0.0


class PracticeResult(Struct, frozen=True):
    """What stands of the assessments of a practical module that were signed by their assessors. `passed`: a
    satisfactory one is signed by both.
    """

    module_id: UUID
    passed: bool


class Presence(Struct, frozen=True):
    """How long a person was present in one class, of how long the class was, in minutes. `percent` is how
    much its module asks for.
    """

    module_id: UUID
    percent: int
    minutes: int
    length: int


class ModuleEnd(Struct, frozen=True):
    """The course's progress right after a module was completed, and the person's points."""

    percent: float
    xp: int


class CourseProgress(Struct, frozen=True):
    """A course, and how far one enrollment is in each of its modules.

    `percent` and `score` are the figures that are stored of the whole enrollment, 0 to 100.
    """

    course: Requirements
    modules: dict[UUID, ModuleProgress]
    percent: float
    score: float | None


class Criterion(Struct, frozen=True):
    """One completion criterion. `required` and `actual` are modules, whole minutes, points from 0 to
    100, or photos.

    `actual` is None while no module has a score. `modules` are the missing modules; for a score they are the
    modules whose score does not count yet, and `seconds` is the time that is missing in them altogether.
    """

    kind: CriterionKind
    required: float
    actual: float | None
    modules: Sequence[UUID] = ()
    seconds: float = 0.0

    @property
    def is_met(self) -> bool:
        return self.is_reached and not self.modules

    @property
    def is_reached(self) -> bool:
        """Whether `actual` is high enough, even if a score still waits for its time."""
        # A course without a required module is never completed.
        return self.required > 0 and self.actual is not None and self.actual >= self.required


class ModuleOverview(Struct, frozen=True):
    """A module, and how far one learner is in it.

    `title_language` is empty for the course's own. `attempts` is how many attempts were begun, and `failed`
    says whether the last one was failed. `locked_by` are the modules to complete first.
    """

    id: UUID
    position: int
    title: str
    title_language: str
    type: ModuleType
    duration_minutes: int
    required: bool
    workload_kind: WorkloadKind
    delivery: Delivery
    progress: float
    score: float | None
    attempts: int
    failed: bool
    started_at: Timestamp | None
    completed_at: Timestamp | None
    locked_by: Sequence[UUID] = ()


class Overview(Struct, frozen=True):
    """An enrollment in its course: all modules, all criteria, and the module to continue with.

    The modules in `awaiting_grade` have an answer that nobody has graded yet.
    """

    modules: Sequence[ModuleOverview]
    criteria: Sequence[Criterion]
    next_module: UUID | None
    awaiting_grade: Set[UUID]
