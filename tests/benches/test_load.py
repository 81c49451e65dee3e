"""The load generator counts late, refused and lost requests correctly."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from bench.learner_load import COMMITS, Learner, LearnersPlan
from bench.learner_load import _run as play
from bench.load import Plan, Stream
from bench.load import _run as send

SAVED = b"HTTP/1.1 200 OK\r\ncontent-length: 15\r\n\r\n" + b'{"result":true}'
REFUSED = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-length: 2\r\n\r\n{}"
REQUEST = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n"
Answer = Callable[[bytes], Awaitable[bytes]]


@asynccontextmanager
async def serving(answer: Answer) -> AsyncIterator[int]:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readuntil(b"\r\n\r\n"):
            length = head.partition(b"content-length: ")[2].partition(b"\r")[0]
            body = await reader.readexactly(int(length or 0))
            writer.write(await answer(body))

    def forgive(loop: asyncio.AbstractEventLoop, context: object) -> None:
        """Ignores connections that are closed while they wait."""

    asyncio.get_running_loop().set_exception_handler(forgive)
    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def test_a_request_counts_from_when_it_was_due() -> None:
    """The server answers one request at a time, each after 50 ms, and twice as many are due."""
    turn = asyncio.Lock()

    async def slowly(_: bytes) -> bytes:
        async with turn:
            await asyncio.sleep(0.05)
        return SAVED

    async with serving(slowly) as port:
        stream = Stream("reads", 40.0, [REQUEST])
        outcome = await send(Plan(port=port, seconds=1.0, streams=[stream]))
    times = outcome.tallies["reads"].times
    assert len(times) > 25
    assert times[-1] > 300


async def test_a_refused_commit_is_sent_again_and_nothing_is_counted_as_saved_before() -> None:
    asked: list[bytes] = []

    async def refuse_once(body: bytes) -> bytes:
        asked.append(body)
        return REFUSED if len([each for each in asked if b"suspend_data" in each]) == 1 else SAVED

    async with serving(refuse_once) as port:
        plan = LearnersPlan(
            port=port, seconds=1.0, learners=[Learner("a", "/l/t/")], every=0.4, state_bytes=100
        )
        outcome = await play(plan)
    tally = outcome.tallies[COMMITS]
    assert len(tally.refusals) == 1
    assert not tally.refusals_without_retry_after
    assert outcome.unsaved == 0
    assert outcome.saved == [len(tally.times)]
    assert max(tally.times) > 700


async def test_what_is_never_answered_is_not_saved() -> None:
    async def fail(_: bytes) -> bytes:
        return b"HTTP/1.1 500 Internal Server Error\r\ncontent-length: 2\r\n\r\n{}"

    async with serving(fail) as port:
        outcome = await send(Plan(port=port, seconds=0.5, streams=[Stream("reads", 20.0, [REQUEST])]))
    assert not outcome.tallies["reads"].times
    assert set(outcome.tallies["reads"].errors) == {"500 {}"}
