"""Writes files of forms (multipart/form-data, RFC 7578) to disk as they arrive."""

import asyncio
import hashlib
import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import multipart
from msgspec import Struct

from trilha.core.errors import BadRequest, Invalid, Problem, problem
from trilha.core.types import to_json
from trilha.core.web.request import Request

MULTIPART = "multipart/form-data"
_WRITE_BYTES = 1024 * 1024
_TEXT_BYTES = 1024 * 1024
_MAX_PARTS = 100


class UploadedFile(Struct, frozen=True):
    """An uploaded file. It is deleted after the handler returns, so move it to keep it.

    `filename` is the client's name for it; never use it as a path.
    """

    filename: str
    media_type: str
    path: Path
    size: int


@asynccontextmanager
async def upload_folder(parent: Path | None) -> AsyncIterator[Path]:
    """Creates a temporary folder beneath `parent` or in the system's place, and deletes it at the end."""
    folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="trilha-upload-", dir=parent))
    try:
        yield folder
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


async def read_multipart(request: Request, limit: int) -> dict[str, Any]:
    """Returns the fields of a form: text as str, files as UploadedFile in the request's own folder.

    Raises BadRequest for more than `limit` bytes and other media types, and Invalid for a malformed form.
    """
    if request.media_type != MULTIPART:
        raise BadRequest("unsupported_media_type")
    boundary = multipart.parse_options_header(request.header(b"content-type"))[1].get("boundary", "")
    if not boundary:
        raise Invalid([problem("body", "invalid_text")])
    assert request.upload_folder is not None
    return await _Reader(request.upload_folder).read(request, limit, boundary)


async def digest_fields(fields: Mapping[str, Any]) -> bytes:
    """Returns a digest of a form's fields and files. The bytes of a form do not identify it, because each has
    a boundary of its own.
    """
    return await asyncio.to_thread(_digest, fields)


def _digest(fields: Mapping[str, Any]) -> bytes:
    digest = hashlib.sha256()
    for name, value in sorted(fields.items()):
        parts = [name, value]
        if isinstance(value, UploadedFile):
            with value.path.open("rb") as file:
                parts = [name, value.filename, hashlib.file_digest(file, "sha256").hexdigest()]
        digest.update(to_json(parts))
    return digest.digest()


class _Reader:
    """Writes one form to disk."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._fields: dict[str, Any] = {}
        self._repeated: list[Problem] = []
        self._segment: multipart.MultipartSegment | None = None
        self._pending = bytearray()
        self._size = 0
        self._text_size = 0

    async def read(self, request: Request, limit: int, boundary: str) -> dict[str, Any]:
        try:
            with multipart.PushMultipartParser(boundary, max_segment_count=_MAX_PARTS) as parser:
                async for piece in request.pieces(limit):
                    if not piece or parser.closed:
                        continue
                    for event in parser.parse(piece):
                        await self._take(event)
        except (multipart.MultipartError, UnicodeDecodeError):
            raise Invalid([problem("body", "invalid_text")]) from None
        if self._repeated:
            raise Invalid(self._repeated)
        return self._fields

    async def _take(self, event: Any) -> None:
        if isinstance(event, multipart.MultipartSegment):
            self._segment, self._size = event, 0
        elif event:
            await self._add(event)
        else:
            await self._end()

    async def _add(self, content: bytearray) -> None:
        assert self._segment is not None
        self._size += len(content)
        self._pending += content
        if self._segment.filename is None:
            self._text_size += len(content)
            if self._text_size > _TEXT_BYTES:
                raise BadRequest("payload_too_large")
        elif len(self._pending) >= _WRITE_BYTES:
            await self._write()

    async def _end(self) -> None:
        segment = self._segment
        assert segment is not None
        if segment.name in self._fields:
            self._repeated.append(problem(segment.name[:100], "duplicate_parameter"))
        if segment.filename is None:
            self._fields[segment.name] = self._pending.decode()
            self._pending = bytearray()
            return
        await self._write()
        kind = segment.content_type or "application/octet-stream"
        self._fields[segment.name] = UploadedFile(segment.filename, kind, self._path(), self._size)

    async def _write(self) -> None:
        pending, self._pending = self._pending, bytearray()
        await asyncio.to_thread(_append, self._path(), pending)

    def _path(self) -> Path:
        return self._folder / str(len(self._fields))


def _append(path: Path, content: bytearray) -> None:
    with path.open("ab") as file:
        file.write(content)
