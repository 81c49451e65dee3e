"""/admin/paths/{id}/people and /assign: lists the people on a path, assigns it, removes people."""

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from uuid import UUID

from msgspec import Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import NotFound, invalid
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, NN_
from trilha.people.learning_groups import queries as groups
from trilha.people.users import selection
from trilha.people.users.schema import User
from trilha.training.learning_paths import actions, assignments, queries, rollouts
from trilha.training.learning_paths.lists import followers
from trilha.training.learning_paths.schema import Follower, FollowQuery, LearningPath, PathProblem
from trilha.web.panel import choices, lists, people_files, people_picker
from trilha.web.panel.bulk.offering import BulkList
from trilha.web.panel.choices import Choices
from trilha.web.panel.confirm import Button, Subject
from trilha.web.panel.enrollments.words import REASONS
from trilha.web.panel.learning_paths import bulk, words
from trilha.web.panel.learning_paths.pages import ADDRESS, READ, WRITE
from trilha.web.panel.lists import Action, Bulk, Choice, Column, Download, Empty, Table
from trilha.web.panel.people_picker import ChosenPeople, PeopleSearch
from trilha.web.panel.reach import reach_of
from trilha.web.panel.view import PanelView

routes = Routes("People on learning paths", "The people on a path, and assigning it.")
ASSIGN = may(Permission.PATHS_ASSIGN)
SENTENCES = words.SENTENCES | {"out_of_range": N_("Choose up to 10,000 people.")}


class Audience(Struct, frozen=True):
    """A learning group or a business unit."""

    group_id: UUID | None = None
    unit_id: UUID | None = None


class FollowerWithProblems(Struct, frozen=True):
    """A person on a path, and the courses in which they could not be enrolled."""

    person: Follower
    problems: Sequence[PathProblem]


async def _load_problems(path_id: UUID, tx: Tx, people: Sequence[Follower]) -> list[FollowerWithProblems]:
    problems: defaultdict[UUID, list[PathProblem]] = defaultdict(list)
    for problem in await assignments.list_problems(tx, path_id, [person.id for person in people]):
        problems[problem.user_id].append(problem)
    return [FollowerWithProblems(person, problems[person.id]) for person in people]


BULK = BulkList(
    routes=routes,
    path="/paths/{path_id}/people",
    title=N_("People on the path"),
    query=FollowQuery,
    targets=bulk.FOLLOWERS,
    actions=[bulk.WITHDRAW],
    context=lambda path_id: {"path_id": str(path_id)},
    find_owner=queries.get,
)
BULK.add_pages()


def build_followers_table(path: LearningPath) -> Table[Follower]:
    address = f"{ADDRESS}/{path.id}"
    assign = Action(
        N_("Assign path"), f"{address}/assign", "user-plus", Permission.PATHS_ASSIGN, primary=True
    )
    is_published = path.status == "PUBLISHED"
    text = (
        N_("Assign it to people, a learning group or a business unit.")
        if is_published
        else N_("Publish the path to assign it.")
    )
    return Table(
        listing=followers(path.id),
        load=partial(_load_problems, path.id),
        path=f"{address}/people",
        title=N_("People on the path"),
        search=N_("Search by name, e-mail, CPF or employee number"),
        choices=[Choice(name="show", label=N_("Everyone"), options=words.FILTERS)],
        row="panel/learning_paths/_follower_row.html",
        values={"reasons": REASONS, "address": f"{address}/people"},
        columns=[
            N_("Person"),
            Column(N_("Courses completed"), numeric=True),
            N_("Status"),
            N_("Due date"),
            N_("Assignment date"),
            Column(N_("Actions"), quiet=True, roles=("admin",)),
        ],
        counted=NN_("%(num)s person", "%(num)s people"),
        download=Download(f"{address}/people.csv"),
        bulk=Bulk(buttons=[*BULK.buttons(path.id), people_files.build_button(f"{address}/people/export")]),
        empty=Empty(
            N_("Nobody is on this path yet"), text, "route", actions=[assign] if is_published else []
        ),
    )


@routes.get("/paths/{path_id}/people", access=READ)
async def list_followers(tx: Tx, view: PanelView, path_id: UUID, query: FollowQuery) -> Html:
    """Lists the people on the path within reach, with the problems of each."""
    path = await queries.get(tx, path_id)
    return await lists.show(
        tx,
        view,
        build_followers_table(path),
        query,
        reach_of(view),
        template="panel/learning_paths/people.html",
        path=path,
        courses=len(await queries.list_courses(tx, path_id)),
        progress=await rollouts.find_progress(tx, path_id),
    )


