"""The folder of the embedded server's socket, which nobody else may enter or foretell."""

import os
import pwd
import stat
import tempfile
from pathlib import Path

from trilha.core.files import write_own

# The longest path a Unix socket may have, less the file's own name, in bytes.
_MOST = 90


class SocketFolder:
    """The data's own folder where a socket's path is not too long for it; else one that a record names."""

    def __init__(self, pgdata: Path, record: Path) -> None:
        self._pgdata = pgdata
        self._record = record

    @property
    def path(self) -> Path:
        """Known once the server has been started."""
        return self._pgdata if _fits(self._pgdata) else Path(self._record.read_text())

    def make(self, owner: pwd.struct_passwd) -> Path:
        """For this user alone. The same one again after a crash, as other processes have its URL."""
        if _fits(self._pgdata):
            return self._pgdata
        if not (self._record.exists() and _renew(self.path, owner)):
            folder = Path(tempfile.mkdtemp(prefix="trilha-", dir=_parent()))
            _give(folder, owner)
            write_own(self._record, str(folder))
        return self.path


def _renew(folder: Path, owner: pwd.struct_passwd) -> bool:
    """Makes the folder again where it is gone; False when it is somebody else's by now."""
    try:
        folder.mkdir(0o700)
    except FileExistsError:
        found = folder.lstat()
        return stat.S_ISDIR(found.st_mode) and found.st_uid == owner.pw_uid and not found.st_mode & 0o077
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
    return len(os.fsencode(folder)) <= _MOST
