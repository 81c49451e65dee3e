"""Files as answers: whole, in part, or not at all where the client has them (RFC 9110, 13 and 14)."""

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from email.utils import formatdate
from pathlib import Path
from urllib.parse import quote

from trilha.core.sealed_files import ReadableFiles
from trilha.core.web.answers import Answer, Headers, Send, Stream, encoded
from trilha.core.web.request import Request

_PIECE = 64 * 1024
_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")


class _Ranged(Answer):
    """What has a size and an ETag, and can be read from anywhere in it."""

    __slots__ = ("_etag", "_modified", "_size")

    def __init__(
        self,
        size: int,
        media_type: str,
        etag: str,
        modified: str | None,
        headers: Mapping[str, str],
    ) -> None:
        """`modified` is an HTTP date."""
        self._size = size
        self._etag = f'"{etag}"'
        self._modified = modified
        shown = {"content-type": media_type, "accept-ranges": "bytes", "etag": self._etag}
        if modified is not None:
            shown["last-modified"] = modified
        super().__init__(200, None, encoded(shown | dict(headers)))

    async def send(self, send: Send, request: Request, more: Headers) -> None:
        if self._is_known(request):
            await Answer(304, None, self._without(b"content-type")).send(send, request, more)
            return
        span = self._span(request)
        if span is None:
            unsatisfiable = [(b"content-range", b"bytes */%d" % self._size)]
            await Answer(416, b"", unsatisfiable).send(send, request, more)
            return
        start, stop = span
        headers, status = self.headers, 200
        if stop - start < self._size:
            status = 206
            headers = [*headers, (b"content-range", b"bytes %d-%d/%d" % (start, stop - 1, self._size))]
        if stop - start <= _PIECE and request.method != "HEAD":
            body = b"".join([piece async for piece in self._read(start, stop)])
            await Answer(status, body, headers).send(send, request, more)
            return
        stream: Stream[bytes] = Stream(self._read(start, stop), "", status=status)
        stream.headers = []
        length = (b"content-length", b"%d" % (stop - start))
        await stream.send(send, request, [*headers, length, *more])

    def _is_known(self, request: Request) -> bool:
        known = request.header(b"if-none-match")
        if known is not None:
            tags = [tag.strip().removeprefix("W/") for tag in known.split(",")]
            return "*" in tags or self._etag in tags
        return self._modified is not None and request.header(b"if-modified-since") == self._modified

    def _span(self, request: Request) -> tuple[int, int] | None:
        """From where to where is sent; None where nothing of the range exists.

        More than one range, and what is none, is answered whole, as RFC 9110 section 14.2 allows.
        """
        whole = 0, self._size
        # Of GET alone (RFC 9110 section 14.2).
        asked = _RANGE.fullmatch(request.header(b"range") or "") if request.method == "GET" else None
        condition = request.header(b"if-range")
        unmet = condition is not None and condition not in (self._etag, self._modified)
        if not asked or asked[0] == "bytes=-" or unmet:
            return whole
        first, last = asked.groups()
        if not first:
            length = min(int(last), self._size)
            return (self._size - length, self._size) if length else None
        start, stop = int(first), min(int(last) + 1 if last else self._size, self._size)
        if last and int(last) < int(first):
            return whole
        return (start, stop) if start < stop else None

    def _without(self, name: bytes) -> Headers:
        return [header for header in self.headers if header[0] != name]

    def _read(self, start: int, stop: int) -> AsyncIterator[bytes]:
        """The bytes from `start` up to `stop`."""
        raise NotImplementedError


class File(_Ranged):
    """A file on this machine. The ETag is made of its size and time where none is given.

    `download` is the name a browser saves it under; without one it is shown in place.
    """

    __slots__ = ("_path",)

    def __init__(
        self,
        path: Path,
        media_type: str,
        *,
        download: str | None = None,
        etag: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._path = path
        stat = path.stat()
        shown = dict(headers or {})
        if download is not None:
            shown["content-disposition"] = f"attachment; filename*=UTF-8''{quote(download, safe='')}"
        super().__init__(
            stat.st_size,
            media_type,
            etag or f"{stat.st_mtime_ns:x}-{stat.st_size:x}",
            formatdate(stat.st_mtime, usegmt=True),
            shown,
        )

    async def _read(self, start: int, stop: int) -> AsyncIterator[bytes]:
        with await asyncio.to_thread(self._path.open, "rb") as file:
            file.seek(start)
            while start < stop:
                piece = await asyncio.to_thread(file.read, min(_PIECE, stop - start))
                if not piece:
                    return  # cut short since; the missing bytes end the connection
                start += len(piece)
                yield piece


class StoredFile(_Ranged):
    """One of the file store, which never changes: `etag` is of what it holds."""

    __slots__ = ("_files", "_key")

    def __init__(
        self,
        files: ReadableFiles,
        key: str,
        size: int,
        media_type: str,
        *,
        etag: str,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._files = files
        self._key = key
        super().__init__(size, media_type, etag, None, headers or {})

    def _read(self, start: int, stop: int) -> AsyncIterator[bytes]:
        return self._files.read(self._key, start, stop)
