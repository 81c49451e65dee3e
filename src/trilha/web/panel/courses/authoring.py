"""Actions on a course's page: publish, archive, duplicate, reorder modules."""

from operator import attrgetter
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.web.answers import Answer
from trilha.core.web.routes import Routes
from trilha.kit import N_
from trilha.training.courses import actions, module_actions, module_queries
from trilha.training.courses.schema import Course
from trilha.web.panel.confirm import Button, Confirmation, Subject
from trilha.web.panel.courses.authors import WRITE, get_changeable
from trilha.web.panel.courses.forms import Line, MoveForm
from trilha.web.panel.courses.pages import ADDRESS, TYPES, show_course
from trilha.web.panel.view import PanelView

routes = Routes("Authoring", "Courses are published, archived, restored, duplicated and ordered.")


class DuplicateForm(Confirmation, frozen=True, kw_only=True):
    title: Line | None = None


@routes.post("/courses/{course_id}/publish", access=WRITE, refused=show_course)
async def publish_course(tx: Tx, view: PanelView, course_id: UUID, form: Button) -> Answer:
    """Publishes a draft or restores an archived course."""
    await get_changeable(tx, view, course_id)
    await actions.publish(tx, course_id)
    return view.lead(f"{ADDRESS}/{course_id}", N_("The course was published and is open for enrollment."))


async def _duplicate(tx: Tx, course_id: UUID, form: DuplicateForm) -> Course:
    return await actions.duplicate(tx, course_id, None if form.title is None else str(form.title))


COURSES = Subject(
    routes=routes, path="/courses/{course_id}", access=WRITE, get=get_changeable, name=attrgetter("title")
)
COURSES.ask(
    "archive",
    actions.archive,
    N_("Archive %(title)s"),
    [
        N_("No more people can be enrolled. Those already enrolled can finish."),
        N_("You can restore it at any time."),
    ],
    N_("Archive course"),
    N_("The course was archived. People already enrolled can finish it."),
    kind="primary",
)
COURSES.ask(
    "duplicate",
    _duplicate,
    N_("Duplicate %(title)s"),
    N_("The copy is a draft with the same modules, completion criteria and instructors, and no enrollments."),
    N_("Duplicate course"),
    kind="primary",
    form=DuplicateForm,
    begins=lambda course: {"title": course.title},
    then=lambda tx, view, course, copy: view.lead(
        f"{ADDRESS}/{copy.id}", N_("The course was duplicated. This is the copy, a draft.")
    ),
    template="panel/courses/duplicate.html",
)


@routes.post("/courses/{course_id}/modules/{module_id}/move", access=WRITE, refused=show_course)
async def move_module(tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, form: MoveForm) -> Answer:
    """Moves a module to another position. Scripts get the list of modules back, others the page."""
    course = await get_changeable(tx, view, course_id)
    await module_actions.move(tx, course_id, module_id, form.place)
    if not view.page.fragment:
        return view.lead(f"{ADDRESS}/{course_id}")
    modules = await module_queries.list_all(tx, course_id)
    moved = next(module for module in modules if module.id == module_id)
    return view.show("panel/courses/_modules.html", course=course, modules=modules, types=TYPES, moved=moved)
