"""Reads the duration of a video from its metadata.

ISO/IEC 14496-12 (MP4): boxes of size and type; `moov` holds `mvhd` with duration and time scale. RFC 8794 and
RFC 9559 (WebM): elements of id and size; Segment holds Info with Duration and TimestampScale.
"""

import math
import struct
from collections.abc import Iterator
from typing import BinaryIO

_MAX_BOXES = 10_000
_SEGMENT, _INFO, _SCALE, _DURATION, _CLUSTER = 0x18538067, 0x1549A966, 0x2AD7B1, 0x4489, 0x1F43B675
_LONGEST = 7 * 24 * 3600.0


def mp4_seconds(file: BinaryIO) -> float | None:
    """Returns None if the file does not hold its duration, for example a stream recorded in fragments."""
    for type, start, end in _boxes(file, 0, _size(file)):
        if type == b"moov":
            for inner, at, _ in _boxes(file, start, end):
                if inner == b"mvhd":
                    return _movie_header(file, at)
    return None


def _movie_header(file: BinaryIO, at: int) -> float | None:
    file.seek(at)
    form = ">xxxx16xIQ" if file.read(1) == b"\1" else ">xxxx8xII"
    file.seek(at)
    raw = file.read(struct.calcsize(form))
    if len(raw) < struct.calcsize(form):
        return None
    scale, duration = struct.unpack(form, raw)
    unknown = duration in (0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF)
    return None if unknown or not scale else _sensible(duration / scale)


def _boxes(file: BinaryIO, start: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """Yields each box's type and the start and end of its content."""
    for _ in range(_MAX_BOXES):
        file.seek(start)
        head = file.read(8)
        if start + 8 > end or len(head) < 8:
            return
        size, type = struct.unpack(">I4s", head)
        length = 8
        if size == 1:
            wide = file.read(8)
            if len(wide) < 8:
                return
            (size,), length = struct.unpack(">Q", wide), 16
        elif size == 0:
            size = end - start
        if size < length:
            return
        yield type, start + length, min(start + size, end)
        start += size


def webm_seconds(file: BinaryIO) -> float | None:
    """Returns None if the file does not hold its duration, for example a browser's recording."""
    for id, start, end in _elements(file, 0, _size(file)):
        if id == _SEGMENT:
            for inner, at, until in _elements(file, start, end):
                if inner == _INFO:
                    return _info(file, at, until)
                if inner == _CLUSTER:
                    return None
    return None


def _info(file: BinaryIO, start: int, end: int) -> float | None:
    scale, duration = 1_000_000, None
    for id, at, until in _elements(file, start, end):
        file.seek(at)
        if id == _SCALE:
            scale = int.from_bytes(file.read(min(until - at, 8)), "big")
        elif id == _DURATION and until - at in (4, 8):
            raw = file.read(until - at)
            (duration,) = struct.unpack(">f" if len(raw) == 4 else ">d", raw)
    return None if duration is None else _sensible(duration * scale / 1e9)


def _elements(file: BinaryIO, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yields each element's id and the start and end of its content."""
    for _ in range(_MAX_BOXES):
        if start >= end:
            return
        file.seek(start)
        head = file.read(12)
        id_length = _length(head[:1])
        size_length = _length(head[id_length : id_length + 1])
        if not id_length or not size_length or id_length > 4 or len(head) < id_length + size_length:
            return
        id = int.from_bytes(head[:id_length], "big")
        size = int.from_bytes(head[id_length : id_length + size_length], "big") & ((1 << 7 * size_length) - 1)
        at = start + id_length + size_length
        # All ones: an unknown size, which extends to the end.
        until = end if size == (1 << 7 * size_length) - 1 else min(at + size, end)
        yield id, at, until
        start = until


def _length(first: bytes) -> int:
    """Returns the length of a number that begins with this byte; 0 if the byte begins none."""
    return 0 if not first or not first[0] else 9 - first[0].bit_length()


def _size(file: BinaryIO) -> int:
    return file.seek(0, 2)


def _sensible(seconds: float) -> float | None:
    return round(seconds, 3) if math.isfinite(seconds) and 0 < seconds <= _LONGEST else None
