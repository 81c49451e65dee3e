"""/admin/groups"""

import asyncio
from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct, structs

from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.lists import list_ids
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.pagination import ListQuery
from trilha.core.web.routes import Refusal, Routes
from trilha.learning_groups import actions, queries
from trilha.learning_groups import lists as group_lists
from trilha.learning_groups.schema import GroupQuery, LearningGroupPatch, NewLearningGroup
from trilha.pages import N_, NN_
from trilha.panel import emails, lists, people_picker
from trilha.panel.confirm import Subject
from trilha.panel.lists import Action, Bulk, Column, Empty, Table
from trilha.panel.people.words import STATUSES
from trilha.panel.people_picker import MOST, ChosenPeople, PeopleSearch
from trilha.panel.reach import reach_of
from trilha.panel.view import HOME, PanelView
from trilha.sessions.permissions import Permission, may
from trilha.users import selection
from trilha.users.lists import PEOPLE
from trilha.users.schema import PeopleQuery, Person, Sort

routes = Routes("Learning groups", "People who learn together, wherever they work.")
ADDRESS = f"{HOME}/groups"
READ, WRITE = may(Permission.GROUPS_READ), may(Permission.GROUPS_WRITE)
SENTENCES = {
    "learning_group_exists": N_("Another group has this name."),
    "out_of_range": N_("Choose 10,000 people at most."),
}
Typed = Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)]


class Members(ListQuery, frozen=True, kw_only=True):
    q: Typed | None = None
    sort: Sort = "name"


class Pasted(Struct, frozen=True):
    emails: Annotated[str, Meta(max_length=500_000, extra_json_schema=STORABLE)]


GROUPS_TABLE = Table(
    listing=group_lists.GROUPS,
    path=ADDRESS,
    title=N_("Learning groups"),
    lead=N_("People who learn together, wherever they work. A whole group is enrolled at once."),
    search=N_("Search by the beginning of the name"),
    row="panel/learning_groups/_row.html",
    columns=[
        N_("Name"),
        Column(N_("Members"), numeric=True),
        N_("Created on"),
        Column(N_("Actions"), quiet=True),
    ],
    counted=NN_("%(num)s group", "%(num)s groups"),
    actions=[Action(N_("Create group"), f"{ADDRESS}/new", "plus", Permission.GROUPS_WRITE, primary=True)],
    empty=Empty(
        N_("No learning group yet"),
        N_("Create one for people who take the same courses, such as the fire brigade or new drivers."),
        "users-round",
        permission=Permission.GROUPS_WRITE,
        otherwise=Empty(
            N_("No learning group yet"),
            N_("An administrator creates them. You can then enroll your people of a group at once."),
            "users-round",
        ),
    ),
)


def members_table(group_id: UUID) -> Table[Person]:
    address = f"{ADDRESS}/{group_id}"
    add = Action(N_("Add members"), f"{address}/add", "user-plus", Permission.GROUPS_WRITE, primary=True)
    return Table(
        listing=PEOPLE,
        path=address,
        title=N_("Members"),
        search=N_("Search by name, e-mail, CPF or employee number"),
        row="panel/learning_groups/_member_row.html",
        values={"states": STATUSES},
        columns=[
            Column(N_("Name"), sort="name"),
            N_("Unit"),
            N_("Status"),
            Column(N_("Last sign-in"), sort="-last_login"),
        ],
        counted=NN_("%(num)s person", "%(num)s people"),
        bulk=Bulk(
            path=f"{address}/remove",
            label=N_("Remove from group"),
            primary=False,
            permission=Permission.GROUPS_WRITE,
        ),
        empty=Empty(
            N_("Nobody is in this group yet"),
            N_("Find people by name, unit or role, or paste a list of e-mail addresses."),
            "users-round",
            actions=[add],
            permission=Permission.GROUPS_WRITE,
            otherwise=Empty(N_("None of your people is in this group"), icon="users-round"),
        ),
    )


@routes.get("/groups", access=READ)
async def list_groups(tx: Tx, view: PanelView, query: GroupQuery) -> Html:
    """The groups, by name."""
    return await lists.show(tx, view, GROUPS_TABLE, query)


@routes.get("/groups/new", access=WRITE)
async def new_group(tx: Tx, view: PanelView, refusal: Refusal | None = None) -> Html:
    """Ask for name and description."""
    return view.form("panel/learning_groups/form.html", refusal, {}, SENTENCES, group=None)


@routes.post("/groups/new", access=WRITE, refused=new_group)
async def create_group(tx: Tx, view: PanelView, form: NewLearningGroup) -> Answer:
    """Add a group."""
    group = await actions.create(tx, form)
    message = N_("The group %(name)s was created. Now add its members.")
    return view.lead(f"{ADDRESS}/{group.id}", message, name=group.name)


@routes.get("/groups/{group_id}", access=READ)
async def show_group(tx: Tx, view: PanelView, group_id: UUID, query: Members) -> Html:
    """One group and its members; those within reach."""
    group = await queries.get(tx, group_id)
    return await lists.show(
        tx,
        view,
        members_table(group_id),
        query,
        reach_of(view),
        list_query=structs.replace(_members(group_id, query), sort=query.sort),
        template="panel/learning_groups/group.html",
        group=group,
        address=f"{ADDRESS}/{group_id}",
    )


