"""Builds small videos and documents: WebM that browsers play, MP4 headers and PDF."""

import struct
from io import BytesIO

from PIL import Image, ImageDraw

_COLOURS = ("#0b6677", "#7a3e9d", "#b3541e", "#2f7d32", "#1b4f9c")


def webm(seconds: float, frames_a_second: int = 5, *, duration: bool = True) -> bytes:
    """Builds a silent WebM of 160 by 90 pixels; each second has its own color. Every frame is a key frame of
    VP8, as in a lossy WebP. Without `duration`, the file looks like the output of a browser's recorder.
    """
    count = int(seconds * frames_a_second)
    step = 1000 // frames_a_second
    info = _element(0x2AD7B1, _number(1_000_000)) + _element(0x4D80, b"t") + _element(0x5741, b"t")
    if duration:
        info += _element(0x4489, struct.pack(">d", seconds * 1000))
    video = _element(0xB0, _number(160)) + _element(0xBA, _number(90))
    entry = _element(0xD7, b"\1") + _element(0x73C5, b"\1") + _element(0x83, b"\1")
    entry += _element(0x86, b"V_VP8") + _element(0xE0, video)
    head = _element(0x1549A966, info) + _element(0x1654AE6B, _element(0xAE, entry))
    clusters, cues = b"", b""
    # A cue's position counts from the start of the segment. The cues come last.
    for first in range(0, count, frames_a_second):
        blocks = _element(0xE7, _number(first * step))
        for n in range(first, min(first + frames_a_second, count)):
            block = b"\x81" + struct.pack(">hB", (n - first) * step, 0x80) + _frame(n, n // frames_a_second)
            blocks += _element(0xA3, block)
        place = _element(0xF7, b"\1") + _element(0xF1, _number(len(head) + len(clusters)))
        cues += _element(0xBB, _element(0xB3, _number(first * step)) + _element(0xB7, place))
        clusters += _element(0x1F43B675, blocks)
    ebml = b"".join(
        _element(id, value)
        for id, value in (
            *((0x4286, b"\1"), (0x42F7, b"\1"), (0x42F2, b"\4"), (0x42F3, b"\x08")),
            *((0x4282, b"webm"), (0x4287, b"\2"), (0x4285, b"\2")),
        )
    )
    segment = head + clusters + _element(0x1C53BB6B, cues)
    return _element(0x1A45DFA3, ebml) + _element(0x18538067, segment)


def _frame(number: int, second: int) -> bytes:
    image = Image.new("RGB", (160, 90), _COLOURS[second % len(_COLOURS)])
    ImageDraw.Draw(image).text((60, 35), f"{number}", fill="white")
    out = BytesIO()
    image.save(out, "WEBP", quality=30)
    raw = out.getvalue()
    size = struct.unpack("<I", raw[16:20])[0]
    assert raw[12:16] == b"VP8 "
    return raw[20 : 20 + size]


def _number(value: int) -> bytes:
    return value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big")


def _element(id: int, content: bytes) -> bytes:
    size = bytes([0x80 | len(content)]) if len(content) < 127 else struct.pack(">Q", 1 << 56 | len(content))
    return _number(id) + size + content


def mp4(seconds: float, *, wide: bool = False, last: bool = False) -> bytes:
    """Builds the boxes of an MP4 without a picture. `wide`: version 1 of the header; `last`:
    after the media.
    """
    times = struct.pack(">QQIQ", 0, 0, 600, int(seconds * 600)) if wide else b""
    times = times or struct.pack(">IIII", 0, 0, 600, int(seconds * 600))
    moov = _box(b"moov", _box(b"iods", b"x") + _box(b"mvhd", bytes([wide, 0, 0, 0]) + times + bytes(80)))
    media = _box(b"mdat", bytes(1000))
    return _box(b"ftyp", b"isom\0\0\2\0isom") + (media + moov if last else moov + media)


def _box(type: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content) + 8) + type + content


def pdf(pages: int, words: str = "Page") -> bytes:
    made = []
    for n in range(1, pages + 1):
        made.append(Image.new("RGB", (420, 595), "white"))
        ImageDraw.Draw(made[-1]).text((40, 40), f"{words} {n}", fill="black", font_size=40)
    out = BytesIO()
    made[0].save(out, "PDF", save_all=True, append_images=made[1:])
    return out.getvalue()


def vtt(*lines: str) -> bytes:
    """Builds subtitles with one line per second."""
    cues = (f"00:00:{n:02}.000 --> 00:00:{n + 1:02}.000\n{line}\n" for n, line in enumerate(lines))
    return ("WEBVTT\n\n" + "\n".join(cues)).encode()
