"""/verify as a surface: open to everybody, counted by address, and nothing for search engines."""

from collections.abc import Sequence

from trilha.core.web.callers import Presented
from trilha.core.web.rate_limits import Hit, Limit
from trilha.core.web.request import Request
from trilha.core.web.surface import Surface
from trilha.pages import HEADERS, PageErrors
from trilha.verify.pages import routes


def surface(limit: Limit) -> Surface:
    """Counted together with the look-ups of /v1, by the same limit."""

    def limits(request: Request, presented: Presented) -> Sequence[Hit]:
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
