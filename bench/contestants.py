"""The servers under load: each one process of the same kind, started alike, idle until its round."""

import asyncio
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

import msgspec

from bench.load import Result, Round
from bench.world import World
from trilha import serving, settings

Kind = Literal["ours", "untotalled", "floor", "usual", "static"]
TARGETS: dict[Kind, str] = {
    "ours": "trilha.serving:make_app",
    "untotalled": "bench.without_totals:make_app",
    "floor": "bench.floor:make_app",
    "usual": "bench.usual:make_app",
    "static": "bench.learning.static:make_app",
}


@dataclass(frozen=True)
class Contestant:
    kind: Kind
    world: World
    port: int

    def run(self, requests: Sequence[bytes], *, connections: int, writes: bool, seconds: float) -> Result:
        """One round of load. What it wrote is taken back."""
        plan = Round(
            port=self.port,
            connections=connections,
            seconds=seconds,
            status=201 if writes else 200,
            requests=list(requests),
            repeat=not writes,
        )
        began = datetime.now(UTC)
        done = subprocess.run(
            [sys.executable, "-m", "bench.load"],
            input=msgspec.msgpack.encode(plan),
            stdout=subprocess.PIPE,
            check=True,
        )
        if writes:
            asyncio.run(self.world.sweep(began))
        return msgspec.msgpack.decode(done.stdout, type=Result)


@contextmanager
def running(wanted: Sequence[tuple[Kind, World]]) -> Iterator[list[Contestant]]:
    with ExitStack() as stack:
        yield [stack.enter_context(_one(kind, world)) for kind, world in wanted]


@contextmanager
def _one(kind: Kind, world: World) -> Iterator[Contestant]:
    port = free_port()
    log = world.folder / f"{kind}-{world.size.name}.log"
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "bench.contestants", TARGETS[kind]],
            env=world.environment() | {"TRILHA_PORT": str(port)},
            stdout=file,
            stderr=file,
        )
    try:
        while not answers(port):
            if process.poll() is not None:
                raise RuntimeError(log.read_text())
            time.sleep(0.05)
        yield Contestant(kind, world, port)
    finally:
        process.terminate()
        process.wait(30)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


if __name__ == "__main__":
    serving.serve(settings.load(), sys.argv[1])
