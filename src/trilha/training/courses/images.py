"""Decodes images that authors upload and encodes them anew, so that only image data is ever served."""

import struct
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageOps

from trilha.core.errors import invalid
from trilha.core.images import is_too_costly

MAX_BYTES = 10 * 1024 * 1024
MEDIA_TYPE = "image/webp"
_FORMATS = ("JPEG", "PNG", "WEBP")


def read(path: Path, size: int, *, most_side: int, field: str = "file") -> bytes:
    """Returns the image as WebP, at most `most_side` pixels wide and high. Takes up to half a second of CPU
    time.

    Raises Invalid (not_an_image, image_too_large).
    """
    if size > MAX_BYTES:
        raise invalid(field, "image_too_large")
    return convert(path.read_bytes(), most_side=most_side, field=field)


def convert(content: bytes, *, most_side: int, field: str = "file") -> bytes:
    """Converts an image that is in memory, as `read` does."""
    try:
        with Image.open(BytesIO(content), formats=_FORMATS) as image:
            if is_too_costly(content, image):
                raise invalid(field, "image_too_large")
            return _encode(image, most_side)
    except (OSError, ValueError, SyntaxError, struct.error, Image.DecompressionBombError):
        raise invalid(field, "not_an_image") from None


def _encode(image: Image.Image, most_side: int) -> bytes:
    """Applies the camera's rotation and drops all metadata: locations, comments, color profiles."""
    mode = "RGB" if image.format == "JPEG" else "RGBA"
    image.draft("RGB", (most_side, most_side))
    plain = ImageOps.exif_transpose(image).convert(mode)
    plain.thumbnail((most_side, most_side))
    written = BytesIO()
    plain.save(written, "WEBP", quality=82, method=4)
    return written.getvalue()
