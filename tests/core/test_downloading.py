"""Downloads from servers that tenants choose: what is followed, and what ends a download."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from core.test_guarded_http import Names
from core.test_guarded_http import names as names
from receiver import Answer, receiving
from trilha.core.net import parse_networks
from trilha.core.outbound.downloading import Downloader
from trilha.core.outbound.fetching import FetchFailed
from trilha.core.outbound.guard import Guard

GUARD = Guard(parse_networks("127.0.0.0/8"), plain_http=True)
MOST = 3_000_000
Write = Callable[[asyncio.StreamWriter], Awaitable[None]]


def sending(raw: bytes, then: Write | None = None) -> Answer:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(raw)
        await writer.drain()
        if then is not None:
            await then(writer)

    return answer


def whole(body: bytes) -> Answer:
    return sending(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body) + body)


def leading(location: str, status: int = 302) -> Answer:
    head = b"HTTP/1.1 %d X\r\nlocation: %s\r\ncontent-length: 0\r\n\r\n"
    return sending(head % (status, location.encode()))


async def trickle(writer: asyncio.StreamWriter) -> None:
    while not writer.is_closing():
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.02)


async def pour(writer: asyncio.StreamWriter) -> None:
    while not writer.is_closing():
        writer.write(b"x" * 65_536)
        await writer.drain()


async def be_silent(_: asyncio.StreamWriter) -> None:
    await asyncio.sleep(30)


def quick(guard: Guard = GUARD) -> Downloader:
    return Downloader(guard, most_bytes=MOST, grace=0.5, rate=1_000_000)


async def reason(downloader: Downloader, url: str, path: Path) -> str:
    with pytest.raises(FetchFailed) as error:
        await downloader.download(url, path)
    return str(error.value)


async def test_a_file_of_several_pieces_is_written(tmp_path: Path) -> None:
    body = bytes(range(256)) * 10_000
    async with receiving(whole(body)) as server:
        await Downloader(GUARD, most_bytes=MOST).download(server.url, tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == body
    assert server.calls[0].headers["accept-encoding"] == "identity"


async def test_an_empty_file_is_one(tmp_path: Path) -> None:
    async with receiving(whole(b"")) as server:
        await quick().download(server.url, tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == b""


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirects_are_followed(tmp_path: Path, status: int) -> None:
    async with receiving(leading("/other?a=1#part", status), whole(b"abc")) as server:
        await quick().download(server.url, tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == b"abc"
    assert server.calls[1].line == "GET /other?a=1 HTTP/1.1"


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("http://10.0.0.1/file", "address_not_allowed"),
        ("http://169.254.169.254/latest/meta-data", "address_not_allowed"),
        ("http://[::1]:8443/", "address_not_allowed"),
        ("file:///etc/passwd", "https_required"),
        ("ftp://127.0.0.1/", "https_required"),
        ("http://user:password@127.0.0.1/", "invalid_url"),
        ("http://[::1/", "invalid_response"),
    ],
)
async def test_a_redirect_is_checked(tmp_path: Path, location: str, expected: str) -> None:
    async with receiving(leading(location), whole(b"abc")) as server:
        assert await reason(quick(), server.url, tmp_path / "file") == expected
    assert len(server.calls) == 1


async def test_a_redirect_to_a_name_that_leads_inward_is_refused(tmp_path: Path, names: Names) -> None:
    names.answers = [["10.0.0.1"]]
    async with receiving(leading("http://files.example.com:443/file")) as server:
        assert await reason(quick(), server.url, tmp_path / "file") == "address_not_allowed"
    assert names.asked == ["files.example.com"]


async def test_only_https_is_called_where_it_is_demanded(tmp_path: Path) -> None:
    guard = Guard(parse_networks("127.0.0.0/8"))
    async with receiving(whole(b"abc")) as server:
        assert await reason(quick(guard), server.url, tmp_path / "file") == "https_required"
    assert server.connections == 0


async def test_redirects_come_to_an_end(tmp_path: Path) -> None:
    async with receiving(leading("/again")) as server:
        assert await reason(quick(), server.url, tmp_path / "file") == "too_many_redirects"
    assert len(server.calls) == 6


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (sending(b"HTTP/1.1 404 X\r\ncontent-length: 0\r\n\r\n"), "unexpected_status"),
        (sending(b"HTTP/1.1 206 X\r\ncontent-length: 1\r\n\r\nx"), "unexpected_status"),
        (sending(b"HTTP/1.1 200 OK\r\ncontent-length: 3000001\r\n\r\n"), "too_large"),
        (sending(b"HTTP/1.1 200 OK\r\n\r\n", pour), "too_large"),
        (sending(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx"), "invalid_response"),
        (sending(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nx"), "invalid_response"),
        (sending(b"HTTP/1.1 200 OK\r\n\r\n", trickle), "timeout"),
        (sending(b"HTTP/1.1 200 OK\r\n", trickle), "timeout"),
        (sending(b"HTTP/1.1 200 OK\r\n\r\n", be_silent), "timeout"),
        (sending(b"", be_silent), "timeout"),
        (sending(b"SSH-2.0-OpenSSH\r\n\r\n"), "invalid_response"),
        (sending(b""), "connection_failed"),
    ],
)
async def test_what_ends_a_download(tmp_path: Path, answer: Answer, expected: str) -> None:
    async with receiving(answer) as server, asyncio.timeout(10):
        assert await reason(quick(), server.url, tmp_path / "file") == expected
    assert not (tmp_path / "file").exists() or (tmp_path / "file").stat().st_size <= MOST


async def test_the_whole_has_a_limit_too(tmp_path: Path) -> None:
    downloader = Downloader(GUARD, most_bytes=MOST, seconds=0.3)
    async with receiving(sending(b"HTTP/1.1 200 OK\r\n\r\n", trickle)) as server:
        assert await reason(downloader, server.url, tmp_path / "file") == "timeout"


async def test_nobody_listens(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/"
        assert await reason(quick(), url, tmp_path / "file") == "connection_failed"


async def test_a_file_that_cannot_be_written_is_our_fault(tmp_path: Path) -> None:
    async with receiving(whole(b"abc")) as server:
        assert await reason(quick(), server.url, tmp_path / "missing" / "file") == "storage_failed"
