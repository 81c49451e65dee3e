"""The media types of files."""

import pytest

from trilha.training.scorm.package.mime import MediaType, media_type


@pytest.mark.parametrize(
    ("path", "type"),
    [
        ("index.html", "text/html"),
        ("A/INDEX.HTM", "text/html"),
        ("app.mjs", "text/javascript"),
        ("module.wasm", "application/wasm"),
        ("captions.vtt", "text/vtt"),
        ("captions.srt", "application/x-subrip"),
        ("font.woff2", "font/woff2"),
        ("photo.webp", "image/webp"),
        ("voice.m4a", "audio/mp4"),
        ("film.webm", "video/webm"),
        ("film.mp4", "video/mp4"),
        ("drawing.svg", "image/svg+xml"),
        ("program.exe", "application/octet-stream"),
        ("no-extension", "application/octet-stream"),
        ("page.php", "application/octet-stream"),
        (".html", "application/octet-stream"),
    ],
)
def test_by_extension(path: str, type: str) -> None:
    assert media_type(path) == MediaType(type)


@pytest.mark.parametrize(
    ("path", "head", "expected"),
    [
        ("Build/game.wasm.br", b"", MediaType("application/wasm", "br")),
        ("Build/game.framework.js.gz", b"", MediaType("text/javascript", "gzip")),
        ("game.wasm.unityweb", b"\x1f\x8b\x08", MediaType("application/wasm", "gzip")),
        (
            "game.framework.js.unityweb",
            b"\x6b\x8d\x00UnityWeb Compressed Content (brotli)",
            MediaType("text/javascript", "br"),
        ),
        ("game.data.unityweb", b"UnityWebData1.0", MediaType("application/octet-stream")),
        ("notes.tar.gz", b"\x1f\x8b", MediaType("application/octet-stream")),
    ],
)
def test_what_is_compressed_beforehand(path: str, head: bytes, expected: MediaType) -> None:
    assert media_type(path, head) == expected
