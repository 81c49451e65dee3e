"""How long the worker takes for a package, and how much memory it and its reader need for it."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psutil

from bench import packages
from bench.packages import MIB
from bench.learning.world import School
from bench.world import World


@dataclass(frozen=True)
class Imported:
    """Memory is the most at any moment, in MiB: of the worker beyond what it had, of its reader in all."""

    size: int
    seconds: float
    worker: float
    reader: float


@contextmanager
def worker(world: World) -> Iterator[psutil.Process]:
    log = world.folder / "worker.log"
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "trilha", "work"], env=world.environment(), stdout=file, stderr=file
        )
    try:
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(60)


async def measure(school: School, at_work: psutil.Process, size: int) -> Imported:
    path = await asyncio.to_thread(packages.make, school.world.folder / f"{size}.zip", size * MIB)
    before = _memory(at_work)
    began = time.perf_counter()
    package_id = await school.hand_in(path)
    most_worker = most_reader = 0.0
    while (state := await school.state_of(package_id)) in ("WAITING", "RUNNING"):
        most_worker = max(most_worker, _memory(at_work) - before)
        most_reader = max(most_reader, sum(_memory(each) for each in at_work.children(recursive=True)))
        await asyncio.sleep(0.02)
    seconds = time.perf_counter() - began
    if state != "READY":
        raise RuntimeError(f"the package is {state}")
    path.unlink()
    return Imported(size, seconds, most_worker, most_reader)


def _memory(process: psutil.Process) -> float:
    try:
        return float(process.memory_info().rss) / MIB
    except psutil.NoSuchProcess:
        return 0.0


async def warmed(school: School, at_work: psutil.Process) -> None:
    """Until the worker has done one, and so has loaded what it needs."""
    await measure(school, at_work, 1)
