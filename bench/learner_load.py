"""Learners who play a SCORM module, and page reads and API calls beside them: a process of its own.

Reads a `Plan` in MessagePack from standard input, writes an `Outcome` to standard output. Everything is sent when
it is due, however long answers take, and its time counts from the moment when it was due.
"""

import asyncio
import random
import sys
import time
from collections.abc import Callable, Sequence
from time import perf_counter

import msgspec
import uvloop

from bench.deployment import FORWARDED
from bench.proxy import LOST, Proxy, Tally

HEARTBEAT_SECONDS = 30.0
# How long the last answers have.
_DRAIN_SECONDS = 25.0
# As the player does it: seconds before it sends again what the server did not take.
_PAUSES = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
_VARIANTS = 64
_ANSWERS = 10
_COMMITS_PER_ANSWER = 6
_BEAT = b'{"visible":true,"base":0}'


class Learner(msgspec.Struct):
    """`host` and `path` are of the launch's content origin; `sequence` is the launch's last one."""

    host: str
    path: str
    sequence: int = 0


class Stream(msgspec.Struct):
    """Requests at a steady rate, one after the other, from the first again when they run out."""

    name: str
    per_second: float
    requests: list[bytes]


class Plan(msgspec.Struct):
    """`every` is the seconds between two commits of a learner."""

    port: int
    learners: list[Learner]
    every: float
    seconds: float
    state_bytes: int
    streams: list[Stream] = []


class Outcome(msgspec.Struct):
    """`saved` is the last sequence of each learner that the server has acknowledged, 0 where it has none.

    `requests` are the commits that were acknowledged: fewer than those due where one has replaced another.
    `processor` is the generator's own share of one core.
    """

    seconds: float
    commits: Tally
    heartbeats: Tally
    streams: dict[str, Tally]
    requests: int
    unsaved: int
    saved: list[int]
    processor: float


