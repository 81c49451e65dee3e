"""The content origin as a surface: its hosts, who may ask, what every answer is sent with."""

from trilha.core.clock import Clock
from trilha.core.database import Database
from trilha.core.web.surface import Surface
from trilha.player import assets, files, held, media, pages, reports, studies
from trilha.player.failures import ContentErrors
from trilha.player.frame import HEADERS
from trilha.player.identity import LaunchIdentity, limits
from trilha.player.origin import ContentOrigin
from trilha.player.previews import without_trace
from trilha.player.quiz import reports as quiz

FEATURES = (
    *(assets.routes, held.routes, pages.routes, files.routes, media.routes),
    *map(without_trace, (reports.routes, studies.routes, quiz.routes)),
)


def surface(origin: ContentOrigin, database: Database, clock: Clock) -> Surface:
    return Surface(
        name="content",
        prefixes=[""],
        features=FEATURES,
        host=origin.accepts,
        identity=LaunchIdentity(origin, database, clock),
        limits=limits,
        errors=ContentErrors(),
        headers=_headers(origin),
        https="required",
    )


def _headers(origin: ContentOrigin) -> dict[str, str]:
    """What content may load from elsewhere is its own affair; who frames it and where its forms go is not."""
    return {
        "content-security-policy": f"frame-ancestors 'self' {origin.application}; form-action 'self'",
        **HEADERS,
    }
