"""Attempts at modules, and the questions that an attempt at a quiz asks."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp
from trilha.training.quizzes.schema import FeedbackLevel, Presentation, Question
from trilha.training.scorm.package.manifest import Version
from trilha.training.scorm.runtime.mapping import Completion, Success

# The last part of the type of an `assessment.*` event; empty before the first one.
AssessmentEvent = Literal["", "attempted", "passed", "failed"]
# OPEN: the learner is answering. AWAITING: an answer awaits a person's grade. GRADED: the score is final.
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
    """What an attempt at a quiz asks. The questions hold their answer keys: never send them to a browser.

    An attempt with a time limit has a `deadline_at` from when its learner starts it.
    """

    attempt_id: UUID
    quiz_id: UUID
    questions: Sequence[Question]
    pass_mark: float
    feedback: FeedbackLevel
    handed_in_at: Timestamp | None
    graded_at: Timestamp | None
    presentation: Presentation = "one"
    time_limit_minutes: int | None = None
    deadline_at: Timestamp | None = None

    @property
    def state(self) -> AttemptState:
        if self.handed_in_at is None:
            return "OPEN"
        return "AWAITING" if self.graded_at is None else "GRADED"

    @property
    def is_started(self) -> bool:
        return self.time_limit_minutes is None or self.deadline_at is not None

    def count_remaining_seconds(self, now: datetime) -> float | None:
        """Returns the seconds until the deadline, negative after it; None if no time is running."""
        if self.deadline_at is None or self.state != "OPEN":
            return None
        return (datetime.fromisoformat(self.deadline_at) - now) / timedelta(seconds=1)
