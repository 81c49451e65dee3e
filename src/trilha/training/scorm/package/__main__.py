"""Unpacks a package into FOLDER/files and writes FOLDER/result.json.

Runs as `python -m trilha.training.scorm.package ARCHIVE FOLDER` and prints its progress in percent. It has
no environment, and limits on memory, time and file sizes, because the package may be hostile. It ends when
nobody reads the progress, which means that its parent is gone.
"""

import resource
import sys
import time
from pathlib import Path

import msgspec

from trilha.training.scorm.package.extraction import extract
from trilha.training.scorm.package.limits import LIMITS, MIB

MEMORY = 768 * MIB
PROCESSOR_SECONDS = 120
OPEN_FILES = 64
# The exit code when the memory limit was reached.
OUT_OF_MEMORY = 3
_EVERY_SECONDS = 0.2


class Percents:
    """Prints percents when they change, and regularly, to notice when the reader is gone."""

    def __init__(self) -> None:
        self._last = 0.0

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._last >= _EVERY_SECONDS:
            self._last = now
            print(done * 100 // max(total, 1), flush=True)  # noqa: T201 - what it is for


def limit_self() -> None:
    for kind, limit in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, PROCESSOR_SECONDS),
        (resource.RLIMIT_FSIZE, LIMITS.file + MIB),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        lowest = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(kind, (lowest, lowest))


def main(archive: Path, folder: Path) -> None:
    limit_self()
    files = folder / "files"
    files.mkdir(0o700)
    found = extract(archive, files, LIMITS, Percents())
    (folder / "result.json").write_bytes(msgspec.json.encode(found))


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), Path(sys.argv[2]))
    except MemoryError:
        sys.exit(OUT_OF_MEMORY)
