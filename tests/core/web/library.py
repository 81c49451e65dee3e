"""A surface as a feature would declare it, with its own error format, forms, pages, files and uploads."""

import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec import Struct, to_builtins

from trilha.core.errors import ApiError, Failure, NotFound
from trilha.core.file_store import open_file_store
from trilha.core.types import Name
from trilha.core.web.answers import Answer, Html, Redirect, Stream, json_answer
from trilha.core.web.callers import PUBLIC
from trilha.core.web.errors import FailureExample
from trilha.core.web.files import StoredFile
from trilha.core.web.request import Request
from trilha.core.web.routes import MIB, Envelope, RestOfPath, Routes
from trilha.core.web.surface import Surface
from trilha.core.web.uploads import UploadedFile


@dataclass
class Shelf:
    folder: Path


class Refusal(Struct):
    reason: str


class Refusals:
    body = Refusal

    def write(self, failure: Failure, request: Request) -> Answer:
        assert isinstance(failure, ApiError)
        return json_answer(failure.status, Refusal(failure.code), b"application/refusal+json")

    def example(self, code: str, field: str | None, detail: Any) -> FailureExample:
        return FailureExample(400, code, code, to_builtins(Refusal(code)))


class NewBook(Struct, frozen=True, forbid_unknown_fields=True):
    title: Name
    pages: int


class Scan(Struct, frozen=True):
    title: Name
    scan: UploadedFile


routes = Routes("Library", "Books.")


@routes.get("/books/{title}", access=PUBLIC)
async def show_book(title: Name) -> Html:
    return Html(f"<h1>{title}</h1>")


@routes.post("/books", access=PUBLIC)
async def add_book(form: NewBook) -> Redirect:
    return Redirect(f"/library/books/{form.title}?pages={form.pages}")


@routes.get("/files/{path}", access=PUBLIC)
async def get_file(path: RestOfPath, shelf: Shelf) -> StoredFile:
    files = open_file_store(None, shelf.folder)
    if (size := await files.size(path)) is None:
        raise NotFound("route_not_found")
    return StoredFile(files, path, size, "text/plain", etag=path)


@routes.post("/scans", access=PUBLIC, status=201, max_body=600 * MIB)
async def add_scan(form: Scan) -> Envelope[list[str]]:
    with form.scan.path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Envelope([form.title, form.scan.filename, form.scan.media_type, str(form.scan.size), digest])


@routes.get("/pages", access=PUBLIC)
async def stream_pages(shelf: Shelf) -> Stream:
    async def pages() -> AsyncIterator[bytes]:
        try:
            for number in range(1_000_000):
                yield b"%d\n" % number
        finally:
            (shelf.folder / "closed").touch()

    return Stream(pages(), "text/plain")


SURFACE = Surface(name="library", prefixes=["/library"], features=[routes], errors=Refusals())
