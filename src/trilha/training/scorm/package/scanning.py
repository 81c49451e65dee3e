"""What the pages and scripts of a package do, as far as their text shows. It judges nothing: see `doctor`."""

import posixpath
import re
from collections.abc import Callable

from msgspec import Struct, field

from trilha.training.scorm.package.limits import MIB
from trilha.training.scorm.package.report import clean_text

_PAGES = (".html", ".htm", ".xhtml")
_TEXTS = (*_PAGES, ".js", ".mjs", ".css")
# The maximum bytes of one file and of all files, because they stay in memory while they are scanned.
_MAX_FILE_BYTES = 2 * MIB
_MAX_TOTAL_BYTES = 128 * MIB
_MAX_HOSTS = 50

# Every repetition has an upper limit: with two that match the same spaces, the time of a search would grow
# with the square of the text's length.
_SPACE = rb"\s{0,20}"
_EQUALS = _SPACE + rb"=" + _SPACE
_NAME = rb"[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,10}\.[A-Za-z]{2,63}"
_HOST = rb"(?:https?:)?//(" + _NAME + rb"|\[[0-9a-fA-F:]{2,45}\])"
_LOADED_HOST = (
    re.compile(
        rb"<(?!a\b)[a-z][^<>]{0,500}?\b(?:src|data|poster)" + _EQUALS + rb"[\"']?" + _SPACE + _HOST,
        re.IGNORECASE,
    ),
    re.compile(
        rb"<link\b[^<>]{0,500}?\bhref" + _EQUALS + rb"[\"']?" + _SPACE + _HOST,
        re.IGNORECASE,
    ),
    re.compile(rb"url\(" + _SPACE + rb"[\"']?" + _HOST, re.IGNORECASE),
    re.compile(
        rb"(?:\.src"
        + _SPACE
        + rb"=|\bfetch\(|\bimport\(?|importScripts\(|\bfrom)"
        + _SPACE
        + rb"[\"']"
        + _HOST
    ),
)
_API = re.compile(rb"API_1484_11|LMSInitialize|LMSGetValue")
_PARENT = re.compile(rb"\b(?:window\.)?(?:parent|top)\.(?:document\b|location" + _SPACE + rb"=)")
_SERVICE_WORKER = re.compile(rb"serviceWorker" + _SPACE + rb"\." + _SPACE + rb"register" + _SPACE + rb"\(")
_GENERATOR = re.compile(
    rb"<meta\s[^<>]{0,200}?name"
    + _EQUALS
    + rb"[\"']generator[\"'][^<>]{0,200}?content"
    + _EQUALS
    + rb"[\"']([^\"'<>]{1,120})",
    re.IGNORECASE,
)


class Scan(Struct):
    """The paths of files in which something was found, and what."""

    hosts: dict[str, str] = field(default_factory=dict)
    api: list[str] = field(default_factory=list)
    parent: list[str] = field(default_factory=list)
    service_worker: list[str] = field(default_factory=list)
    generators: dict[str, str] = field(default_factory=dict)


class Scanner:
    """Looks at files as they are unpacked."""

    def __init__(self) -> None:
        self.found = Scan()
        self._left = _MAX_TOTAL_BYTES

    def file(self, path: str) -> tuple[Callable[[bytes], None], Callable[[], None]]:
        """What takes the pieces of a file, and what is called at its end."""
        if posixpath.splitext(path)[1].lower() not in _TEXTS:
            return _ignore, _nothing
        text = bytearray()

        def take(piece: bytes) -> None:
            text.extend(piece[: max(0, min(_MAX_FILE_BYTES - len(text), self._left))])

        def end() -> None:
            self._left -= len(text)
            self._look(path, bytes(text))

        return take, end

    def _look(self, path: str, text: bytes) -> None:
        found = self.found
        if text.startswith((b"\xff\xfe", b"\xfe\xff")):
            text = text.decode("utf-16", "replace").encode()
        for pattern in _LOADED_HOST:
            for match in pattern.finditer(text):
                if len(found.hosts) < _MAX_HOSTS:
                    found.hosts.setdefault(match[1].decode().lower(), path)
        for pattern, paths in (
            *((_API, found.api), (_PARENT, found.parent)),
            (_SERVICE_WORKER, found.service_worker),
        ):
            if pattern.search(text):
                paths.append(path)
        if generator := _GENERATOR.search(text):
            found.generators[path] = clean_text(generator[1].decode("utf-8", "replace"), 120)


def _ignore(piece: bytes) -> None:
    pass


def _nothing() -> None:
    pass
