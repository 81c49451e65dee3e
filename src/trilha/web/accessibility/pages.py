"""/accessibility"""

from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from trilha.core.types import STORABLE
from trilha.core.web.answers import Html
from trilha.core.web.callers import PUBLIC
from trilha.core.web.request import Request
from trilha.core.web.routes import Routes
from trilha.core.web.surface import Surface
from trilha.kit import HEADERS, PageErrors, render
from trilha.web.login.welcome import Welcome

routes = Routes("Accessibility", "The accessibility statement.")


class StatementQuery(Struct, frozen=True, kw_only=True):
    """`tenant` is the slug of the company whose colors the page has."""

    tenant: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] = ""


@routes.get("", access=PUBLIC)
async def show_statement(request: Request, welcome: Welcome, query: StatementQuery) -> Html:
    """Show which standard the pages follow, how that is tested, and where to report a barrier."""
    page = replace(await welcome.page(request, query.tenant), home="/")
    return render("accessibility/statement.html", page)


SURFACE = Surface(
    name="accessibility",
    prefixes=["/accessibility"],
    features=[routes],
    errors=PageErrors(),
    media_type="text/html",
    headers=HEADERS,
    https="redirect",
    drops_blanks=True,
)
