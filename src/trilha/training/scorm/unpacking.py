"""Runs `trilha.training.scorm.package` in a process of its own, so that a package can harm nothing else."""

import asyncio
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec

from trilha.training.scorm.package import doctor
from trilha.training.scorm.package.__main__ import OUT_OF_MEMORY
from trilha.training.scorm.package.extraction import Extraction
from trilha.training.scorm.package.report import build_refusal

_COMMAND = (sys.executable, "-I", "-m", "trilha.training.scorm.package")
# The exit codes of a process that reached its limits.
_TOO_COSTLY = (OUT_OF_MEMORY, -signal.SIGXCPU, -signal.SIGXFSZ)


class ProcessDied(Exception):
    """The process ended unexpectedly. The message says how."""


async def unpack(archive: Path, folder: Path, progress: Callable[[int], None]) -> Extraction:
    """Unpacks into `folder / "files"`, each file under its number. `progress` receives percents. Both
    paths are absolute. Raises ProcessDied.
    """
    process = await asyncio.create_subprocess_exec(
        *_COMMAND,
        archive,
        folder,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        cwd=folder,
        env={},
        # An interrupt from the terminal reaches us, and we end the process.
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
        return Extraction(report=doctor.refusal(build_refusal("too_costly").findings))
    if code:
        raise ProcessDied(signal.strsignal(-code) if code < 0 else f"exit code {code}")
    raw = await asyncio.to_thread((folder / "result.json").read_bytes)
    return msgspec.json.decode(raw, type=Extraction)
