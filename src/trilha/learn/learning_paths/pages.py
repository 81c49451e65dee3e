"""/learn/paths/{id}"""

from uuid import UUID

from trilha.core.database import Tx
from trilha.core.web.answers import Html
from trilha.core.web.routes import Routes
from trilha.learn.view import LearnView
from trilha.learning_paths import learner
from trilha.pages import N_
from trilha.sessions.permissions import Permission, may

routes = Routes("My paths", "Courses in an order, where one is and what comes next.")
# Why a course is not open to the person, and what to do.
REASONS = {
    "user_not_active": N_("Your account is not active. Ask whoever manages training in your company."),
    "course_not_published": N_("This course is not open now. Ask whoever manages training in your company."),
    "regulatory_profile_missing": N_("This course asks for documents. Add them to your profile."),
    "not_in_future": N_("The last day of the path is over. Ask whoever manages training in your company."),
}


@routes.get("/paths/{path_id}", access=may(Permission.LEARN), errors=["learning_path_not_found"])
async def show_my_path(tx: Tx, view: LearnView, path_id: UUID) -> Html:
    """One path: its courses, how far each is, and what comes next."""
    path = await learner.get(tx, view.viewer.user_id, path_id)
    steps = await learner.list_steps(tx, view.viewer.user_id, path)
    return view.show("learn/learning_paths/path.html", path=path, steps=steps, reasons=REASONS)
