"""How long an uploaded file is: the seconds of a video, the pages of a document.

Read in a process of its own, which a file that is made to do harm ends or keeps busy at the most for a while.
"""

import asyncio
import sys
from pathlib import Path

import msgspec
from msgspec import Struct

_COMMAND = (sys.executable, "-I", "-m", "trilha.courses.measuring")
_LONGEST = 60.0  # seconds


class Length(Struct, frozen=True):
    """None of what a file has not, or does not tell."""

    seconds: float | None = None
    pages: int | None = None


async def measure(path: Path, media_type: str) -> Length:
    """Of a file that tells it."""
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
