"""The data that a shell needs to render a page."""

from datetime import datetime
from typing import Literal

from msgspec import Struct, field

from trilha.core.clock import system_clock

Locale = Literal["pt-BR", "en"]
Theme = Literal["auto", "light", "dark"]
State = Literal["ok", "warn", "bad", "info"]


class MenuItem(Struct, frozen=True, kw_only=True):
    """A link of the navigation. `label` and `section` are msgids marked with `N_`.

    `also` are further URLs for which it is the current item. With `in_account`, the link is repeated in
    the reader's account menu, because a phone's bar has no room for it. Sections of items that are `folded`
    are closed except on their own pages. Items `at_end` stay in view at the end of a menu that scrolls.
    """

    label: str
    href: str
    icon: str
    current: bool = False
    section: str = ""
    also: tuple[str, ...] = ()
    in_account: bool = False
    folded: bool = False
    at_end: bool = False


class MenuSection(Struct, frozen=True):
    """Items under one heading (a msgid), or without one. Sections with a heading can be closed."""

    label: str
    items: list[MenuItem]
    is_open: bool


class Flash(Struct, frozen=True):
    """A message about a completed action, in the reader's language. See `flash`.

    `undo` is where a button to undo it is posted to, until the second `undo_until` of Unix time. `details` is
    the page with more about it.
    """

    state: State
    text: str
    cookie: str = ""  # the name of its cookie, which is deleted when the message is displayed
    undo: str = ""
    details: str = ""
    undo_until: int = 0


class App(Struct, frozen=True):
    """What a browser needs to install the page's app: the manifest's address, a color and an icon of iOS."""

    manifest: str
    color: str
    icon: str


class OfflineSupport(Struct, frozen=True):
    """How a browser saves the page for `person`: the service worker, and the origin of their media."""

    person: str
    worker: str
    content: str


class Page(Struct, frozen=True, kw_only=True):
    """One page for one reader. The defaults are those of an anonymous page."""

    locale: Locale = "pt-BR"
    time_zone: str = "America/Sao_Paulo"
    theme: Theme = "auto"
    now: datetime = field(default_factory=system_clock)
    path: str = "/"  # with the query; switching the theme or language returns here
    tenant_name: str = ""
    home: str = "/"
    brand_url: str | None = None  # from `brand.address`; None for Trilha's own color
    logo_url: str | None = None
    viewer_name: str = ""
    menu: tuple[MenuItem, ...] = ()
    account: tuple[MenuItem, ...] = ()  # links to the reader's own pages
    csrf_token: str = ""
    homologation: bool = False
    flash: Flash | None = None
    preferences: str = "/preferences"  # where theme and language are posted to
    logout: str = "/logout"
    help: str = ""  # the guide for the reader
    search: str = ""  # the page that searches everything
    notifications: str = ""  # the page of the bell
    app: App | None = None
    offline: OfflineSupport | None = None
    fragment: bool = False  # whether htmx requested it, which replaces a part of the page
