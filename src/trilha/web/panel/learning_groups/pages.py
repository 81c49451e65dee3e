"""/admin/groups: lists, shows, creates, edits and deletes groups; adds and removes members."""

import asyncio
from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta, Struct, structs

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.pagination import ListQuery
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, NN_
from trilha.people.learning_groups import actions, queries
from trilha.people.learning_groups import lists as group_lists
from trilha.people.learning_groups.schema import GroupQuery, LearningGroupPatch, NewLearningGroup
from trilha.people.users import selection
from trilha.people.users.lists import PEOPLE
from trilha.people.users.schema import PeopleQuery, Person, Sort
from trilha.web.panel import emails, lists, people_picker
from trilha.web.panel.bulk.offering import BulkList
from trilha.web.panel.confirm import Subject
from trilha.web.panel.learning_groups import bulk
from trilha.web.panel.lists import ACTIONS, Action, Bulk, Column, Empty, Table
from trilha.web.panel.people.bulk import REMOVE_FROM_GROUP, TARGETS
from trilha.web.panel.people.words import STATUSES
from trilha.web.panel.people_picker import MAX_PEOPLE, ChosenPeople, PeopleSearch
from trilha.web.panel.reach import reach_of
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Learning groups", "People who train together, from any unit.")
ADDRESS = f"{HOME}/groups"
READ, WRITE = may(Permission.GROUPS_READ), may(Permission.GROUPS_WRITE)
SENTENCES = {
    "learning_group_exists": N_("Another group already has this name. Enter a different one."),
    "out_of_range": N_("Choose up to 10,000 people."),
}
SearchText = Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)]


class Members(ListQuery, frozen=True, kw_only=True):
    q: SearchText | None = None
    sort: Sort = "name"


class EmailList(Struct, frozen=True):
    emails: Annotated[str, Meta(max_length=500_000, extra_json_schema=STORABLE)]


BULK = BulkList(
    routes=routes,
    path="/groups",
    title=N_("Learning groups"),
    query=GroupQuery,
    targets=bulk.TARGETS,
    actions=bulk.ACTIONS,
)
BULK.add_pages()
GROUPS_TABLE = Table(
    listing=group_lists.GROUPS,
    path=ADDRESS,
    title=N_("Learning groups"),
    lead=N_("People who train together, from any unit. You can enroll a whole group at once."),
    search=N_("Search by the beginning of the name"),
    row="panel/learning_groups/_row.html",
    columns=[N_("Name"), Column(N_("Members"), numeric=True), N_("Created on"), ACTIONS],
    counted=NN_("%(num)s group", "%(num)s groups"),
    bulk=Bulk(buttons=BULK.buttons()),
    actions=[Action(N_("Create group"), f"{ADDRESS}/new", "plus", Permission.GROUPS_WRITE, primary=True)],
    empty=Empty(
        N_("No learning groups yet"),
        N_("Create a group for people who take the same courses, such as the fire brigade or new drivers."),
        "users-round",
        permission=Permission.GROUPS_WRITE,
        otherwise=Empty(
            N_("No learning groups yet"),
            N_("Administrators create groups. You can then enroll your people in a group at once."),
            "users-round",
        ),
    ),
)

MEMBERS = BulkList(
    routes=routes,
    path="/groups/{group_id}",
    title=N_("Members"),
    query=Members,
    targets=TARGETS,
    actions=[REMOVE_FROM_GROUP],
    search=lambda view, form, group_id: _build_search(group_id, form),
    context=lambda group_id: {"group_id": str(group_id)},
    find_owner=queries.get,
)
MEMBERS.add_pages()


def build_members_table(group_id: UUID) -> Table[Person]:
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
        bulk=Bulk(buttons=MEMBERS.buttons(group_id)),
        empty=Empty(
            N_("No members yet"),
            N_("Find people by name, unit or role, or paste a list of e-mail addresses."),
            "users-round",
            actions=[add],
            permission=Permission.GROUPS_WRITE,
            otherwise=Empty(N_("None of your people are in this group"), icon="users-round"),
        ),
    )


@routes.get("/groups", access=READ)
async def list_groups(tx: Tx, view: PanelView, query: GroupQuery) -> Html:
    """Lists the groups by name."""
    return await lists.show(tx, view, GROUPS_TABLE, query)


