"""Logos and signatures of templates. They are decoded and encoded anew, so that only image data is served,
and stored under names derived from their content.
"""

import hashlib
from io import BytesIO
from pathlib import Path
from typing import Literal
from uuid import UUID

from PIL import Image, ImageOps

from trilha.core.errors import invalid
from trilha.core.file_store import FileStore
from trilha.core.images import is_too_costly
from trilha.training.certificates.templates.schema import Look, Picture

# The first part of the keys in the file store.
PREFIX = "certificate_templates"
MAX_BYTES = 1024 * 1024
_MAX_SIDE = 4000  # maximum pixels of an upload
# Pixels of the stored picture: 300 per inch at its largest size.
_STORED_SIZES = {"logo": (840, 240), "signature": (600, 200)}
_FORMATS = ("PNG", "JPEG", "WEBP")
Kind = Literal["logo", "signature"]


def read(path: Path, size: int, kind: Kind, *, field: str = "picture") -> Picture:
    """Takes up to 50 ms of CPU time. Raises Invalid (picture_not_an_image, picture_too_large)."""
    if size > MAX_BYTES:
        raise invalid(field, "picture_too_large")
    try:
        with Image.open(path, formats=_FORMATS) as image:
            if max(image.size) > _MAX_SIDE or is_too_costly(path, image):
                raise invalid(field, "picture_too_large")
            return _normalize(image, kind)
    except Image.DecompressionBombError:
        raise invalid(field, "picture_too_large") from None
    except (OSError, ValueError, SyntaxError):
        raise invalid(field, "picture_not_an_image") from None


def _normalize(image: Image.Image, kind: Kind) -> Picture:
    """Applies the camera's rotation and drops all metadata: locations, comments, color profiles."""
    image.draft("RGB", _STORED_SIZES[kind])
    plain = ImageOps.exif_transpose(image).convert("RGBA")
    plain.thumbnail(_STORED_SIZES[kind])
    # Up to 256 colors, which logos and signatures need: this makes every certificate a tenth of the size.
    small = plain.quantize(256, method=Image.Quantize.FASTOCTREE)
    written = BytesIO()
    small.save(written, "PNG", optimize=True)
    content = written.getvalue()
    return Picture(f"{hashlib.sha256(content).hexdigest()[:32]}.png", content)


def of_tenant(tenant_id: UUID) -> str:
    """Returns the folder of a tenant's pictures."""
    return f"{PREFIX}/{tenant_id}"


def key(tenant_id: UUID, name: str) -> str:
    return f"{of_tenant(tenant_id)}/{name}"


async def store(files: FileStore, tenant_id: UUID, picture: Picture) -> None:
    """Stores a picture before the transaction that refers to it. Equal pictures are stored once, and an
    unused one does no harm.
    """
    await files.put(key(tenant_id, picture.name), picture.content)


async def load(files: FileStore, tenant_id: UUID, name: str) -> bytes:
    """Raises FileNotFoundError."""
    return b"".join([piece async for piece in files.read(key(tenant_id, name))])


def names(look: Look) -> list[str]:
    """Returns the names of the stored pictures that a look uses."""
    signatures = [str(each.picture) for each in look.signatories if each.picture]
    return [*signatures, look.logo] if look.logo_from == "own" and look.logo else signatures
