"""/livez and /readyz, for who watches over the server."""

from trilha.core.database import LOST, Database
from trilha.core.web.answers import Json
from trilha.core.web.callers import PUBLIC
from trilha.core.web.routes import Routes
from trilha.core.web.surface import Surface

livez = Routes("Liveness", "Whether the process answers.")
readyz = Routes("Readiness", "Whether the database does, too.")


@livez.get("", access=PUBLIC)
async def is_alive() -> Json:
    """Say that the process answers."""
    return Json(b'{"status":"ok"}')


@readyz.get("", access=PUBLIC)
async def is_ready(database: Database) -> Json:
    """Say whether requests can be served: 503 while the database cannot be reached."""
    try:
        await database.check()
    except LOST:
        return Json(b'{"status":"unavailable","reason":"database"}', 503)
    return Json(b'{"status":"ok"}')


SURFACES = (
    Surface(name="livez", prefixes=["/livez"], features=[livez], https="exempt", health=True),
    Surface(name="readyz", prefixes=["/readyz"], features=[readyz], https="exempt", health=True),
)
