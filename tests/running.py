"""Runs a complete Trilha in its own processes, for tests that need them."""

import asyncio
import atexit
import contextlib
import fcntl
import http.client
import json
import os
import random
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import asyncpg
import psutil
from click.testing import CliRunner

from trilha.cli import main
from trilha.core.database.embedded import EmbeddedPostgres

TRILHA = str(Path(sys.executable).with_name("trilha"))


def free_port() -> int:
    """Returns a port below the range that the kernel uses for outgoing connections, so that none of them
    takes it.
    """
    while True:
        port = random.randrange(12_000, 32_000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def wait_until(true: Any, seconds: float = 90) -> None:
    deadline = time.monotonic() + seconds
    pause = 0.001
    while not true():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {seconds} s")
        time.sleep(pause)
        pause = min(2 * pause, 0.05)


class Running:
    """`trilha up` on a data folder and a port of its own."""

    def __init__(
        self,
        folder: Path,
        arguments: tuple[str, ...] = (),
        trusting: ssl.SSLContext | None = None,
        **variables: str,
    ) -> None:
        """With `trusting`, clients connect over HTTPS."""
        self.folder = folder
        self.folder.chmod(0o711)  # if the tests run as root, PostgreSQL's own user needs access
        self.port = free_port()
        self.url = f"{'https' if trusting else 'http'}://127.0.0.1:{self.port}"
        self.verify: ssl.SSLContext | bool = trusting or True
        self.environment = os.environ | {
            "TRILHA_DATA_DIR": str(folder / "data"),
            "TRILHA_PORT": str(self.port),
            "TRILHA_WORKERS": "1",
            "TRILHA_LIMIT_V1": "1000000/15m",
            **variables,
        }
        self.log = folder / "up.log"
        self._arguments = arguments
        self.process: subprocess.Popen[bytes] = self._launch()

    def _launch(self) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [TRILHA, "up", *self._arguments], env=self.environment, stdout=log, stderr=log
            )

    def start_again(self) -> None:
        """Starts it again on the same port and folder after a stop."""
        self.process = self._launch()
        self.wait_ready()

    def wait_ready(self) -> None:
        # Under load, starting with the demo takes longer than everything else.
        wait_until(self.is_ready, 120)

    def is_ready(self) -> bool:
        if self.process.poll() is not None:
            raise RuntimeError(self.log.read_text()[-2000:])
        connection = self._connection()
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        # This runs often, and creating an httpx2 client takes 30 ms, mostly for certificates.
        if isinstance(self.verify, ssl.SSLContext):
            return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=2, context=self.verify)
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=2)

    def command(self, *arguments: str) -> Any:
        """Runs a command beside the server on the same data folder, and returns the JSON that it prints.

        It runs in this process, which is faster, and in a thread, because the test may be a coroutine.
        """
        with ThreadPoolExecutor(1) as thread:
            done = thread.submit(
                CliRunner().invoke, main, [*arguments, "--json"], env=self.environment
            ).result()
        if done.exit_code:
            raise RuntimeError(done.output) from done.exception
        return json.loads(done.stdout)

    def postmaster(self) -> psutil.Process:
        lines = (self.folder / "data" / "postgres" / "postmaster.pid").read_text().splitlines()
        return psutil.Process(int(lines[0]))

    def database_url(self) -> str:
        """Returns the address of the embedded database, as its superuser."""
        lines = (self.folder / "data" / "postgres" / "postmaster.pid").read_text().splitlines()
        return f"postgresql://postgres@/postgres?host={lines[4].strip()}"

    def children(self, name: str) -> list[psutil.Process]:
        """Returns the processes below `trilha <name>`. For `serve`, the parent is first, then the processes
        that answer.
        """
        found = [
            child
            for child in psutil.Process(self.process.pid).children()
            if {name, "--attached"} <= set(_arguments(child))
        ]
        return [*found, *(each for child in found for each in _descendants(child))]

    def stop(self, how: int = signal.SIGTERM) -> int:
        if self.process.poll() is None:
            self.process.send_signal(how)
        return self.process.wait(60)


def _descendants(process: psutil.Process) -> list[psutil.Process]:
    """Returns no descendants for a process that has just ended."""
    try:
        return process.children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def _arguments(process: psutil.Process) -> list[str]:
    """Returns no arguments for a process that has just ended."""
    try:
        arguments: list[str] = process.cmdline()
    except psutil.NoSuchProcess:
        return []
    return arguments


# The folder where the processes of one test run share files. A fixture sets it.
shared: Path | None = None


@cache
def _migrated() -> Path:
    """Creates a data folder in the state after a first start, once: this takes longer than most tests."""
    folder = (shared or _passing()) / "migrated"
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    with (folder / "lock").open("w") as one_at_a_time:
        fcntl.flock(one_at_a_time, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            environment = os.environ | {"TRILHA_DATA_DIR": str(folder / "data")}
            subprocess.run([TRILHA, "migrate"], env=environment, check=True, stdout=subprocess.DEVNULL)
            with (folder / "data" / "postgres" / "postgresql.conf").open("a") as file:
                # The data of a killed process survives without fsync, because no test stops the machine.
                file.write("fsync = off\nfull_page_writes = off\n")
            (folder / "done").touch()
    return folder / "data"


def _passing() -> Path:
    """Outside a test run, the folder is deleted with this process."""
    folder = Path(tempfile.mkdtemp(prefix="trilha-data-"))
    folder.chmod(0o755)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def migrated(folder: Path) -> Path:
    """Creates `data` in the folder in the state after a first start."""
    if not (folder / "data").exists():
        # The copy keeps the owners: the files belong to PostgreSQL's own user.
        subprocess.run(["cp", "-a", _migrated(), folder / "data"], check=True)
    return folder / "data"


def with_demo(folder: Path) -> None:
    """Creates the demo tenant before the first start, with few certificates left to the worker.

    With all of them, it would take as long as the rest of a test.
    """
    folder.chmod(0o711)
    environment = os.environ | {"TRILHA_DATA_DIR": str(migrated(folder))}

    async def leave_few(url: str) -> None:
        connection = await asyncpg.connect(url)
        await connection.execute(
            """
            UPDATE certificates SET render_due_at = NULL
            WHERE id NOT IN (SELECT id FROM certificates ORDER BY id DESC LIMIT 3)
            """
        )
        await connection.close()

    def make() -> None:
        postgres = EmbeddedPostgres(folder / "data")
        postgres.start()
        try:
            made = CliRunner().invoke(main, ["demo", "--json"], env=environment)
            assert made.exit_code == 0, made.output
            asyncio.run(leave_few(postgres.url))
        finally:
            postgres.stop()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(make).result()


@contextmanager
def running(
    folder: Path, *arguments: str, trusting: ssl.SSLContext | None = None, **variables: str
) -> Iterator[Running]:
    migrated(folder)
    each = Running(folder, arguments, trusting, **variables)
    try:
        each.wait_ready()
        yield each
    finally:
        each.stop()
