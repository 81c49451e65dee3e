"""/verify as a surface: public, limited by client address, hidden from search engines."""

from collections.abc import Sequence

from trilha.core.web.callers import RequestCredentials
from trilha.core.web.rate_limits import Hit, Limit
from trilha.core.web.request import Request
from trilha.core.web.surface import Surface
from trilha.kit import HEADERS, PageErrors
from trilha.web.verify.pages import routes


def surface(limit: Limit) -> Surface:
    """Builds the surface. Look-ups count together with those of /v1 against the same limit."""

    def limits(request: Request, presented: RequestCredentials) -> Sequence[Hit]:
        asks = request.path not in ("", "/") or request.query
        return [Hit(f"verify:{request.counted_as}", limit)] if asks else []

    return Surface(
        name="verify",
        prefixes=["/verify"],
        features=[routes],
        limits=limits,
        errors=PageErrors(),
        media_type="text/html",
        headers={**HEADERS, "x-robots-tag": "noindex, nofollow"},
        https="redirect",
        drops_blanks=True,
    )
