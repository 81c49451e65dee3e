"""Reads the photos that browsers send: bounded, decoded, and encoded again without what else was in them."""

import base64
import binascii
import json
import struct
from io import BytesIO

from PIL import Image, ImageOps, UnidentifiedImageError

from trilha.core.errors import invalid
from trilha.core.images import is_too_costly
from trilha.training.identity.rules import is_descriptor
from trilha.training.identity.schema import Face

MAX_TEXT = 400_000  # characters of base64
_MAX_SIDE = 640
_QUALITY = 85
# What Pillow raises for a malformed file. SyntaxError and struct.error are of its metadata.
_FAULTS = (
    *(binascii.Error, ValueError, OSError, SyntaxError, struct.error),
    *(UnidentifiedImageError, Image.DecompressionBombError),
)


def read_face(photo: str, descriptor: str, faces: int, *, needs_descriptor: bool) -> Face:
    """Raises Invalid (photo_not_readable, no_face, several_faces, invalid_descriptor)."""
    if faces < 1:
        raise invalid("photo", "no_face")
    if faces > 1:
        raise invalid("photo", "several_faces")
    numbers = _read_descriptor(descriptor) if needs_descriptor else ()
    return Face(_read_photo(photo), numbers)


def _read_photo(text: str) -> bytes:
    try:
        content = base64.b64decode(text, validate=True)
        with Image.open(BytesIO(content), formats=["JPEG"]) as image:
            if is_too_costly(content, image):
                raise invalid("photo", "photo_not_readable")
            image.draft("RGB", (_MAX_SIDE, _MAX_SIDE))
            picture = ImageOps.exif_transpose(image).convert("RGB")
    except _FAULTS:
        raise invalid("photo", "photo_not_readable") from None
    picture.thumbnail((_MAX_SIDE, _MAX_SIDE))
    written = BytesIO()
    picture.save(written, "JPEG", quality=_QUALITY)
    return written.getvalue()


def _read_descriptor(text: str) -> list[float]:
    try:
        numbers = json.loads(text)
    except (ValueError, RecursionError):
        raise invalid("descriptor", "invalid_descriptor") from None
    if not isinstance(numbers, list) or not is_descriptor(numbers):
        raise invalid("descriptor", "invalid_descriptor")
    return [float(each) for each in numbers]
