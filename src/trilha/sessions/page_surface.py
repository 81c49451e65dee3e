"""A surface of pages for people: the session's cookie, guarded forms, failures as pages."""

from collections.abc import Sequence

from trilha.core.web.callers import Identity, Limits
from trilha.core.web.routes import Routes
from trilha.core.web.surface import FormGuard, Surface, unlimited
from trilha.pages import HEADERS, PageErrors
from trilha.sessions.view import STEPS


def page_surface(
    name: str,
    prefix: str,
    features: Sequence[Routes],
    identity: Identity,
    forms: FormGuard,
    limits: Limits = unlimited,
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
        headers=HEADERS,
        https="redirect",
        drops_blanks=True,
    )
