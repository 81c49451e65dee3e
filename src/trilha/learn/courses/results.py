"""/learn/enrollments/{id}/results"""

from uuid import UUID

from trilha.core.database import Tx
from trilha.core.web.answers import Html
from trilha.core.web.pagination import ListQuery
from trilha.core.web.routes import Routes
from trilha.enrollments import learner
from trilha.learn.view import LearnView
from trilha.learning.attempts import results
from trilha.sessions.permissions import Permission, may

routes = Routes("My results", "What came of a course.")


@routes.get(
    "/enrollments/{enrollment_id}/results", access=may(Permission.LEARN), errors=["enrollment_not_found"]
)
async def show_my_results(tx: Tx, view: LearnView, enrollment_id: UUID, query: ListQuery) -> Html:
    """Each module's tries, and one's own answers."""
    course = await learner.get(tx, view.viewer.user_id, enrollment_id)
    shown = await results.list_feedback(tx, enrollment_id)
    found = await results.get_results(tx, enrollment_id, query.cursor)
    return view.show("learn/courses/results.html", course=course, shown=shown, results=found)
