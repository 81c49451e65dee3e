"""Files of imports, from this machine into the file store: uploads, and files that were fetched."""

from pathlib import Path
from uuid import UUID, uuid4

from msgspec import Struct

from trilha.core.database import CONNECTION_ERRORS, RESOURCE_ERRORS, Database
from trilha.core.file_store import FileStore
from trilha.core.web.callers import Caller
from trilha.training.courses import media
from trilha.training.courses.imports.rules import MEDIA_TYPES, FileType
from trilha.training.courses.imports.schema import ModuleUpload
from trilha.training.courses.media import StoredMedia
from trilha.training.courses.schema import PACKAGED_TYPES, ModuleCreate
from trilha.training.scorm import archives
from trilha.training.scorm import queries as packages
from trilha.training.scorm.schema import StoredArchive


class ModuleFiles(Struct, frozen=True):
    """Stores files before the transaction that refers to them."""

    files: FileStore
    database: Database

    async def keep(
        self, tenant_id: UUID, import_id: UUID, type: FileType, path: Path, name: str
    ) -> "ImportFile":
        """Stores a copy of the file. The caller calls `dispose` afterwards in any case.

        Raises Invalid (package_too_large, wrong_media_type, document_unreadable, video_without_length,
        media_too_large).
        """
        stored: StoredArchive | StoredMedia
        if type in PACKAGED_TYPES:
            stored = await archives.keep(self.files, tenant_id, path, import_id)
        else:
            stored = await media.keep_readable(
                self.files, self.database, tenant_id, path, name, MEDIA_TYPES[type]
            )
        return ImportFile(import_id, stored, name, tenant_id, self)


class ImportFile(Struct, frozen=True):
    """A file in the file store, for an import. `name` is the client's or the server's name for it."""

    import_id: UUID
    stored: StoredArchive | StoredMedia
    name: str
    _tenant_id: UUID
    _place: ModuleFiles

    async def dispose(self) -> None:
        """Deletes the file unless a row refers to it. If the database is unavailable, the file stays."""
        files, database = self._place.files, self._place.database
        if isinstance(self.stored, StoredMedia):
            await media.drop(files, database, self._tenant_id, self.stored)
            return
        try:
            async with database.transaction(self._tenant_id, read_only=True) as tx:
                is_used = await packages.find(tx, self.stored.id) is not None
        except (*CONNECTION_ERRORS, *RESOURCE_ERRORS):
            return
        if not is_used:
            await archives.drop(files, self.stored)


async def keep_upload(
    sent: ModuleCreate | ModuleUpload, caller: Caller, module_files: ModuleFiles
) -> ImportFile | None:
    """Stores the file of a form; returns None for JSON. Raises as `ModuleFiles.keep` does."""
    if not isinstance(sent, ModuleUpload):
        return None
    return await module_files.keep(caller.tenant_id, uuid4(), sent.type, sent.file.path, sent.file.filename)
