"""Answers to quizzes, and what a learner sees of an attempt."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal
from uuid import UUID

from msgspec import Struct

from trilha.training.learning.attempts.schema import AttemptState
from trilha.training.learning.player_reports.schema import Report, ReportResult
from trilha.training.quizzes.responses import Response
from trilha.training.quizzes.schema import Audio, FeedbackLevel, Kind, Picture, Presentation

# Whether the page asks to start, asks the questions, submits what was saved in time, or shows the result.
QuizPhase = Literal["start", "questions", "closing", "result"]


class Answer(Struct, frozen=True):
    """A stored answer. `points` is None until the answer is graded."""

    question_id: UUID
    response: Any
    latency_seconds: float
    points: float | None = None
    comment: str = ""


class OverdueAttempt(Struct, frozen=True):
    """An open attempt whose time is over."""

    id: UUID
    enrollment_id: UUID


class RawAnswer(Struct, frozen=True):
    """One answer as a browser sends it. Nothing of it is checked yet."""

    response: Any
    latency: Any


class AnswerReport(Report, frozen=True, kw_only=True):
    """What the quiz page sends. `start` starts the time of an attempt that has a limit; `hand_in` ends the
    attempt; `again` begins the next one.

    `unknown` are names of answers that cannot be ids of questions.
    """

    answers: Mapping[UUID, RawAnswer]
    unknown: Sequence[str]
    hand_in: bool
    again: bool
    start: bool = False


class AnswerResult(ReportResult, frozen=True):
    """`problems` are codes, by question id, of answers that do not fit their question and were not stored.

    `remaining` are the seconds until the deadline; None if no time is running.
    """

    problems: Mapping[str, str] = {}
    remaining: float | None = None


class QuestionView(Struct, frozen=True, kw_only=True):
    """A question as the learner sees it. `language` is that of its texts; empty for the course's own.

    The last members are empty before the attempt is handed in, and if the quiz does not show them.
    """

    id: UUID
    kind: Kind
    text: str
    weight: float
    choices: Sequence[tuple[str, str]]
    longest_seconds: int
    longest_characters: int
    picture: Picture | None
    audio: Audio | None
    choice_pictures: Mapping[str, Picture]
    response: Response | None
    language: str = ""
    shown_response: str = ""
    result: Literal["", "right", "wrong", "part", "awaiting"] = ""
    points: float | None = None
    right_answer: str = ""
    feedback: str = ""
    comment: str = ""


class QuizView(Struct, frozen=True, kw_only=True):
    """An attempt as the learner sees it. `attempts_left` is None if the number is not limited.

    `remaining_seconds` is None if no time is running. `points` of `total_points` are earned once the attempt
    is graded. The questions are shown only while they can be answered, and with the result.
    """

    state: AttemptState
    phase: QuizPhase
    presentation: Presentation
    time_limit_minutes: int | None
    remaining_seconds: float | None
    question_count: int
    attempt: int
    attempts_left: int | None
    may_begin_again: bool
    pass_mark: float
    feedback: FeedbackLevel
    score: float | None
    points: float | None
    total_points: float
    passed: bool | None
    questions: Sequence[QuestionView]
