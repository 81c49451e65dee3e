"""What a connection may bring, byte by byte: the protocol, before there is a request."""

import asyncio
import re
import socket
import struct
import time
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from browser.serving import serving

SECONDS = 0.4
GET = b"GET /a HTTP/1.1\r\nhost: x\r\n\r\n"
POST = b"POST /a HTTP/1.1\r\nhost: x\r\n"
OFFER = b"connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n"
LARGE = b"x" * 66_000
# tcpi_data_segs_in of Linux' struct tcp_info: how many packets with data came.
_PACKETS = struct.Struct("152xI")


def place(url: str) -> tuple[str, int]:
    host, _, port = url.removeprefix("http://").partition(":")
    return host, int(port)


async def echo(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Tells a request as it came."""
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
        "headers": [name.decode() for name, _ in scope["headers"]],
        "values": [value.decode("latin-1") for _, value in scope["headers"]],
    }
    answer = msgspec.json.encode(said)
    headers = [(b"content-length", b"%d" % len(answer))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": answer})


@pytest.fixture(scope="module")
async def address() -> AsyncIterator[tuple[str, int]]:
    async with serving(echo, timeout_keep_alive=SECONDS, limit_concurrency=20) as url:
        yield place(url)


async def ask(address: tuple[str, int], *sent: bytes, pause: float = 0.05) -> list[bytes]:
    """Sends these pieces one after the other; each answer that came until the connection ended."""
    reader, writer = await asyncio.open_connection(*address)
    for piece in sent:
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(pause)
    try:
        answered = await reader.read(-1)
    except ConnectionResetError:
        answered = b""
    writer.close()
    return re.split(rb"(?=HTTP/1\.1 \d)", answered)[1:]


async def one_answer(reader: asyncio.StreamReader) -> bytes:
    """The next one, on a connection that stays open."""
    head = await reader.readuntil(b"\r\n\r\n")
    return head + await reader.readexactly(int(re.findall(rb"content-length: (\d+)", head)[0]))


def said(answer: bytes) -> dict[str, Any]:
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\n"), answer
    told: dict[str, Any] = msgspec.json.decode(body)
    return told


SLOW = GET.replace(b"/a", b"/slow")
BREW = GET.replace(b"GET", b"BREW")
BAD = b"BR(W /a HTTP/1.1\r\nhost: x\r\n\r\n"
BAD_BODY = POST + b"transfer-encoding: chunked\r\n\r\nzz\r\n"


async def test_requests_that_come_together_are_answered_in_their_order(address: tuple[str, int]) -> None:
    first, second = await ask(address, POST + b"content-length: 2\r\n\r\nhi" + GET)
    assert (said(first)["body"], said(second)["method"]) == ("hi", "GET")


@pytest.mark.parametrize(
    "body", [b"content-length: 5\r\n\r\nhello", b"transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"]
)
@pytest.mark.parametrize("cut", [1, 60, 140, 170, 200, 10_000])
async def test_another_protocol_that_is_offered_changes_nothing(
    address: tuple[str, int], body: bytes, cut: int
) -> None:
    """As Java's client offers HTTP/2 with each request."""
    whole = POST + OFFER + body + GET.replace(b"\r\n\r\n", b"\r\n" + OFFER + b"\r\n") + GET
    first, second, third = await ask(address, *[each for each in (whole[:cut], whole[cut:]) if each])
    assert (said(first)["method"], said(first)["body"]) == ("POST", "hello")
    assert (said(second)["method"], said(second)["body"]) == ("GET", "")
    assert said(third)["headers"] == ["host"]


@pytest.mark.parametrize("cut", [7, 9, 20, 10_000])
async def test_an_address_need_not_be_encoded(address: tuple[str, int], cut: int) -> None:
    whole = "GET /café?q=ação HTTP/1.1\r\nhost: x\r\n\r\n".encode()
    (answer,) = await ask(address, *[each for each in (whole[:cut], whole[cut:]) if each])
    assert (said(answer)["path"], said(answer)["query"]) == ("/café", "q=a%C3%A7%C3%A3o")


async def test_what_follows_a_body_is_no_header(address: tuple[str, int]) -> None:
    chunks = b"transfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nx-forwarded-for: 192.0.2.1\r\n\r\n"
    (answer,) = await ask(address, POST + chunks)
    assert (said(answer)["body"], said(answer)["headers"]) == ("hi", ["host", "transfer-encoding"])


@pytest.mark.parametrize(
    "sent",
    [
        POST + b"content-length: 2\r\ncontent-length: 3\r\n\r\nhi!",
        POST + b"content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        POST + b"transfer-encoding: xchunked\r\n\r\n0\r\n\r\n",
        POST + OFFER + b"transfer-encoding: gzip\r\n\r\nabc",
        POST + b"transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n\r\n0\r\n\r\n",
        POST + b"transfer-encoding: chunked\r\n\r\nzz\r\nhi\r\n0\r\n\r\n",
        POST + b"content-length: +2\r\n\r\nhi",
        POST + b"a: b\x00c\r\n\r\n",
        POST + b"a: b\r\n c\r\n\r\n",
        b"GET /a HTTP/1.1\nhost: x\n\n",
        b"GET /a HTTP/1.1\r\nhost : x\r\n\r\n",
        b"CONNECT a:80 HTTP/1.1\r\nhost: x\r\n\r\n",
        BAD,
        b"BREW /a HTTP/9.9\r\nhost: x\r\n\r\n",
        b"BREW\t/a HTTP/1.1\r\nhost: x\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ],
)
async def test_what_can_be_read_in_two_ways_is_refused(address: tuple[str, int], sent: bytes) -> None:
    (answer,) = await ask(address, sent)
    assert answer.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert answer.endswith(b"This is no HTTP/1.1 request.\n")


@pytest.mark.parametrize("method", [b"BREW", b"get", b"DESCRIBE", b"X" * 60_000, b"!#$%&'*+-.^_`|~9"])
async def test_the_application_refuses_an_unknown_method(address: tuple[str, int], method: bytes) -> None:
    """It learns that there is one, not which."""
    request = POST.replace(b"POST", method) + b"content-length: 2\r\n\r\nhi"
    other, usual = await ask(address, request, GET)
    assert (said(other)["method"], said(other)["body"]) == ("PURGE", "hi")
    assert said(usual)["method"] == "GET"


@pytest.mark.parametrize(
    ("sent", "answered"),
    [
        ([b"B", GET], ["400"]),
        ([b"\r\nB", GET], ["400"]),
        ([GET + b"B", GET], ["GET", "400"]),
        ([GET, b"B", GET], ["GET", "400"]),
        ([GET + b"B" + GET], ["GET"]),
        ([GET, BREW, b"BRE", b"W" + GET[3:]], ["GET", "PURGE", "400"]),
        ([POST + b"content-length: 4\r\n\r\n", b"BREW", GET], ["POST", "GET"]),
        ([POST + b"content-length: 44\r\n\r\n", BREW + BREW, b""], ["POST"]),
    ],
)
async def test_no_method_is_taken_for_another(
    address: tuple[str, int], sent: list[bytes], answered: list[str]
) -> None:
    """However a request is cut, and whatever comes before."""
    answers = await ask(address, *sent)
    methods = ["400" if answer.startswith(b"HTTP/1.1 400 ") else said(answer)["method"] for answer in answers]
    assert methods == answered


@pytest.mark.parametrize(
    ("sent", "answered"),
    [
        ([SLOW, BAD], 1),
        ([SLOW + BAD], 1),
        ([SLOW, BAD_BODY], 1),
        ([SLOW + GET + BAD_BODY], 2),
        ([SLOW + GET + BAD], 2),
        ([SLOW, b"GET /" + LARGE], 1),
    ],
)
async def test_what_came_before_is_answered_first(
    address: tuple[str, int], sent: list[bytes], answered: int
) -> None:
    """And not with what is wrong with a later request."""
    answers = await ask(address, *sent)
    assert [said(answer)["method"] for answer in answers] == ["GET"] * answered


@pytest.mark.parametrize("each", [GET, GET[:-2] + OFFER + b"\r\n"], ids=["plain", "offering"])
async def test_so_many_wait_and_no_more(address: tuple[str, int], each: bytes) -> None:
    answers = await ask(address, SLOW + each * 2000)
    # Where the rest is still being sent when the connection ends, the kernel may drop the last answers.
    assert len(answers) <= 101


@pytest.mark.parametrize("sent", [b"0\r\nx: ", b"0\r\n", b"2;x="], ids=["value", "name", "extension"])
async def test_what_is_no_body_has_an_end(address: tuple[str, int], sent: bytes) -> None:
    """Trailers, and what may stand beside the length of a chunk."""
    (answer,) = await ask(address, POST + b"transfer-encoding: chunked\r\n\r\n" + sent, LARGE, b"x")
    assert answer.startswith(b"HTTP/1.1 431 ")


async def test_headers_stay_as_they_are_however_they_are_cut(address: tuple[str, int]) -> None:
    whole = GET + GET[:-2] + "x: é%\r\n\r\n".encode()
    cuts = range(len(GET) + 1, len(whole))
    for some in (cuts[:15], cuts[15:]):
        for answers in await asyncio.gather(*[ask(address, whole[:cut], whole[cut:]) for cut in some]):
            assert [said(answer)["values"][1:] for answer in answers] == [[], ["Ã©%"]]


@pytest.mark.parametrize(
    "sent",
    [
        [GET[:-2] + b"a: " + LARGE + b"\r\n\r\n"],
        [GET[:-2] + b"a: " + LARGE],
        [b"GET /" + LARGE],
        [b"GET /" + LARGE[:40_000], LARGE[:40_000]],
        [GET[:-2] + b"a: b\r\n" * 100 + b"\r\n"],
    ],
    ids=["one header", "no end", "the address", "in pieces", "many headers"],
)
async def test_a_head_that_is_too_large_is_refused(address: tuple[str, int], sent: list[bytes]) -> None:
    (answer,) = await ask(address, *sent)
    assert answer.startswith(b"HTTP/1.1 431 Request Header Fields Too Large\r\n")


@pytest.mark.parametrize("before", [b"", GET])
@pytest.mark.parametrize("sent", [b"", b"GET /a HTT"])
async def test_a_head_has_its_time(address: tuple[str, int], before: bytes, sent: bytes) -> None:
    """However slowly it comes, and after another request as well."""
    started = time.monotonic()
    drops = [sent[place : place + 1] for place in range(len(sent))]
    answers = await ask(address, before, *drops, pause=0.02)
    assert SECONDS * 0.9 < time.monotonic() - started < SECONDS * 4 + 1
    assert len(answers) == bool(before)


async def test_a_body_may_take_longer_than_a_head(address: tuple[str, int]) -> None:
    pieces = POST + b"content-length: 3\r\n\r\na", b"b", b"c"
    (answer,) = await ask(address, *pieces, pause=SECONDS * 0.7)
    assert said(answer)["body"] == "abc"


async def test_an_answer_is_one_packet(address: tuple[str, int]) -> None:
    reader, writer = await asyncio.open_connection(*address)
    sock = writer.get_extra_info("socket")
    for count in range(1, 4):
        writer.write(GET)
        await one_answer(reader)
        info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _PACKETS.size)
        assert _PACKETS.unpack(info) == (count,)
    writer.close()


async def test_a_head_does_not_wait_for_a_body() -> None:
    head_seen = asyncio.Event()

    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        headers = [(b"content-length", b"4")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await head_seen.wait()
        for part in (b"bo", b"dy"):
            await send({"type": "http.response.body", "body": part, "more_body": part == b"bo"})

    async with serving(app) as url:
        reader, writer = await asyncio.open_connection(*place(url))
        writer.write(GET)
        async with asyncio.timeout(20):
            await reader.readuntil(b"\r\n\r\n")
            head_seen.set()
            assert await reader.readexactly(4) == b"body"
        writer.close()


async def test_a_client_is_told_to_go_on_with_its_body(address: tuple[str, int]) -> None:
    reader, writer = await asyncio.open_connection(*address)
    writer.write(POST + b"expect: 100-continue\r\ncontent-length: 2\r\n\r\n")
    async with asyncio.timeout(20):
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(b"hi")
        assert said(await one_answer(reader))["body"] == "hi"
    writer.close()


@pytest.mark.parametrize("status", [204, 304])
async def test_an_answer_without_a_body_is_sent(status: int) -> None:
    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async with serving(app, timeout_keep_alive=SECONDS) as url:
        answers = await ask(place(url), GET, GET)
    assert [answer[9:12] for answer in answers] == [b"%d" % status] * 2


async def test_one_connection_too_many_is_ended(address: tuple[str, int]) -> None:
    held = [await asyncio.open_connection(*address) for _ in range(20)]
    try:
        assert await ask(address, GET) == []
    finally:
        for _, writer in held:
            writer.close()
    await asyncio.sleep(0.1)
    assert len(await ask(address, GET)) == 1
