"""Debian's nginx in front of a server, with `deploy/nginx.conf`."""

import os
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from authority import HERE, Authority
from running import free_port, wait_until

DEPLOYED = Path(__file__).parents[1] / "deploy" / "nginx.conf"
# The address of nginx's requests. A server that trusts only this address does not take other local clients
# for a proxy.
ADDRESS = "127.0.0.99"
nginx = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")


@dataclass(frozen=True)
class Proxy:
    """`port` accepts over HTTP what the deployed proxy accepts over HTTPS, like `tls_port`."""

    port: int
    tls_port: int
    authority: Path


def require_nginx() -> None:
    """Skips the test where nginx is missing, but not in CI."""
    if nginx is None:
        assert "CI" not in os.environ, "CI installs nginx"
        pytest.skip("nginx is not installed")


@contextmanager
def proxy(folder: Path, *ports: int) -> Iterator[Proxy]:
    """Runs nginx in front of the servers at these ports until the block ends."""
    require_nginx()
    authority = Authority(folder)
    certificate, key = authority.issue("proxy", HERE)
    made = Proxy(free_port(), free_port(), authority.file)
    place = folder / "nginx.conf"
    place.write_text(_configuration(folder, ports, made, certificate, key))
    with (folder / "nginx.log").open("wb") as log:
        process = subprocess.Popen(
            [str(nginx), "-c", str(place), "-p", str(folder), "-g", "daemon off;"], stdout=log, stderr=log
        )
    try:
        wait_until(lambda: process.poll() is not None or _listens(made.port))
        assert process.poll() is None, (folder / "nginx.log").read_text()
        yield made
    finally:
        process.terminate()
        process.wait(30)


def _configuration(folder: Path, ports: Sequence[int], made: Proxy, certificate: Path, key: Path) -> str:
    """Returns the deployed configuration, with other ports, files and user."""
    temporary = "".join(
        f"\t{name}_temp_path {folder}/{name};\n"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    # One that fails is left out for a second, as the guide to several nodes says.
    failing = " max_fails=1 fail_timeout=1s" if len(ports) > 1 else ""
    servers = " ".join(f"server 127.0.0.1:{port}{failing};" for port in ports)
    changes = {
        r"^user .*": f"user {'root' if os.getuid() == 0 else 'nobody'};",
        r"^pid .*": f"pid {folder}/nginx.pid;",
        r"/var/log/nginx/error\.log": str(folder / "nginx-error.log"),
        r"^http \{\n": f"http {{\n{temporary}",
        r"server 127\.0\.0\.1:8000;": servers,
        r"listen 80 default_server;": f"listen 127.0.0.1:{free_port()};",
        r"listen 443 ssl default_server;": f"listen {made.port}; listen {made.tls_port} ssl;",
        r".*listen \[::\].*\n": "",
        r"/etc/trilha/fullchain\.pem": str(certificate),
        r"/etc/trilha/privkey\.pem": str(key),
        r"(proxy_pass .*;)": rf"\1 proxy_bind {ADDRESS};",
    }
    text = DEPLOYED.read_text()
    for deployed, tested in changes.items():
        text, count = re.subn(deployed, tested, text, flags=re.MULTILINE)
        assert count, f"deploy/nginx.conf has no {deployed}"
    return text


def _listens(port: int) -> bool:
    with suppress(OSError):
        socket.create_connection(("127.0.0.1", port)).close()
        return True
    return False
