"""Receivers that answer badly, slowly, too much or not at all: the recorded history, and the cost. An attempt
has two seconds here.
"""

import threading
import zlib
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import Any

import psutil
import pytest

from answers import CHUNKED, EMPTY, HTTP2, LINE, OK, attempted, endlessly, head, late, saying, sends, summary
from posting import Post
from receiver import Answer, receiving

LIMIT, SPARE = 2_000, 1_500
MEGABYTE = 1 << 20
CONTINUE = head(status=100)
UPGRADE = head("upgrade: x", "connection: upgrade", status=101)
LENGTHS = head("content-length: 2", "content-length: 3")
EACH = [OK[at : at + 1] for at in range(len(OK))]


def case(name: str, answer: Answer, status: int | None, error: str | None = None, *body: Any) -> Any:
    return pytest.param(answer, status, error, *body, id=name)


def failing(name: str, error: str, *pieces: bytes, then: str = "stay") -> Any:
    return case(name, sends(*pieces, then=then), None, error, None)


def answering(name: str, status: int, body: Any, *pieces: bytes, then: str = "stay") -> Any:
    return case(name, sends(*pieces, then=then), status, None, body)


@pytest.mark.parametrize(
    ("answer", "status", "error", "body"),
    [
        failing("no-answer", "connection_failed", then="fin"),
        failing("reset-before-headers", "connection_failed", then="reset"),
        failing("reset-in-headers", "connection_failed", OK[:20], then="reset"),
        failing("end-in-headers", "connection_failed", OK[:20], then="fin"),
        failing("not-http", "invalid_response", b"220 smtp.example.com ESMTP\r\n\r\n"),
        failing("http2-only", "invalid_response", HTTP2),
        failing("status-line", "invalid_response", OK.replace(b"200", b"two hundred")),
        failing("short-status", "invalid_response", OK.replace(b"200", b"20")),
        failing("no-header", "invalid_response", head("no colon")),
        failing("nul-in-header", "invalid_response", head("x: a\0b")),
        failing("200-headers", "invalid_response", head(*["x: y"] * 200)),
        failing("long-header", "invalid_response", head("x: " + "y" * 9_000)),
        failing("two-lengths", "invalid_response", LENGTHS + b"ok"),
        answering("continue", 200, "ok", CONTINUE, OK),
        answering("continue-at-once", 200, "ok", CONTINUE * 3 + OK),
        answering("continue-204", 204, "", CONTINUE + EMPTY + b"no"),
        answering("hints", 200, "ok", head("link: </>", status=103), OK),
        answering("upgrade", 101, "", UPGRADE + b"hm"),
        answering("one-byte-each", 200, "ok", *EACH),
        answering("bare-line-ends", 200, "ok", OK.replace(b"\r", b"")),
        answering("http-1.0", 200, "ok", head().replace(b"1.1", b"1.0") + b"ok", then="fin"),
        answering("no-reason", 202, "ok", OK.replace(b"200 X", b"202")),
        answering("999", 999, "ok", saying(b"ok", status=999)),
        answering("410", 410, "ok", saying(b"ok", status=410)),
        answering("too-short", 200, ..., head("content-length: 9") + b"ok", then="fin"),
        answering("too-long", 200, "ok", OK + b"ay"),
        answering("too-long-later", 200, "ok", OK, b"ay"),
        answering("two-answers", 200, "ok", OK + saying(b"no", status=500)),
        answering("reset-after-headers", 200, "", head("content-length: 9"), then="reset"),
        answering("end-after-headers", 200, "", CHUNKED, then="fin"),
        answering("204-length", 204, "", saying(b"ok", status=204)),
        answering("204-chunked", 204, "", CHUNKED.replace(b"200", b"204") + b"2\r\nok\r\n"),
        answering("204-in-two", 204, "", EMPTY[:-2] + b"x: y\r\n", b"\r\nok"),
        answering("205-body", 205, "ok", saying(b"ok", status=205)),
        answering("304-body", 304, "", saying(b"ok", status=304)),
    ],
)
async def test_each_has_its_outcome_at_once(
    post: Post, answer: Answer, status: int | None, error: str | None, body: Any
) -> None:
    delivery = await attempted(post, answer)
    state = "DELIVERED" if status and 200 <= status < 300 else "PENDING"
    assert summary(delivery) == (state, status, error)
    assert body in (..., delivery["response_body"])
    assert delivery["attempt_log"][0]["duration_ms"] < LIMIT


