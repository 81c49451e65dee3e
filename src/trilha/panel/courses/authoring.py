"""What is done to a course on its page."""

from typing import Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.courses import actions, module_actions, module_queries, queries
from trilha.pages import N_
from trilha.panel.courses.authors import WRITE, Button, check_author
from trilha.panel.courses.forms import Line
from trilha.panel.courses.pages import ADDRESS, TYPES, show_course
from trilha.panel.view import PanelView

routes = Routes("Authoring", "Courses are published, archived, restored, duplicated and ordered.")


class DuplicateForm(Struct, frozen=True):
    title: Line | None = None


class MoveForm(Struct, frozen=True):
    """To this position, counted from 1; or one place from there."""

    position: int
    move: Literal["up", "down"] | None = None

    @property
    def wanted(self) -> int:
        return self.position + {"up": -1, "down": 1, None: 0}[self.move]


@routes.post("/courses/{course_id}/publish", access=WRITE, refused=show_course)
async def publish_course(tx: Tx, view: PanelView, course_id: UUID, form: Button) -> Answer:
    """Open it for enrollment, for the first time or again."""
    await check_author(tx, view, course_id)
    await actions.publish(tx, course_id)
    return view.lead(f"{ADDRESS}/{course_id}", N_("The course is open for enrollment."))


@routes.get("/courses/{course_id}/archive", access=WRITE)
async def ask_to_archive(tx: Tx, view: PanelView, course_id: UUID, refusal: Refusal | None = None) -> Html:
    """Ask whether to close it."""
    await check_author(tx, view, course_id)
    return view.form("panel/courses/archive.html", refusal, course=await queries.get(tx, course_id))


@routes.post("/courses/{course_id}/archive", access=WRITE, refused=show_course)
async def archive_course(tx: Tx, view: PanelView, course_id: UUID, form: Button) -> Answer:
    """Close it for enrollment."""
    await check_author(tx, view, course_id)
    await actions.archive(tx, course_id)
    return view.lead(f"{ADDRESS}/{course_id}", N_("The course was archived. Those who take it go on."))


@routes.get("/courses/{course_id}/duplicate", access=WRITE)
async def ask_to_duplicate(tx: Tx, view: PanelView, course_id: UUID, refusal: Refusal | None = None) -> Html:
    """Ask what the copy is to be called."""
    await check_author(tx, view, course_id)
    course = await queries.get(tx, course_id)
    return view.form("panel/courses/duplicate.html", refusal, {"title": course.title}, course=course)


@routes.post("/courses/{course_id}/duplicate", access=WRITE, refused=ask_to_duplicate)
async def duplicate_course(tx: Tx, view: PanelView, course_id: UUID, form: DuplicateForm) -> Answer:
    """Make a draft like it."""
    await check_author(tx, view, course_id)
    copied = await actions.duplicate(tx, course_id, None if form.title is None else str(form.title))
    return view.lead(f"{ADDRESS}/{copied.id}", N_("This is the copy, a draft."))


@routes.post("/courses/{course_id}/modules/{module_id}/move", access=WRITE, refused=show_course)
async def move_module(tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, form: MoveForm) -> Answer:
    """To another place."""
    await check_author(tx, view, course_id)
    await module_actions.move(tx, course_id, module_id, form.wanted)
    if not view.page.fragment:
        return view.lead(f"{ADDRESS}/{course_id}")
    modules = await module_queries.list_all(tx, course_id)
    course = await queries.get(tx, course_id)
    moved = next(each for each in modules if each.id == module_id)
    return view.show("panel/courses/_modules.html", course=course, modules=modules, types=TYPES, moved=moved)
