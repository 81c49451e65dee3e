"""Images that authors send: decoded and written anew, so that what is served is an image and nothing else."""

from io import BytesIO
from pathlib import Path

from PIL import Image, ImageOps

from trilha.core.errors import invalid
from trilha.core.images import is_too_costly

MOST_BYTES = 10 * 1024 * 1024
MEDIA_TYPE = "image/webp"
_FORMATS = ("JPEG", "PNG", "WEBP")


def read(path: Path, size: int, *, most_side: int, field: str = "file") -> bytes:
    """As WebP, no larger than `most_side` pixels on a side. Takes half a second of a core at the most.

    Raises Invalid (not_an_image, image_too_large).
    """
    if size > MOST_BYTES:
        raise invalid(field, "image_too_large")
    try:
        with Image.open(path, formats=_FORMATS) as image:
            if is_too_costly(path, image):
                raise invalid(field, "image_too_large")
            return _written(image, most_side)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        raise invalid(field, "not_an_image") from None


def _written(image: Image.Image, most_side: int) -> bytes:
    """Turned as a camera says, without what a camera or an editor adds to it: places, comments, profiles."""
    mode = "RGB" if image.format == "JPEG" else "RGBA"
    image.draft("RGB", (most_side, most_side))
    plain = ImageOps.exif_transpose(image).convert(mode)
    plain.thumbnail((most_side, most_side))
    written = BytesIO()
    plain.save(written, "WEBP", quality=82, method=4)
    return written.getvalue()