SLOW: dict[str, tuple[Answer, int | None, str | None, int]] = {
    "silence": (sends(), None, "timeout", LIMIT),
    "slow headers": (endlessly(LINE + b"x: ", b"y", 0.1), None, "timeout", LIMIT),
    "interim answers": (endlessly(b"", head(status=102), 0.1), None, "timeout", LIMIT),
    "inside the limit": (late(1.2), 200, None, 1_200),
    "outside the limit": (late(2.2), None, "timeout", LIMIT),
    # The headers have arrived. Of the body, only what arrives soon is read.
    "dripping body": (endlessly(head("content-length: 999"), b".", 0.1), 200, None, 1_000),
    "bad chunk": (sends(CHUNKED + b"zz\r\n"), 200, None, 1_000),
    "bad chunk later": (sends(CHUNKED + b"2\r\nok\r\n", b"zz\r\n"), 200, None, 1_000),
    "chunk extension": (sends(CHUNKED + b"1;" + b"y" * MEGABYTE), 200, None, 1_000),
    "dripping error": (endlessly(CHUNKED.replace(b"200", b"500"), b"1\r\n.\r\n", 0.1), 500, None, 1_000),
}


async def test_slow_ones_are_cut_by_the_limit(post: Post) -> None:
    endpoints = {}
    async with AsyncExitStack() as stack:
        for name, (answer, *_) in SLOW.items():
            receiver = await stack.enter_async_context(receiving(answer))
            endpoints[name] = await post.endpoint(receiver.url)
        await post.happen()
        assert await post.send() == len(SLOW)
        for name, (_, status, error, duration) in SLOW.items():
            (delivery,) = await post.deliveries(endpoints[name])
            assert summary(delivery)[1:] == (status, error), name
            assert delivery["status"] == ("DELIVERED" if status == 200 else "PENDING"), name
            assert duration <= delivery["attempt_log"][0]["duration_ms"] < duration + SPARE, name


@contextmanager
def flat_memory() -> Iterator[None]:
    """Checks that this process, which sends and receives, never uses 30 MB more than before."""
    process, over = psutil.Process(), threading.Event()
    before = highest = process.memory_info().rss

    def watch() -> None:
        nonlocal highest
        while not over.wait(0.005):
            highest = max(highest, process.memory_info().rss)

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield
    finally:
        over.set()
        watching.join()
    assert highest - before < 30 * MEGABYTE


def bomb() -> bytes:
    """A hundred kilobytes that decompress to a hundred megabytes."""
    packer = zlib.compressobj(1, wbits=31)
    return b"".join([*(packer.compress(bytes(MEGABYTE)) for _ in range(100)), packer.flush()])


@pytest.mark.parametrize(
    ("answer", "status", "error"),
    [
        case("headers", endlessly(LINE, b"x: y\r\n" * 10_000), None, "invalid_response"),
        case("header-line", endlessly(LINE + b"x: ", b"y" * MEGABYTE), None, "invalid_response"),
        case("status-line", endlessly(LINE[:-2], b"y" * MEGABYTE), None, "invalid_response"),
        case("body", endlessly(head(), b"y" * MEGABYTE), 200),
        case("length", endlessly(head("content-length: 999999999999"), b"y" * MEGABYTE), 200),
        case("chunks", endlessly(CHUNKED, b"1\r\ny\r\n" * 10_000), 200),
        case("chunk", endlessly(CHUNKED + b"fffffffff\r\n", b"y" * MEGABYTE), 200),
        case("trailers", endlessly(CHUNKED + b"0\r\n", b"x: y\r\n" * 10_000), 200),
        case("no-body", endlessly(EMPTY, b"y" * MEGABYTE), 204),
        case("before-http", endlessly(b"", b"\r\n" * 10_000), None, "invalid_response"),
        case("interim", endlessly(b"", CONTINUE * 1_000), None, "invalid_response"),
    ],
)
async def test_endless_ones_are_not_gathered(
    post: Post, answer: Answer, status: int | None, error: str | None
) -> None:
    with flat_memory():
        delivery = await attempted(post, answer)
    assert summary(delivery)[1:] == (status, error)
    assert len(delivery["response_body"] or "") <= 16 * 1024
    assert delivery["attempt_log"][0]["duration_ms"] < LIMIT + SPARE


async def test_nothing_is_unpacked(post: Post) -> None:
    packed = saying(bomb(), "content-encoding: gzip")
    with flat_memory():
        delivery = await attempted(post, sends(packed))
    assert summary(delivery) == ("DELIVERED", 200, None)
    assert delivery["response_body"].startswith("\x1f\ufffd")
    assert len(delivery["response_body"]) <= 16 * 1024
