"""One line per request and per thing worth telling: JSON for machines, plain for a terminal.

Nothing that a caller sends is written but the path: no body, no query, no header.
"""

import logging
import os
import sys
import time
import traceback
from typing import Any

import msgspec

logger = logging.getLogger("trilha")


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
            + f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **getattr(record, "extra", {}),
        }
        if record.exc_info and record.exc_info[0]:
            line["error"] = where(record.exc_info[1])
        return msgspec.json.encode(line).decode()


class PlainLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        extra = " ".join(f"{key}={value}" for key, value in getattr(record, "extra", {}).items())
        line = f"{time.strftime('%H:%M:%S', time.localtime(record.created))} {record.getMessage()} {extra}"
        if record.exc_info and record.exc_info[0]:
            line += f" {where(record.exc_info[1])}"
        return line.rstrip()


def where(error: BaseException | None) -> dict[str, Any]:
    """An exception's kind and place. Not its text: a driver's message may quote the row it failed on."""
    if error is None:
        return {}
    frames = traceback.extract_tb(error.__traceback__)[-6:]
    return {
        "kind": f"{type(error).__module__}.{type(error).__qualname__}",
        "at": [f"{os.path.basename(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames],
    }


def configure(style: str) -> None:
    """`auto`, `json` or `text`."""
    plain = style == "text" or (style == "auto" and sys.stderr.isatty())
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(PlainLines() if plain else JsonLines())
    # What a library warns of looks like our own lines.
    logging.lastResort = handler
    logger.handlers = [handler]
    logger.setLevel(logging.INFO)
    logger.propagate = False


def note(message: str, **extra: Any) -> None:
    logger.info(message, extra={"extra": extra})
