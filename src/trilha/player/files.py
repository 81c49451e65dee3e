"""What a package holds, and media: whole or in part, never a listing."""

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
from trilha.player.identity import OF_LIVE_LAUNCH, get_context
from trilha.player.permissions import inner_policy
from trilha.scorm import queries as packages
from trilha.scorm.schema import Contents

# The address has the launch's token in it, and what it leads to never changes.
KEPT = {"cache-control": "private, max-age=31536000, immutable"}
_MOST = 64
routes = Routes("Files", "What packages hold.")


class PackageContents:
    """The indexes of the packages that were asked for last: a few hundred bytes a file."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._kept: OrderedDict[UUID, Contents] = OrderedDict()
        self._loading = asyncio.Lock()

    async def of(self, tenant_id: UUID, package_id: UUID) -> Contents:
        """Raises NotFound, and Conflict (package_not_ready)."""
        if (kept := self._kept.get(package_id)) is not None:
            self._kept.move_to_end(package_id)
            return kept
        async with self._loading:
            if package_id not in self._kept:
                async with self._database.transaction(tenant_id, read_only=True) as tx:
                    self._kept[package_id] = await packages.get_contents(tx, package_id)
                while len(self._kept) > _MOST:
                    self._kept.popitem(last=False)
            return self._kept[package_id]


@routes.get("/l/{token}/p/{path}", access=OF_LIVE_LAUNCH)
async def get_file(
    caller: Caller,
    contents: PackageContents,
    files: FileStore,
    token: str,
    path: RestOfPath,
    query: AnyQuery,
) -> Answer:
    """One file of the launch's package, whatever the case of its letters."""
    context = get_context(caller)
    if context.package_id is None:
        raise NotFound("file_not_found")
    found = (await contents.of(caller.tenant_id, context.package_id)).find_file(path)
    if found is None:
        raise NotFound("file_not_found")
    encoding = {"content-encoding": found.encoding} if found.encoding else {}
    allowed = {"permissions-policy": inner_policy(context.devices)} if context.devices else {}
    return StoredFile(
        files,
        found.key,
        found.size,
        found.media_type,
        etag=found.key.rpartition("/")[2] + "-" + (context.sha256 or "")[:16],
        headers=KEPT | encoding | allowed,
    )
