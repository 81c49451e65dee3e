"""/admin/paths/{id}/people and /assign: who is on a path, and who comes onto it."""

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import NotFound, invalid
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.learning_groups import queries as groups
from trilha.learning_paths import actions, assignments, queries, rollouts
from trilha.learning_paths.lists import followers
from trilha.learning_paths.schema import Follower, FollowQuery, LearningPath, PathProblem
from trilha.pages import N_, NN_
from trilha.panel import choices, lists, people_picker
from trilha.panel.choices import Choices
from trilha.panel.confirm import Button, Subject
from trilha.panel.enrollments.words import REASONS
from trilha.panel.learning_paths import words
from trilha.panel.learning_paths.pages import ADDRESS, READ, WRITE
from trilha.panel.lists import Action, Choice, Column, Empty, Table
from trilha.panel.people_picker import ChosenPeople, PeopleSearch
from trilha.panel.reach import reach_of
from trilha.panel.view import PanelView
from trilha.sessions.permissions import Permission, may
from trilha.users import selection
from trilha.users.schema import User

routes = Routes("People on learning paths", "Who is on a path, how far they are, and who is assigned.")
ASSIGN = may(Permission.PATHS_ASSIGN)
SENTENCES = words.SENTENCES | {"out_of_range": N_("Choose 10,000 people at most.")}


class Whole(Struct, frozen=True):
    """A learning group or a business unit."""

    group_id: UUID | None = None
    unit_id: UUID | None = None


class FollowerWithProblems(Struct, frozen=True):
    """Somebody on a path, and why they could not be enrolled in some of its courses."""

    person: Follower
    problems: Sequence[PathProblem]


async def _with_problems(path_id: UUID, tx: Tx, people: Sequence[Follower]) -> list[FollowerWithProblems]:
    problems: defaultdict[UUID, list[PathProblem]] = defaultdict(list)
    for each in await assignments.list_problems(tx, path_id, [person.id for person in people]):
        problems[each.user_id].append(each)
    return [FollowerWithProblems(person, problems[person.id]) for person in people]


def followers_table(path: LearningPath) -> Table[Follower]:
    address = f"{ADDRESS}/{path.id}"
    assign = Action(
        N_("Assign path"), f"{address}/assign", "user-plus", Permission.PATHS_ASSIGN, primary=True
    )
    is_published = path.status == "PUBLISHED"
    text = (
        N_("Assign it to people, to a learning group or to a business unit.")
        if is_published
        else N_("A path is assigned once it is published.")
    )
    return Table(
        listing=followers(path.id),
        load=partial(_with_problems, path.id),
        path=f"{address}/people",
        title=N_("People on the path"),
        search=N_("Search by name, e-mail, CPF or employee number"),
        choices=[Choice(name="show", label=N_("Everybody"), options=words.SHOWN)],
        row="panel/learning_paths/_follower_row.html",
        values={"reasons": REASONS, "address": f"{address}/people"},
        columns=[
            N_("Person"),
            Column(N_("Courses completed"), numeric=True),
            N_("State"),
            N_("Last day"),
            N_("Assigned on"),
            Column(N_("Actions"), quiet=True, roles=("admin",)),
        ],
        counted=NN_("%(num)s person", "%(num)s people"),
        empty=Empty(
            N_("Nobody is on this path yet"), text, "route", actions=[assign] if is_published else []
        ),
    )


@routes.get("/paths/{path_id}/people", access=READ)
async def list_followers(tx: Tx, view: PanelView, path_id: UUID, query: FollowQuery) -> Html:
    """Who is on the path, of the people within reach, and what is in their way."""
    path = await queries.get(tx, path_id)
    return await lists.show(
        tx,
        view,
        followers_table(path),
        query,
        reach_of(view),
        template="panel/learning_paths/people.html",
        path=path,
        courses=len(await queries.list_courses(tx, path_id)),
        progress=await rollouts.find_progress(tx, path_id),
    )


@routes.post("/paths/{path_id}/try-again", access=WRITE)
async def try_again(tx: Tx, view: PanelView, path_id: UUID, form: Button) -> Answer:
    """Enroll those who could not be enrolled before."""
    await actions.try_again(tx, path_id)
    return view.lead(f"{ADDRESS}/{path_id}", N_("Everybody on the path is being looked at again."))


async def _get_on_path(tx: Tx, view: PanelView, path_id: UUID, user_id: UUID) -> tuple[LearningPath, User]:
    path = await queries.get(tx, path_id)
    return path, await selection.get_within(tx, user_id, reach_of(view))


PEOPLE = Subject(
    routes=routes,
    path="/paths/{path_id}/people/{user_id}",
    access=WRITE,
    get=_get_on_path,
    name=lambda found: found[1].name,
    trail=lambda view, found: [(found[0].title, f"{ADDRESS}/{found[0].id}/people")],
)
PEOPLE.ask(
    "withdraw",
    actions.withdraw,
    N_("Take %(name)s off the path"),
    N_("The enrollments in its courses stay. Courses that would open later do not."),
    N_("Take off the path"),
    N_("%(name)s is not on the path any more."),
)


@routes.get("/paths/{path_id}/assign", access=ASSIGN)
async def find_candidates(
    tx: Tx, view: PanelView, path_id: UUID, query: PeopleSearch, refusal: Refusal | None = None
) -> Html:
    """Find people to assign, active ones within reach."""
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
async def assign_found(tx: Tx, view: PanelView, path_id: UUID, form: ChosenPeople) -> Answer:
    """Assign those who are ticked, or all that were found."""
    await queries.get(tx, path_id)
    ids = await people_picker.find_chosen(tx, view, form)
    if not ids:
        address = f"{ADDRESS}/{path_id}/assign"
        return view.lead(address, N_("Nobody was assigned: tick the people first."), "warn")
    await actions.assign_people(tx, path_id, ids)
    return view.lead(f"{ADDRESS}/{path_id}", N_("People being assigned: %(count)s."), count=len(ids))


@routes.get("/paths/{path_id}/assign-to", access=ASSIGN)
async def ask_whole(tx: Tx, view: PanelView, path_id: UUID, refusal: Refusal | None = None) -> Html:
    """Ask for a group or a unit."""
    path = await queries.get(tx, path_id)
    # A group has people of any unit, so that is for those who reach everybody.
    sent = refusal.values if refusal else {}
    for_all = view.viewer.role == "admin"
    return view.form(
        "panel/learning_paths/assign_to.html",
        refusal,
        {},
        SENTENCES,
        path=path,
        groups=await choices.groups(tx, view, sent.get("group_id")) if for_all else Choices(),
        units=await choices.units(tx, view, sent.get("unit_id")),
    )


@routes.post("/paths/{path_id}/assign-to", access=ASSIGN, refused=ask_whole)
async def assign_whole(tx: Tx, view: PanelView, path_id: UUID, form: Whole) -> Answer:
    """Assign it to all of a group or unit, and to who comes later."""
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
        return view.lead(f"{ADDRESS}/{path_id}", N_("The path was assigned to them before."), "info")
    return view.lead(f"{ADDRESS}/{path_id}", N_("The path is being assigned to everybody there."))
