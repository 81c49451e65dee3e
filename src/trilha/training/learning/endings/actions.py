"""Reads the end of a module from what the server has stored."""

from datetime import datetime
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.training.enrollments.learner import MyCourse
from trilha.training.learning.attempts import queries as attempt_queries
from trilha.training.learning.completion import overviews
from trilha.training.learning.completion.schema import ModuleOverview, Overview
from trilha.training.learning.endings import queries, rules
from trilha.training.learning.endings.schema import Ending, QuizOutcome, Reward, StoredEnding
from trilha.training.learning.evidence import queries as evidence_queries
from trilha.training.learning.quizzes import rules as quiz_rules
from trilha.training.learning.quizzes.actions import may_begin_again
from trilha.training.learning.study_days import actions as study_days
from trilha.training.learning.study_days import rules as study_day_rules
from trilha.training.learning.study_days.schema import Streak


async def get_ending(tx: Tx, user_id: UUID, course: MyCourse, module_id: UUID, time_zone: str) -> Ending:
    """Returns the end of a module of the learner's own course, as of now.

    Raises NotFound (module_not_found).
    """
    overview = await overviews.get_overview(tx, course.id, course.course_id, course.language)
    module = next((each for each in overview.modules if each.id == module_id), None)
    if module is None:
        raise NotFound("module_not_found")
    stored = await queries.get_stored_ending(tx, course.id, module_id)
    quiz = await _find_quiz_outcome(tx, course.id, module_id) if module.type == "QUIZ" else None
    state = rules.decide_state(module, quiz, awaits_grade=module_id in overview.awaiting_grade)
    completed = state == "COMPLETED"
    is_open = course.status in ("NOT_STARTED", "IN_PROGRESS")
    return Ending(
        state=state,
        module=module,
        overview=overview,
        percent_before=stored.percent_before,
        percent=course.progress if stored.percent_after is None else stored.percent_after,
        minutes=int(stored.seconds // 60),
        reward=rules.compute_module_reward(module, stored),
        course_reward=_find_course_reward(course, stored),
        streak=await _find_streak(tx, user_id, module, time_zone) if completed else None,
        quiz=quiz,
        next_module=_find_next_module(overview, module_id) if is_open else None,
        missing=rules.find_missing_criterion(overview) if is_open else None,
    )


def _find_course_reward(course: MyCourse, stored: StoredEnding) -> Reward | None:
    return rules.compute_course_reward(course.score, stored) if course.status == "COMPLETED" else None


def _find_next_module(overview: Overview, module_id: UUID) -> ModuleOverview | None:
    """Returns the module to continue with, unless it waits for a grade."""
    if overview.next_module in overview.awaiting_grade:
        return None
    return next((each for each in overview.modules if each.id == overview.next_module), None)


async def _find_streak(tx: Tx, user_id: UUID, module: ModuleOverview, time_zone: str) -> Streak | None:
    """Returns the streak if the module was completed today."""
    assert module.completed_at is not None
    completed_on = study_day_rules.find_day(datetime.fromisoformat(module.completed_at), time_zone)
    if completed_on != study_day_rules.find_day(tx.now, time_zone):
        return None
    streak = await study_days.find_streak(tx, user_id, time_zone)
    return streak if streak.today else None


async def _find_quiz_outcome(tx: Tx, enrollment_id: UUID, module_id: UUID) -> QuizOutcome | None:
    """Returns the last attempt at a quiz, or None before the first one."""
    last = await attempt_queries.find_last_attempt(tx, enrollment_id, module_id)
    made = await attempt_queries.find_quiz_attempt(tx, last.attempt.id) if last else None
    head = await evidence_queries.find_head(tx, enrollment_id)
    if last is None or made is None or head is None:
        return None
    quiz = await attempt_queries.find_quiz(tx, module_id)
    number = last.attempt.number
    return QuizOutcome(
        is_submitted=made.state != "OPEN",
        score=last.attempt.score if made.state == "GRADED" else None,
        pass_mark=made.pass_mark,
        may_begin_again=await may_begin_again(tx, head, last.attempt, made, quiz),
        attempts_left=quiz_rules.count_attempts_left(quiz.attempts if quiz else number, number),
    )
