"""Sends the files of packages, whole or in part."""

import asyncio
from collections import OrderedDict
from uuid import UUID

from trilha.core.database import Database
from trilha.core.errors import NotFound
from trilha.core.file_store import FileStore
from trilha.core.web.answers import Answer
from trilha.core.web.callers import Caller
from trilha.core.web.files import StoredFile
from trilha.core.web.routes import AnyQuery, RestOfPath, Routes
from trilha.training.scorm import queries as packages
from trilha.training.scorm.schema import Contents
from trilha.web.player.identity import OF_FILES, get_context
from trilha.web.player.permissions_policy import inner_policy

# Private, because the address contains the launch's token; immutable, because its content never changes.
CACHE_HEADERS = {"cache-control": "private, max-age=31536000, immutable"}
_CACHE_SIZE = 64
routes = Routes("Files", "The files of packages.")


class PackageContents:
    """A cache of package indexes, which take a few hundred bytes per file."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._contents: OrderedDict[UUID, Contents] = OrderedDict()
        self._loading = asyncio.Lock()

    async def of(self, tenant_id: UUID, package_id: UUID) -> Contents:
        """Returns a package's index. Raises NotFound, and Conflict (package_not_ready)."""
        if (contents := self._contents.get(package_id)) is not None:
            self._contents.move_to_end(package_id)
            return contents
        async with self._loading:
            if package_id not in self._contents:
                async with self._database.transaction(tenant_id, read_only=True) as tx:
                    self._contents[package_id] = await packages.get_contents(tx, package_id)
                while len(self._contents) > _CACHE_SIZE:
                    self._contents.popitem(last=False)
            return self._contents[package_id]


@routes.get("/l/{token}/p/{path}", access=OF_FILES)
async def get_file(
    caller: Caller,
    contents: PackageContents,
    files: FileStore,
    token: str,
    path: RestOfPath,
    query: AnyQuery,
) -> Answer:
    """Send a file of the launch's package. The case of its path does not matter."""
    context = get_context(caller)
    if context.package_id is None:
        raise NotFound("file_not_found")
    file = (await contents.of(caller.tenant_id, context.package_id)).find_file(path)
    if file is None:
        raise NotFound("file_not_found")
    encoding = {"content-encoding": file.encoding} if file.encoding else {}
    allowed = {"permissions-policy": inner_policy(context.devices)} if context.devices else {}
    return StoredFile(
        files,
        file.key,
        file.size,
        file.media_type,
        etag=file.key.rpartition("/")[2] + "-" + (context.sha256 or "")[:16],
        headers=CACHE_HEADERS | encoding | allowed,
    )
