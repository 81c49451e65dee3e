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
from functools import lru_cache
from typing import Any

import msgspec

_STDERR = 2
_encode = msgspec.json.Encoder().encode
_plain = False


def configure(style: str) -> None:
    """`auto`, `json` or `text`."""
    global _plain
    _plain = style == "text" or (style == "auto" and sys.stderr.isatty())
    # Warnings of libraries are written in the same form.
    logging.lastResort = _LibraryHandler()


def note(message: str, **extra: Any) -> None:
    _write("info", message, extra)


def failed(message: str, error: BaseException) -> None:
    """Writes the kind and place of an unexpected exception."""
    _write("error", message, {"error": where(error)})


def where(error: BaseException) -> dict[str, Any]:
    """An exception's kind and place. Not its text: a driver's message may quote the row it failed on."""
    frames = traceback.extract_tb(error.__traceback__)[-6:]
    return {
        "kind": f"{type(error).__module__}.{type(error).__qualname__}",
        "at": [f"{os.path.basename(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames],
    }


def _write(level: str, message: str, extra: dict[str, Any]) -> None:
    now = time.time()
    if _plain:
        details = " ".join(f"{key}={value}" for key, value in extra.items())
        line = f"{time.strftime('%H:%M:%S', time.localtime(now))} {message} {details}".rstrip().encode()
    else:
        moment = f"{_second(int(now))}.{int(now % 1 * 1000):03}Z"
        line = _encode({"time": moment, "level": level, "message": message, **extra})
    # A closed standard error is no reason to fail the request.
    with contextlib.suppress(OSError):
        os.write(_STDERR, line + b"\n")


class _LibraryHandler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        _write(record.levelname.lower(), record.getMessage(), {"error": where(error)} if error else {})


@lru_cache(2)
def _second(moment: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(moment))
