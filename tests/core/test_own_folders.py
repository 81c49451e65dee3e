"""Trilha owns the files that it creates, and leaves others alone. Much of this only shows as root."""

import errno
import fcntl
import hashlib
import os
import pwd
import socket
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from running import TRILHA, migrated
from trilha.core.database.embedded import EmbeddedError, EmbeddedPostgres, prepare_folder
from trilha.core.secrets import load_keyring

NOBODY = 65534
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="shows only as root")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def migrate(data: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TRILHA_")}
    environment = clean | {"TRILHA_DATA_DIR": str(data)} | variables
    return subprocess.run(
        [TRILHA, "migrate"], env=environment, capture_output=True, text=True, check=False, timeout=100
    )


def as_nobody(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Runs Python code in a process of another user."""
    return subprocess.run(
        # The system's own Python: that of the environment may be in a private folder.
        ["/usr/bin/python3", "-c", code, *map(str, arguments)],
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
    )


@pytest.fixture
def outside() -> Iterator[Path]:
    """Creates a folder outside pytest's, with the usual permissions."""
    with tempfile.TemporaryDirectory(prefix="trilha-outside-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@as_root
def test_a_closed_parent_stays_closed_and_is_one_sentence(outside: Path) -> None:
    closed = outside / "closed"
    closed.mkdir(0o700)
    (closed / "inner").mkdir(0o750)
    done = migrate(closed / "inner" / "data")
    assert (mode(closed), mode(closed / "inner"), mode(outside)) == (0o700, 0o750, 0o755)
    assert done.returncode == 1
    assert done.stderr == (
        f"trilha: PostgreSQL does not run as root, and its user pgserver cannot pass through {closed}: run "
        "Trilha as another user than root, or name another folder in TRILHA_DATA_DIR.\n"
    )


def test_what_is_made_is_closed_to_others(outside: Path) -> None:
    assert migrate(outside / "data").stderr == ""
    data = outside / "data"
    assert mode(data) == (0o711 if os.geteuid() == 0 else 0o700)
    modes = {each.name: mode(each) for each in data.iterdir()}
    expected = {"master.key": 0o600, "postgres": 0o700, "postgres.lock": 0o600, "postgres.users": 0o600}
    assert modes == expected


@pytest.mark.parametrize("lock", ["postgres.lock", "postgres.users"])
@as_root
def test_nobody_else_can_hold_a_lock(outside: Path, lock: str) -> None:
    data = migrated(outside)
    # In the state of an earlier version.
    (data / lock).chmod(0o644)
    assert migrate(data).returncode == 0
    tried = as_nobody(
        "import fcntl, sys; fcntl.flock(open(sys.argv[1]), fcntl.LOCK_EX | fcntl.LOCK_NB)", data / lock
    )
    assert "PermissionError" in tried.stderr, "another user holds the lock"


@pytest.mark.parametrize("lock", ["postgres.lock", "postgres.users"])
def test_no_link_is_followed_to_a_lock(outside: Path, lock: str) -> None:
    data = outside / "data"
    data.mkdir(0o755)
    theirs = outside / "theirs"
    (data / lock).symlink_to(theirs)
    postgres = EmbeddedPostgres(data)
    with pytest.raises(EmbeddedError, match=rf"{lock} cannot be used \({os.strerror(errno.ELOOP)}"):
        postgres.start()
    assert not theirs.exists()


@as_root
def test_a_lock_of_another_user_is_one_sentence(outside: Path) -> None:
    data = outside / "data"
    data.mkdir(0o755)
    (data / "postgres.lock").touch()
    os.chown(data / "postgres.lock", NOBODY, NOBODY)
    with (data / "postgres.lock").open() as theirs:
        fcntl.flock(theirs, fcntl.LOCK_EX)
        done = migrate(data)
    assert "cannot be used (belongs to the user nobody)" in done.stderr
    assert done.stderr.count("\n") == 1


@as_root
def test_a_folder_of_another_user_is_one_sentence(outside: Path) -> None:
    data = outside / "data"
    data.mkdir(0o755)
    os.chown(data, NOBODY, NOBODY)
    assert migrate(data).stderr == (
        f"trilha: The data folder {data} belongs to the user nobody; change that, or set TRILHA_DATA_DIR.\n"
    )
    assert list(data.iterdir()) == []


def test_a_folder_that_everyone_can_write_is_one_sentence(outside: Path) -> None:
    outside.chmod(0o777)
    with pytest.raises(EmbeddedError, match="can be written by everyone"):
        prepare_folder(outside)


@pytest.fixture
def deep(outside: Path) -> Path:
    """Creates a data folder whose path is too long for a socket, with a database."""
    return migrated(outside).rename(outside / ("d" * 100))


@pytest.fixture
def temporary(outside: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = outside / "tmp"
    folder.mkdir()
    folder.chmod(0o1777)
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def socket_folder(postgres: EmbeddedPostgres) -> Path:
    return Path(postgres.url.partition("host=")[2])


def test_the_socket_folder_cannot_be_foretold(deep: Path, temporary: Path) -> None:
    names = set()
    for each in (deep, deep.with_name("e" * 100)):
        each.mkdir(0o711, exist_ok=True)
        postgres = EmbeddedPostgres(each)
        postgres.start()
        try:
            names.add(socket_folder(postgres).name)
            assert mode(socket_folder(postgres)) == 0o700
            # Another process finds the same folder.
            assert EmbeddedPostgres(each).url == postgres.url
        finally:
            postgres.stop()
    assert {each.name for each in temporary.iterdir()} == names
    assert not any(name in predicted for name in names for predicted in _predictable(deep))


def _predictable(data: Path) -> set[str]:
    """Returns the folder's name in earlier versions."""
    return {f"trilha-{hashlib.sha256(str(data / 'postgres').encode()).hexdigest()[:16]}"}


@as_root
def test_no_link_gives_away_a_folder_of_somebody(deep: Path, temporary: Path, outside: Path) -> None:
    theirs = outside / "theirs"
    theirs.mkdir(0o700)
    (predicted,) = _predictable(deep)
    (temporary / predicted).symlink_to(theirs)
    postgres = EmbeddedPostgres(deep)
    try:
        postgres.start()
    except EmbeddedError:
        pass
    finally:
        postgres.stop()
    assert theirs.stat().st_uid == 0, "the folder was given away"


@as_root
@pytest.mark.parametrize("with_link", [True, False])
def test_a_socket_folder_taken_by_another_user_is_given_up(
    deep: Path, temporary: Path, outside: Path, with_link: bool
) -> None:
    theirs = outside / "theirs"
    theirs.mkdir(0o700)
    postgres = EmbeddedPostgres(deep)
    postgres.start()
    first = socket_folder(postgres)
    postgres.stop()
    first.rmdir()
    if with_link:
        first.symlink_to(theirs)
    else:
        first.mkdir(0o700)
        os.chown(first, NOBODY, NOBODY)
    postgres.start()
    try:
        second = socket_folder(postgres)
        assert second != first
        assert (second / ".s.PGSQL.5432").is_socket()
        assert theirs.stat().st_uid == 0
    finally:
        postgres.stop()


def test_after_a_crash_the_socket_is_where_it_was(deep: Path, temporary: Path) -> None:
    postgres = EmbeddedPostgres(deep)
    postgres.start()
    try:
        first = postgres.url
        lines = (deep / "postgres" / "postmaster.pid").read_text().splitlines()
        server = psutil.Process(int(lines[0]))
        server.kill()
        server.wait(10)
        # A cleaner of temporary files may have run too.
        for each in socket_folder(postgres).iterdir():
            each.unlink()
        socket_folder(postgres).rmdir()
        postgres.ensure_running()
        assert postgres.url == first
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(socket_folder(postgres) / ".s.PGSQL.5432"))
    finally:
        postgres.stop()


def test_the_length_of_a_path_is_counted_in_bytes(outside: Path, temporary: Path) -> None:
    data = outside / ("ç" * 45)
    data.mkdir(0o711)
    postgres = EmbeddedPostgres(data)
    postgres.start()
    try:
        assert socket_folder(postgres).parent == temporary
    finally:
        postgres.stop()


def test_a_master_key_that_others_can_write_is_refused(outside: Path) -> None:
    load_keyring(outside / "master.key")
    (outside / "master.key").chmod(0o666)
    with pytest.raises(PermissionError, match="can be written by another user"):
        load_keyring(outside / "master.key")


@as_root
def test_a_master_key_of_another_user_is_refused(outside: Path) -> None:
    load_keyring(outside / "master.key")
    os.chown(outside / "master.key", NOBODY, -1)
    with pytest.raises(PermissionError, match="can be written by another user"):
        load_keyring(outside / "master.key")


@as_root
def test_the_installed_programs_are_left_as_they_are(outside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs in a separate folder, because other tests run the real programs."""
    from trilha.core.database import embedded

    programs = outside / "installed" / "bin"
    programs.mkdir(parents=True)
    closed = programs.parent
    closed.chmod(0o700)
    was = mode(outside), mode(closed), mode(programs)
    monkeypatch.setattr(embedded, "_BINARIES", programs)
    postgres = EmbeddedPostgres(outside)
    with pytest.raises(EmbeddedError, match="install Trilha elsewhere"):
        postgres.start()
    assert (mode(outside), mode(closed), mode(programs)) == was


@as_root
def test_the_server_has_no_group_of_roots(outside: Path) -> None:
    postgres = EmbeddedPostgres(outside)
    postgres.start()
    try:
        pid = (outside / "postgres" / "postmaster.pid").read_text().splitlines()[0]
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        status = dict(line.split(":	", 1) for line in lines if ":	" in line)
        user = pwd.getpwnam("pgserver")
        assert {*status["Uid"].split()} == {str(user.pw_uid)}
        assert {*status["Gid"].split()} == {str(user.pw_gid)}
        assert status["Groups"].split() == []
    finally:
        postgres.stop()
