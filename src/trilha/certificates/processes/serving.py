"""The processes, from inside: limits on memory, time and files, then one message after the other."""

import resource
import sys
from collections.abc import Callable
from typing import BinaryIO

MIB = 1024 * 1024
# Address space. Fonts and Typst's own caches come to some 300 MiB of it.
MEMORY = 1024 * MIB
PROCESSOR_SECONDS = 10
OPEN_FILES = 64
# The exit code of who needed more.
OUT_OF_MEMORY = 3


def serve(make_answer: Callable[[], Callable[[bytes], bytes]]) -> None:
    """Until nobody is left to write to it. What `make_answer` needs is loaded within the limits."""
    try:
        limit_self()
        limit_turn()
        answer = make_answer()
        while (message := _read(sys.stdin.buffer)) is not None:
            limit_turn()
            _write(sys.stdout.buffer, answer(message))
    except BrokenPipeError:
        pass
    except MemoryError:
        sys.exit(OUT_OF_MEMORY)


def limit_self() -> None:
    for kind, most in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        lowest = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (lowest, lowest))


def limit_turn() -> None:
    """So much processor time from now on; the limit itself is on all that the process ever used."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    most = int(used.ru_utime + used.ru_stime) + PROCESSOR_SECONDS + 1
    resource.setrlimit(
        resource.RLIMIT_CPU, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard)
    )


def _read(source: BinaryIO) -> bytes | None:
    """None at the end."""
    size = source.read(4)
    return source.read(int.from_bytes(size)) if len(size) == 4 else None


def _write(target: BinaryIO, message: bytes) -> None:
    target.write(len(message).to_bytes(4) + message)
    target.flush()
