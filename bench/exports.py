"""Measures reports and exports of the large company: `python -m bench exports`.

It measures completion and a course's statistics, 50,000 rows as CSV, the effect of 20 such downloads on
others, and all enrollments as files of the worker.
"""

import asyncio
import shutil
import time
from http.client import HTTPConnection
from statistics import median
from typing import NamedTuple

import psutil

from bench.browser import Browser
from bench.company import TENANT, Company, opened_database, row_id
from bench.deployment import HOST, Deployment
from bench.load import percentile
from bench.results import Row, Section, at_most
from bench.scale import Scale
from trilha.training.reports.exports.making import Making
from trilha.training.reports.exports.rows import ExportFilter

# By name: the path, and the bound of the p95.
REPORTS = {
    "Completion of the whole company": ("/v1/analytics/completion", 50.0),
    "Statistics of a course": (f"/v1/courses/{row_id('course', 0)}/stats", 20.0),
}
FIRST_BYTE_MS, BESIDE_MS = 200.0, 250.0
WORKER_MIB, WRITER_MIB = 20.0, 128.0
_EXPORT = "/v1/analytics/exports?type=csv"
_AT_ONCE, _TIMES, _TRIES, _MIB = 20, 5, 10, 1 << 20


class _Download(NamedTuple):
    first_byte: float  # seconds
    seconds: float
    bytes: int


async def run(company: Company, deployment: Deployment, scale: Scale) -> Section:
    rows = await asyncio.to_thread(_measure_reports, company, deployment, scale.samples)
    rows += await _measure_downloads(company, deployment)
    async with opened_database(company) as database:
        for form in ("csv", "parquet", "xlsx"):
            folder = company.folder / f"export-{form}"
            folder.mkdir(exist_ok=True)
            making = Making(folder, form)
            rows += await _measure_file(
                making, form, asyncio.create_task(making.make(database, TENANT, ExportFilter()))
            )
            await asyncio.to_thread(shutil.rmtree, folder)
    return Section("Reports and exports", rows)


def _measure_reports(company: Company, deployment: Deployment, samples: int) -> list[Row]:
    browser = Browser(deployment.port)
    rows = []
    for name, (path, bound) in REPORTS.items():
        times = sorted(browser.fetch(path, headers=_headers(company, n)).ms for n in range(samples))
        rows.append(at_most(f"{name}: p95", percentile(times, 0.95), bound, "ms"))
    return rows


async def _measure_downloads(company: Company, deployment: Deployment) -> list[Row]:
    alone = [await asyncio.to_thread(_download, company, deployment, n) for n in range(_TIMES)]
    reading = asyncio.create_task(
        asyncio.to_thread(_read_until, company, deployment, done := asyncio.Event())
    )
    began = time.perf_counter()
    await asyncio.gather(
        *(asyncio.to_thread(_download, company, deployment, n) for n in range(_AT_ONCE)),
    )
    seconds = time.perf_counter() - began
    done.set()
    beside = sorted(await reading)
    size = alone[0].bytes / _MIB
    what = f"50,000 rows as CSV ({size:.0f} MiB)"
    return [
        at_most(
            f"{what}: first byte", max(each.first_byte for each in alone[1:]) * 1000, FIRST_BYTE_MS, "ms"
        ),
        Row(f"{what}: all of it", f"{median(each.seconds for each in alone):.1f} s"),
        Row(f"{what}: {_AT_ONCE} downloads at once", f"{seconds:.1f} s"),
        at_most(f"GET /v1/users beside {_AT_ONCE} downloads: p99", percentile(beside, 0.99), BESIDE_MS, "ms"),
    ]


def _read_until(company: Company, deployment: Deployment, done: asyncio.Event) -> list[float]:
    browser = Browser(deployment.port)
    times: list[float] = []
    while not done.is_set():
        times.append(browser.fetch("/v1/users", headers=_headers(company, len(times))).ms)
    return times


def _download(company: Company, deployment: Deployment, number: int) -> _Download:
    """Downloads the export. If the server refuses for now, waits as it asks; the time counts."""
    headers = {"host": HOST, "x-forwarded-proto": "https"} | _headers(company, number)
    began = time.perf_counter()
    for _ in range(_TRIES):
        connection = HTTPConnection("127.0.0.1", deployment.port, timeout=300)
        connection.request("GET", _EXPORT, headers=headers)
        answer = connection.getresponse()
        if answer.status != 503:
            break
        connection.close()
        time.sleep(int(answer.headers["retry-after"]))
    if answer.status != 200:
        raise RuntimeError(f"{_EXPORT}: {answer.status}")
    size = len(answer.read(1))
    first = time.perf_counter() - began
    while piece := answer.read(1 << 18):
        size += len(piece)
    connection.close()
    return _Download(first, time.perf_counter() - began, size)


def _headers(company: Company, number: int) -> dict[str, str]:
    address = f"198.19.{number // 256 % 256}.{number % 256}"
    return {"authorization": f"Bearer {company.key}", "x-forwarded-for": address}


async def _measure_file(making: Making, form: str, work: "asyncio.Task[object]") -> list[Row]:
    began = time.perf_counter()
    own, before, worker, writer = psutil.Process(), psutil.Process().memory_info().rss, 0, 0
    while not (await asyncio.wait({work}, timeout=0.05))[0]:
        worker = max(worker, own.memory_info().rss - before)
        writer = max([writer, *(_rss_of_writer(each) for each in own.children())])
    await work
    what = f"{making.rows:,} rows as {form}"
    rows = [
        Row(f"{what}: time", f"{time.perf_counter() - began:.1f} s"),
        at_most(f"{what}: more memory of the worker", worker / _MIB, WORKER_MIB, "MiB"),
    ]
    if writer:
        rows.append(at_most(f"{what}: memory of its process", writer / _MIB, WRITER_MIB, "MiB"))
    return rows


def _rss_of_writer(process: psutil.Process) -> int:
    try:
        is_writer = "trilha.training.reports.exports.writing" in process.cmdline()
        return int(process.memory_info().rss) if is_writer else 0
    except psutil.NoSuchProcess:
        return 0
