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
from trilha.learning_groups.schema import GroupQuery, LearningGroupPatch, NewLearningGroup
from trilha.pages import N_
from trilha.panel import emails, lists, people_picker
from trilha.panel.confirm import Subject
from trilha.panel.people_picker import MOST, ChosenPeople, PeopleSearch
from trilha.panel.reach import reach_of
from trilha.panel.view import HOME, PanelView
from trilha.sessions.permissions import Permission, may
from trilha.users import selection
from trilha.users.lists import PEOPLE
from trilha.users.schema import PeopleQuery, Sort

routes = Routes("Learning groups", "People who learn together, wherever they work.")
ADDRESS = f"{HOME}/groups"
_FOLDER = "panel/learning_groups"
CANDIDATES = (f"{_FOLDER}/candidates.html", f"{_FOLDER}/_candidates.html", people_picker.ROWS)
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


@routes.get("/groups", access=READ)
async def list_groups(tx: Tx, view: PanelView, query: GroupQuery) -> Html:
    """The groups, by name."""
    page = await queries.list_page(tx, query)
    return view.show(
        lists.part(view, "panel/learning_groups", query.cursor),
        groups=page.data,
        query=query,
        active=lists.chips(ADDRESS, query, {"q": query.q or ""}),
        following=lists.following(ADDRESS, query, page.next_cursor),
    )


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
    members = structs.replace(_members(group_id, query), sort=query.sort, cursor=query.cursor)
    counted = not (view.page.fragment and query.cursor)
    found = await lists.find(tx, PEOPLE, members, reach_of(view), counted=counted)
    address = f"{ADDRESS}/{group_id}"
    return view.show(
        _member_part(view, query.cursor),
        group=group,
        people=found.page.data,
        total=found.total,
        most=found.most,
        query=query,
        address=address,
        sorts={name: lists.address(address, query, sort=name) for name in ("name", "-name", "-last_login")},
        active=lists.chips(address, query, {"q": query.q or ""}),
        following=lists.following(address, query, found.page.next_cursor),
    )


def _members(group_id: UUID, search: Members | ChosenPeople) -> PeopleQuery:
    return PeopleQuery(group=group_id, q=search.q)


def _member_part(view: PanelView, cursor: str | None) -> str:
    if not view.page.fragment:
        return "panel/learning_groups/group.html"
    return f"panel/learning_groups/_member{'s' if cursor is None else '_rows'}.html"


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
    group, address = await queries.get(tx, group_id), f"{ADDRESS}/{group_id}/add"
    return await people_picker.show(tx, view, query, address, CANDIDATES, refusal, {}, SENTENCES, group=group)


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
