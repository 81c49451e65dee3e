"""The duration of an uploaded file, according to the file itself."""

from pathlib import Path
from uuid import uuid4

import pytest

import media_files
from trilha.core.file_store import open_file_store
from trilha.training.courses import media
from trilha.training.courses.measuring import Length, measure

MP4, WEBM, PDF = "video/mp4", "video/webm", "application/pdf"
WHOLE = media_files.webm(3)


@pytest.mark.parametrize(
    ("content", "media_type", "expected"),
    [
        (WHOLE, WEBM, Length(seconds=3)),
        (media_files.webm(2, duration=False), WEBM, Length()),
        (media_files.mp4(90.5), MP4, Length(seconds=90.5)),
        (media_files.mp4(90.5, wide=True), MP4, Length(seconds=90.5)),
        (media_files.mp4(12, last=True), MP4, Length(seconds=12)),
        (media_files.mp4(0), MP4, Length()),
        (media_files.pdf(3), PDF, Length(pages=3)),
        (b"WEBVTT\n", "text/vtt", Length()),
        # Truncated and forged files have no duration.
        (WHOLE[:40], WEBM, Length()),
        (media_files.mp4(90)[:30], MP4, Length()),
        (media_files.mp4(90)[:16] + b"\0\0\0\1moov" + b"\xff" * 8, MP4, Length()),
        (b"\x1a\x45\xdf\xa3" + b"\x01" + b"\xff" * 60, WEBM, Length()),
        (b"%PDF-1.7\nnothing", PDF, Length()),
        (b"", PDF, Length()),
    ],
)
async def test_a_file_tells_how_long_it_is(
    tmp_path: Path, content: bytes, media_type: str, expected: Length
) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    assert await measure(path, media_type) == expected


async def test_what_is_kept_has_its_length(tmp_path: Path) -> None:
    path = tmp_path / "film.webm"
    path.write_bytes(WHOLE)
    files = open_file_store("", tmp_path / "store")
    kept = await media.keep(files, uuid4(), path, path.name)
    assert (kept.media_type, kept.seconds, kept.pages) == (WEBM, 3, None)
