"""Sends requests at a steady rate, however long answers take. It is the base of every load, in its own
process.

The process reads its plan in MessagePack from standard input, and writes the outcome to standard output. All
times count from when a request was due, so that a slow server does not slow the load down.
"""

import asyncio
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Sequence
from time import perf_counter
from typing import Any, TypeVar

import msgspec
import uvloop

from bench.proxy import LOST, Answered, Proxy, Tally

T = TypeVar("T")
# The time limit of the last answers.
_DRAIN_SECONDS = 25.0
_OPEN_FILES = 65_536


class Stream(msgspec.Struct):
    """Requests at random moments, one after another, starting again when they run out."""

    name: str
    per_second: float
    requests: list[bytes]


class Plan(msgspec.Struct, kw_only=True):
    port: int
    seconds: float
    streams: list[Stream] = []


class Outcome(msgspec.Struct, kw_only=True):
    """`tallies` are by the name of a stream, or of another kind of request. `processor` is the share of one
    core that the load used.
    """

    seconds: float
    tallies: dict[str, Tally]
    processor: float


class Load:
    """Sends due requests while the event loop runs."""

    def __init__(self, plan: Plan) -> None:
        self.streams = plan.streams
        self.seconds = plan.seconds
        self.loop = asyncio.get_running_loop()
        self.proxy = Proxy(plan.port)
        self.chance = random.Random(1)
        self.tallies = {each.name: Tally() for each in plan.streams}
        self.begin = self.end = 0.0

    async def run(self) -> float:
        """Runs until everything is answered, and returns the share of one core that it used."""
        self.begin, used = perf_counter() + 0.5, time.process_time()
        self.end = self.begin + self.seconds
        self.start()
        for stream in self.streams:
            self._start_stream(stream)
        await asyncio.sleep(self.end - perf_counter())
        processor = (time.process_time() - used) / self.seconds
        deadline = perf_counter() + _DRAIN_SECONDS
        while self.is_waiting():
            if perf_counter() > deadline:
                break
            await asyncio.sleep(0.1)
        for tally in self.tallies.values():
            tally.times.sort()
            tally.refusals.sort()
        return processor

    def start(self) -> None:
        """Starts requests beside the streams; here none."""

    def is_waiting(self) -> bool:
        return bool(self.proxy.busy)

    def repeat(self, first: float, distance: Callable[[], float], call: Callable[[float], None]) -> None:
        """Calls `call` with each due moment, from `first` on until the time is up."""
        ahead = self.loop.time() - perf_counter()

        def run(due: float) -> None:
            call(due)
            due += distance()
            if due < self.end:
                self.loop.call_at(due + ahead, run, due)

        self.loop.call_at(first + ahead, run, first)

    def send(self, name: str, request: bytes, due: float, done: Answered | None = None) -> None:
        """Sends a request and counts its answer under this name. `done` is called with the answer."""
        sent, tally = perf_counter(), self.tallies.setdefault(name, Tally())

        def answered(status: int, answer: bytes) -> None:
            if status == 503:
                tally.refuse(sent, answer)
            elif status == LOST or status >= 400 or b'"result":false' in answer:
                tally.fail(status, answer)
            else:
                tally.times.append((perf_counter() - due) * 1000)
            if done is not None:
                done(status, answer)

        self.proxy.send(request, answered)

    def _start_stream(self, stream: Stream) -> None:
        """Sends at random intervals, like many independent clients."""
        number = 0

        def send(due: float) -> None:
            nonlocal number
            self.send(stream.name, stream.requests[number % len(stream.requests)], due)
            number += 1

        self.repeat(self.begin, lambda: self.chance.expovariate(stream.per_second), send)


def percentile(times: Sequence[float], share: float) -> float:
    """Returns a percentile of sorted times, or 0 if there are none."""
    return times[min(len(times) - 1, int(len(times) * share))] if times else 0.0


def run_process(module: str, plan: msgspec.Struct, outcome: type[T]) -> T:
    """Runs the load of this module and returns its outcome."""
    done = subprocess.run(
        [sys.executable, "-m", module],
        input=msgspec.msgpack.encode(plan),
        stdout=subprocess.PIPE,
        check=True,
    )
    return msgspec.msgpack.decode(done.stdout, type=outcome)


def serve_process(plan: type[T], run: Callable[[T], Coroutine[Any, Any, msgspec.Struct]]) -> None:
    """Runs the load of a plan from `run_process`, and returns the outcome."""
    _, limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(_OPEN_FILES, limit), limit))
    outcome = uvloop.run(run(msgspec.msgpack.decode(sys.stdin.buffer.read(), type=plan)))
    sys.stdout.buffer.write(msgspec.msgpack.encode(outcome))


async def _run(plan: Plan) -> Outcome:
    load = Load(plan)
    processor = await load.run()
    return Outcome(seconds=plan.seconds, tallies=load.tallies, processor=processor)


if __name__ == "__main__":
    serve_process(Plan, _run)
