"""Logos: what was sent is decoded and written anew, so that what is served is an image and nothing else."""

import hashlib
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageOps

from trilha.core.errors import invalid
from trilha.core.images import is_too_costly
from trilha.tenants.schema import Logo

MOST_BYTES = 1024 * 1024
_MOST_SIDE = 4000  # pixels, of what is sent
# Pixels of what is kept: shown 32 high, on screens with up to three to one, and in certificates.
_KEPT = (720, 240)
_FORMATS = ("PNG", "JPEG", "WEBP")


def read(path: Path, size: int) -> Logo:
    """Takes some 50 ms of a core at the most. Raises Invalid (logo_not_an_image, logo_too_large)."""
    if size > MOST_BYTES:
        raise invalid("logo", "logo_too_large")
    try:
        with Image.open(path, formats=_FORMATS) as image:
            if max(image.size) > _MOST_SIDE or is_too_costly(path, image):
                raise invalid("logo", "logo_too_large")
            return _kept(image)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        raise invalid("logo", "logo_not_an_image") from None


def _kept(image: Image.Image) -> Logo:
    """Turned as a camera says, without what a camera or an editor adds to it: places, comments, profiles."""
    is_photo = image.format == "JPEG"
    image.draft("RGB", _KEPT)
    plain = ImageOps.exif_transpose(image).convert("RGB" if is_photo else "RGBA")
    plain.thumbnail(_KEPT)
    written = BytesIO()
    if is_photo:
        plain.save(written, "JPEG", quality=88, optimize=True)
    else:
        plain.save(written, "PNG", optimize=True)
    content = written.getvalue()
    return Logo(f"{hashlib.sha256(content).hexdigest()[:32]}.{'jpg' if is_photo else 'png'}", content)