def _members(group_id: UUID, search: Members | ChosenPeople) -> PeopleQuery:
    return PeopleQuery(group=group_id, q=search.q)


@routes.post("/groups/{group_id}/remove", access=WRITE)
async def remove_members(tx: Tx, view: PanelView, group_id: UUID, form: ChosenPeople) -> Answer:
    """Take people out of the group."""
    ids = form.id
    if form.all:
        members = _members(group_id, form)
        ids, _ = await list_ids(tx, PEOPLE, members, reach_of(view), most=10**6)
    removed = await actions.remove_members(tx, group_id, ids)
    address = f"{ADDRESS}/{group_id}"
    if not removed:
        return view.lead(address, N_("Nobody was removed: tick the people first."), "warn")
    return view.lead(address, N_("People removed from the group: %(count)s."), count=removed)


@routes.get("/groups/{group_id}/edit", access=WRITE)
async def edit_group(tx: Tx, view: PanelView, group_id: UUID, refusal: Refusal | None = None) -> Html:
    """Ask for another name or description."""
    group = await queries.get(tx, group_id)
    return view.form("panel/learning_groups/form.html", refusal, group, SENTENCES, group=group)


@routes.post("/groups/{group_id}/edit", access=WRITE, refused=edit_group)
async def update_group(tx: Tx, view: PanelView, group_id: UUID, form: NewLearningGroup) -> Answer:
    """Rename or describe it."""
    await actions.update(tx, group_id, LearningGroupPatch(name=form.name, description=form.description))
    return view.lead(f"{ADDRESS}/{group_id}", N_("The changes were saved."))


GROUPS = Subject(
    routes=routes,
    path="/groups/{group_id}",
    access=WRITE,
    get=lambda tx, view, group_id: queries.get(tx, group_id),
)
GROUPS.ask(
    "delete",
    actions.delete,
    N_("Delete %(name)s"),
    [
        N_("Its members (%(members)s) keep their accounts, enrollments and certificates."),
        N_("Only the group is deleted."),
    ],
    N_("Delete group"),
    N_("The group %(name)s was deleted."),
    gone=True,
)


@routes.get("/groups/{group_id}/add", access=WRITE)
async def find_candidates(
    tx: Tx, view: PanelView, group_id: UUID, query: PeopleSearch, refusal: Refusal | None = None
) -> Html:
    """Find people to add, active ones."""
    group = await queries.get(tx, group_id)
    return await people_picker.show(
        tx,
        view,
        query,
        people_picker.table(f"{ADDRESS}/{group_id}/add", N_("People to add"), N_("Add to group")),
        template="panel/learning_groups/candidates.html",
        refusal=refusal,
        sentences=SENTENCES,
        group=group,
    )


@routes.post("/groups/{group_id}/add", access=WRITE, refused=find_candidates)
async def add_found(tx: Tx, view: PanelView, group_id: UUID, form: ChosenPeople) -> Answer:
    """Add those who are ticked, or all that were found."""
    await queries.get(tx, group_id)
    ids = await people_picker.find_chosen(tx, view, form)
    if not ids:
        address = f"{ADDRESS}/{group_id}/add"
        return view.lead(address, N_("Nobody was added: tick the people first."), "warn")
    added = await actions.add_members(tx, group_id, ids)
    return _lead_added(view, group_id, added, len(ids))


def _lead_added(view: PanelView, group_id: UUID, added: int, asked: int) -> Answer:
    message = N_("People added: %(added)s. Members before: %(before)s.")
    return view.lead(f"{ADDRESS}/{group_id}", message, added=added, before=asked - added)


@routes.get("/groups/{group_id}/add-by-email", access=WRITE)
async def ask_emails(tx: Tx, view: PanelView, group_id: UUID, refusal: Refusal | None = None) -> Html:
    """Ask for e-mail addresses."""
    group = await queries.get(tx, group_id)
    return view.form("panel/learning_groups/emails.html", refusal, {}, SENTENCES, group=group, left=None)


@routes.post("/groups/{group_id}/add-by-email", access=WRITE, refused=ask_emails)
async def add_by_email(tx: Tx, view: PanelView, group_id: UUID, form: Pasted) -> Answer:
    """Add the people of these addresses; tell which belong to nobody."""
    pasted = await asyncio.to_thread(emails.from_text, form.emails)
    if len(pasted.good) > MOST:
        raise invalid("emails", "too_long")
    found = await selection.find_by_emails(tx, pasted.good, reach_of(view))
    added = await actions.add_members(tx, group_id, [each.id for each in found])
    known = {each.email for each in found}
    left = [*pasted.bad, *(each for each in pasted.good if each not in known)]
    if not left and found:
        return _lead_added(view, group_id, added, len(found))
    return view.form(
        "panel/learning_groups/emails.html",
        begins={"emails": "\n".join(left)},
        group=await queries.get(tx, group_id),
        left=left,
        added=added,
        before=len(found) - added,
    )