@routes.post("/paths/{path_id}/try-again", access=WRITE)
async def try_again(tx: Tx, view: PanelView, path_id: UUID, form: Button) -> Answer:
    """Retries the enrollments that failed before, for everyone on the path."""
    await actions.try_again(tx, path_id)
    return view.lead(f"{ADDRESS}/{path_id}", N_("Enrollments are being retried for everyone on the path."))


async def _get_path_and_person(
    tx: Tx, view: PanelView, path_id: UUID, user_id: UUID
) -> tuple[LearningPath, User]:
    path = await queries.get(tx, path_id)
    return path, await selection.get_within(tx, user_id, reach_of(view))


PEOPLE = Subject(
    routes=routes,
    path="/paths/{path_id}/people/{user_id}",
    access=WRITE,
    get=_get_path_and_person,
    name=lambda pair: pair[1].name,
    trail=lambda view, pair: [(pair[0].title, f"{ADDRESS}/{pair[0].id}/people")],
)
PEOPLE.ask(
    "withdraw",
    actions.withdraw,
    N_("Remove %(name)s from the path"),
    N_("Current enrollments in its courses are kept. No further courses will open."),
    N_("Remove from path"),
    N_("%(name)s was removed from the path."),
)


@routes.get("/paths/{path_id}/assign", access=ASSIGN)
async def find_candidates(
    tx: Tx, view: PanelView, path_id: UUID, query: PeopleSearch, refusal: Refusal | None = None
) -> Html:
    """Shows the person picker with active people within reach."""
    path = await queries.get(tx, path_id)
    return await people_picker.show(
        tx,
        view,
        query,
        people_picker.table(f"{ADDRESS}/{path_id}/assign", N_("People to assign"), N_("Assign path")),
        template="panel/learning_paths/candidates.html",
        refusal=refusal,
        sentences=SENTENCES,
        path=path,
    )


@routes.post("/paths/{path_id}/assign", access=ASSIGN, refused=find_candidates)
async def assign_chosen(tx: Tx, view: PanelView, path_id: UUID, form: ChosenPeople) -> Answer:
    """Assigns the path to the selected people, or to all who match the search."""
    await queries.get(tx, path_id)
    ids = await people_picker.find_chosen(tx, view, form)
    if not ids:
        address = f"{ADDRESS}/{path_id}/assign"
        return view.lead(address, N_("No one was assigned. Select people first."), "warn")
    await actions.assign_people(tx, path_id, ids)
    return view.lead(f"{ADDRESS}/{path_id}", N_("People being assigned: %(count)s."), count=len(ids))


@routes.get("/paths/{path_id}/assign-to", access=ASSIGN)
async def ask_audience(tx: Tx, view: PanelView, path_id: UUID, refusal: Refusal | None = None) -> Html:
    """Shows the form to choose a group or unit."""
    path = await queries.get(tx, path_id)
    values = refusal.values if refusal else {}
    # A group has people of any unit, so only administrators, who reach everybody, may choose one.
    sees_groups = view.viewer.role == "admin"
    return view.form(
        "panel/learning_paths/assign_to.html",
        refusal,
        {},
        SENTENCES,
        path=path,
        groups=await choices.groups(tx, view, values.get("group_id")) if sees_groups else Choices(),
        units=await choices.units(tx, view, values.get("unit_id")),
    )


@routes.post("/paths/{path_id}/assign-to", access=ASSIGN, refused=ask_audience)
async def assign_audience(tx: Tx, view: PanelView, path_id: UUID, form: Audience) -> Answer:
    """Assigns the path to everyone in a group or unit, and to people who join it later."""
    await queries.get(tx, path_id)
    if form.group_id is None and form.unit_id is None:
        raise invalid("unit_id", "required")
    added = False
    if form.group_id is not None:
        if view.viewer.role != "admin":
            raise NotFound("learning_group_not_found")
        await groups.get(tx, form.group_id)
        added = await actions.assign_group(tx, path_id, form.group_id)
    if form.unit_id is not None:
        if (await choices.units(tx, view, form.unit_id)).words(form.unit_id) is None:
            raise NotFound("business_unit_not_found")
        added = await actions.assign_unit(tx, path_id, form.unit_id) or added
    if not added:
        return view.lead(f"{ADDRESS}/{path_id}", N_("The path was already assigned to them."), "info")
    return view.lead(
        f"{ADDRESS}/{path_id}", N_("The path is being assigned to everyone in the group or unit.")
    )
