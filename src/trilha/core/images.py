"""Estimates the cost of foreign images before they are decoded: a few bytes may cause a lot of work."""

from pathlib import Path

from PIL import Image

# A baseline JPEG can be decoded at a fraction of its size. Other formats, and a JPEG whose picture comes in
# several scans, need all of it in memory.
MAX_PIXELS_OF_JPEG = 60_000_000
MAX_PIXELS_IN_SCANS = 16_000_000
MAX_PIXELS = {"PNG": 16_000_000, "WEBP": 10_000_000}
# Each scan of a JPEG processes all pixels again and can be a dozen bytes long. Cameras write 1, editors about
# 10.
MAX_SCANS = 20
_START, _START_OF_SCAN, _END = b"\xff\xd8", 0xDA, b"\xff\xd9"


def is_too_costly(source: Path | bytes, image: Image.Image) -> bool:
    """Returns whether decoding costs too much. The image must be open and not decoded yet."""
    pixels = image.width * image.height
    if image.format in MAX_PIXELS:
        return pixels > MAX_PIXELS[image.format]
    scans, bands = _scans_of_jpeg(source if isinstance(source, bytes) else source.read_bytes())
    in_scans = scans > 1 or bands < len(image.getbands()) or image.mode == "CMYK"
    return scans > MAX_SCANS or pixels > (MAX_PIXELS_IN_SCANS if in_scans else MAX_PIXELS_OF_JPEG)


def _scans_of_jpeg(content: bytes) -> tuple[int, int]:
    """Counts the scans of a JPEG's first picture, and the bands of its first scan (ITU-T T.81, annex B).
    Thumbnails are inside segments, which are skipped.
    """
    at = len(_START)
    while at + 4 < len(content) and content[at] == 0xFF:
        if content[at + 1] == _START_OF_SCAN:
            end = content.find(_END, at)
            # Coded data never contains this marker.
            return content.count(b"\xff\xda", at, end if end > 0 else len(content)), content[at + 4]
        if content[at + 1] == 0xFF:  # padding
            at += 1
        else:
            at += 2 + int.from_bytes(content[at + 2 : at + 4])
    return MAX_SCANS + 1, 0  # malformed
