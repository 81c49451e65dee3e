"""Measures an uploaded file: the seconds of a video or the pages of a document.

The file is read in a sandbox, because it may be hostile.
"""

import asyncio
import sys
from pathlib import Path

import msgspec
from msgspec import Struct

_COMMAND = (sys.executable, "-I", "-m", "trilha.training.courses.measuring")
_LONGEST = 60.0  # seconds


class Length(Struct, frozen=True):
    """The length of a file; a member is None if it does not apply or is unknown."""

    seconds: float | None = None
    pages: int | None = None


async def measure(path: Path, media_type: str) -> Length:
    """Measures a file."""
    process = await asyncio.create_subprocess_exec(
        *_COMMAND,
        path,
        media_type,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={},
        start_new_session=True,
    )
    try:
        out, _ = await asyncio.wait_for(process.communicate(), _LONGEST)
        return msgspec.json.decode(out, type=Length)
    except (TimeoutError, msgspec.DecodeError):
        return Length()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
