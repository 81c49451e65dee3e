"""The folder of the embedded server's socket, which nobody else can enter or predict."""

import os
import pwd
import stat
import tempfile
from pathlib import Path

from trilha.core.files import write_own

# the longest folder of a Unix socket, in bytes
_MAX_PATH_BYTES = 90


class SocketFolder:
    """The data folder if the socket's path fits, else a folder whose path is recorded there."""

    def __init__(self, pgdata: Path, record: Path) -> None:
        self._pgdata = pgdata
        self._record = record

    @property
    def path(self) -> Path:
        """The folder's path. Available once the server has started."""
        return self._pgdata if _fits(self._pgdata) else Path(self._record.read_text())

    def make(self, owner: pwd.struct_passwd) -> Path:
        """Creates the folder for this user alone. After a crash it uses the same path again, because other
        processes have its URL.
        """
        if _fits(self._pgdata):
            return self._pgdata
        if not (self._record.exists() and _renew(self.path, owner)):
            folder = Path(tempfile.mkdtemp(prefix="trilha-", dir=_parent()))
            _give(folder, owner)
            write_own(self._record, str(folder))
        return self.path


def _renew(folder: Path, owner: pwd.struct_passwd) -> bool:
    """Creates the folder again if it is gone. Returns False if it now belongs to somebody else."""
    try:
        folder.mkdir(0o700)
    except FileExistsError:
        status = folder.lstat()
        return stat.S_ISDIR(status.st_mode) and status.st_uid == owner.pw_uid and not status.st_mode & 0o077
    except OSError:
        return False
    _give(folder, owner)
    return True


def _give(folder: Path, owner: pwd.struct_passwd) -> None:
    os.chown(folder, owner.pw_uid, owner.pw_gid, follow_symlinks=False)


def _parent() -> Path:
    usual = Path(tempfile.gettempdir())
    return usual if _fits(usual / "trilha-12345678") else Path("/tmp")  # noqa: S108


def _fits(folder: Path) -> bool:
    return len(os.fsencode(folder)) <= _MAX_PATH_BYTES
