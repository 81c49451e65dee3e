"""How an answer is handled: its body, its date for the next attempt, its redirect, and data after it."""

import asyncio
import json
from contextlib import AsyncExitStack
from datetime import datetime, timedelta
from email.utils import format_datetime

import pytest

from answers import EMPTY, OK, attempted, saying, sends, summary
from posting import Post
from receiver import receiving

REST = {"body": b"and more", "beginning": b"HTTP/1.1 5", "answer": saying(b"no", status=500)}


@pytest.mark.parametrize(
    ("head", "pieces"),
    [
        *(pytest.param(EMPTY, (EMPTY + REST[each],), id=f"204-{each}") for each in REST),
        *(pytest.param(EMPTY, (EMPTY, REST[each]), id=f"204-{each}-later") for each in REST),
        *(pytest.param(OK, (OK + REST[each],), id=f"200-{each}") for each in ("body", "answer")),
        *(pytest.param(OK, (OK, REST[each]), id=f"200-{each}-later") for each in REST),
    ],
)
async def test_what_follows_an_answer_is_not_the_next_one(
    post: Post, head: bytes, pieces: tuple[bytes, ...]
) -> None:
    """It costs the next delivery no attempt either."""
    async with receiving(sends(*pieces), 204) as receiver:
        endpoint = await post.endpoint(receiver.url)
        for _ in range(2):
            await post.happen()
            assert await post.send() == 1
            post.world.clock.move(seconds=1)
            await asyncio.sleep(0.02)
        second, first = await post.deliveries(endpoint)
        assert len(receiver.calls) == receiver.connections == 2
    assert summary(first) == ("DELIVERED", int(head[9:12]), None)
    assert summary(second) == ("DELIVERED", 204, None)


@pytest.mark.parametrize("body", [bytes(range(256)), b"\xc3", b"\0" * 20_000, b"\xed\xa0\x80"])
async def test_a_body_that_is_no_text(post: Post, body: bytes) -> None:
    delivery = await attempted(post, sends(saying(body)))
    assert summary(delivery) == ("DELIVERED", 200, None)
    text = delivery["response_body"]
    assert "\0" not in text
    assert 0 < len(text) <= 16 * 1024
    assert "\ufffd" in text


async def test_signing_secrets_are_not_kept(post: Post) -> None:
    secrets: list[str] = []

    async def echo(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        body = json.dumps({"is": secrets, "bare": [each.removeprefix("whsec_") for each in secrets]}).encode()
        writer.write(saying(body))

    async with receiving(echo) as receiver:
        endpoint = await post.endpoint(receiver.url)
        path = f"/v1/webhooks/{endpoint['id']}"
        rotated = (await post.world.http.post(f"{path}/rotate-secret")).json()["data"]
        secrets += [endpoint["secret"], rotated["secret"]]
        await post.happen()
        await post.send()
        (delivery,) = await post.deliveries(endpoint)
    assert json.loads(delivery["response_body"]) == {"is": ["whsec_***"] * 2, "bare": ["***"] * 2}
    async with post.world.tx() as tx:
        row = await tx.value("SELECT d::text FROM webhook_deliveries d WHERE tenant_id = :tenant")
    assert not [each for each in secrets if each.removeprefix("whsec_") in row]


@pytest.mark.parametrize("status", [429, 503])
async def test_when_it_is_tried_again(post: Post, status: int) -> None:
    """The first retry comes after 5 to 6 seconds. A receiver may ask for at most 30."""
    now = post.world.clock.now

    def date(**ahead: float) -> str:
        return format_datetime(now + timedelta(**ahead), usegmt=True)

    asked = [
        *(("0", 5, 6), ("-1", 5, 6), ("1000000000", 30, 30), ("1e9", 5, 6), ("9" * 5_000, 30, 30)),
        *(("20", 20, 20), ("3", 5, 6), ("", 5, 6), ("soon", 5, 6), ("20.5", 5, 6), ("٢٠", 5, 6)),
        *((date(days=-400), 5, 6), (date(seconds=-1), 5, 6), (date(seconds=20), 20, 20)),
        *((date(days=400), 30, 30), ("Fri, 31 Dec 9999 23:59:59 GMT", 30, 30), ("Fri, 99 Foo", 5, 6)),
    ]
    endpoints = []
    async with AsyncExitStack() as stack:
        for text, *_ in asked:
            answer = sends(saying(b"", f"retry-after: {text}", status=status))
            receiver = await stack.enter_async_context(receiving(answer))
            endpoints.append(await post.endpoint(receiver.url))
        await post.happen()
        assert await post.send() == len(asked)
    for endpoint, (text, least, most) in zip(endpoints, asked, strict=True):
        (delivery,) = await post.deliveries(endpoint)
        assert summary(delivery) == ("PENDING", status, None)
        wait = (datetime.fromisoformat(delivery["next_attempt_at"]) - now).total_seconds()
        assert least <= wait <= most, text


@pytest.mark.parametrize("status", [300, 301, 302, 303, 307, 308])
async def test_redirects_are_not_followed(post: Post, status: int) -> None:
    async with AsyncExitStack() as stack:
        inside = await stack.enter_async_context(receiving())
        endpoints, receivers = [], []
        for place in (inside.url, "/hook", "//127.0.0.1/", "http://169.254.169.254/latest/", "http://[::1]/"):
            answer = sends(saying(b"no", f"location: {place}", f"refresh: 0; url={place}", status=status))
            receivers.append(await stack.enter_async_context(receiving(answer)))
            endpoints.append(await post.endpoint(receivers[-1].url))
        await post.happen()
        assert await post.send() == len(receivers)
        assert inside.connections == 0
        assert [len(each.calls) for each in receivers] == [1] * len(receivers)
        for endpoint in endpoints:
            (delivery,) = await post.deliveries(endpoint)
            assert summary(delivery) == ("PENDING", status, None)
