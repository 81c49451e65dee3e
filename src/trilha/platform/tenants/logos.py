"""Decodes uploaded logos and encodes them again, so that only images are served."""

import hashlib
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageOps

from trilha.core.errors import invalid
from trilha.core.images import is_too_costly
from trilha.platform.tenants.schema import Logo

MAX_BYTES = 1024 * 1024
_MAX_SIDE = 4000  # pixels of the uploaded image
# Pixels of the stored image. It is displayed 32 pixels high on screens of up to triple density, and in
# certificates.
_STORED_SIZE = (720, 240)
_FORMATS = ("PNG", "JPEG", "WEBP")


def read(path: Path, size: int) -> Logo:
    """Reads an uploaded logo, which takes up to 50 ms of CPU time. Raises Invalid (logo_not_an_image,
    logo_too_large).
    """
    if size > MAX_BYTES:
        raise invalid("logo", "logo_too_large")
    try:
        with Image.open(path, formats=_FORMATS) as image:
            if max(image.size) > _MAX_SIDE or is_too_costly(path, image):
                raise invalid("logo", "logo_too_large")
            return _normalize(image)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        raise invalid("logo", "logo_not_an_image") from None


def _normalize(image: Image.Image) -> Logo:
    """Rotates the image as its orientation tag says, and removes metadata such as places, comments and
    color profiles.
    """
    is_photo = image.format == "JPEG"
    image.draft("RGB", _STORED_SIZE)
    plain = ImageOps.exif_transpose(image).convert("RGB" if is_photo else "RGBA")
    plain.thumbnail(_STORED_SIZE)
    written = BytesIO()
    if is_photo:
        plain.save(written, "JPEG", quality=88, optimize=True)
    else:
        plain.save(written, "PNG", optimize=True)
    content = written.getvalue()
    return Logo(f"{hashlib.sha256(content).hexdigest()[:32]}.{'jpg' if is_photo else 'png'}", content)
