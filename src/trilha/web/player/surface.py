"""The content origin as a surface: its hosts, callers, limits and headers."""

from trilha.core.clock import Clock
from trilha.core.database import Database
from trilha.core.web.surface import Surface
from trilha.web.player import assets, files, held_work_frame, media, pages, reports, studies
from trilha.web.player.cmi5 import sessions as cmi5
from trilha.web.player.content_security_policy import build_package_headers
from trilha.web.player.failures import ContentErrors
from trilha.web.player.identity import LaunchIdentity, limits
from trilha.web.player.offline import pages as offline
from trilha.web.player.origin import ContentOrigin
from trilha.web.player.previews import without_trace
from trilha.web.player.quiz import reports as quiz

FEATURES = (
    *(
        assets.routes,
        held_work_frame.routes,
        offline.routes,
        pages.routes,
        files.routes,
        media.routes,
        cmi5.routes,
    ),
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
        headers=build_package_headers(origin),
        https="required",
    )
