"""An attempt at a quiz as its learner sees it."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.learning.attempts import quiz_attempt_queries
from trilha.learning.evidence import queries as evidence_queries
from trilha.learning.launches import queries as launch_queries
from trilha.learning.quizzes import queries, rules
from trilha.learning.quizzes.actions import may_begin_again
from trilha.learning.quizzes.schema import QuizView
from trilha.quizzes import queries as quizzes


async def get_quiz_view(tx: Tx, launch_id: UUID) -> QuizView:
    """Of the attempt that a launch is of. Raises NotFound (launch_not_found) where it is none of a quiz."""
    _, attempt = await launch_queries.get_launch(tx, launch_id)
    quiz = await quiz_attempt_queries.find_quiz_attempt(tx, attempt.id)
    head = await evidence_queries.find_head(tx, attempt.enrollment_id)
    if quiz is None or head is None:
        raise NotFound("launch_not_found")
    quiz_id = await quiz_attempt_queries.find_quiz_id(tx, attempt.module_id)
    now = await quizzes.find(tx, quiz_id) if quiz_id else None
    decided = quiz.state == "GRADED"
    return QuizView(
        state=quiz.state,
        attempt=attempt.number,
        attempts_left=rules.count_attempts_left(now.attempts if now else attempt.number, attempt.number),
        may_begin_again=await may_begin_again(tx, head, attempt, quiz),
        pass_mark=quiz.pass_mark,
        feedback=quiz.feedback,
        score=attempt.score if decided else None,
        passed=attempt.success == "passed" if decided else None,
        questions=rules.build_question_views(quiz, await queries.list_answers(tx, attempt.id)),
    )