@routes.get("/groups/new", access=WRITE)
async def new_group(tx: Tx, view: PanelView, refusal: Refusal | None = None) -> Html:
    """Shows the form for a new group."""
    return view.form("panel/learning_groups/form.html", refusal, {}, SENTENCES, group=None)


@routes.post("/groups/new", access=WRITE, refused=new_group)
async def create_group(tx: Tx, view: PanelView, form: NewLearningGroup) -> Answer:
    """Creates a group."""
    group = await actions.create(tx, form)
    message = N_("The group %(name)s was created. Now add its members.")
    return view.lead(f"{ADDRESS}/{group.id}", message, name=group.name)


@routes.get("/groups/{group_id}", access=READ)
async def show_group(tx: Tx, view: PanelView, group_id: UUID, query: Members) -> Html:
    """Shows one group and its members within reach."""
    group = await queries.get(tx, group_id)
    return await lists.show(
        tx,
        view,
        build_members_table(group_id),
        query,
        reach_of(view),
        list_query=structs.replace(_build_search(group_id, query), sort=query.sort),
        template="panel/learning_groups/group.html",
        group=group,
        address=f"{ADDRESS}/{group_id}",
    )


def _build_search(group_id: UUID, search: Any) -> PeopleQuery:
    return PeopleQuery(group=group_id, q=search.q)


@routes.get("/groups/{group_id}/edit", access=WRITE)
async def edit_group(tx: Tx, view: PanelView, group_id: UUID, refusal: Refusal | None = None) -> Html:
    """Shows the form to change the name or description."""
    group = await queries.get(tx, group_id)
    return view.form("panel/learning_groups/form.html", refusal, group, SENTENCES, group=group)


@routes.post("/groups/{group_id}/edit", access=WRITE, refused=edit_group)
async def update_group(tx: Tx, view: PanelView, group_id: UUID, form: NewLearningGroup) -> Answer:
    """Changes the name and description."""
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
    """Shows the person picker with active people to add."""
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
async def add_chosen(tx: Tx, view: PanelView, group_id: UUID, form: ChosenPeople) -> Answer:
    """Adds the selected people, or all who match the search."""
    await queries.get(tx, group_id)
    ids = await people_picker.find_chosen(tx, view, form)
    if not ids:
        address = f"{ADDRESS}/{group_id}/add"
        return view.lead(address, N_("No one was added. Select people first."), "warn")
    added = await actions.add_members(tx, group_id, ids)
    return _redirect_to_group(view, group_id, added, len(ids))


def _redirect_to_group(view: PanelView, group_id: UUID, added: int, total: int) -> Answer:
    message = N_("People added: %(added)s. Already members: %(before)s.")
    return view.lead(f"{ADDRESS}/{group_id}", message, added=added, before=total - added)


@routes.get("/groups/{group_id}/add-by-email", access=WRITE)
async def ask_emails(tx: Tx, view: PanelView, group_id: UUID, refusal: Refusal | None = None) -> Html:
    """Shows the form for e-mail addresses."""
    group = await queries.get(tx, group_id)
    return view.form("panel/learning_groups/emails.html", refusal, {}, SENTENCES, group=group, unknown=None)


@routes.post("/groups/{group_id}/add-by-email", access=WRITE, refused=ask_emails)
async def add_by_email(tx: Tx, view: PanelView, group_id: UUID, form: EmailList) -> Answer:
    """Adds the people with these addresses. Shows the form again with addresses that nobody has."""
    addresses = await asyncio.to_thread(emails.from_text, form.emails)
    if len(addresses.good) > MAX_PEOPLE:
        raise invalid("emails", "too_long")
    people = await selection.find_by_emails(tx, addresses.good, reach_of(view))
    added = await actions.add_members(tx, group_id, [person.id for person in people])
    known = {person.email for person in people}
    unknown = [*addresses.bad, *(email for email in addresses.good if email not in known)]
    if not unknown and people:
        return _redirect_to_group(view, group_id, added, len(people))
    return view.form(
        "panel/learning_groups/emails.html",
        begins={"emails": "\n".join(unknown)},
        group=await queries.get(tx, group_id),
        unknown=unknown,
        added=added,
        before=len(people) - added,
    )
