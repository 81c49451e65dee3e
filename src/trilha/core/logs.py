"""Logs one line for each request and each notable event: JSON for programs, plain text for a terminal.

Of a request, only the route is logged: no path, body, query or header. Each line is one write to standard
error, so that the lines of several processes do not mix.
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
# the bytes that a pipe takes in one piece (POSIX, PIPE_BUF)
_WHOLE = 4096
# Messages are constants, so there are few.
_MAX_ERRORS = 200


class LastError(msgspec.Struct, frozen=True):
    """The last occurrence of an error, in Unix seconds, with its logged details and its count."""

    at: float
    detail: dict[str, Any]
    count: int


_last_errors: dict[str, LastError] = {}


def configure(style: str) -> None:
    """Sets the style: `auto`, `json` or `text`."""
    global _plain
    _plain = style == "text" or (style == "auto" and sys.stderr.isatty())
    # Warnings of libraries get the same form.
    logging.lastResort = _LibraryHandler()


def note(message: str, **extra: Any) -> None:
    _write("info", message, extra)


def trouble(message: str, **extra: Any) -> None:
    """Logs a recurring problem outside of Trilha. `take_errors` returns the last of each kind."""
    _remember(message, extra)
    _write("warning", message, extra)


def take_errors() -> dict[str, LastError]:
    """Returns the errors that `trouble` and `log_failure` logged since the last call, by message."""
    taken = dict(_last_errors)
    _last_errors.clear()
    return taken


def give_back(errors: Mapping[str, LastError]) -> None:
    """Puts errors back, so that the next `take_errors` returns them with later ones."""
    for message, before in errors.items():
        later = _last_errors.get(message)
        if later:
            _last_errors[message] = LastError(later.at, later.detail, before.count + later.count)
        elif len(_last_errors) < _MAX_ERRORS:
            _last_errors[message] = before


def log_failure(message: str, error: BaseException, **extra: Any) -> None:
    """Logs the kind and place of an unexpected exception."""
    told = {"error": where(error), **extra}
    _remember(message, told)
    _write("error", message, told)


def where(error: BaseException) -> dict[str, Any]:
    """Returns an exception's kind and place, without its text: a driver's message may quote the row that
    failed.
    """
    frames = traceback.extract_tb(error.__traceback__)[-6:]
    return {
        "kind": f"{type(error).__module__}.{type(error).__qualname__}",
        "at": [f"{os.path.basename(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames],
    }


def _remember(message: str, extra: dict[str, Any]) -> None:
    before = _last_errors.get(message)
    if before or len(_last_errors) < _MAX_ERRORS:
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
    # A closed standard error must not fail the request.
    with contextlib.suppress(OSError):
        os.write(_STDERR, lines)


class Lines:
    """Collects many lines and writes them at the end of the `with`, in pieces that stay whole."""

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
