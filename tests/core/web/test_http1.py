"""What a connection may send, byte by byte: directly, and through the deployed proxy."""

import asyncio
import re
import ssl
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from browser.serving import serving
from proxy import proxy

SECONDS = 0.4
GET = b"GET /a HTTP/1.1\r\nhost: x\r\n\r\n"
POST = b"POST /a HTTP/1.1\r\nhost: x\r\n"
OFFER = b"connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n"
LARGE = b"x" * 1_000_000
Address = tuple[str, int]


def place(url: str) -> Address:
    host, _, port = url.removeprefix("http://").partition(":")
    return host, int(port)


async def echo(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Returns the request as it arrived."""
    if scope["path"] == "/slow":
        await asyncio.sleep(0.2)
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        body, more = body + message["body"], message["more_body"]
    said = {
        "method": scope["method"],
        "path": scope["path"],
        "query": scope["query_string"].decode(),
        "body": body.decode(),
        "headers": {name.decode(): value.decode("latin-1") for name, value in scope["headers"]},
    }
    answer = msgspec.json.encode(said)
    headers = [(b"content-length", b"%d" % len(answer))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": answer})


@pytest.fixture(scope="module")
async def server() -> AsyncIterator[Address]:
    async with serving(echo, timeout_keep_alive=SECONDS, limit_concurrency=20) as url:
        yield place(url)


@pytest.fixture(scope="module", params=["by itself", "proxy"])
async def address(
    request: pytest.FixtureRequest, server: Address, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Address]:
    if request.param == "by itself":
        yield server
        return
    with proxy(tmp_path_factory.mktemp("proxy"), server[1]) as made:
        yield "127.0.0.1", made.port


async def ask(address: Address, *sent: bytes, pause: float = 0.05, seconds: float = 2) -> list[bytes]:
    """Sends these pieces one after another. Returns each answer until the connection ends, or until nothing
    arrives for this long.
    """
    reader, writer = await asyncio.open_connection(*address)
    answered = b""
    try:
        for piece in sent:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)
        while piece := await asyncio.wait_for(reader.read(65536), seconds):
            answered += piece
    except (ConnectionError, TimeoutError):
        pass
    writer.close()
    return re.split(rb"(?=HTTP/1\.1 \d)", answered)[1:]


def said(answer: bytes) -> dict[str, Any]:
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200"), answer
    told: dict[str, Any] = msgspec.json.decode(body)
    return told


async def test_requests_that_come_together_are_answered_in_their_order(address: Address) -> None:
    slow = GET.replace(b"/a", b"/slow")
    first, second, third = await ask(address, slow + POST + b"content-length: 2\r\n\r\nhi" + GET)
    assert (said(first)["path"], said(second)["body"], said(third)["method"]) == ("/slow", "hi", "GET")


@pytest.mark.parametrize(
    "body", [b"content-length: 5\r\n\r\nhello", b"transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"]
)
async def test_another_protocol_that_is_offered_changes_nothing(address: Address, body: bytes) -> None:
    """Java's client offers HTTP/2 with each request."""
    first, second = await ask(address, POST + OFFER + body + GET)
    assert (said(first)["method"], said(first)["body"]) == ("POST", "hello")
    assert said(second)["method"] == "GET"


@pytest.mark.parametrize("method", ["BREW", "get", "DESCRIBE"])
async def test_the_application_hears_of_an_unknown_method(server: Address, method: str) -> None:
    """So that the surface refuses it in its own format."""
    other, usual = await ask(
        server, POST.replace(b"POST", method.encode()) + b"content-length: 0\r\n\r\n" + GET
    )
    assert (said(other)["method"], said(usual)["method"]) == (method, "GET")


async def test_what_follows_a_body_is_no_header(address: Address) -> None:
    chunks = b"transfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nx-forwarded-for: 192.0.2.1\r\n\r\n"
    for answer in await ask(address, POST + chunks):
        assert said(answer)["body"] == "hi"
        assert "192.0.2.1" not in said(answer)["headers"].values()


@pytest.mark.parametrize(
    "sent",
    [
        POST + b"content-length: 2\r\ncontent-length: 3\r\n\r\nhi!",
        POST + b"transfer-encoding: xchunked\r\n\r\n0\r\n\r\n",
        POST + OFFER + b"transfer-encoding: gzip\r\n\r\nabc",
        POST + b"transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n\r\n0\r\n\r\n",
        POST + b"transfer-encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
        POST + b"content-length: +2\r\n\r\nhi",
        POST + b"a: b\x00c\r\n\r\n",
        b"GET /a HTTP/1.1\r\nhost : x\r\n\r\n",
        b"BR(W /a HTTP/1.1\r\nhost: x\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    ],
)
async def test_what_can_be_read_in_two_ways_is_refused(address: Address, sent: bytes) -> None:
    answers = await ask(address, sent)
    assert len(answers) == 1
    assert answers[0][9:12] in (b"400", b"501", b"505")


async def test_a_length_beside_chunks_is_refused_by_the_proxy(server: Address, tmp_path: Path) -> None:
    """Without a proxy, the server uses the chunks, as RFC 9112 section 6.3 allows."""
    sent = POST + b"content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n" + GET
    with proxy(tmp_path, server[1]) as made:
        (answer,) = await ask(("127.0.0.1", made.port), sent)
    assert answer.startswith(b"HTTP/1.1 400")
    first, second = await ask(server, sent)
    assert (said(first)["body"], said(second)["method"]) == ("", "GET")


@pytest.mark.parametrize(
    "sent",
    [
        [GET[:-2] + b"a: " + LARGE + b"\r\n\r\n"],
        [b"GET /" + LARGE + b" HTTP/1.1\r\nhost: x\r\n\r\n"],
        [b"GET /" + LARGE[:40_000], LARGE[:400_000]],
    ],
    ids=["one header", "the address", "in pieces"],
)
async def test_a_head_that_is_too_large_is_refused(address: Address, sent: list[bytes]) -> None:
    answers = await ask(address, *sent)
    assert [answer[9:12] for answer in answers] in ([b"400"], [b"414"], [b"431"], [])


async def test_a_connection_is_closed_when_nothing_more_is_asked(server: Address) -> None:
    started = time.monotonic()
    (answer,) = await ask(server, GET, seconds=20)
    assert said(answer)["method"] == "GET"
    assert SECONDS * 0.9 < time.monotonic() - started < 10


async def test_a_body_may_take_longer_than_a_connection_is_kept(server: Address) -> None:
    pieces = POST + b"content-length: 3\r\n\r\na", b"b", b"c"
    (answer,) = await ask(server, *pieces, pause=SECONDS * 1.5)
    assert said(answer)["body"] == "abc"


async def test_a_client_is_told_to_go_on_with_its_body(address: Address) -> None:
    reader, writer = await asyncio.open_connection(*address)
    writer.write(POST + b"expect: 100-continue\r\ncontent-length: 2\r\n\r\n")
    async with asyncio.timeout(20):
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 100 Continue\r\n")
        writer.write(b"hi")
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
    writer.close()


@pytest.mark.parametrize("status", [204, 304])
async def test_an_answer_without_a_body_is_sent(status: int) -> None:
    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async with serving(app, timeout_keep_alive=SECONDS) as url:
        answers = await ask(place(url), GET, GET)
    assert [answer[9:12] for answer in answers] == [b"%d" % status] * 2


async def test_one_connection_too_many_is_answered_at_once(server: Address) -> None:
    held = [await asyncio.open_connection(*server) for _ in range(20)]
    try:
        (refused,) = await ask(server, GET)
        assert refused.startswith(b"HTTP/1.1 503")
    finally:
        for _, writer in held:
            writer.close()
            await writer.wait_closed()
    (answer,) = await ask(server, GET)
    assert said(answer)["method"] == "GET"


async def test_the_proxy_says_who_asks_and_by_which_name(server: Address, tmp_path: Path) -> None:
    lies = b"X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: http\r\n"
    sent = b"GET /a%2Fb?q=%C3%A7 HTTP/1.1\r\nhost: p1.content.example.com\r\n" + lies + b"\r\n"
    with proxy(tmp_path, server[1]) as made:
        context = ssl.create_default_context(cafile=str(made.authority))
        reader, writer = await asyncio.open_connection("127.0.0.1", made.tls_port, ssl=context)
        writer.write(sent.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n"))
        told = said(await reader.read(-1))
        writer.close()
    assert (told["path"], told["query"]) == ("/a/b", "q=%C3%A7")
    headers = told["headers"]
    assert (headers["host"], headers["x-forwarded-for"], headers["x-forwarded-proto"]) == (
        "p1.content.example.com",
        "127.0.0.1",
        "https",
    )


@pytest.mark.parametrize("sent", [b"", b"GET /a HTT", POST + b"content-length: 9\r\n\r\nx"])
async def test_the_proxy_ends_what_does_not_come(server: Address, tmp_path: Path, sent: bytes) -> None:
    """A head and a body have ten seconds each."""
    with proxy(tmp_path, server[1]) as made:
        started = time.monotonic()
        answers = await ask(("127.0.0.1", made.port), sent, seconds=30)
        assert 8 < time.monotonic() - started < 25
    assert [answer[9:12] for answer in answers] in ([], [b"408"])
