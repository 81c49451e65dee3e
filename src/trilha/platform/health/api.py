"""The routes /livez and /readyz, for monitoring."""

from trilha.core.database import CONNECTION_ERRORS, Database
from trilha.core.processes import Shutdown
from trilha.core.web.answers import Json
from trilha.core.web.callers import PUBLIC
from trilha.core.web.routes import Routes
from trilha.core.web.surface import Surface

livez = Routes("Liveness", "Whether the process answers.")
readyz = Routes("Readiness", "Whether the database does, too.")


@livez.get("", access=PUBLIC)
async def is_alive() -> Json:
    """Check that the process responds."""
    return Json(b'{"status":"ok"}')


@readyz.get("", access=PUBLIC)
async def is_ready(database: Database, shutdown: Shutdown) -> Json:
    """Check that the server can handle requests. Returns 503 if the database is unreachable, and before the
    server stops.
    """
    if shutdown.is_announced:
        return Json(b'{"status":"unavailable","reason":"shutdown"}', 503)
    try:
        await database.check()
    except CONNECTION_ERRORS:
        return Json(b'{"status":"unavailable","reason":"database"}', 503)
    return Json(b'{"status":"ok"}')


SURFACES = (
    Surface(name="livez", prefixes=["/livez"], features=[livez], https="exempt", health=True),
    Surface(name="readyz", prefixes=["/readyz"], features=[readyz], https="exempt", health=True),
)
