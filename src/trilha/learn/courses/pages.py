"""/learn"""

from trilha.core.database import Tx
from trilha.core.web.answers import Html
from trilha.core.web.routes import Routes
from trilha.learn.view import LearnView
from trilha.sessions.permissions import Permission, may

routes = Routes("My courses", "What a person learns.")


@routes.get("", access=may(Permission.LEARN))
async def list_my_courses(tx: Tx, view: LearnView) -> Html:
    """Courses with their progress and dates."""
    return view.show("learn/courses/list.html")
