"""Files as responses: complete, ranges, or 304 if the client has them (RFC 9110, 13 and 14)."""

import re
from collections.abc import Mapping

from trilha.core.sealed_files import ReadableFiles
from trilha.core.web.answers import Answer, Headers, Send, Stream, encode_headers
from trilha.core.web.request import Request

_PIECE = 64 * 1024
_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")


class StoredFile(Answer):
    """A file of the file store, which never changes; `etag` identifies its content."""

    __slots__ = ("_etag", "_files", "_key", "_size")

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
        self._size = size
        self._etag = f'"{etag}"'
        shown = {"content-type": media_type, "accept-ranges": "bytes", "etag": self._etag}
        super().__init__(200, None, encode_headers(shown | dict(headers or {})))

    async def send(self, send: Send, request: Request, extra_headers: Headers) -> None:
        if self._is_known(request):
            await Answer(304, None, self._without(b"content-type")).send(send, request, extra_headers)
            return
        span = self._span(request)
        if span is None:
            unsatisfiable = [(b"content-range", b"bytes */%d" % self._size)]
            await Answer(416, b"", unsatisfiable).send(send, request, extra_headers)
            return
        start, stop = span
        headers, status = self.headers, 200
        if stop - start < self._size:
            status = 206
            headers = [*headers, (b"content-range", b"bytes %d-%d/%d" % (start, stop - 1, self._size))]
        if stop - start <= _PIECE and request.method != "HEAD":
            body = b"".join([piece async for piece in self._files.read(self._key, start, stop)])
            await Answer(status, body, headers).send(send, request, extra_headers)
            return
        stream: Stream[bytes] = Stream(self._files.read(self._key, start, stop), "", status=status)
        stream.headers = []
        length = (b"content-length", b"%d" % (stop - start))
        await stream.send(send, request, [*headers, length, *extra_headers])

    def _is_known(self, request: Request) -> bool:
        known = request.header(b"if-none-match") or ""
        tags = [tag.strip().removeprefix("W/") for tag in known.split(",")]
        return "*" in tags or self._etag in tags

    def _span(self, request: Request) -> tuple[int, int] | None:
        """Returns the first and last byte to send, or None if the range does not exist.

        Several ranges, and invalid ones, get the complete file, as RFC 9110 section 14.2 allows.
        """
        whole = 0, self._size
        # only GET has ranges (RFC 9110 section 14.2)
        match = _RANGE.fullmatch(request.header(b"range") or "") if request.method == "GET" else None
        condition = request.header(b"if-range")
        unmet = condition is not None and condition != self._etag
        if not match or match[0] == "bytes=-" or unmet:
            return whole
        first, last = match.groups()
        if not first:
            length = min(int(last), self._size)
            return (self._size - length, self._size) if length else None
        start, stop = int(first), min(int(last) + 1 if last else self._size, self._size)
        if last and int(last) < int(first):
            return whole
        return (start, stop) if start < stop else None

    def _without(self, name: bytes) -> Headers:
        return [header for header in self.headers if header[0] != name]
