"""Files and folders for this user alone, which do not follow links of other users."""

import errno
import os
import pwd
import stat
import tempfile
from pathlib import Path


def open_own(path: Path, flags: int) -> int:
    """Opens a file that belongs to this user alone; with O_CREAT, creates it so.

    Raises PermissionError for another user's file, OSError (ELOOP) for a link.
    """
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        found = os.fstat(descriptor)
        if found.st_uid != os.geteuid() or not stat.S_ISREG(found.st_mode):
            raise PermissionError(errno.EACCES, f"belongs to {_user(found.st_uid)}")
        if found.st_mode & 0o077:
            os.fchmod(descriptor, 0o600)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def write_own(path: Path, text: str) -> None:
    """Replaces a file's text atomically."""
    descriptor, draft = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    Path(draft).replace(path)


def make_folder(path: Path, mode: int) -> None:
    """Creates a folder with exactly this mode, and its parents with the umask. Leaves an existing folder
    unchanged.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.mkdir(mode)
    except FileExistsError:
        return
    path.chmod(mode)


def why_not_ours(path: Path) -> str | None:
    """Returns who else could replace the folder's content, or None if only root could."""
    found = path.stat()
    if found.st_uid not in (os.geteuid(), 0):
        return f"belongs to {_user(found.st_uid)}"
    if found.st_mode & stat.S_IWOTH and not found.st_mode & stat.S_ISVTX:
        return "can be written by everyone"
    return None


def first_closed(path: Path, user: pwd.struct_passwd) -> Path | None:
    """Returns the outermost folder of this path that the user cannot enter, or None."""
    for each in (*reversed(path.parents), path):
        found = each.stat()
        if found.st_uid == user.pw_uid:
            needed = stat.S_IXUSR
        elif found.st_gid == user.pw_gid:
            needed = stat.S_IXGRP
        else:
            needed = stat.S_IXOTH
        if not found.st_mode & needed:
            return each
    return None


def _user(uid: int) -> str:
    try:
        return f"the user {pwd.getpwuid(uid).pw_name}"
    except KeyError:
        return f"the user {uid}"
