"""Attempts at modules, and what an attempt at a quiz asked."""

from collections.abc import Sequence
from typing import Any, Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp
from trilha.quizzes.schema import FeedbackShown, Question
from trilha.scorm.package.manifest import Version
from trilha.scorm.runtime.mapping import Completion, Success


class Attempt(Struct, frozen=True):
    """One try at a module, without what content keeps in it. `late_commits` is how many commits of superseded
    launches have changed it, `late_launch` the number of the launch that did so last."""

    id: UUID
    enrollment_id: UUID
    module_id: UUID
    number: int
    package_id: UUID | None
    item: str | None
    version: Version | None
    settings: dict[str, Any]
    completion: Completion
    success: Success
    score: float | None
    progress: float
    exit: str
    terminated: bool
    told: str
    newest_launch: int
    late_commits: int = 0
    late_launch: int = 0


class LastAttempt(Struct, frozen=True):
    """With what content kept in it, and its time by the server's clock."""

    attempt: Attempt
    cmi: dict[str, Any] | None
    seconds: float


AssessmentEvent = Literal["", "attempted", "passed", "failed"]

# OPEN: it is being answered. AWAITING: voice answers are to be graded. GRADED: the score is decided.
AttemptState = Literal["OPEN", "AWAITING", "GRADED"]


class QuizAttempt(Struct, frozen=True, kw_only=True):
    """`questions` are as they were asked, with their answer keys: nothing for browsers."""

    attempt_id: UUID
    quiz_id: UUID
    questions: Sequence[Question]
    pass_mark: float
    feedback: FeedbackShown
    handed_in_at: Timestamp | None
    graded_at: Timestamp | None

    @property
    def state(self) -> AttemptState:
        if self.handed_in_at is None:
            return "OPEN"
        return "AWAITING" if self.graded_at is None else "GRADED"
