"""What is measured of learning, and its bounds. See the issue of courses and the player for where they come
from."""

import asyncio
import random
import subprocess
import sys
import time
from statistics import median, quantiles
from zipfile import ZipFile

import msgspec
from rich.console import Console
from rich.table import Table

from bench.contestants import Contestant, running
from bench.learning import commits, imports
from bench.learning.commits import Learner, Plan, Timings
from bench.packages import SERVED
from bench.learning.scale import Scale
from bench.learning.world import Launch, School, school
from bench.table import Entry, ratio, take_turns

STATE_BYTES = 50 * 1024
P95_MS = 100.0
IMPORT_SECONDS = 30.0
# Of a package ten times as large, as much memory and a little for the longer list of files.
FLAT = 1.25
DEARER = 1.25
OF_STATIC = 0.5


class Row(msgspec.Struct):
    what: str
    measured: str
    bound: str
    held: bool


def main(scale: Scale) -> int:
    """How many bounds are missed."""
    rows: list[Row] = []
    with asyncio.Runner() as runner, school(runner, scale.learners) as at:
        with running([("ours", at.world), ("static", at.world)]) as (ours, static):
            rows += _under_load(runner, at, ours, scale)
            rows.append(_by_history(runner, at, ours, scale))
            rows.append(_files(runner, at, ours, static, scale.rounds))
        rows += _imports(runner, at, scale)
    return show(rows)


def _under_load(runner: asyncio.Runner, at: School, ours: Contestant, scale: Scale) -> list[Row]:
    """Each learner commits at their own times, however long an answer takes."""
    learners = [runner.run(at.launch(place)).learner for place in range(scale.learners)]
    plan = Plan(ours.port, learners, scale.every, scale.seconds, STATE_BYTES)
    done = subprocess.run(
        [sys.executable, "-m", "bench.learning.commits"],
        input=msgspec.msgpack.encode(plan),
        stdout=subprocess.PIPE,
        check=True,
    )
    timings = msgspec.msgpack.decode(done.stdout, type=Timings)
    p50, p95 = median(timings.commits), _p95(timings.commits)
    what = f"{scale.learners} learners, a commit of {STATE_BYTES // 1024} KB every {scale.every:g} s"
    return [
        Row(
            f"{what}: p95 ({len(timings.commits):,} commits, {len(timings.heartbeats):,} heartbeats)",
            f"{p95:.1f} ms (p50 {p50:.1f})",
            f"≤ {P95_MS:g} ms",
            p95 <= P95_MS,
        ),
        Row(f"{what}: not saved", str(timings.refused), "0", timings.refused == 0),
    ]


def _p95(values: list[float]) -> float:
    return quantiles(values, n=20)[-1]


def _by_history(runner: asyncio.Runner, at: School, ours: Contestant, scale: Scale) -> Row:
    """Two learners in turn: one begins, one has committed before."""
    history, place = scale.history, scale.learners
    fresh, old = (runner.run(at.launch(place)) for place in (place, place + 1))
    for sequence in range(1, history + 1):
        runner.run(at.commit(old, commits.body(sequence, 2048, place + 1)))
    times = runner.run(_in_turn(ours.port, [(fresh, 0), (old, history)], scale.compared))
    cost = median(times[1]) / median(times[0])
    return Row(
        f"a commit after {history:,} others beside one after none",
        f"× {cost:.2f} ({median(times[1]):.2f} and {median(times[0]):.2f} ms)",
        f"≤ {DEARER:g}",
        cost <= DEARER,
    )


async def _in_turn(port: int, launches: list[tuple[Launch, int]], compared: int) -> list[list[float]]:
    """Milliseconds of each launch's commits; the second of them is the number of its last one."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    times: list[list[float]] = [[] for _ in launches]
    for number in range(1, compared + 1):
        for (launch, last), kept in zip(launches, times, strict=True):
            text = commits.body(last + number, STATE_BYTES, last)
            raw = commits.request(launch.learner, port, "commit", text)
            began = time.perf_counter()
            writer.write(raw)
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(int(head.lower().partition(b"content-length:")[2].partition(b"\r")[0]))
            kept.append((time.perf_counter() - began) * 1000)
            assert head[9:12] == b"200", head
    writer.close()
    return times


def _files(runner: asyncio.Runner, at: School, ours: Contestant, static: Contestant, rounds: int) -> Row:
    """What a course asks for when it opens, by connections that stay open."""
    with ZipFile(at.world.folder / "course.zip") as file:
        file.extractall(at.world.folder / "static")
    learner = runner.run(at.launch(0)).learner
    names = [name for name in SERVED for _ in range(4)]
    random.Random(1).shuffle(names)
    entries = [
        Entry(ours, [_get(learner, ours.port, f"{learner.path}p/{name}") for name in names]),
        Entry(static, [_get(learner, static.port, f"/{name}") for name in names]),
    ]
    of_ours, of_static = take_turns(entries, rounds, 1.0)
    share = ratio(of_ours, of_static)
    per_second = [median(each.per_second for each in results) for results in (of_ours, of_static)]
    return Row(
        "files of a package beside a bare static server",
        f"{share:.2f} ({per_second[0]:,.0f} and {per_second[1]:,.0f} a second)",
        f"≥ {OF_STATIC:g}",
        share >= OF_STATIC,
    )


def _get(learner: Learner, port: int, path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nhost: {learner.host}:{port}\r\n\r\n".encode()


def _imports(runner: asyncio.Runner, at: School, scale: Scale) -> list[Row]:
    sizes = (scale.small, scale.large)
    with imports.worker(at.world) as at_work:
        runner.run(imports.warmed(at, at_work))
        small, large = (runner.run(imports.measure(at, at_work, size)) for size in sizes)
    rows = [
        Row(
            f"import of a package of {scale.large} MiB",
            f"{large.seconds:.1f} s ({scale.small} MiB: {small.seconds:.1f} s)",
            f"≤ {IMPORT_SECONDS:g} s",
            large.seconds <= IMPORT_SECONDS,
        )
    ]
    before, after = small.worker + small.reader, large.worker + large.reader
    rows.append(
        Row(
            f"memory for {scale.large} MiB beside that for {scale.small} MiB",
            f"× {after / before:.2f} (worker +{large.worker:.0f} and +{small.worker:.0f}, "
            f"reader {large.reader:.0f} and {small.reader:.0f} MiB)",
            f"≤ {FLAT:g}",
            after <= before * FLAT,
        )
    )
    return rows


def show(rows: list[Row]) -> int:
    """Prints them; how many bounds are missed."""
    table = Table("", "measured", "bound", "")
    for row in rows:
        table.add_row(row.what, row.measured, row.bound, "" if row.held else "missed")
    Console(width=150, soft_wrap=True).print(table)
    missed = sum(not row.held for row in rows)
    print(f"bounds missed: {missed}")
    return missed
