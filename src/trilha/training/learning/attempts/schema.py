"""Attempts at modules, and the questions that an attempt at a quiz asks."""

from collections.abc import Sequence
from typing import Any, Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp
from trilha.training.quizzes.schema import FeedbackLevel, Question
from trilha.training.scorm.package.manifest import Version
from trilha.training.scorm.runtime.mapping import Completion, Success

# The last part of the type of an `assessment.*` event; empty before the first one.
AssessmentEvent = Literal["", "attempted", "passed", "failed"]
# OPEN: the learner is answering. AWAITING: a voice answer awaits a grade. GRADED: the score is final.
AttemptState = Literal["OPEN", "AWAITING", "GRADED"]


class Attempt(Struct, frozen=True):
    """One attempt at a module, without the state that content saves in it.

    `last_event` is the last assessment event that was emitted for the attempt. `newest_launch` is the highest
    number of a launch whose report was applied. `late_commits` counts the commits of superseded launches that
    have changed the attempt, and `late_launch` is the number of the launch that did so last.
    """

    id: UUID
    enrollment_id: UUID
    module_id: UUID
    number: int
    package_id: UUID | None
    item: str | None
    version: Version | None
    settings: dict[str, Any]
    completion: Completion = "unknown"
    success: Success = "unknown"
    score: float | None = None
    progress: float = 0.0
    exit: str = ""
    terminated: bool = False
    last_event: AssessmentEvent = ""
    newest_launch: int = 0
    late_commits: int = 0
    late_launch: int = 0


class SavedAttempt(Struct, frozen=True):
    """An attempt with the state that content saved in it, and its credited time in seconds."""

    attempt: Attempt
    cmi: dict[str, Any] | None
    seconds: float


class QuizAttempt(Struct, frozen=True, kw_only=True):
    """What an attempt at a quiz asks. The questions hold their answer keys: never send them to a browser."""

    attempt_id: UUID
    quiz_id: UUID
    questions: Sequence[Question]
    pass_mark: float
    feedback: FeedbackLevel
    handed_in_at: Timestamp | None
    graded_at: Timestamp | None

    @property
    def state(self) -> AttemptState:
        if self.handed_in_at is None:
            return "OPEN"
        return "AWAITING" if self.graded_at is None else "GRADED"