class Bodies:
    """Commits as the runtime sends them, in prebuilt pieces: only the sequence and the mark are put in."""

    def __init__(self, state_bytes: int) -> None:
        chance = random.Random(1)
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        self._pieces = []
        for _ in range(_VARIANTS):
            state = "".join(chance.choices(letters, k=max(0, state_bytes - 12)))
            self._pieces.append([_split(state, answers) for answers in range(_ANSWERS + 1)])

    def build(self, head: bytes, number: int, sequence: int) -> bytes:
        answers = min(sequence // _COMMITS_PER_ANSWER, _ANSWERS)
        first, second, third = self._pieces[(number + sequence) % _VARIANTS][answers]
        mark = b"%05d%07d" % (number, sequence)
        return b"".join((head, first, mark, second, b"%7d" % sequence, third))


def _split(state: str, answers: int) -> tuple[bytes, bytes, bytes]:
    """The rest of a request after its own headers: before the mark, before the sequence, and after it."""
    said = {
        str(n): {"id": f"q{n}", "type": "choice", "student_response": "a", "result": "correct"}
        for n in range(answers)
    }
    core = {
        "student_id": "learner",
        "lesson_location": f"page {answers}",
        "lesson_status": "incomplete",
        "score": {"raw": str(answers * 5), "min": "0", "max": "100"},
        "session_time": f"00:{answers:02}:00.00",
        "exit": "suspend",
    }
    cmi = {"suspend_data": "MARK" + state, "core": core, "interactions": said}
    body = msgspec.json.encode({"cmi": cmi, "launch": {"sequence": "NUMBER", "final": False, "sent_at": 0}})
    before, after = body.split(b"MARK", 1)
    middle, end = after.split(b'"NUMBER"', 1)
    length = len(before) + 12 + len(middle) + 7 + len(end)
    return b"content-length: %d\r\n\r\n" % length + before, middle, end


class _Player:
    """One learner's browser: one commit under way at a time, and what was due meanwhile goes with the next."""

    def __init__(self, load: "_Load", number: int, learner: Learner) -> None:
        self.load = load
        self.number = number
        self.sequence = self.saved = learner.sequence
        self.acknowledged = 0
        forwarded = FORWARDED.format(f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}")
        head = f"POST {learner.path}{{}} HTTP/1.1\r\nhost: {learner.host}\r\n{forwarded}"
        head += "content-type: application/json\r\n"
        self.commit_head = head.format("commit").encode()
        self.beat_request = head.format("heartbeat").encode()
        self.beat_request += b"content-length: %d\r\n\r\n" % len(_BEAT) + _BEAT
        self.waiting: list[tuple[int, float]] = []
        self.is_busy = False
        self.failures = 0

    def commit(self, due: float) -> None:
        self.sequence += 1
        self.waiting.append((self.sequence, due))
        self.send()

    def send(self) -> None:
        if self.is_busy or not self.waiting:
            return
        self.is_busy = True
        sequence, sent = self.sequence, perf_counter()
        request = self.load.bodies.build(self.commit_head, self.number, sequence)
        self.load.proxy.send(request, lambda status, answer: self.answered(sequence, sent, status, answer))

    def answered(self, sequence: int, sent: float, status: int, answer: bytes) -> None:
        tally = self.load.commits
        if status == 200 and b'"result":true' in answer:
            now = perf_counter()
            self.load.requests += now < self.load.end
            self.saved, self.failures, self.is_busy = sequence, 0, False
            tally.times += [(now - due) * 1000 for number, due in self.waiting if number <= sequence]
            self.waiting = [each for each in self.waiting if each[0] > sequence]
            self.send()
            return
        if status == 503:
            tally.refuse(sent, answer)
        else:
            tally.fail(status, answer)
        pause = _PAUSES[min(self.failures, len(_PAUSES) - 1)] * self.load.chance.uniform(0.75, 1.25)
        self.failures += 1
        self.load.loop.call_later(pause, self.retry)

    def retry(self) -> None:
        self.is_busy = False
        self.send()

    def beat(self, due: float) -> None:
        self.load.send(self.load.heartbeats, self.beat_request, due)


class _Load:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.loop = asyncio.get_running_loop()
        self.proxy = Proxy(plan.port)
        self.bodies = Bodies(plan.state_bytes)
        self.chance = random.Random(1)
        self.commits, self.heartbeats = Tally(), Tally()
        self.streams = {each.name: Tally() for each in plan.streams}
        self.requests = 0
        self.end = 0.0
        self.players = [_Player(self, number, each) for number, each in enumerate(plan.learners)]

    async def run(self) -> Outcome:
        begin, used = perf_counter() + 0.5, time.process_time()
        self.end = begin + self.plan.seconds
        for player in self.players:
            offset = self.chance.random()
            self.repeat(begin + offset * self.plan.every, lambda: self.plan.every, player.commit)
            self.repeat(begin + offset * HEARTBEAT_SECONDS, lambda: HEARTBEAT_SECONDS, player.beat)
        for stream in self.plan.streams:
            self.start(stream, begin)
        await asyncio.sleep(self.end - perf_counter())
        processor = (time.process_time() - used) / self.plan.seconds
        deadline = perf_counter() + _DRAIN_SECONDS
        while self.is_waiting() and perf_counter() < deadline:
            await asyncio.sleep(0.1)
        return Outcome(
            seconds=self.plan.seconds,
            commits=self.commits,
            heartbeats=self.heartbeats,
            streams=self.streams,
            requests=self.requests,
            unsaved=sum(len(each.waiting) for each in self.players),
            saved=[each.saved for each in self.players],
            processor=processor,
        )

    def is_waiting(self) -> bool:
        return bool(self.proxy.busy) or any(each.waiting for each in self.players)

    def start(self, stream: Stream, begin: float) -> None:
        """Random distances between the requests, as from many clients that know nothing of each other."""
        tally = self.streams[stream.name]
        number = 0

        def send(due: float) -> None:
            nonlocal number
            self.send(tally, stream.requests[number % len(stream.requests)], due)
            number += 1

        self.repeat(begin, lambda: self.chance.expovariate(stream.per_second), send)

    def repeat(self, first: float, distance: Callable[[], float], call: Callable[[float], None]) -> None:
        """Calls it with the moment that it was due, from `first` until the time is up."""
        ahead = self.loop.time() - perf_counter()

        def run(due: float) -> None:
            call(due)
            due += distance()
            if due < self.end:
                self.loop.call_at(due + ahead, run, due)

        self.loop.call_at(first + ahead, run, first)

    def send(self, tally: Tally, request: bytes, due: float) -> None:
        sent = perf_counter()

        def answered(status: int, answer: bytes) -> None:
            if status == 503:
                tally.refuse(sent, answer)
            elif status == LOST or status >= 400 or b'"result":false' in answer:
                tally.fail(status, answer)
            else:
                tally.times.append((perf_counter() - due) * 1000)

        self.proxy.send(request, answered)


def percentile(times: Sequence[float], share: float) -> float:
    """Of times that are sorted; 0 where there are none."""
    return times[min(len(times) - 1, int(len(times) * share))] if times else 0.0


async def _run(plan: Plan) -> Outcome:
    outcome = await _Load(plan).run()
    for tally in (outcome.commits, outcome.heartbeats, *outcome.streams.values()):
        tally.times.sort()
        tally.refusals.sort()
    return outcome


if __name__ == "__main__":
    asked = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Plan)
    sys.stdout.buffer.write(msgspec.msgpack.encode(uvloop.run(_run(asked))))
