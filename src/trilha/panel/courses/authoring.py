"""What is done to a course on its page: a button each."""

from typing import Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.web.answers import Answer
from trilha.core.web.routes import Routes
from trilha.courses import actions, module_actions, module_queries, queries
from trilha.pages import N_
from trilha.panel.courses.pages import ADDRESS, show_course, taught_by
from trilha.panel.view import PanelView
from trilha.sessions.permissions import Permission, may

routes = Routes("Authoring", "Courses are published, archived, restored, duplicated and ordered.")
WRITE = may(Permission.COURSES_WRITE)


class Button(Struct, frozen=True):
    """A form of a button alone."""


class MoveForm(Struct, frozen=True):
    to: Literal["up", "down"]


async def _check_author(tx: Tx, view: PanelView, course_id: UUID) -> None:
    """An instructor changes the courses that they teach. Raises NotFound."""
    if (teacher := taught_by(view)) and not await queries.is_taught_by(tx, course_id, teacher):
        raise NotFound("course_not_found")


@routes.post("/courses/{course_id}/publish", access=WRITE, refused=show_course)
async def publish_course(tx: Tx, view: PanelView, course_id: UUID, form: Button) -> Answer:
    """Open it for enrollment, for the first time or again."""
    await _check_author(tx, view, course_id)
    await actions.publish(tx, course_id)
    return view.lead(f"{ADDRESS}/{course_id}", N_("The course is open for enrollment."))


@routes.post("/courses/{course_id}/archive", access=WRITE, refused=show_course)
async def archive_course(tx: Tx, view: PanelView, course_id: UUID, form: Button) -> Answer:
    """Close it for enrollment."""
    await _check_author(tx, view, course_id)
    await actions.archive(tx, course_id)
    return view.lead(f"{ADDRESS}/{course_id}", N_("The course was archived. Those who take it go on."))


@routes.post("/courses/{course_id}/duplicate", access=WRITE, refused=show_course)
async def duplicate_course(tx: Tx, view: PanelView, course_id: UUID, form: Button) -> Answer:
    """Make a draft like it."""
    await _check_author(tx, view, course_id)
    copied = await actions.duplicate(tx, course_id)
    return view.lead(f"{ADDRESS}/{copied.id}", N_("This is the copy, a draft."))


@routes.post("/courses/{course_id}/modules/{module_id}/move", access=WRITE, refused=show_course)
async def move_module(tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, form: MoveForm) -> Answer:
    """One place up or down."""
    await _check_author(tx, view, course_id)
    module = await module_queries.get(tx, course_id, module_id)
    step = -1 if form.to == "up" else 1
    await module_actions.move(tx, course_id, module_id, module.position + step)
    return view.lead(f"{ADDRESS}/{course_id}")
