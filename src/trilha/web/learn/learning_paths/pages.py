"""/learn/paths/{id}"""

from uuid import UUID

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.web.answers import Html
from trilha.core.web.routes import Routes
from trilha.kit import N_
from trilha.training.learning_paths import learner
from trilha.web.learn.view import LearnView

routes = Routes("My learning paths", "Courses in an order, where one is and what comes next.")
# Why a course of the path is not open, and what the person can do, by error code.
REASONS = {
    "user_not_active": N_("Your account is not active. Contact your HR team."),
    "course_not_published": N_("This course is not available right now. Contact your HR team."),
    "regulatory_profile_missing": N_("This course requires documents. Add them to your profile."),
    "not_in_future": N_("The due date of this learning path has passed. Contact your HR team."),
}


@routes.get("/paths/{path_id}", access=may(Permission.LEARN), errors=["learning_path_not_found"])
async def show_my_path(tx: Tx, view: LearnView, path_id: UUID) -> Html:
    """Show a learning path: its courses with their progress, and the next one."""
    path = await learner.get(tx, view.viewer.user_id, path_id, view.locale)
    steps = await learner.list_steps(tx, view.viewer.user_id, path, view.locale)
    return view.show("learn/learning_paths/path.html", path=path, steps=steps, reasons=REASONS)
