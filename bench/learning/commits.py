"""Learners who commit at their own pace, whatever the server does: a process of its own.

Reads a `Plan` in MessagePack from standard input, writes a `Timings` to standard output. A commit is counted
from the moment at which it was due, so that a server that falls behind is not waited for.
"""

import asyncio
import sys
import time

import msgspec
import uvloop


class Learner(msgspec.Struct):
    """`host` and `path` are of the launch's content origin."""

    host: str
    path: str


class Plan(msgspec.Struct):
    port: int
    learners: list[Learner]
    every: float  # seconds between two commits of a learner
    seconds: float
    state_bytes: int


class Timings(msgspec.Struct):
    """In milliseconds, sorted."""

    commits: list[float]
    heartbeats: list[float]
    refused: int


BEAT_EVERY = 30.0


def body(sequence: int, state_bytes: int, learner: int) -> bytes:
    """As the runtime sends it: everything there is, a state of its own each time."""
    seed = f"{learner:05}{sequence:07}"
    state = (seed * (state_bytes // len(seed) + 1))[:state_bytes]
    core = {
        "student_id": str(learner),
        "lesson_location": f"page {sequence}",
        "lesson_status": "incomplete",
        "score": {"raw": str(sequence % 60), "min": "0", "max": "100"},
        "session_time": f"00:{sequence % 60:02}:00.00",
        "exit": "suspend",
    }
    answers = {
        str(n): {"id": f"q{n}", "type": "choice", "student_response": "a", "result": "correct"}
        for n in range(min(sequence, 10))
    }
    cmi = {"suspend_data": state, "core": core, "interactions": answers}
    return msgspec.json.encode({"cmi": cmi, "launch": {"sequence": sequence, "final": False, "sent_at": 0}})


def request(learner: Learner, port: int, what: str, text: bytes) -> bytes:
    head = (
        f"POST {learner.path}{what} HTTP/1.1\r\nhost: {learner.host}:{port}\r\n"
        f"content-type: application/json\r\ncontent-length: {len(text)}\r\n\r\n"
    )
    return head.encode() + text


class Browser:
    """One learner. Between two reports the server may end the connection; then there is another one."""

    def __init__(self, plan: Plan, number: int, timings: Timings) -> None:
        self.plan = plan
        self.number = number
        self.learner = plan.learners[number]
        self.timings = timings
        self.sequence = 0
        self.lock = asyncio.Lock()
        self.reader: asyncio.StreamReader | None = None

    async def learn(self, begin: float) -> None:
        offset = self.plan.every * self.number / len(self.plan.learners)
        await asyncio.gather(
            self._repeat(begin + offset, self.plan.every, self._commit, self.timings.commits),
            self._repeat(
                begin + offset * BEAT_EVERY / self.plan.every, BEAT_EVERY, self._beat, self.timings.heartbeats
            ),
        )

    async def _repeat(self, due: float, every: float, send: object, kept: list[float]) -> None:
        end = due + self.plan.seconds
        while due < end:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            async with self.lock:
                await send()  # type: ignore[operator]
            kept.append((time.perf_counter() - due) * 1000)
            due += every

    async def _commit(self) -> None:
        self.sequence += 1
        text = body(self.sequence, self.plan.state_bytes, self.number)
        await self._send(request(self.learner, self.plan.port, "commit", text))

    async def _beat(self) -> None:
        await self._send(request(self.learner, self.plan.port, "heartbeat", b'{"visible":true}'))

    async def _send(self, raw: bytes) -> None:
        if self.reader is None or self.reader.at_eof():
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.plan.port)
        self.writer.write(raw)
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r")[0])
        answer = await self.reader.readexactly(length)
        self.timings.refused += head[9:12] != b"200" or b'"result":true' not in answer


async def run(plan: Plan) -> Timings:
    timings = Timings([], [], 0)
    begin = time.perf_counter() + 1
    await asyncio.gather(
        *(Browser(plan, number, timings).learn(begin) for number in range(len(plan.learners)))
    )
    timings.commits.sort()
    timings.heartbeats.sort()
    return timings


if __name__ == "__main__":
    asked = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Plan)
    sys.stdout.buffer.write(msgspec.msgpack.encode(uvloop.run(run(asked))))
