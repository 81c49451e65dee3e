"""A buffer on disk between a writer and a reader, so that the writer need not wait and memory stays small."""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator

_PIECE = 64 * 1024


class Spool:
    """A temporary file without a name."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - closed by close()
        self._written = 0
        self._is_over = False
        self._failure: BaseException | None = None
        self._more = asyncio.Event()

    async def write(self, piece: bytes) -> None:
        """Writes into the page cache, in microseconds, and may therefore run on the event loop."""
        while piece:
            done = os.pwrite(self._file.fileno(), piece, self._written)
            self._written += done
            piece = piece[done:]
        self._more.set()

    def end(self, failure: BaseException | None = None) -> None:
        """Ends the data; the reader reaches the end or gets the failure."""
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
