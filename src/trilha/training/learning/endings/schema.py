"""The end of a module as its learner sees it."""

from typing import Literal

from msgspec import Struct

from trilha.training.learning.completion.schema import CriterionKind, ModuleOverview, Overview
from trilha.training.learning.study_days.schema import Streak

# UNOPENED: the learner never opened the module. SAVED: it was left before its end. SUBMITTED: a voice answer
# awaits a grade.
EndingState = Literal["UNOPENED", "SAVED", "SUBMITTED", "FAILED", "COMPLETED"]
# What a course still lacks after all its modules. `score_time`: its score does not count yet.
MissingCriterion = CriterionKind | Literal["score_time"]


class StoredEnding(Struct, frozen=True):
    """What is stored of the end of a module, and of that of its course.

    `percent_before` is the course's progress when the module was last opened before its completion, and
    `percent_after` right after it. `xp_after` and `course_xp_after` are the person's points right after the
    module and the course were completed. All are None for what was completed in an older version.
    """

    percent_before: float | None = None
    percent_after: float | None = None
    xp_after: int | None = None
    course_xp_after: int | None = None
    seconds: float = 0.0


class QuizOutcome(Struct, frozen=True):
    """The last attempt at a quiz. `attempts_left` is None if the number is not limited."""

    is_submitted: bool
    score: float | None
    pass_mark: float
    may_begin_again: bool
    attempts_left: int | None


class Reward(Struct, frozen=True):
    """Points that were earned, and the level that they led to, if it is a new one."""

    xp: int
    new_level: int | None


class Ending(Struct, frozen=True, kw_only=True):
    """The end of a module.

    `percent` is the course's progress: right after the module if it was completed, else now. `streak` is set
    if the module was completed today, so that it belongs to what was earned. `next_module` is the module to
    continue with, and `missing` what the course lacks once all its modules are completed.
    """

    state: EndingState
    module: ModuleOverview
    overview: Overview
    percent_before: float | None
    percent: float
    minutes: int
    reward: Reward | None
    course_reward: Reward | None
    streak: Streak | None
    quiz: QuizOutcome | None
    next_module: ModuleOverview | None
    missing: MissingCriterion | None
