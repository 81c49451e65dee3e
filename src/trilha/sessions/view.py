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

from trilha.core.database import Database, Tx
from trilha.core.web.answers import Answer, Html
from trilha.core.web.callers import Caller
from trilha.core.web.request import Request
from trilha.core.web.routes import Refusal
from trilha.pages import (
    N_,
    Form,
    Locale,
    MenuItem,
    Page,
    State,
    brand,
    lead,
    locale_of,
    page_of,
    redirect,
    refused,
    render,
    translate,
)
from trilha.sessions.identity import CsrfTokens
from trilha.sessions.permissions import ROLES, Permission
from trilha.sessions.viewer import Viewer, viewer_of

# Where an unfinished sign-in goes on.
STEPS: dict[str, str] = {
    "second_factor_required": "/login/code",
    "password_change_required": "/login/password",
    "second_factor_setup_required": "/learn/security/authenticator",
}


def step_before(unfinished: str, wanted: str = "") -> str:
    """The page of the step, which leads on to the page that was wanted."""
    step = STEPS[unfinished]
    return f"{step}?next={quote(wanted, safe='/')}" if wanted and step.startswith("/login") else step


Menu = Callable[[Viewer], Sequence[MenuItem]]

# Everybody's own, whatever else they may do.
ACCOUNT = (
    MenuItem(label=N_("My courses"), href="/learn", icon="book-open"),
    MenuItem(label=N_("My profile"), href="/learn/profile", icon="circle-user-round"),
    MenuItem(label=N_("Security"), href="/learn/security", icon="shield-check"),
)


def page_of_viewer(request: Request, viewer: Viewer, csrf_token: str) -> Page:
    """In the person's language, time zone and company."""
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
        """The session goes on under this token: what the page's forms bear is of it."""
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
        """A read-only transaction of its own, for a handler that also waits for a file or another server."""
        return self.database.transaction(self.tenant_id, read_only=True)

    def changing(self) -> AbstractAsyncContextManager[Tx]:
        """The same, in which the viewer changes something."""
        return self.database.transaction(self.tenant_id, actor=self.caller.actor)

    def show(self, template: str, *, status: int = 200, **values: Any) -> Html:
        """`view` is among the template's values."""
        return render(template, self.page, status=status, view=self, **values)

    def form(
        self,
        template: str,
        refusal: Refusal | None = None,
        begins: Mapping[str, object] | Struct | None = None,
        sentences: Mapping[str, str] | None = None,
        **values: Any,
    ) -> Html:
        """A page with a form: as it `begins`, or as it was sent and refused (422).

        It may begin as the thing that it changes, whose members have the names of its fields. `sentences` are
        msgids by error code, for this form alone.
        """
        if refusal is None:
            begun = asdict(begins) if isinstance(begins, Struct) else begins
            return self.show(template, form=Form(begun or {}), **values)
        form = refused(refusal.values, refusal.failure, **(sentences or {}))
        return self.show(template, status=422, form=form, **values)

    def lead(self, location: str, message: str = "", /, state: State = "ok", **values: object) -> Answer:
        """On to another page, where the message (a msgid) is told."""
        if not message:
            return lead(self.request, location)
        return redirect(self.request, location, state, self.say(message, **values))

    def say(self, message: str, **values: object) -> str:
        """A msgid in the reader's language."""
        return translate(self.page, message, **values)


class Views:
    """Makes the `View` of each request. One for the panel and one for learners: their menus differ."""

    def __init__(
        self, makes: type[View], tokens: CsrfTokens, menu: Menu, home: str, database: Database
    ) -> None:
        self.makes = makes
        self._database = database
        self._tokens = tokens
        self._menu = menu
        self._home = home

    def make(self, request: Request, caller: Caller) -> View:
        """For routes whose access asks for a session."""
        viewer = viewer_of(caller)
        page = replace(
            page_of_viewer(request, viewer, self._tokens.token(caller)),
            home=self._home,
            viewer_name=viewer.name,
            menu=(menu := self._menu_of(request, viewer)),
            account=_account(menu) if not viewer.unfinished else (),
            preferences="/learn/preferences",
            help="" if viewer.unfinished else f"{self._home}/help",
        )
        return self.makes(request, viewer, page, self._tokens, caller, self._database)

    def _menu_of(self, request: Request, viewer: Viewer) -> tuple[MenuItem, ...]:
        """Nothing while a step of the sign-in is left: every other page would lead back to it."""
        if viewer.unfinished:
            return ()
        return tuple(
            replace(item, current=_is_current(item, request.full_path, self._home))
            for item in self._menu(viewer)
        )


def _account(menu: Sequence[MenuItem]) -> tuple[MenuItem, ...]:
    known = {each.href for each in ACCOUNT}
    return (*ACCOUNT, *(each for each in menu if each.in_account and each.href not in known))


def _is_current(item: MenuItem, path: str, home: str) -> bool:
    places = [each for each in (item.href, item.also) if each]
    return any(path == each or (each != home and path.startswith(f"{each}/")) for each in places)
