"""Course thumbnails at addresses derived from their content. Anybody with the address can see the picture."""

import asyncio
import hashlib
import re
from pathlib import Path
from uuid import UUID

from msgspec import Struct, structs

from trilha.core.errors import NotFound
from trilha.core.file_store import FileStore
from trilha.core.web.answers import Answer
from trilha.core.web.callers import PUBLIC
from trilha.core.web.routes import Routes
from trilha.core.web.surface import Surface
from trilha.training.courses import images, media
from trilha.training.courses.schema import Course

# The sizes on a card and at the top of a page, for screens with a pixel ratio of two.
_MAX_SIDE = 1280
_PATH = "/thumbnails"
_NAME = re.compile(r"[0-9a-f]{64}\.webp")
_HEADERS = {
    "cache-control": "public, max-age=31536000, immutable",
    "cross-origin-resource-policy": "same-origin",
    # Opened as its own page, it must not be able to do anything.
    "content-security-policy": "default-src 'none'; sandbox",
}
routes = Routes("Thumbnails", "Pictures of courses.")


class Thumbnails(Struct, frozen=True):
    """Builds thumbnail addresses for /v1 under the server's public address."""

    address: str

    def complete_url(self, course: Course) -> Course:
        url = course.thumbnail_url
        return structs.replace(course, thumbnail_url=f"{self.address}{url}") if url else course


async def keep(files: FileStore, tenant_id: UUID, path: Path, size: int) -> str:
    """Stores a picture; returns its path. Raises Invalid (not_an_image, image_too_large)."""
    content = await asyncio.to_thread(images.read, path, size, most_side=_MAX_SIDE, field="picture")
    name = f"{hashlib.sha256(content).hexdigest()}.webp"
    await files.put(_key(tenant_id, name), content)
    return f"{_PATH}/{tenant_id}/{name}"


def _key(tenant_id: UUID, name: str) -> str:
    return f"{media.of_tenant(tenant_id)}/thumbnails/{name}"


@routes.get("/{tenant_id}/{name}", access=PUBLIC, headers=_HEADERS)
async def get_thumbnail(files: FileStore, tenant_id: UUID, name: str) -> Answer:
    """Get a thumbnail. Its content never changes."""
    if not _NAME.fullmatch(name):
        raise NotFound("route_not_found")
    try:
        content = b"".join([piece async for piece in files.read(_key(tenant_id, name))])
    except FileNotFoundError:
        raise NotFound("route_not_found") from None
    return Answer(200, content, [(b"content-type", images.MEDIA_TYPE.encode())])


SURFACE = Surface(name="thumbnails", prefixes=[_PATH], features=[routes], https="redirect")
