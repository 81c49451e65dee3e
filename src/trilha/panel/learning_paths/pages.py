"""/admin/paths: the list, one path, and what it is made of."""

from collections.abc import Sequence
from typing import Literal
from uuid import UUID

from msgspec import Struct, structs

from trilha.core.database import Tx
from trilha.core.types import Title
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.courses import rules as course_rules
from trilha.learning_paths import actions, assignments, queries, rollouts
from trilha.learning_paths.lists import PATHS
from trilha.learning_paths.schema import (
    Days,
    Description,
    LearningPath,
    NewPath,
    PathCourse,
    PathPatch,
    PathQuery,
)
from trilha.pages import N_, NN_
from trilha.panel import choices, lists
from trilha.panel.choices import Choices
from trilha.panel.confirm import Button
from trilha.panel.learning_paths import words
from trilha.panel.lists import Action, Choice, Column, Empty, Table
from trilha.panel.reach import reach_of
from trilha.panel.view import HOME, PanelView
from trilha.sessions.permissions import Permission, may

routes = Routes("Learning paths", "Courses in an order, whom they are for, and how far everybody is.")
ADDRESS = f"{HOME}/paths"
READ, WRITE = may(Permission.PATHS_READ), may(Permission.PATHS_WRITE)


class PathForm(Struct, frozen=True):
    title: Title
    description: Description | None = None
    in_order: bool = False
    deadline_days: Days | None = None


class CourseForm(Struct, frozen=True):
    course_id: UUID


class MoveForm(Struct, frozen=True):
    course_id: UUID
    to: Literal["up", "down", "out"]


PATHS_TABLE = Table(
    listing=PATHS,
    path=ADDRESS,
    title=N_("Learning paths"),
    lead=N_("Courses that belong together, in an order. Whoever is on a path is enrolled in them."),
    search=N_("Search by title"),
    choices=[Choice(name="status", label=N_("Any status"), options=words.STATUSES)],
    row="panel/learning_paths/_row.html",
    values={"statuses": words.STATUSES, "states": words.STATES},
    columns=[
        N_("Title"),
        N_("Status"),
        Column(N_("Courses"), numeric=True),
        N_("Order"),
        N_("Time to complete it"),
        N_("Created on"),
    ],
    counted=NN_("%(num)s path", "%(num)s paths"),
    actions=[Action(N_("Create path"), f"{ADDRESS}/new", "plus", Permission.PATHS_WRITE, primary=True)],
    empty=Empty(
        N_("No learning path yet"),
        N_("Create one for people who take the same courses one after the other, such as new drivers."),
        "route",
        permission=Permission.PATHS_WRITE,
        otherwise=Empty(
            N_("No learning path yet"),
            N_("An administrator creates them. You can then assign them to your people."),
            "route",
        ),
    ),
)


@routes.get("/paths", access=READ)
async def list_paths(tx: Tx, view: PanelView, query: PathQuery) -> Html:
    """The paths, by title."""
    return await lists.show(tx, view, PATHS_TABLE, query)


@routes.get("/paths/new", access=WRITE)
async def new_path(tx: Tx, view: PanelView, refusal: Refusal | None = None) -> Html:
    """Ask for title, description, order and deadline."""
    return view.form("panel/learning_paths/form.html", refusal, {}, words.SENTENCES, path=None)


@routes.post("/paths/new", access=WRITE, refused=new_path)
async def create_path(tx: Tx, view: PanelView, form: PathForm) -> Answer:
    """Make a draft."""
    path = await actions.create(tx, NewPath(**structs.asdict(form)))
    return view.lead(f"{ADDRESS}/{path.id}", N_("The path was created. Now choose its courses."))


@routes.get("/paths/{path_id}", access=READ)
async def show_path(tx: Tx, view: PanelView, path_id: UUID, refusal: Refusal | None = None) -> Html:
    """One path: its courses, whom it is for, and how it goes."""
    path = await queries.get(tx, path_id)
    parts = await queries.list_courses(tx, path_id)
    offered = Choices()
    if view.may(Permission.PATHS_WRITE):
        taken = {str(each.id) for each in parts}
        found = await choices.courses(tx, view, refusal.values.get("course_id") if refusal else None)
        offered = structs.replace(found, options=[each for each in found.options if each[0] not in taken])
    return view.form(
        "panel/learning_paths/path.html",
        refusal,
        {},
        words.SENTENCES,
        path=path,
        courses=parts,
        offered=offered,
        audiences=await queries.list_audiences(tx, path_id),
        progress=await rollouts.find_progress(tx, path_id),
        counts=await assignments.count(tx, path_id, reach_of(view)),
        statuses=words.STATUSES,
        states=words.STATES,
    )


