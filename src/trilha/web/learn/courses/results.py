"""/learn/enrollments/{id}/results"""

from uuid import UUID

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.web.answers import Html
from trilha.core.web.pagination import ListQuery
from trilha.core.web.routes import Routes
from trilha.training.enrollments import learner
from trilha.training.learning.attempts import results
from trilha.training.learning.attempts.answer_texts import read_answer
from trilha.web.learn.view import LearnView

routes = Routes("My results", "The results of a course.")


@routes.get(
    "/enrollments/{enrollment_id}/results", access=may(Permission.LEARN), errors=["enrollment_not_found"]
)
async def show_my_results(tx: Tx, view: LearnView, enrollment_id: UUID, query: ListQuery) -> Html:
    """Show the attempts at each module, and the viewer's own answers."""
    course = await learner.get(tx, view.viewer.user_id, enrollment_id, view.locale)
    feedback = await results.list_feedback(tx, enrollment_id)
    page = await results.get_results(tx, enrollment_id, query.cursor)
    return view.show(
        "learn/courses/results.html",
        course=course,
        shown=feedback,
        results=page,
        own=True,
        read_answer=read_answer,
    )
