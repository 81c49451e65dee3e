"""Photos of assessments: decoded and encoded anew without metadata, and sealed in the file store."""

import asyncio
import hashlib
from pathlib import Path
from uuid import UUID

from msgspec import Struct

from trilha.core.sealed_files import SealedFiles
from trilha.training.courses import images

_MAX_SIDE = 1600
MAX_BYTES = images.MAX_BYTES
MEDIA_TYPE = images.MEDIA_TYPE


class Photo(Struct, frozen=True):
    """A photo that was decoded and encoded anew."""

    content: bytes
    sha256: str


def build_key(tenant_id: UUID, photo_id: UUID) -> str:
    return f"{build_tenant_prefix(tenant_id)}/{photo_id}"


def build_tenant_prefix(tenant_id: UUID) -> str:
    """Returns the prefix of all keys of a tenant."""
    return f"practice/{tenant_id}"


async def read(path: Path, size: int) -> Photo:
    """Raises Invalid (not_an_image, image_too_large)."""
    content = await asyncio.to_thread(images.read, path, size, most_side=_MAX_SIDE, field="photo")
    return Photo(content, hashlib.sha256(content).hexdigest())


async def load(files: SealedFiles, tenant_id: UUID, photo_id: UUID) -> bytes:
    """Raises FileNotFoundError."""
    return b"".join([piece async for piece in files.read(build_key(tenant_id, photo_id))])
