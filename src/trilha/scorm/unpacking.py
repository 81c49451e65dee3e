"""Runs `trilha.scorm.package` as a process of its own: what a package does to its reader ends with it."""

import asyncio
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec

from trilha.scorm.package import doctor
from trilha.scorm.package.__main__ import OUT_OF_MEMORY
from trilha.scorm.package.extraction import Extraction
from trilha.scorm.package.report import refused

_COMMAND = (sys.executable, "-I", "-m", "trilha.scorm.package")
# As a process ends that needs more than its limits let it have.
_TOO_COSTLY = (OUT_OF_MEMORY, -signal.SIGXCPU, -signal.SIGXFSZ)


class Died(Exception):
    """The process ended otherwise than it should. The message is how."""


async def unpack(archive: Path, folder: Path, progress: Callable[[int], None]) -> Extraction:
    """Into `folder / "files"`, each file under its number. `progress` is told percents. Both paths are
    absolute. Raises Died."""
    process = await asyncio.create_subprocess_exec(
        *_COMMAND,
        archive,
        folder,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        cwd=folder,
        env={},
        # The interrupt of a terminal is for us, who then end it.
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        async for line in process.stdout:
            progress(int(line))
        code = await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if code in _TOO_COSTLY:
        return Extraction(report=doctor.refusal(refused("too_costly").findings))
    if code:
        raise Died(signal.strsignal(-code) if code < 0 else f"exit code {code}")
    raw = await asyncio.to_thread((folder / "result.json").read_bytes)
    return msgspec.json.decode(raw, type=Extraction)
