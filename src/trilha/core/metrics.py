"""Figures of what the processes do, for Prometheus. Nothing is counted unless `enable` was called.

The processes of one machine write to files in one folder, and each of them can answer for all. Labels are
routes, statuses and names of work: never paths, ids or tenants.
"""

import asyncio
import contextlib
import os
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_LAG_EVERY = 1.0  # seconds between two looks at the event loop

_meters: "Meters | None" = None


class Meters:
    """The meters of one process."""

    def __init__(self) -> None:
        # Imported here: the client reads the folder from the environment when it is imported.
        from prometheus_client import Counter, Gauge, Histogram

        self.requests = Counter(
            "trilha_requests", "Answered requests.", ("surface", "method", "route", "status")
        )
        self.seconds = Histogram(
            "trilha_request_seconds", "Time to answer a request.", ("surface", "route"), buckets=_BUCKETS
        )
        self.refusals = Counter(
            "trilha_refused_requests", "Requests refused by a limit or overload.", ("surface", "reason")
        )
        self.jobs = Counter("trilha_job_turns", "Turns of the worker's jobs.", ("job", "outcome"))
        self.done = Counter("trilha_job_items", "What the worker's jobs have done.", ("job",))
        self.sent = Counter(
            "trilha_sent", "Attempts to send, by channel and outcome.", ("channel", "outcome")
        )
        self.renders = Counter("trilha_renders", "Certificates set as PDF, by outcome.", ("outcome",))
        self.render_seconds = Histogram(
            "trilha_render_seconds", "Time to set, sign and store one certificate.", buckets=_BUCKETS
        )
        self.reports = Counter(
            "trilha_player_reports", "Reports of the player, by kind and outcome.", ("kind", "outcome")
        )
        self.quotas = Counter("trilha_quota_refusals", "What exceeded a quota of its tenant.", ("quota",))
        self.lag = Gauge(
            "trilha_event_loop_lag_seconds",
            "How late the event loop runs what is due.",
            multiprocess_mode="livemax",
        )
        self.connections = Gauge(
            "trilha_database_connections",
            "Open database connections, by whether they are in use.",
            ("state",),
            multiprocess_mode="livesum",
        )


def enable(folder: Path) -> None:
    """Makes this process and its children count, in a folder of this machine: containers that share the
    disk have process ids of their own. Removes the files of processes that have ended.
    """
    folder /= socket.gethostname()
    folder.mkdir(parents=True, exist_ok=True)
    os.environ[FOLDER] = str(folder)
    _remove_ended(folder, "*.db")


def _remove_ended(folder: Path, pattern: str) -> None:
    for file in folder.glob(pattern):
        pid = file.stem.rpartition("_")[2]
        if pid.isdigit() and not Path(f"/proc/{pid}").exists():
            file.unlink(missing_ok=True)


def _get() -> Meters | None:
    global _meters
    if _meters is None and FOLDER in os.environ:
        _meters = Meters()
    return _meters


def is_enabled() -> bool:
    return FOLDER in os.environ


def count_request(
    surface: str, method: str, route: str, status: int, seconds: float, refusal: str | None
) -> None:
    """Counts an answered request. `refusal` says why it was refused, if it was."""
    if meters := _get():
        meters.requests.labels(surface, method, route, str(status)).inc()
        meters.seconds.labels(surface, route).observe(seconds)
        if refusal:
            meters.refusals.labels(surface, refusal).inc()


def count_job(job: str, outcome: str, done: int = 0) -> None:
    """Counts a turn of a job; `outcome` is done, idle or failed."""
    if meters := _get():
        meters.jobs.labels(job, outcome).inc()
        if done:
            meters.done.labels(job).inc(done)


def count_sent(channel: str, outcome: str) -> None:
    """Counts an attempt to send something; `outcome` is sent or failed."""
    if meters := _get():
        meters.sent.labels(channel, outcome).inc()


def count_render(outcome: str, seconds: float) -> None:
    """Counts a certificate that was set as PDF; `outcome` is done or failed."""
    if meters := _get():
        meters.renders.labels(outcome).inc()
        meters.render_seconds.observe(seconds)


def count_report(kind: str, outcome: str) -> None:
    """Counts a report of the player, such as a commit of SCORM content."""
    if meters := _get():
        meters.reports.labels(kind, outcome).inc()


def count_quota_refusal(quota: str) -> None:
    """Counts something that a quota refused or held back: people, storage, api_calls or mails."""
    if meters := _get():
        meters.quotas.labels(quota).inc()


async def watch_process(count_connections: Callable[[], tuple[int, int]], stop: asyncio.Event) -> None:
    """Measures the event loop and the database connections, in use and idle, until `stop` is set."""
    meters = _get()
    if meters is None:
        return
    loop = asyncio.get_running_loop()
    while not stop.is_set():
        due = loop.time() + _LAG_EVERY
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), _LAG_EVERY)
        meters.lag.set(max(0.0, loop.time() - due))
        used, idle = count_connections()
        meters.connections.labels("used").set(used)
        meters.connections.labels("idle").set(idle)


def render(gauges: Mapping[str, tuple[str, Mapping[str, float]]]) -> bytes:
    """Returns all figures as Prometheus reads them. `gauges` are further ones: by name, a description and
    the values by their label `work`.
    """
    from prometheus_client import CollectorRegistry, generate_latest
    from prometheus_client.core import GaugeMetricFamily
    from prometheus_client.multiprocess import MultiProcessCollector

    class Further:
        def collect(self) -> Any:
            for name, (description, values) in gauges.items():
                family = GaugeMetricFamily(name, description, labels=("work",))
                for work, value in values.items():
                    family.add_metric((work,), value)
                yield family

    # Counters of ended processes stay until the next start; what only a living process has, goes at once.
    _remove_ended(Path(os.environ[FOLDER]), "gauge_live*.db")
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    registry.register(Further())
    return generate_latest(registry)
