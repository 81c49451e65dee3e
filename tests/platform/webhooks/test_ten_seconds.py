"""The default time limit, with a real wait. The other tests shorten it."""

from contextlib import AsyncExitStack

import pytest

from answers import CHUNKED, LINE, endlessly, head, late, sends, summary
from conftest import World
from posting import Post, dispatcher_of
from receiver import Answer, receiving
from trilha.platform.webhooks.delivery.sender import Sender
from trilha.settings import Settings

LIMIT, SPARE = 10_000, 1_000
# The answer, the status, the error, and the milliseconds of the attempt.
SLOW: dict[str, tuple[Answer, int | None, str | None, int]] = {
    "silence": (sends(), None, "timeout", LIMIT),
    "slow headers": (endlessly(LINE + b"x: ", b"y", 0.2), None, "timeout", LIMIT),
    "interim answers": (endlessly(b"", head(status=102), 0.2), None, "timeout", LIMIT),
    "inside the limit": (late(9.7), 200, None, 9_700),
    "outside the limit": (late(10.3), None, "timeout", LIMIT),
    "dripping body": (endlessly(CHUNKED, b"1\r\n.\r\n", 0.1), 200, None, 1_000),
}


@pytest.mark.long
async def test_ten_seconds_and_no_more(world: World, settings: Settings) -> None:
    seconds = Settings().webhook_timeout
    assert seconds * 1000 == LIMIT
    sender = Sender(
        settings.guard, world.clock, seconds=seconds, header_prefix="X-Service-", agent="Trilha-Webhooks/1"
    )
    endpoints = {}
    async with AsyncExitStack() as stack:
        post = Post(world, dispatcher_of(world, await stack.enter_async_context(sender)))
        for name, (answer, *_) in SLOW.items():
            receiver = await stack.enter_async_context(receiving(answer))
            endpoints[name] = await post.endpoint(receiver.url)
        await post.happen()
        assert await post.send() == len(SLOW)
        for name, (_, status, error, duration) in SLOW.items():
            (delivery,) = await post.deliveries(endpoints[name])
            assert summary(delivery)[1:] == (status, error), name
            assert duration - 100 <= delivery["attempt_log"][0]["duration_ms"] < duration + SPARE, name
