"""What a shell needs to know to be drawn around a page."""

from datetime import UTC, datetime
from typing import Literal

from msgspec import Struct, field

Locale = Literal["pt-BR", "en"]
Theme = Literal["auto", "light", "dark"]
State = Literal["ok", "warn", "bad", "info"]


class MenuItem(Struct, frozen=True, kw_only=True):
    """A link of the shell's navigation. `label` and `section` are msgids, marked with `N_` where written.
    `also` is where more pages of this place are. What is `in_account` is among the links of the
    reader's account, too: a phone's bar has no room for it."""

    label: str
    href: str
    icon: str
    current: bool = False
    section: str = ""
    also: str = ""
    in_account: bool = False


class Flash(Struct, frozen=True):
    """One sentence about what was just done, already in the reader's language. See `flash`."""

    state: State
    text: str
    cookie: str = ""  # the name of the cookie it came in, which the page that shows it takes back


class Page(Struct, frozen=True, kw_only=True):
    """One page for one reader. Every member has the value of a page for nobody in particular."""

    locale: Locale = "pt-BR"
    time_zone: str = "America/Sao_Paulo"
    theme: Theme = "auto"
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    path: str = "/"  # with its query: where switching theme or language leads back to
    tenant_name: str = ""
    home: str = "/"
    brand_url: str | None = None  # of `brand.address`; None for Trilha's own colour
    logo_url: str | None = None
    viewer_name: str = ""
    menu: tuple[MenuItem, ...] = ()
    account: tuple[MenuItem, ...] = ()  # links to what is the reader's own
    csrf_token: str = ""
    homologation: bool = False
    flash: Flash | None = None
    preferences: str = "/preferences"  # where theme and language are posted to
    logout: str = "/logout"
    help: str = ""  # the guide for the reader
    fragment: bool = False  # asked for by htmx, which takes a part of the page
