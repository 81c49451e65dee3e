"""One line per request and per notable event: JSON for programs, plain text for a terminal.

Of what a caller sends, only the route is written: no path, body, query or header. A line is one write to
standard error, so that lines of several processes do not mix.
"""

import contextlib
import logging
import os
import sys
import time
import traceback
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Self

import msgspec

_STDERR = 2
_encode = msgspec.json.Encoder().encode
_plain = False
# The bytes that a pipe takes in one piece from each of several processes (POSIX, PIPE_BUF).
_WHOLE = 4096
# Messages are ours, and few.
_KEPT_ERRORS = 200


class LastError(msgspec.Struct, frozen=True):
    """When it was met last, in Unix seconds, with what the log says of it, and how often."""

    at: float
    detail: dict[str, Any]
    count: int


_last_errors: dict[str, LastError] = {}


def configure(style: str) -> None:
    """`auto`, `json` or `text`."""
    global _plain
    _plain = style == "text" or (style == "auto" and sys.stderr.isatty())
    # Warnings of libraries are written in the same form.
    logging.lastResort = _LibraryHandler()


def note(message: str, **extra: Any) -> None:
    _write("info", message, extra)


def trouble(message: str, **extra: Any) -> None:
    """What went wrong outside, and may do so again; `take_errors` tells the last of each."""
    _remember(message, extra)
    _write("warning", message, extra)


def take_errors() -> dict[str, LastError]:
    """What was told by `trouble` and `failed` since the last time, by message."""
    taken = dict(_last_errors)
    _last_errors.clear()
    return taken


def give_back(errors: Mapping[str, LastError]) -> None:
    """What was taken, to be taken again with what came after it."""
    for message, before in errors.items():
        later = _last_errors.get(message)
        if later:
            _last_errors[message] = LastError(later.at, later.detail, before.count + later.count)
        elif len(_last_errors) < _KEPT_ERRORS:
            _last_errors[message] = before


def failed(message: str, error: BaseException, **extra: Any) -> None:
    """Writes the kind and place of an unexpected exception."""
    told = {"error": where(error), **extra}
    _remember(message, told)
    _write("error", message, told)


def where(error: BaseException) -> dict[str, Any]:
    """An exception's kind and place. Not its text: a driver's message may quote the row it failed on."""
    frames = traceback.extract_tb(error.__traceback__)[-6:]
    return {
        "kind": f"{type(error).__module__}.{type(error).__qualname__}",
        "at": [f"{os.path.basename(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames],
    }


def _remember(message: str, extra: dict[str, Any]) -> None:
    before = _last_errors.get(message)
    if before or len(_last_errors) < _KEPT_ERRORS:
        _last_errors[message] = LastError(time.time(), extra, before.count + 1 if before else 1)


def _write(level: str, message: str, extra: dict[str, Any]) -> None:
    _put(_line(level, message, extra))


def _line(level: str, message: str, extra: dict[str, Any]) -> bytes:
    now = time.time()
    if _plain:
        details = " ".join(f"{key}={value}" for key, value in extra.items())
        line = f"{time.strftime('%H:%M:%S', time.localtime(now))} {message} {details}".rstrip().encode()
    else:
        moment = f"{_second(int(now))}.{int(now % 1 * 1000):03}Z"
        line = _encode({"time": moment, "level": level, "message": message, **extra})
    return line + b"\n"


@lru_cache(2)
def _second(moment: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(moment))


def _put(lines: bytes) -> None:
    # A closed standard error is no reason to fail the request.
    with contextlib.suppress(OSError):
        os.write(_STDERR, lines)


class Lines:
    """Many lines, written at the end of the `with`: as many in one write as stay in one piece."""

    def __init__(self) -> None:
        self._lines: list[bytes] = []

    def note(self, message: str, **extra: Any) -> None:
        self._lines.append(_line("info", message, extra))

    def trouble(self, message: str, **extra: Any) -> None:
        _remember(message, extra)
        self._lines.append(_line("warning", message, extra))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        piece = b""
        for line in self._lines:
            if piece and len(piece) + len(line) > _WHOLE:
                _put(piece)
                piece = b""
            piece += line
        if piece:
            _put(piece)


class _LibraryHandler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        _write(record.levelname.lower(), record.getMessage(), {"error": where(error)} if error else {})
