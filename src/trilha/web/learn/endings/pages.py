"""/learn/enrollments/{id}/modules/{module_id}/done"""

from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.core.web.answers import Html
from trilha.core.web.routes import Routes
from trilha.kit import N_
from trilha.training.certificates import learner as certificates
from trilha.training.certificates.learner import MyCertificate
from trilha.training.enrollments import learner
from trilha.training.enrollments.learner import MyCourse
from trilha.training.evaluations import actions as evaluations
from trilha.training.launch_links import actions as launch_links
from trilha.training.launch_links.schema import ReturnAddress
from trilha.training.learning.endings import actions as endings
from trilha.training.learning.endings.schema import Ending
from trilha.training.learning_paths import learner as paths
from trilha.training.learning_paths.learner import NextCourse
from trilha.web.learn.certificates.pages import MAX_POLLS
from trilha.web.learn.player.openings import Opening, list_origins
from trilha.web.learn.view import LearnView
from trilha.web.player import outer_page
from trilha.web.player.origin import ContentOrigin

routes = Routes("Ends of modules", "How a module ended, and what comes next.")


class NextStep(Struct, frozen=True):
    """The page's one main action. `label` is a msgid, with `%(host)s` for the host of `href`."""

    label: str
    href: str
    icon: str = ""
    host: str = ""


@routes.get(
    "/enrollments/{enrollment_id}/modules/{module_id}/done",
    access=may(Permission.LEARN),
    errors=["enrollment_not_found", "module_not_found"],
)
async def show_ending(
    tx: Tx, view: LearnView, origin: ContentOrigin, enrollment_id: UUID, module_id: UUID
) -> Html:
    """Show how a module ended: what was done and earned, what is missing, and what comes next.

    Everything is read from what is stored, so that the page is the same after a reload.
    """
    viewer = view.viewer
    course = await learner.get(tx, viewer.user_id, enrollment_id, view.locale)
    ending = await endings.get_ending(tx, viewer.user_id, course, module_id, viewer.time_zone)
    is_completed = course.status == "COMPLETED"
    certificate = (
        await certificates.find_of_enrollment(tx, viewer.user_id, enrollment_id) if is_completed else None
    )
    following = (
        await paths.find_next_course(tx, viewer.user_id, enrollment_id, view.locale) if is_completed else None
    )
    # Work that this browser still holds may complete the module.
    held = ending.state in ("SAVED", "FAILED")
    origins = await list_origins(tx, view, origin, [module_id]) if held else ()
    returning = await launch_links.find_return(tx, viewer.session_id, enrollment_id)
    back = build_way_back(course, returning)
    values: dict[str, Any] = {
        "course": course,
        "ending": ending,
        "module": ending.module,
        "criteria": ending.overview.criteria,
        "titles": {each.id: each.title for each in ending.overview.modules},
        "certificate": certificate,
        "following": following,
        "evaluation_waits": await evaluations.is_open(tx, course),
        "step": choose_next_step(course, ending, certificate, following, back, Timestamp.of(tx.now)),
        "back": back,
        "opening": Opening(viewer.user_id, origins),
        "now": Timestamp.of(tx.now),
        "looks": 0,
        "most_looks": MAX_POLLS,
        "brief": True,
    }
    answer = view.show("learn/endings/ending.html", **values)
    if origins:
        answer.headers += outer_page.build_policy_headers(origins, ())
    return answer


def build_way_back(course: MyCourse, returning: ReturnAddress | None) -> NextStep:
    """Returns the way to the portal that has brought the learner, else to the course."""
    if returning is not None:
        return NextStep(N_("Back to %(host)s"), returning.url, host=returning.host)
    return NextStep(N_("Back to the course"), f"/learn/enrollments/{course.id}")


def choose_next_step(
    course: MyCourse,
    ending: Ending,
    certificate: MyCertificate | None,
    following: NextCourse | None,
    back: NextStep,
    now: Timestamp,
) -> NextStep:
    """Chooses what the learner most likely wants to do now. `back` leads out of the module."""
    here = f"/learn/enrollments/{course.id}"
    own = f"{here}/modules/{ending.module.id}"
    if course.status == "EXPIRED":
        return back
    if course.status == "COMPLETED":
        if certificate is not None and certificate.status(now) == "VALID":
            return NextStep(N_("View certificate"), f"/learn/certificates/{certificate.id}", "award")
        return _go_to_course(following) if following else back
    return _choose_in_open_course(ending, own, here) or back


def _go_to_course(following: NextCourse) -> NextStep:
    return NextStep(N_("Go to next course"), f"/learn/enrollments/{following.enrollment_id}")


def _choose_in_open_course(ending: Ending, own: str, here: str) -> NextStep | None:
    following = ending.next_module
    if ending.state == "UNOPENED" and not ending.module.locked_by:
        return NextStep(N_("Open module"), own, "play")
    if ending.state == "SAVED":
        return NextStep(N_("Continue this module"), own, "play")
    if ending.state == "FAILED" and (ending.quiz is None or ending.quiz.may_begin_again):
        return NextStep(N_("Try again"), own, "rotate-ccw")
    if following is None:
        return None
    if following.id == ending.module.id:
        # A module that failed for good does not open a new attempt.
        return NextStep(N_("Open module again"), own, "play") if ending.state == "COMPLETED" else None
    return NextStep(N_("Continue"), f"{here}/modules/{following.id}", "play")
