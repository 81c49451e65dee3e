"""Logos and signatures of templates: decoded and written anew, so that what is shown is an image and nothing
else, and kept in the file store under names made of their content."""

import hashlib
from io import BytesIO
from pathlib import Path
from typing import Literal
from uuid import UUID

from PIL import Image, ImageOps

from trilha.certificates.templates.schema import Look, Picture
from trilha.core.errors import invalid
from trilha.core.file_store import FileStore
from trilha.core.images import is_too_costly

MOST_BYTES = 1024 * 1024
_MOST_SIDE = 4000  # pixels, of what is sent
# Pixels of what is kept: 300 an inch where it is largest.
_KEPT = {"logo": (840, 240), "signature": (600, 200)}
_FORMATS = ("PNG", "JPEG", "WEBP")
Kind = Literal["logo", "signature"]


def read(path: Path, size: int, kind: Kind, *, field: str = "picture") -> Picture:
    """Takes some 50 ms of a core at the most. Raises Invalid (picture_not_an_image, picture_too_large)."""
    if size > MOST_BYTES:
        raise invalid(field, "picture_too_large")
    try:
        with Image.open(path, formats=_FORMATS) as image:
            if max(image.size) > _MOST_SIDE or is_too_costly(path, image):
                raise invalid(field, "picture_too_large")
            return _kept(image, kind)
    except Image.DecompressionBombError:
        raise invalid(field, "picture_too_large") from None
    except (OSError, ValueError, SyntaxError):
        raise invalid(field, "picture_not_an_image") from None


def _kept(image: Image.Image, kind: Kind) -> Picture:
    """Turned as a camera says, without what a camera or an editor adds to it: places, comments, profiles."""
    image.draft("RGB", _KEPT[kind])
    plain = ImageOps.exif_transpose(image).convert("RGBA")
    plain.thumbnail(_KEPT[kind])
    # In up to 256 colours, as logos and signatures have: a tenth of the size in every certificate.
    small = plain.quantize(256, method=Image.Quantize.FASTOCTREE)
    written = BytesIO()
    small.save(written, "PNG", optimize=True)
    content = written.getvalue()
    return Picture(f"{hashlib.sha256(content).hexdigest()[:32]}.png", content)


def key(tenant_id: UUID, name: str) -> str:
    return f"certificate_templates/{tenant_id}/{name}"


async def store(files: FileStore, tenant_id: UUID, picture: Picture) -> None:
    """Before the transaction that names it: the same picture is there once, and one that nobody names is no
    matter."""
    await files.put(key(tenant_id, picture.name), picture.content)


async def load(files: FileStore, tenant_id: UUID, name: str) -> bytes:
    """Raises FileNotFoundError."""
    return b"".join([piece async for piece in files.read(key(tenant_id, name))])


def names(look: Look) -> list[str]:
    """What a look shows out of the file store."""
    signatures = [str(each.picture) for each in look.signatories if each.picture]
    return [*signatures, look.logo] if look.logo_from == "own" and look.logo else signatures
