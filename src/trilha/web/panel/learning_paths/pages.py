"""/admin/paths: lists, shows, creates and edits paths; changes their courses and status."""

from collections.abc import Sequence
from typing import Literal
from uuid import UUID

from msgspec import Struct, structs

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.types import Title
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, NN_
from trilha.training.courses import rules as course_rules
from trilha.training.learning_paths import actions, assignments, queries, rollouts
from trilha.training.learning_paths.lists import PATHS
from trilha.training.learning_paths.schema import (
    Days,
    Description,
    NewPath,
    PathCourse,
    PathPatch,
    PathQuery,
)
from trilha.web.panel import choices, lists
from trilha.web.panel.bulk.offering import BulkList
from trilha.web.panel.choices import Choices
from trilha.web.panel.confirm import Button
from trilha.web.panel.learning_paths import bulk, words
from trilha.web.panel.lists import Action, Bulk, Choice, Column, Empty, Table
from trilha.web.panel.reach import reach_of
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Learning paths", "Learning paths, their courses and their people.")
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


BULK = BulkList(
    routes=routes,
    path="/paths",
    title=N_("Learning paths"),
    query=PathQuery,
    targets=bulk.TARGETS,
    actions=bulk.ACTIONS,
)
BULK.add_pages()
PATHS_TABLE = Table(
    listing=PATHS,
    path=ADDRESS,
    title=N_("Learning paths"),
    lead=N_("Courses that belong together. People on a path are enrolled in its courses."),
    search=N_("Search by title"),
    choices=[Choice(name="status", label=N_("Any status"), options=words.STATUSES)],
    row="panel/learning_paths/_row.html",
    values={"statuses": words.STATUSES, "states": words.STATES},
    columns=[
        N_("Title"),
        N_("Status"),
        Column(N_("Courses"), numeric=True),
        N_("Order"),
        N_("Time to complete"),
        N_("Created on"),
    ],
    counted=NN_("%(num)s path", "%(num)s paths"),
    bulk=Bulk(buttons=BULK.buttons()),
    actions=[Action(N_("Create path"), f"{ADDRESS}/new", "plus", Permission.PATHS_WRITE, primary=True)],
    empty=Empty(
        N_("No learning paths yet"),
        N_("Create a path for people who take the same series of courses, such as new drivers."),
        "route",
        permission=Permission.PATHS_WRITE,
        otherwise=Empty(
            N_("No learning paths yet"),
            N_("Administrators create paths. You can then assign them to your people."),
            "route",
        ),
    ),
)


@routes.get("/paths", access=READ)
async def list_paths(tx: Tx, view: PanelView, query: PathQuery) -> Html:
    """Lists the paths by title."""
    return await lists.show(tx, view, PATHS_TABLE, query)


@routes.get("/paths/new", access=WRITE)
async def new_path(tx: Tx, view: PanelView, refusal: Refusal | None = None) -> Html:
    """Shows the form for a new path."""
    return view.form("panel/learning_paths/form.html", refusal, {}, words.SENTENCES, path=None)


@routes.post("/paths/new", access=WRITE, refused=new_path)
async def create_path(tx: Tx, view: PanelView, form: PathForm) -> Answer:
    """Creates a draft."""
    path = await actions.create(tx, NewPath(**structs.asdict(form)))
    return view.lead(f"{ADDRESS}/{path.id}", N_("The path was created. Now choose its courses."))


@routes.get("/paths/{path_id}", access=READ)
async def show_path(tx: Tx, view: PanelView, path_id: UUID, refusal: Refusal | None = None) -> Html:
    """Shows one path: its courses, audiences and figures."""
    path = await queries.get(tx, path_id)
    courses = await queries.list_courses(tx, path_id)
    offered = Choices()
    if view.may(Permission.PATHS_WRITE):
        used = {str(course.id) for course in courses}
        all_courses = await choices.courses(tx, view, refusal.values.get("course_id") if refusal else None)
        offered = structs.replace(
            all_courses, options=[option for option in all_courses.options if option[0] not in used]
        )
    return view.form(
        "panel/learning_paths/path.html",
        refusal,
        {},
        words.SENTENCES,
        path=path,
        courses=courses,
        offered=offered,
        audiences=await queries.list_audiences(tx, path_id),
        progress=await rollouts.find_progress(tx, path_id),
        counts=await assignments.count(tx, path_id, reach_of(view)),
        statuses=words.STATUSES,
        states=words.STATES,
    )


