"""/learn as a surface."""

from collections.abc import Sequence

from trilha.core.web.callers import Identity, Limits
from trilha.core.web.routes import Routes
from trilha.core.web.surface import FormGuard, Surface
from trilha.pages import HEADERS, PageErrors
from trilha.sessions.view import STEPS


def surface(features: Sequence[Routes], limits: Limits, identity: Identity, forms: FormGuard) -> Surface:
    return Surface(
        name="learn",
        prefixes=["/learn"],
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
