"""What a page for somebody who is signed in is made with: a handler asks for its `View`.

@routes.get("/people/new", access=may(Permission.PEOPLE_WRITE))
async def new_person(tx: Tx, view: View, refusal: Refusal | None = None) -> Html:
    return view.form("panel/people/new.html", refusal, units=await units.list_tree(tx))

@routes.post("/people/new", access=may(Permission.PEOPLE_WRITE), refused=new_person)
async def create_person(tx: Tx, view: View, form: NewPerson) -> Answer:
    user = await actions.create(tx, form)
    return view.lead(f"/admin/people/{user.id}", N_("%(name)s was added."), name=user.name)
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any
from urllib.parse import quote
from uuid import UUID

from msgspec import Struct
from msgspec.structs import asdict, replace

from trilha.access.permissions.roles import ROLES, Permission
from trilha.access.permissions.viewer import Viewer, viewer_of
from trilha.access.sessions.identity import CsrfTokens
from trilha.core.database import Database, Tx
from trilha.core.web.answers import Answer, Html
from trilha.core.web.callers import Caller
from trilha.core.web.request import Request
from trilha.core.web.routes import Refusal
from trilha.kit import (
    N_,
    Form,
    Locale,
    MenuItem,
    Page,
    State,
    brand,
    build_refused_form,
    lead,
    locale_of,
    page_of,
    redirect,
    render,
    translate,
)

# The page of each step of an unfinished sign-in.
STEPS: dict[str, str] = {
    "second_factor_required": "/login/code",
    "password_change_required": "/login/password",
    "second_factor_setup_required": "/learn/security/authenticator",
}


def step_before(unfinished: str, next_page: str = "") -> str:
    """Returns the page of a step, which continues to `next_page`."""
    step = STEPS[unfinished]
    return f"{step}?next={quote(next_page, safe='/')}" if next_page and step.startswith("/login") else step


Menu = Callable[[Viewer], Sequence[MenuItem]]

# Menu items that everybody has.
ACCOUNT = (
    MenuItem(label=N_("My courses"), href="/learn", icon="book-open"),
    MenuItem(label=N_("My profile"), href="/learn/profile", icon="circle-user-round"),
    MenuItem(label=N_("Security"), href="/learn/security", icon="shield-check"),
)


def page_of_viewer(request: Request, viewer: Viewer, csrf_token: str) -> Page:
    """Returns a page in the person's language and time zone, with the company's brand."""
    return replace(
        page_of(request),
        locale=locale_of(request, viewer.own_locale, viewer.tenant_locale),
        time_zone=viewer.time_zone,
        tenant_name=viewer.tenant_name,
        brand_url=brand.address(viewer.brand_colour) if viewer.brand_colour else None,
        logo_url=f"/logos/{viewer.logo_name}" if viewer.logo_name else None,
        csrf_token=csrf_token,
        homologation=viewer.environment == "homologation",
    )


class View:
    """One page for one person."""

    def __init__(
        self,
        request: Request,
        viewer: Viewer,
        page: Page,
        tokens: CsrfTokens,
        caller: Caller,
        database: Database,
    ) -> None:
        self.caller = caller
        self.database = database
        self.request = request
        self.viewer = viewer
        self.page = page
        self._tokens = tokens

    def renew(self, session_token: str) -> None:
        """Continues under a new session token, which the page's forms depend on."""
        self.page = replace(self.page, csrf_token=self._tokens.of_renewed(session_token))

    @property
    def locale(self) -> Locale:
        return self.page.locale

    @property
    def tenant_id(self) -> UUID:
        return self.caller.tenant_id

    def may(self, permission: Permission) -> bool:
        return permission in ROLES[self.viewer.role]

    def reading(self) -> AbstractAsyncContextManager[Tx]:
        """Opens a read-only transaction, for handlers that also wait for a file or another server."""
        return self.database.transaction(self.tenant_id, read_only=True)

    def changing(self) -> AbstractAsyncContextManager[Tx]:
        """Opens a transaction for the viewer's changes, for the same handlers."""
        return self.database.transaction(self.tenant_id, actor=self.caller.actor)

    def show(self, template: str, *, status: int = 200, **values: Any) -> Html:
        """Renders a template, with `view` among its values."""
        return render(template, self.page, status=status, view=self, **values)

    def form(
        self,
        template: str,
        refusal: Refusal | None = None,
        begins: Mapping[str, object] | Struct | None = None,
        sentences: Mapping[str, str] | None = None,
        **values: Any,
    ) -> Html:
        """Renders a page with a form: with initial values, or as it was sent and refused (422).

        The initial values may be the object to change, whose members have the names of the fields.
        `sentences` are msgids by error code, for this form alone.
        """
        if refusal is None:
            initial = asdict(begins) if isinstance(begins, Struct) else begins
            return self.show(template, form=Form(initial or {}), **values)
        form = build_refused_form(refusal.values, refusal.failure, **(sentences or {}))
        return self.show(template, status=422, form=form, **values)

    def lead(self, location: str, message: str = "", /, state: State = "ok", **values: object) -> Answer:
        """Redirects to another page, which shows the message (a msgid)."""
        if not message:
            return lead(self.request, location)
        return redirect(self.request, location, state, self.say(message, **values))

    def say(self, message: str, **values: object) -> str:
        """Translates a msgid into the reader's language."""
        return translate(self.page, message, **values)


class Views:
    """Builds the `View` of each request. The panel and the learners' pages have one each, with different
    menus.
    """

    def __init__(
        self,
        makes: type[View],
        tokens: CsrfTokens,
        menu: Menu,
        home: str,
        database: Database,
        search: str = "",
    ) -> None:
        self.makes = makes
        self._database = database
        self._tokens = tokens
        self._menu = menu
        self._home = home
        self._search = search

    def make(self, request: Request, caller: Caller) -> View:
        """Builds the view. The route's access must require a session."""
        viewer = viewer_of(caller)
        page = replace(
            page_of_viewer(request, viewer, self._tokens.token(caller)),
            home=self._home,
            viewer_name=viewer.name,
            menu=(menu := self._menu_of(request, viewer)),
            account=_account(menu) if not viewer.unfinished_step else (),
            preferences="/learn/preferences",
            help="" if viewer.unfinished_step else f"{self._home}/help",
            search="" if viewer.unfinished_step else self._search,
            notifications="" if viewer.unfinished_step else "/learn/notifications",
        )
        return self.makes(request, viewer, page, self._tokens, caller, self._database)

    def _menu_of(self, request: Request, viewer: Viewer) -> tuple[MenuItem, ...]:
        """Returns the menu. It is empty during an unfinished sign-in, because every page would lead back to
        its step.
        """
        if viewer.unfinished_step:
            return ()
        return tuple(
            replace(item, current=_is_current(item, request.full_path, self._home))
            for item in self._menu(viewer)
        )


def _account(menu: Sequence[MenuItem]) -> tuple[MenuItem, ...]:
    known = {item.href for item in ACCOUNT}
    return (*ACCOUNT, *(item for item in menu if item.in_account and item.href not in known))


def _is_current(item: MenuItem, path: str, home: str) -> bool:
    places = (item.href, *item.also)
    return any(path == place or (place != home and path.startswith(f"{place}/")) for place in places)
