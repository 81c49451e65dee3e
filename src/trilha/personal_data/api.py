"""/api/users/me/data-export"""

from functools import partial
from uuid import UUID

from trilha.core.database import Database
from trilha.core.errors import Forbidden
from trilha.core.web.answers import Stream
from trilha.core.web.callers import IDENTIFIED, Caller
from trilha.core.web.routes import Routes
from trilha.personal_data.export import export

routes = Routes("My data", "What is kept of whoever is signed in.")


@routes.get("/users/me/data-export", access=IDENTIFIED)
async def export_my_data(caller: Caller, database: Database) -> Stream:
    """Download everything that is kept of you: profile, enrollments, progress, certificates, transcripts."""
    if caller.actor.kind != "session":
        raise Forbidden("insufficient_scope")
    reading = partial(database.transaction, caller.tenant_id, read_only=True)
    pieces = await export(reading, UUID(caller.actor.name))
    disposition = 'attachment; filename="trilha-data.json"'
    return Stream(pieces, "application/json", headers={"content-disposition": disposition})
