"""Serves export files at links that expire."""

from uuid import UUID

from trilha.core.database import Database
from trilha.core.errors import NotFound
from trilha.core.file_store import FileStore
from trilha.core.sealed_files import SealedFiles
from trilha.core.signed_links import LinkQuery
from trilha.core.web.answers import Answer
from trilha.core.web.callers import PUBLIC
from trilha.core.web.files import StoredFile
from trilha.core.web.routes import Routes
from trilha.core.web.surface import Surface
from trilha.training.reports.exports import queries
from trilha.training.reports.exports.files import MEDIA_TYPES
from trilha.training.reports.exports.links import PATH, ExportLinks

routes = Routes("Files of exports", "Enrollments, as they were when the file was made.")


@routes.get("/{tenant_id}/{export_id}/{name}", access=PUBLIC)
async def get_export_file(
    files: FileStore,
    database: Database,
    links: ExportLinks,
    tenant_id: UUID,
    export_id: UUID,
    name: str,
    query: LinkQuery,
) -> Answer:
    """Download the file of an export."""
    links.check(tenant_id, export_id, query, database.clock())
    async with database.transaction(tenant_id, read_only=True) as tx:
        export = await queries.find(tx, export_id)
    if export is None or export.file_key is None or name != f"{export.name}.{export.type}":
        raise NotFound("export_not_found")
    assert export.file_size is not None
    assert export.file_sha256 is not None
    return StoredFile(
        SealedFiles(files, database.keyring),
        export.file_key,
        export.file_size,
        MEDIA_TYPES[export.type],
        etag=export.file_sha256.hex(),
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


SURFACE = Surface(
    name="exports",
    prefixes=[PATH],
    features=[routes],
    headers={"cache-control": "no-store"},
    https="redirect",
)
