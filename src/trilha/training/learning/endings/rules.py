"""Decides what the end of a module says. No I/O, no clock."""

from trilha.people.users.rules import level_of
from trilha.training.learning.completion.rules import XP_OF_A_MODULE, compute_course_xp
from trilha.training.learning.completion.schema import ModuleOverview, Overview
from trilha.training.learning.endings.schema import (
    EndingState,
    MissingCriterion,
    QuizOutcome,
    Reward,
    StoredEnding,
)


def decide_state(module: ModuleOverview, quiz: QuizOutcome | None, *, awaits_grade: bool) -> EndingState:
    if module.completed_at is not None:
        return "COMPLETED"
    if module.started_at is None:
        return "UNOPENED"
    if awaits_grade:
        return "SUBMITTED"
    # A learner who has begun another attempt at a quiz has not failed that one.
    if module.failed and (quiz is None or quiz.is_submitted):
        return "FAILED"
    return "SAVED"


def compute_module_reward(module: ModuleOverview, stored: StoredEnding) -> Reward | None:
    """Returns what the completed module earned."""
    return _build_reward(XP_OF_A_MODULE, stored.xp_after) if module.completed_at is not None else None


def compute_course_reward(score: float | None, stored: StoredEnding) -> Reward | None:
    """Returns what the completed course earned; None if it was not completed here, but imported."""
    if stored.course_xp_after is None:
        return None
    return _build_reward(compute_course_xp(score), stored.course_xp_after)


def _build_reward(xp: int, after: int | None) -> Reward:
    if after is None or level_of(after).number == level_of(max(after - xp, 0)).number:
        return Reward(xp, None)
    return Reward(xp, level_of(after).number)


def find_missing_criterion(overview: Overview) -> MissingCriterion | None:
    """Returns the criterion that is still unmet although every required module is completed, or None."""
    unmet = [each for each in overview.criteria if not each.is_met]
    if not unmet or any(each.kind == "modules" for each in unmet):
        return None
    return "score_time" if unmet[0].kind == "score" and unmet[0].is_reached else unmet[0].kind
