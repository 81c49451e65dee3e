"""The process's side: sets limits on memory, time and files, then answers messages one by one."""

import sys
from collections.abc import Callable
from typing import BinaryIO

from trilha.core.priority import yield_process
from trilha.core.sandbox.limits import OUT_OF_MEMORY, Limits

# for loading what the messages need
_STARTING_SECONDS = 20.0


def serve(make_answer: Callable[[], Callable[[bytes], bytes]]) -> None:
    """Answers messages until the input ends. What `make_answer` needs is loaded within the limits."""
    limits = Limits.of(sys.argv[1:])
    try:
        yield_process()
        limits.limit_process()
        limits.limit_turn(_STARTING_SECONDS)
        answer = make_answer()
        while (message := _read(sys.stdin.buffer)) is not None:
            limits.limit_turn()
            _write(sys.stdout.buffer, answer(message))
    except BrokenPipeError:
        pass
    except MemoryError:
        sys.exit(OUT_OF_MEMORY)


def _read(source: BinaryIO) -> bytes | None:
    """Reads a message, or returns None at the end."""
    size = source.read(4)
    return source.read(int.from_bytes(size)) if len(size) == 4 else None


def _write(target: BinaryIO, message: bytes) -> None:
    target.write(len(message).to_bytes(4) + message)
    target.flush()
