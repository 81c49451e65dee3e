"""/login, /logout and / as surfaces."""

from collections.abc import Sequence

from trilha.core.web.callers import Identity, Limits
from trilha.core.web.routes import Routes
from trilha.core.web.surface import FormGuard, Surface
from trilha.login.pages import front, leaving, routes
from trilha.pages import HEADERS, PageErrors


def surfaces(limits: Limits, identity: Identity, forms: FormGuard) -> Sequence[Surface]:
    def of(name: str, prefix: str, feature: Routes) -> Surface:
        return Surface(
            name=name,
            prefixes=[prefix],
            features=[feature],
            identity=identity,
            limits=limits,
            forms=forms,
            errors=PageErrors(),
            media_type="text/html",
            headers=HEADERS,
            https="redirect",
            drops_blanks=True,
        )

    # The last one answers whatever no other surface does.
    return of("login", "/login", routes), of("logout", "/logout", leaving), of("front", "", front)
