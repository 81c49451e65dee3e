"""What one task writes and another reads, kept on disk in between: whoever writes need not wait, and memory
stays as it is."""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator

_PIECE = 64 * 1024


class Spool:
    """A file without a name, gone with whoever holds it."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - closed by close()
        self._written = 0
        self._is_over = False
        self._failure: BaseException | None = None
        self._more = asyncio.Event()

    async def write(self, piece: bytes) -> None:
        """Into the page cache: done in some microseconds, so the event loop does it."""
        while piece:
            done = os.pwrite(self._file.fileno(), piece, self._written)
            self._written += done
            piece = piece[done:]
        self._more.set()

    def end(self, failure: BaseException | None = None) -> None:
        """Nothing follows. Whoever reads comes to the end, or to the failure."""
        self._is_over, self._failure = True, failure
        self._more.set()

    async def pieces(self) -> AsyncIterator[bytes]:
        at = 0
        while True:
            while at < self._written:
                piece = os.pread(self._file.fileno(), min(_PIECE, self._written - at), at)
                at += len(piece)
                yield piece
            if self._failure is not None:
                raise self._failure
            if self._is_over:
                return
            self._more.clear()
            await self._more.wait()

    def close(self) -> None:
        self._file.close()