@routes.get("/paths/{path_id}/progress", access=READ)
async def show_progress(tx: Tx, view: PanelView, path_id: UUID) -> Answer:
    """Renders the progress of a running rollout, or redirects to the path when it is done."""
    path = await queries.get(tx, path_id)
    progress = await rollouts.find_progress(tx, path_id)
    if progress is not None and view.page.fragment:
        return view.show("panel/learning_paths/_progress.html", path=path, progress=progress)
    return view.lead(f"{ADDRESS}/{path_id}")


@routes.get("/paths/{path_id}/edit", access=WRITE)
async def edit_path(tx: Tx, view: PanelView, path_id: UUID, refusal: Refusal | None = None) -> Html:
    """Shows the form to edit a path."""
    path = await queries.get(tx, path_id)
    return view.form("panel/learning_paths/form.html", refusal, path, words.SENTENCES, path=path)


@routes.post("/paths/{path_id}/edit", access=WRITE, refused=edit_path)
async def update_path(tx: Tx, view: PanelView, path_id: UUID, form: PathForm) -> Answer:
    """Saves the path."""
    await actions.change(tx, path_id, PathPatch(**structs.asdict(form)))
    return view.lead(f"{ADDRESS}/{path_id}", N_("The changes were saved."))


@routes.post("/paths/{path_id}/courses", access=WRITE, refused=show_path)
async def add_course(tx: Tx, view: PanelView, path_id: UUID, form: CourseForm) -> Answer:
    """Adds a course at the end of the path."""
    await queries.lock(tx, path_id)
    courses = await queries.list_courses(tx, path_id)
    if form.course_id in _list_ids(courses):
        return view.lead(f"{ADDRESS}/{path_id}", N_("The course is already on the path."), "warn")
    await actions.set_courses(tx, path_id, [*_list_ids(courses), form.course_id])
    return view.lead(f"{ADDRESS}/{path_id}", N_("The course was added."))


@routes.post("/paths/{path_id}/courses/move", access=WRITE, refused=show_path)
async def move_course(tx: Tx, view: PanelView, path_id: UUID, form: MoveForm) -> Answer:
    """Moves a course one place up or down, or removes it from the path."""
    await queries.lock(tx, path_id)
    order = _list_ids(await queries.list_courses(tx, path_id))
    if form.course_id not in order:
        return view.lead(f"{ADDRESS}/{path_id}")
    if form.to == "out":
        await actions.set_courses(
            tx, path_id, [course_id for course_id in order if course_id != form.course_id]
        )
        message = N_("The course was removed from the path. People already enrolled can finish it.")
        return view.lead(f"{ADDRESS}/{path_id}", message)
    place = order.index(form.course_id) + 1 + (1 if form.to == "down" else -1)
    await actions.set_courses(tx, path_id, course_rules.move(order, form.course_id, place))
    return view.lead(f"{ADDRESS}/{path_id}")


def _list_ids(courses: Sequence[PathCourse]) -> list[UUID]:
    return [course.id for course in courses]


@routes.post("/paths/{path_id}/publish", access=WRITE, refused=show_path)
async def publish_path(tx: Tx, view: PanelView, path_id: UUID, form: Button) -> Answer:
    """Publishes a draft or restores an archived path."""
    await actions.publish(tx, path_id)
    return view.lead(f"{ADDRESS}/{path_id}", N_("The path was published. You can now assign it."))


@routes.post("/paths/{path_id}/archive", access=WRITE, refused=show_path)
async def archive_path(tx: Tx, view: PanelView, path_id: UUID, form: Button) -> Answer:
    """Archives the path: nobody new is assigned."""
    await actions.archive(tx, path_id)
    return view.lead(f"{ADDRESS}/{path_id}", N_("The path was archived. People already on it can finish."))


@routes.post("/paths/{path_id}/audiences/{audience_id}/remove", access=WRITE)
async def remove_audience(tx: Tx, view: PanelView, path_id: UUID, audience_id: UUID, form: Button) -> Answer:
    """Stops assigning the path to people who join a group or unit later."""
    await actions.remove_audience(tx, path_id, audience_id)
    message = N_("People who join later are no longer assigned. People already on the path stay.")
    return view.lead(f"{ADDRESS}/{path_id}", message)
