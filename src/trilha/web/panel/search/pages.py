"""/admin/search: the page, and the results of the palette."""

from typing import Annotated
from urllib.parse import urlencode

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Routes
from trilha.web.panel.search import finding
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Search", "People, courses, paths, groups, pages and actions by what is typed.")
ADDRESS = f"{HOME}/search"
_ACCESS = may(Permission.DASHBOARD_READ)
_Text = Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)]


class SearchQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    q: _Text = ""


class SearchForm(Struct, frozen=True, kw_only=True):
    q: _Text = ""


@routes.get("/search", access=_ACCESS)
async def show_results(tx: Tx, view: PanelView, query: SearchQuery) -> Html:
    """Show what matches the text. A CPF is not searched for here, because it would be in the address."""
    if finding.is_document(query.q):
        return view.show("panel/search/search.html", typed="", groups=[], is_document=True)
    return await _show(tx, view, query.q)


@routes.post("/search", access=_ACCESS)
async def search(tx: Tx, view: PanelView, form: SearchForm) -> Answer:
    """Search for a text that may be a CPF. Any other text leads to the page of its results."""
    if view.page.fragment:
        groups = await finding.find(tx, view, form.q)
        return view.show("panel/search/_options.html", typed=form.q, groups=groups)
    if finding.is_document(form.q):
        return await _show(tx, view, form.q)
    return view.lead(f"{ADDRESS}?{urlencode({'q': form.q})}" if form.q else ADDRESS)


async def _show(tx: Tx, view: PanelView, typed: str) -> Html:
    groups = await finding.find(tx, view, typed)
    return view.show("panel/search/search.html", typed=typed, groups=groups, is_document=False)