@routes.get("/paths/{path_id}/progress", access=READ)
async def show_progress(tx: Tx, view: PanelView, path_id: UUID) -> Answer:
    """The part that tells how far assigning is; once it is done, the way to the path."""
    path = await queries.get(tx, path_id)
    progress = await rollouts.find_progress(tx, path_id)
    if progress is not None and view.page.fragment:
        return view.show("panel/learning_paths/_progress.html", path=path, progress=progress)
    return view.lead(f"{ADDRESS}/{path_id}")


@routes.get("/paths/{path_id}/edit", access=WRITE)
async def edit_path(tx: Tx, view: PanelView, path_id: UUID, refusal: Refusal | None = None) -> Html:
    """Ask for another title, description, order or deadline."""
    path = await queries.get(tx, path_id)
    return view.form("panel/learning_paths/form.html", refusal, path, words.SENTENCES, path=path)


@routes.post("/paths/{path_id}/edit", access=WRITE, refused=edit_path)
async def update_path(tx: Tx, view: PanelView, path_id: UUID, form: PathForm) -> Answer:
    """Change them."""
    await actions.change(tx, path_id, PathPatch(**structs.asdict(form)))
    return view.lead(f"{ADDRESS}/{path_id}", N_("The changes were saved."))


@routes.post("/paths/{path_id}/courses", access=WRITE, refused=show_path)
async def add_course(tx: Tx, view: PanelView, path_id: UUID, form: CourseForm) -> Answer:
    """Add a course at the end."""
    path = await queries.lock(tx, path_id)
    before = await queries.list_courses(tx, path_id)
    if form.course_id in _ids(before):
        return view.lead(f"{ADDRESS}/{path_id}", N_("The course is on the path already."), "warn")
    await actions.set_courses(tx, path_id, [*_ids(before), form.course_id])
    return _changed(view, path, N_("The course was added."))


@routes.post("/paths/{path_id}/courses/move", access=WRITE, refused=show_path)
async def move_course(tx: Tx, view: PanelView, path_id: UUID, form: MoveForm) -> Answer:
    """One place up or down, or out of the path."""
    path = await queries.lock(tx, path_id)
    order = _ids(await queries.list_courses(tx, path_id))
    if form.course_id not in order:
        return view.lead(f"{ADDRESS}/{path_id}")
    if form.to == "out":
        await actions.set_courses(tx, path_id, [each for each in order if each != form.course_id])
        return _changed(view, path, N_("The course was taken out. Who takes it goes on."))
    place = order.index(form.course_id) + 1 + (1 if form.to == "down" else -1)
    await actions.set_courses(tx, path_id, course_rules.moved(order, form.course_id, place))
    return view.lead(f"{ADDRESS}/{path_id}")


def _ids(parts: Sequence[PathCourse]) -> list[UUID]:
    return [each.id for each in parts]


def _changed(view: PanelView, path: LearningPath, message: str) -> Answer:
    return view.lead(f"{ADDRESS}/{path.id}", message)


@routes.post("/paths/{path_id}/publish", access=WRITE, refused=show_path)
async def publish_path(tx: Tx, view: PanelView, path_id: UUID, form: Button) -> Answer:
    """Open it, for the first time or again."""
    await actions.publish(tx, path_id)
    return view.lead(f"{ADDRESS}/{path_id}", N_("The path is open: you can assign it."))


@routes.post("/paths/{path_id}/archive", access=WRITE, refused=show_path)
async def archive_path(tx: Tx, view: PanelView, path_id: UUID, form: Button) -> Answer:
    """Close it for assignment."""
    await actions.archive(tx, path_id)
    return view.lead(f"{ADDRESS}/{path_id}", N_("The path was archived. Those who are on it go on."))


@routes.post("/paths/{path_id}/audiences/{audience_id}/remove", access=WRITE)
async def remove_audience(tx: Tx, view: PanelView, path_id: UUID, audience_id: UUID, form: Button) -> Answer:
    """Assign it no longer to who comes into a group or unit."""
    await actions.remove_audience(tx, path_id, audience_id)
    message = N_("Who comes later is not assigned any more. Those who are on the path stay.")
    return view.lead(f"{ADDRESS}/{path_id}", message)
