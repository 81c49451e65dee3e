"""Trilha as an operator runs it: `trilha up` in production behind a proxy, with default settings."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

HOST = "learn.bench.example"
CONTENT_URL = "https://*.content-bench.example"
# The headers that the proxy adds to every request. Each client has its own address, as on the internet.
FORWARDED = "x-forwarded-proto: https\r\nx-forwarded-for: {}\r\n"
_START_SECONDS = 60
_STOP_SECONDS = 60
# The worker is idle if it and PostgreSQL together use at most this share of a core for this long.
_IDLE_SHARE, _IDLE_SECONDS = 0.12, 3.0
_SETTLE_SECONDS = 600.0


@dataclass(frozen=True)
class Deployment:
    """A running Trilha. `processes` is the number of processes that answer requests."""

    folder: Path
    port: int
    processes: int
    root: psutil.Process

    def measure_processors(self) -> "Processors":
        """Returns the processor time that each part has used so far."""
        parts = dict.fromkeys(("server", "worker", "PostgreSQL"), 0.0)
        for child in self.root.children():
            part = "worker" if "work" in child.cmdline() else "server"
            parts[part] += sum(_seconds(each) for each in (child, *child.children(recursive=True)))
        postmaster = psutil.Process(int((self.folder / "postgres/postmaster.pid").read_text().split()[0]))
        ended = postmaster.cpu_times()
        parts["PostgreSQL"] = ended.children_user + ended.children_system
        parts["PostgreSQL"] += sum(_seconds(each) for each in (postmaster, *postmaster.children()))
        cores = [
            sum(each) - each.idle - getattr(each, "iowait", 0.0) for each in psutil.cpu_times(percpu=True)
        ]
        return Processors(time.perf_counter(), parts, cores)

    def settle(self, seconds: float = _SETTLE_SECONDS) -> None:
        """Waits until the worker is idle, at most this many seconds."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            before = self.measure_processors()
            time.sleep(_IDLE_SECONDS)
            after = self.measure_processors()
            used = sum(after.parts[name] - before.parts[name] for name in ("worker", "PostgreSQL"))
            if used < _IDLE_SHARE * _IDLE_SECONDS:
                return


@dataclass(frozen=True)
class Processors:
    """Processor seconds of each part and each core at one moment."""

    at: float
    parts: Mapping[str, float]
    cores: list[float]

    def describe_since(self, before: "Processors", generator: float) -> str:
        """Returns how busy each core was, and the share of one core that each part used, including the load
        generator.
        """
        elapsed = self.at - before.at
        cores = [(now - then) / elapsed for now, then in zip(self.cores, before.cores, strict=True)]
        parts = {name: (used - before.parts[name]) / elapsed for name, used in self.parts.items()}
        parts["load generator"] = generator
        parts["anything else"] = max(0.0, sum(cores) - sum(parts.values()))
        busy = ", ".join(f"{share:.0%}" for share in cores)
        shares = ", ".join(f"{name} {share:.0%}" for name, share in parts.items())
        return f"cores busy {busy}; of one core: {shares}"


def _seconds(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(times.user + times.system)


@contextmanager
def deployed(folder: Path, processes: int | None = None, **settings: str) -> Iterator[Deployment]:
    """Runs `trilha up` on this data folder until the block ends. `processes` is None for the default."""
    port = free_port()
    log = folder / "trilha.log"
    with log.open("ab") as file:
        started = subprocess.Popen(
            [sys.executable, "-m", "trilha", "up"],
            env=_environment(folder, port, processes, settings),
            stdout=file,
            stderr=file,
        )
    try:
        _wait_until_ready(started, port, log)
        root = psutil.Process(started.pid)
        yield Deployment(folder, port, _count_serving(root), root)
    finally:
        started.terminate()
        started.wait(_STOP_SECONDS)


def _environment(
    folder: Path, port: int, processes: int | None, settings: Mapping[str, str]
) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("TRILHA_")}
    workers = {} if processes is None else {"TRILHA_WORKERS": str(processes)}
    return {
        **own,
        "TRILHA_ENV": "production",
        "TRILHA_DATA_DIR": str(folder),
        "TRILHA_BASE_URL": f"https://{HOST}",
        "TRILHA_CONTENT_URL": CONTENT_URL,
        "TRILHA_TRUSTED_PROXIES": "127.0.0.1",
        "TRILHA_PORT": str(port),
        **workers,
        **settings,
    }


def _wait_until_ready(started: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while not _is_ready(port):
        if started.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"trilha up did not start; the end of {log}:\n{log.read_text()[-2000:]}")
        time.sleep(0.1)


def _is_ready(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def _count_serving(root: psutil.Process) -> int:
    """Returns how many processes answer requests: those that `trilha serve` starts, except
    Python's helper.
    """
    return sum(
        "spawn_main" in " ".join(process.cmdline())
        for child in root.children()
        if "serve" in child.cmdline()
        for process in child.children()
    )


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
