"""/learn/my-data"""

from trilha.core.database import Tx
from trilha.core.web.answers import Html
from trilha.core.web.routes import Routes
from trilha.enrollments import learner
from trilha.learn.view import LearnView
from trilha.sessions.permissions import Permission, may

routes = Routes("My data", "What is kept of whoever is signed in.")


@routes.get("/my-data", access=may(Permission.LEARN))
async def show_my_data(tx: Tx, view: LearnView) -> Html:
    """What is kept, why, and all of it to download."""
    counts = await learner.count(tx, view.viewer.user_id)
    total = counts.open + counts.completed + counts.expired
    return view.show("learn/my_data/my_data.html", enrollments=total)
