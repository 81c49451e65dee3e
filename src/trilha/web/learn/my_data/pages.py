"""/learn/my-data"""

from trilha.access.permissions.roles import Permission, may_oneself
from trilha.core.database import Tx
from trilha.core.web.answers import Html
from trilha.core.web.routes import Routes
from trilha.training.enrollments import learner
from trilha.web.learn.view import LearnView

routes = Routes("My data", "The personal data stored about the viewer.")


@routes.get("/my-data", access=may_oneself(Permission.LEARN))
async def show_my_data(tx: Tx, view: LearnView) -> Html:
    """Explain which personal data is stored, and offer its download."""
    counts = await learner.count(tx, view.viewer.user_id)
    total = counts.open + counts.completed + counts.expired
    return view.show("learn/my_data/my_data.html", enrollments=total)
