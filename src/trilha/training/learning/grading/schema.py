"""Answers that people grade, and their grades."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import msgspec
from msgspec import Struct

from trilha.core.types import Timestamp, dec_hook
from trilha.core.web.pagination import ListQuery
from trilha.training.enrollments.schema import EnrollmentStatus
from trilha.training.quizzes import grading
from trilha.training.quizzes.schema import Audio, Criterion, Kind, Picture


class AnswerQuery(ListQuery, frozen=True, kw_only=True):
    """Asks for answers that await a grade, the oldest first, or for graded ones, the newest first."""

    state: Literal["awaiting", "graded"] = "awaiting"
    course: UUID | None = None


class AnswerId(Struct, frozen=True):
    id: UUID


class Correction(Struct, frozen=True):
    """An earlier grade of an answer, with who changed it, when and why."""

    at: Timestamp
    by: UUID
    points: float
    reason: str


class NewGrade(Struct, frozen=True, kw_only=True):
    """A grade as a person gives it: from 0 to 100, or the points for each criterion of the rubric.

    `reason` is needed for the correction of a grade that has decided the attempt.
    """

    grade: float | None = None
    criteria: Sequence[float] = ()
    comment: str = ""
    reason: str = ""


class GradeResult(Struct, frozen=True):
    """`decided`: the grade has decided the score of the attempt. `corrected`: it was decided before."""

    decided: bool
    corrected: bool = False


class StoredAnswer(Struct, frozen=True):
    """An answer that was handed in for a person to grade, and its earlier grade."""

    attempt_id: UUID
    question_id: UUID
    points: float | None
    corrections: Any


class AnswerToGrade(Struct, frozen=True):
    """An answer that was handed in for a person to grade, with what its grader needs.

    `at` is when it was handed in, or else graded. `decided`: the score of its attempt is known, so that a new
    grade is a correction. A voice answer has a `media_type` and a `size`, an essay its `text`.
    """

    id: UUID
    kind: Kind
    course_id: UUID
    course_title: str
    module_title: str
    user_id: UUID
    user_name: str
    enrollment_id: UUID
    enrollment_status: EnrollmentStatus
    attempt: int
    question: str
    weight: float
    stored_rubric: Any
    stored_picture: Any
    stored_audio: Any
    media_type: str | None
    size: int | None
    text: str
    points: float | None
    rubric_points: Any
    comment: str
    stored_corrections: Any
    grader_name: str | None
    decided: bool
    at: Timestamp

    @property
    def grade(self) -> float | None:
        return None if self.points is None else grading.compute_grade(self.points, self.weight)

    @property
    def rubric(self) -> list[Criterion]:
        return msgspec.convert(self.stored_rubric or [], list[Criterion])

    @property
    def picture(self) -> Picture | None:
        return msgspec.convert(self.stored_picture, Picture | None, dec_hook=dec_hook)

    @property
    def audio(self) -> Audio | None:
        return msgspec.convert(self.stored_audio, Audio | None, dec_hook=dec_hook)

    @property
    def corrections(self) -> list[Correction]:
        return msgspec.convert(self.stored_corrections, list[Correction], dec_hook=dec_hook)

    @property
    def waiting_since(self) -> datetime:
        return datetime.fromisoformat(self.at)
