"""Downloads a file of any size from a foreign server to this machine's disk, within limits of time and size.

Redirects are followed, and each address is checked by the guard. Responses are not decompressed, so they
cannot expand.
"""

import asyncio
import importlib
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urljoin

from trilha.core.outbound.fetching import AGENT, FetchFailed, find_reason
from trilha.core.outbound.guard import BlockedAddress, Guard

_MAX_REDIRECTS = 5
_REDIRECTS = (301, 302, 303, 307, 308)
_PIECE_BYTES = 1024 * 1024
# The whole download may take so long. Besides, the server has a while to begin, and then the file must
# arrive at this rate in bytes per second.
_SECONDS = 3600.0
_GRACE_SECONDS = 30.0
_RATE = 64 * 1024


class Downloader:
    """Downloads files of at most `most_bytes` from servers that tenants choose."""

    def __init__(
        self,
        guard: Guard,
        *,
        most_bytes: int,
        seconds: float = _SECONDS,
        grace: float = _GRACE_SECONDS,
        rate: int = _RATE,
    ) -> None:
        self._guard = guard
        self._most_bytes = most_bytes
        self._seconds = seconds
        self._grace = grace
        self._rate = rate

    async def download(self, url: str, path: Path) -> None:
        """Writes the file to `path`. If it fails, a part of the file may be there. Raises FetchFailed."""
        guarded = await asyncio.to_thread(importlib.import_module, "trilha.core.outbound.http")
        try:
            async with asyncio.timeout(self._seconds):
                await self._follow(guarded, url, path)
        except FetchFailed:
            raise
        except Exception as error:
            raise FetchFailed(find_reason(guarded, error)) from None

    async def _follow(self, guarded: Any, url: str, path: Path) -> None:
        for _ in range(_MAX_REDIRECTS + 1):
            try:
                checked = self._guard.parse(url)
            except BlockedAddress as error:
                raise FetchFailed(str(error)) from None
            async with guarded.open_session(self._guard) as session:
                async with asyncio.timeout(self._grace):
                    response = await session.get(
                        guarded.build_url(checked),
                        headers={"Accept": "*/*", "Accept-Encoding": "identity", "User-Agent": AGENT},
                        allow_redirects=False,
                    )
                async with response:
                    if response.status not in _REDIRECTS:
                        return await self._receive(response, path)
                    url = urldefrag(urljoin(checked, response.headers.get("Location", ""))).url
        raise FetchFailed("too_many_redirects")

    async def _receive(self, response: Any, path: Path) -> None:
        if response.status != 200:
            raise FetchFailed("unexpected_status")
        if (response.content_length or 0) > self._most_bytes:
            raise FetchFailed("too_large")
        started, size, pending = asyncio.get_running_loop().time(), 0, bytearray()
        await _write(path, pending, "wb")
        while True:
            async with asyncio.timeout_at(started + self._grace + size / self._rate):
                piece = await response.content.readany()
            size += len(piece)
            pending += piece
            if size > self._most_bytes:
                raise FetchFailed("too_large")
            if len(pending) >= _PIECE_BYTES or not piece:
                await _write(path, pending, "ab")
                pending.clear()
            if not piece:
                return


async def _write(path: Path, content: bytearray, mode: str) -> None:
    """Raises FetchFailed, because the caller takes an OSError for one of the connection."""
    try:
        await asyncio.to_thread(_write_now, path, content, mode)
    except OSError:
        raise FetchFailed("storage_failed") from None


def _write_now(path: Path, content: bytearray, mode: str) -> None:
    with path.open(mode) as file:
        file.write(content)
