"""The route /metrics."""

from collections.abc import Sequence

from trilha.core import metrics
from trilha.core.database import Database
from trilha.core.errors import NotFound, Unauthenticated
from trilha.core.web.answers import Answer
from trilha.core.web.callers import PUBLIC
from trilha.core.web.request import Request
from trilha.core.web.routes import Routes
from trilha.core.web.surface import Surface
from trilha.platform.metrics import figures
from trilha.settings import Settings


def build_surfaces(settings: Settings) -> Sequence[Surface]:
    """Builds the surface. Without a token in the settings, nothing is there."""
    routes = Routes("Metrics", "Figures for Prometheus.")

    @routes.get("", access=PUBLIC)
    async def show_metrics(request: Request, database: Database) -> Answer:
        """Show the figures of all processes of this machine, and the work that waits in the database."""
        if settings.metrics_token is None or not metrics.is_enabled():
            raise NotFound("route_not_found")
        presented = request.header(b"authorization") or ""
        if not figures.is_token(presented, settings.metrics_token):
            raise Unauthenticated("credential_invalid" if presented else "credential_missing")
        return Answer(200, await figures.render(database), [(b"content-type", figures.MEDIA_TYPE.encode())])

    return [Surface(name="metrics", prefixes=["/metrics"], features=[routes], https="exempt", health=True)]
