"""PgBouncer before a server of `postgresql.servers`, with TLS on both sides."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cryptography import x509

from postgresql.servers import PASSWORD, Server, system_user
from running import free_port, wait_until

FIRST_VERSION = (1, 21)  # that tells the prepared statements of its clients apart
_CONFIGURATION = """
[databases]
* = host=127.0.0.1 port={server_port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {folder}/users
auth_user = postgres
auth_query = SELECT usename, passwd FROM pg_shadow WHERE usename = $1
pool_mode = transaction
default_pool_size = 10
max_client_conn = 300
server_tls_sslmode = verify-full
server_tls_ca_file = {authority}
client_tls_sslmode = require
client_tls_cert_file = {certificate}
client_tls_key_file = {key}
"""


def find_programs(named: str | None) -> dict[str, tuple[int, ...]]:
    """Returns the installed programs with their versions: the named one, and the one on the path."""
    path = f"{os.environ['PATH']}:/usr/sbin"
    programs: dict[str, tuple[int, ...]] = {}
    for program in filter(None, (named, shutil.which("pgbouncer", path=path))):
        shown = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
        if found := re.search(r"(\d+)\.(\d+)", shown):
            programs[program] = (int(found[1]), int(found[2]))
    return programs


class Pooler:
    """PgBouncer in transaction mode. `through` returns the URL of a user and a database through it."""

    def __init__(self, server: Server, port: int) -> None:
        self._server = server
        self._port = port

    def through(self, url: str) -> str:
        parts = urlsplit(url)
        place = f"{parts.netloc.rpartition('@')[0]}@127.0.0.1:{self._port}"
        return parts._replace(netloc=place).geturl()


@contextmanager
def running_pooler(program: str, version: tuple[int, ...], server: Server, folder: Path) -> Iterator[Pooler]:
    """Runs it until the block ends."""
    port, user = free_port(), system_user()
    certificate, key = server.authority.issue("pooler", x509.IPAddress(ip_address("127.0.0.1")))
    (folder / "users").write_text(f'"postgres" "{PASSWORD}"\n')
    configuration = _CONFIGURATION.format(
        server_port=server.port,
        port=port,
        folder=folder,
        authority=server.authority.file,
        certificate=certificate,
        key=key,
    )
    if version >= FIRST_VERSION:
        configuration += "max_prepared_statements = 200\n"
    (folder / "pgbouncer.ini").write_text(configuration)
    identity: dict[str, Any] = {}
    if user:
        identity = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        os.chown(key, user.pw_uid, user.pw_gid)
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [program, folder / "pgbouncer.ini"], stdout=log, stderr=log, cwd="/", **identity
        )
    try:
        wait_until(lambda: "process up" in (folder / "log").read_text() or process.poll() is not None)
        assert process.poll() is None, (folder / "log").read_text()
        yield Pooler(server, port)
    finally:
        process.terminate()
        process.wait(30)
