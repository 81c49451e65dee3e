"""/admin/views: saves the filters of a list under a name, renames, shares and deletes them."""

import re
from typing import Annotated
from urllib.parse import parse_qsl, urlencode
from uuid import UUID

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import NotFound, invalid
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_
from trilha.platform.audit import queries as audit
from trilha.platform.saved_views import queries
from trilha.platform.saved_views.schema import ListPath, SavedView, SharedWith, ViewName
from trilha.web.panel.confirm import Subject
from trilha.web.panel.menu import ENTRIES
from trilha.web.panel.people.words import ROLES
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Saved views", "The filters of lists under a name.")
PATH = f"{HOME}/views"
_ACCESS = may(Permission.DASHBOARD_READ)
_SENTENCES = {
    "duplicate_parameter": N_("You have a view with this name already. Choose another."),
    "out_of_range": N_("You have 30 views of this list. Delete one first."),
}
_SHARED_ROLES = ("admin", "gestor", "instrutor")
_LIST_PATH = re.compile(r"/admin(/[a-z0-9-]+){0,6}")
_Filters = Annotated[str, Meta(max_length=2000, extra_json_schema=STORABLE)]


class NewViewQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The list, and its filters as in its address."""

    list: ListPath = HOME
    filters: _Filters = ""


class ViewForm(Struct, frozen=True, kw_only=True):
    name: ViewName
    shared_with: SharedWith | None = None


class NewViewForm(ViewForm, frozen=True, kw_only=True):
    list: ListPath
    filters: _Filters = ""


@routes.get("/views/new", access=_ACCESS)
async def ask_view_name(view: PanelView, query: NewViewQuery, refusal: Refusal | None = None) -> Html:
    """Asks for the name of a new view."""
    sent = refusal.values if refusal else {}
    path, filters = str(sent.get("list", query.list)), str(sent.get("filters", query.filters))
    if not _LIST_PATH.fullmatch(path):
        path = HOME
    return view.form(
        "panel/saved_views/form.html",
        refusal,
        {},
        _SENTENCES,
        saved=None,
        hidden={"list": path, "filters": filters},
        roles=_list_roles(view),
        list_title=_find_list_title(view, path),
        back=f"{path}?{filters}" if filters else path,
        here=f"{PATH}/new",
    )


@routes.post("/views/new", access=_ACCESS, refused=ask_view_name)
async def save_view(tx: Tx, view: PanelView, form: NewViewForm) -> Answer:
    """Saves the filters under a name, in place of the person's view of the same name."""
    if not _LIST_PATH.fullmatch(form.list):
        raise NotFound("route_not_found")
    filters = urlencode([pair for pair in parse_qsl(form.filters) if pair[0] not in ("cursor", "limit")])
    shared = _check_sharing(view, form.shared_with)
    name = form.name.strip()
    if not name:
        raise invalid("name", "required")
    if not await queries.put(tx, view.viewer.user_id, form.list, name, filters, shared):
        raise invalid("name", "out_of_range")
    if shared:
        await audit.record(tx, "saved_view.shared", None, "", list=form.list, shared_with=shared)
    return view.lead(f"{form.list}?{filters}" if filters else form.list, N_("The view was saved."))


@routes.get("/views/{view_id}/edit", access=_ACCESS)
async def edit_view(tx: Tx, view: PanelView, view_id: UUID, refusal: Refusal | None = None) -> Html:
    """Shows the form to rename a view."""
    saved = await _get(tx, view, view_id)
    return view.form(
        "panel/saved_views/form.html",
        refusal,
        {"name": saved.name, "shared_with": saved.shared_with},
        _SENTENCES,
        saved=saved,
        hidden={},
        roles=_list_roles(view),
        list_title=_find_list_title(view, saved.list),
        back=saved.address,
        here=f"{PATH}/{view_id}/edit",
    )


@routes.post("/views/{view_id}/edit", access=_ACCESS, refused=edit_view)
async def update_view(tx: Tx, view: PanelView, view_id: UUID, form: ViewForm) -> Answer:
    """Renames a view and changes with whom it is shared."""
    saved = await _get(tx, view, view_id)
    shared = _check_sharing(view, form.shared_with)
    if not form.name.strip():
        raise invalid("name", "required")
    if not await queries.update(tx, view_id, form.name.strip(), shared):
        raise invalid("name", "duplicate_parameter")
    if shared != saved.shared_with:
        await audit.record(tx, "saved_view.shared", None, "", list=saved.list, shared_with=shared)
    return view.lead(saved.address, N_("The changes were saved."))


async def _get(tx: Tx, view: PanelView, view_id: UUID) -> SavedView:
    """Raises NotFound, also for a view of somebody else."""
    saved = await queries.find_own(tx, view_id, view.viewer.user_id)
    if saved is None:
        raise NotFound("route_not_found")
    return saved


def _find_list_title(view: PanelView, path: str) -> str:
    """Returns the name of the list in the menu, such as Enrollments."""
    labels = [each.item.label for each in ENTRIES if each.item.href == path]
    return view.say(labels[0] if labels else N_("List"))


def _list_roles(view: PanelView) -> list[tuple[str, str]]:
    """Returns the roles that the viewer may share a view with."""
    if not view.may(Permission.SETTINGS_WRITE):
        return []
    return [(role, view.say(ROLES[role])) for role in _SHARED_ROLES]  # type: ignore[index]


def _check_sharing(view: PanelView, shared_with: SharedWith | None) -> SharedWith | None:
    """Only administrators share views."""
    return shared_with if view.may(Permission.SETTINGS_WRITE) else None


VIEWS = Subject(
    routes=routes,
    path="/views/{view_id}",
    access=_ACCESS,
    get=_get,
    trail=lambda view, saved: [(_find_list_title(view, saved.list), saved.list), (saved.name, saved.address)],
)
VIEWS.ask(
    "delete",
    queries.delete,
    N_("Delete the view %(name)s"),
    N_("Only the view is deleted, not what it lists."),
    N_("Delete view"),
    N_("The view %(name)s was deleted."),
    gone=True,
)
