"""Texts that make a search slow: the time of a scan grows linearly with their length."""

from time import process_time

import pytest

from trilha.training.scorm.package.scanning import Scanner

COUNT = 1 << 20


def scan(text: bytes) -> Scanner:
    scanner = Scanner()
    take, end = scanner.file("index.html")
    take(text)
    end()
    return scanner


@pytest.mark.parametrize(
    "text",
    [
        b"<img src=" + b" " * COUNT,
        b"<img src" + b" " * COUNT,
        b"<a1 src=" * (COUNT // 8),
        b"<meta name=" + b" " * COUNT,
        b"<meta " * (COUNT // 6) + b"name" + b" " * COUNT,
        b"url(" + b" " * COUNT,
        b"url(//" * (COUNT // 6),
        b"from" * (COUNT // 4) + b" " * COUNT,
        b'fetch("//' + b"a." * (COUNT // 2),
        b"serviceWorker" + b" " * COUNT,
        b"parent.location" + b" " * COUNT,
        b"<img " + b"src " * (COUNT // 4),
    ],
    ids=lambda text: text[:20].decode().strip(),
)
def test_no_text_takes_long(text: bytes) -> None:
    began = process_time()
    assert scan(text).found.hosts == {}
    assert process_time() - began < 10


@pytest.mark.parametrize(
    "text",
    [
        b'<script src = "https://cdn.example.com/x.js">',
        b"<img src=//cdn.example.com/a.png>",
        b'<link rel=stylesheet href="//cdn.example.com/a.css">',
        b"url( 'http://cdn.example.com/a.woff')",
        b'import("https://cdn.example.com/m.js")',
    ],
)
def test_other_hosts_are_found(text: bytes) -> None:
    assert scan(text).found.hosts == {"cdn.example.com": "index.html"}
