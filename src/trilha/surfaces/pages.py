"""The surfaces of pages: the session's cookie, guarded forms, failures as pages."""

from collections.abc import Mapping, Sequence

from trilha.access.sessions.identity import SessionIdentity, SessionLimits
from trilha.access.sessions.view import STEPS, Views
from trilha.core.database import Database
from trilha.core.web.callers import Identity, Limits
from trilha.core.web.routes import Routes
from trilha.core.web.surface import FormGuard, Surface, count_nothing
from trilha.kit import HEADERS, PageErrors
from trilha.kit.content_security_policy import policy
from trilha.settings import Settings
from trilha.surfaces.shared_objects import SharedObjects
from trilha.web.learn import feature as learn
from trilha.web.learn.offline.views import LearnViews
from trilha.web.learn.view import LearnView
from trilha.web.learn.view import menu as learn_menu
from trilha.web.login import feature as login
from trilha.web.login.pages import front, leaving
from trilha.web.panel import feature as panel
from trilha.web.panel.menu import menu as panel_menu
from trilha.web.panel.view import PanelView


def surfaces(settings: Settings, database: Database, shared: SharedObjects) -> list[Surface]:
    """Returns the surfaces that browsers show. The last one answers whatever no other surface does."""
    limits = SessionLimits(database.keyring, None, settings.limit_login)
    identity = SessionIdentity(database.keyring, shared.browsers, shared.clock, bearer=False)
    check = shared.csrf_tokens.check
    # Learners' pages and those of the sign-in reach what a browser has saved of modules.
    framing = {**HEADERS, "content-security-policy": policy(frame_src=shared.content_origin.pattern)}
    return [
        _surface("panel", "/admin", panel.PAGES, identity, check, limits),
        _surface("learn", "/learn", learn.PAGES, identity, check, limits, framing),
        _surface("login", "/login", login.PAGES, identity, check, limits, framing),
        _surface("logout", "/logout", [leaving], identity, check, headers=framing),
        _surface("front", "", [front], identity, check),
    ]


def build_views(database: Database, shared: SharedObjects) -> list[object]:
    """Returns what builds the views of the panel and of learners' pages, for their handlers."""
    return [
        Views(PanelView, shared.csrf_tokens, panel_menu, "/admin", database, search="/admin/search"),
        LearnViews(LearnView, shared.csrf_tokens, learn_menu, "/learn", database).use(
            shared.content_origin, shared.offline
        ),
    ]


def _surface(
    name: str,
    prefix: str,
    features: Sequence[Routes],
    identity: Identity,
    forms: FormGuard,
    limits: Limits = count_nothing,
    headers: Mapping[str, str] = HEADERS,
) -> Surface:
    return Surface(
        name=name,
        prefixes=[prefix],
        features=features,
        identity=identity,
        limits=limits,
        forms=forms,
        errors=PageErrors(steps=STEPS),
        media_type="text/html",
        headers=headers,
        https="redirect",
        drops_blanks=True,
    )
