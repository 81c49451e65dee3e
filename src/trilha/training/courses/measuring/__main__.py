"""`python -m trilha.training.courses.measuring FILE MEDIA_TYPE` prints a Length as JSON."""

import resource
import sys
from pathlib import Path

import msgspec

from trilha.training.courses.measuring import Length, documents, videos

_MEMORY = 1024 * 1024 * 1024
_CPU_SECONDS = 30


def _measure(path: Path, media_type: str) -> Length:
    if media_type == "application/pdf":
        return Length(pages=documents.pages(path))
    with path.open("rb") as file:
        if media_type == "video/mp4":
            return Length(seconds=videos.mp4_seconds(file))
        if media_type == "video/webm":
            return Length(seconds=videos.webm_seconds(file))
    return Length()


def _limit(kind: int, limit: int) -> None:
    _, hard = resource.getrlimit(kind)
    lowest = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(kind, (lowest, lowest))


if __name__ == "__main__":
    _limit(resource.RLIMIT_AS, _MEMORY)
    _limit(resource.RLIMIT_CPU, _CPU_SECONDS)
    _limit(resource.RLIMIT_CORE, 0)
    sys.stdout.buffer.write(msgspec.json.encode(_measure(Path(sys.argv[1]), sys.argv[2])))
