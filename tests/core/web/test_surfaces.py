"""The features of a surface, on one that only tests have: tests/core/web/library.py declares it."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

from conftest import World
from core.web.library import SURFACE, Shelf
from running import free_port, wait_until
from trilha.core.web.admission import Admission
from trilha.core.web.gateway import Gateway
from trilha.core.web.surface import Surface

NOTHING = Surface(name="nothing", prefixes=[""], features=[])
TITLE = b'--x\r\ncontent-disposition: form-data; name="title"\r\n\r\n'
TEXT = b"".join(b"line %d\n" % number for number in range(100_000))


@pytest.fixture
async def shelf(tmp_path: Path) -> Shelf:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "text.txt").write_bytes(TEXT)
    return Shelf(tmp_path)


@pytest.fixture
async def http(world: World, shelf: Shelf) -> AsyncIterator[httpx2.AsyncClient]:
    app = Gateway([SURFACE, NOTHING], world.database, Admission(world.database, []), dependencies=[shelf])
    async with world.client(app=app) as client:
        yield client


async def test_a_page(http: httpx2.AsyncClient) -> None:
    answer = await http.get("/library/books/Iracema")
    assert (answer.status_code, answer.text) == (200, "<h1>Iracema</h1>")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"


async def test_its_own_form_of_errors_meets_every_failure(http: httpx2.AsyncClient) -> None:
    tried = {
        "route_not_found": await http.get("/library/nothing"),
        "method_not_allowed": await http.delete("/library/books"),
        "required": await http.post("/library/books", data={"title": "Iracema"}),
        "unsupported_media_type": await http.post("/library/books", json={}),
        "unknown_parameter": await http.get("/library/books/Iracema?page=1"),
        "payload_too_large": await http.post("/library/books", data={"title": "x" * 1_100_000}),
    }
    for code, answer in tried.items():
        assert answer.json() == {"reason": code}
        assert answer.headers["content-type"] == "application/refusal+json"
    assert tried["method_not_allowed"].headers["allow"] == "OPTIONS, POST"


async def test_a_path_parameter_is_what_its_type_says(http: httpx2.AsyncClient) -> None:
    for title in ("%20", "x" * 121, "a%0Ab"):
        assert (await http.get(f"/library/books/{title}")).status_code == 404


async def test_a_form(http: httpx2.AsyncClient) -> None:
    answer = await http.post("/library/books", data={"title": " Iracema ", "pages": "180"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/library/books/Iracema?pages=180")
    for body in ("title=A&pages=x", "title=A&pages=1&title=B", "title=%ff&pages=1", "title=&pages=1", "x=1"):
        headers = {"content-type": "application/x-www-form-urlencoded"}
        assert (await http.post("/library/books", content=body, headers=headers)).status_code == 400


@pytest.mark.parametrize(
    ("range", "status", "start", "stop"),
    [
        (None, 200, 0, len(TEXT)),
        ("bytes=0-9", 206, 0, 10),
        ("bytes=10-", 206, 10, len(TEXT)),
        ("bytes=-5", 206, len(TEXT) - 5, len(TEXT)),
        ("bytes=600000-600099", 206, 600_000, 600_100),
        ("bytes=0-99999999999", 200, 0, len(TEXT)),
        ("bytes=5-4", 200, 0, len(TEXT)),
        ("bytes=0-1,4-5", 200, 0, len(TEXT)),
        ("lines=0-1", 200, 0, len(TEXT)),
        ("bytes=-", 200, 0, len(TEXT)),
    ],
)
async def test_a_file_and_parts_of_it(
    http: httpx2.AsyncClient, range: str | None, status: int, start: int, stop: int
) -> None:
    answer = await http.get("/library/files/deep/text.txt", headers={"range": range} if range else {})
    assert (answer.status_code, answer.content) == (status, TEXT[start:stop])
    assert answer.headers["content-length"] == str(stop - start)
    shown = f"bytes {start}-{stop - 1}/{len(TEXT)}" if status == 206 else None
    assert answer.headers.get("content-range") == shown


@pytest.mark.parametrize("range", [f"bytes={len(TEXT)}-", "bytes=99999999-", "bytes=-0"])
async def test_a_range_that_there_is_not(http: httpx2.AsyncClient, range: str) -> None:
    answer = await http.get("/library/files/deep/text.txt", headers={"range": range})
    assert (answer.status_code, answer.headers["content-range"]) == (416, f"bytes */{len(TEXT)}")


async def test_a_file_that_the_client_has(http: httpx2.AsyncClient) -> None:
    first = await http.get("/library/files/deep/text.txt")
    etag = first.headers["etag"]
    for known in (etag, f'"x", W/{etag}'):
        again = await http.get("/library/files/deep/text.txt", headers={"if-none-match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", etag)
    other = await http.get("/library/files/deep/text.txt", headers={"if-none-match": '"x"'})
    assert other.status_code == 200
    # A part of a changed file would not fit the parts before.
    for condition, status in ((etag, 206), ('"x"', 200)):
        headers = {"range": "bytes=0-9", "if-range": condition}
        assert (await http.get("/library/files/deep/text.txt", headers=headers)).status_code == status


async def test_head_of_a_file(http: httpx2.AsyncClient) -> None:
    answer = await http.head("/library/files/deep/text.txt")
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-length"] == str(len(TEXT))


async def test_an_upload(http: httpx2.AsyncClient) -> None:
    files = {"scan": ("çapa.pdf", b"%PDF" * 1000, "application/pdf")}
    answer = await http.post("/library/scans", data={"title": "Iracema"}, files=files)
    assert answer.status_code == 201, answer.text
    assert answer.json()["data"][:4] == ["Iracema", "çapa.pdf", "application/pdf", "4000"]


@pytest.mark.parametrize(
    ("content", "type", "status"),
    [
        (b"title=A", "application/x-www-form-urlencoded", 415),
        (b"", "multipart/form-data", 400),
        (b"no form at all", "multipart/form-data; boundary=x", 400),
        (b"--x\r\n", "multipart/form-data; boundary=x", 400),
        (TITLE + b"A\r\n--x--\r\n", "multipart/form-data; boundary=x", 400),
        (TITLE + b"\xff\r\n--x--\r\n", "multipart/form-data; boundary=x", 400),
        (b"--x\r\n\r\n" * 10_000, "multipart/form-data; boundary=x", 400),
    ],
)
async def test_a_form_with_files_that_is_none(
    http: httpx2.AsyncClient, content: bytes, type: str, status: int
) -> None:
    answer = await http.post("/library/scans", content=content, headers={"content-type": type})
    assert answer.status_code == status, answer.text
    assert set(answer.json()) == {"reason"}


def test_a_route_must_say_who_may_call_it() -> None:
    from trilha.core.web.routes import Routes

    with pytest.raises(TypeError, match="who may call"):

        @Routes("X", "Y").get("/x")
        async def nobody() -> None: ...


class Served:
    """The library on a real server."""

    def __init__(self, port: int, process: asyncio.subprocess.Process) -> None:
        self.port = port
        self.process = process


@pytest.fixture
async def served(world: World, shelf: Shelf) -> AsyncIterator[Served]:
    port = free_port()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "core.web.served",
        str(port),
        str(shelf.folder),
        world.url,
        cwd=Path(__file__).parents[2],
    )
    try:
        await asyncio.to_thread(wait_until, lambda: _listens(port))
        yield Served(port, process)
    finally:
        process.terminate()
        await process.wait()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


async def test_500_megabytes_are_uploaded_with_flat_memory(served: Served) -> None:
    size, piece = 500 * 1024 * 1024, b"0123456789abcdef" * 64 * 1024

    async def body() -> AsyncIterator[bytes]:
        yield TITLE + b"Iracema\r\n"
        yield b'--x\r\ncontent-disposition: form-data; name="scan"; filename="a.zip"\r\n\r\n'
        for _ in range(size // len(piece)):
            yield piece
        yield b"\r\n--x--\r\n"

    async with httpx2.AsyncClient(timeout=120) as client:
        before = await _peak(client, served)
        headers = {"content-type": "multipart/form-data; boundary=x"}
        answer = await client.post(
            f"http://127.0.0.1:{served.port}/library/scans", content=body(), headers=headers
        )
        assert answer.json()["data"][3] == str(size)
        assert await _peak(client, served) - before < 64 * 1024


async def _peak(client: httpx2.AsyncClient, served: Served) -> int:
    """Returns the peak memory of all serving processes in KiB."""
    answer = await client.get(f"http://127.0.0.1:{served.port}/memory")
    return int(answer.text)


async def test_a_stream_ends_when_the_client_goes(served: Served, shelf: Shelf) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
    writer.write(b"GET /library/pages HTTP/1.1\r\nhost: x\r\n\r\n")
    assert b"200" in await reader.readline()
    writer.transport.abort()
    await asyncio.to_thread(wait_until, (shelf.folder / "closed").exists)


async def test_a_whole_file_from_a_real_server(served: Served) -> None:
    async with httpx2.AsyncClient() as client:
        for headers, expected in (({}, TEXT), ({"range": "bytes=100-299"}, TEXT[100:300])):
            address = f"http://127.0.0.1:{served.port}/library/files/deep/text.txt"
            answer = await client.get(address, headers=headers)
            assert answer.content == expected
            assert answer.headers["content-length"] == str(len(expected))
