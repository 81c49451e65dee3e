"""/api/users/me/data-export"""

from functools import partial

from trilha.certificates.links import Links
from trilha.core.database import Database
from trilha.core.web.answers import Stream
from trilha.core.web.callers import Caller
from trilha.core.web.routes import Routes
from trilha.personal_data.export import export
from trilha.personal_data.schema import DataExport, Reader
from trilha.sessions.viewer import SIGNED_IN, viewer_of

routes = Routes("My data", "What is kept of whoever is signed in.")


@routes.get("/users/me/data-export", access=SIGNED_IN)
async def export_my_data(caller: Caller, database: Database, links: Links) -> Stream[DataExport]:
    """Download everything that is kept of you: profile, enrollments, progress, certificates, transcripts."""
    reading = partial(database.transaction, caller.tenant_id, read_only=True)
    pieces = await export(Reader(reading, links), viewer_of(caller).user_id)
    disposition = 'attachment; filename="trilha-data.json"'
    return Stream(pieces, "application/json", headers={"content-disposition": disposition})
