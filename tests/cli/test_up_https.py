"""`trilha up` with its own TLS certificate."""

import socket
import ssl
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from authority import HERE, Authority
from running import Running, free_port, running, wait_until
from trilha.cli import main

# An alert: fatal, and about the version (RFC 5246 section 7.2).
PROTOCOL_VERSION = b"\x02\x46"
ALERT, HANDSHAKE = b"\x15", b"\x16"


def hello(version: bytes) -> bytes:
    """Builds a ClientHello (RFC 5246 section 7.4.1.2) for elliptic curves with at most this version."""
    extensions = bytes.fromhex("000a000400020017000d000400020403000b00020100")
    body = version + bytes(32) + b"\0" + bytes.fromhex("0004c02bc009") + b"\1\0"
    body += len(extensions).to_bytes(2) + extensions
    return b"\x16\x03\x01" + (len(body) + 4).to_bytes(2) + b"\1" + len(body).to_bytes(3) + body


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


def trusting(authority: Authority) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(authority.file))


@pytest.fixture(scope="module")
def server(authority: Authority, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    certificate, key = authority.issue("learn", HERE)
    with running(
        tmp_path_factory.mktemp("https"),
        trusting=trusting(authority),
        TRILHA_ENV="production",
        TRILHA_CONTENT_URL="https://*.content.example",
        TRILHA_TLS_CERT=str(certificate),
        TRILHA_TLS_KEY=str(key),
    ) as each:
        yield each


def test_prints_the_address_it_answers_at(server: Running) -> None:
    greeting = f"Trilha answers at https://127.0.0.1:{server.port}."
    wait_until(lambda: greeting in server.log.read_text())
    metadata = httpx2.get(f"{server.url}/.well-known/oauth-authorization-server", verify=server.verify)
    assert metadata.json()["issuer"] == server.url


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_takes_tls_1_2_and_1_3(server: Running, authority: Authority, version: ssl.TLSVersion) -> None:
    context = trusting(authority)
    context.minimum_version = context.maximum_version = version
    answer = httpx2.get(f"{server.url}/v1/users", verify=context)
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "credential_missing")
    assert answer.headers["strict-transport-security"] == "max-age=31536000"


def said(server: Running, request: bytes) -> bytes:
    """Returns everything that the server sends before the connection ends."""
    with socket.create_connection(("127.0.0.1", server.port), 10) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        try:
            while piece := connection.recv(65_536):
                answer += piece
        except ConnectionResetError:
            pass
    return answer


def test_refuses_tls_1_1(server: Running) -> None:
    answer = said(server, hello(b"\x03\x02"))
    # The event loop usually ends such a connection before it has sent the alert.
    assert not answer or (answer[:1], answer[5:]) == (ALERT, PROTOCOL_VERSION)


def test_takes_the_same_hello_of_tls_1_2(server: Running) -> None:
    assert said(server, hello(b"\x03\x03"))[:1] == HANDSHAKE


def test_refuses_plain_http(server: Running) -> None:
    before = server.log.read_text()
    assert b"HTTP/" not in said(server, b"GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
    assert server.log.read_text() == before, "anybody could fill the log"


@pytest.mark.parametrize("command", ["up", "serve"])
def test_says_in_a_sentence_what_is_wrong(command: str, authority: Authority, tmp_path: Path) -> None:
    certificate, key = authority.issue("one", HERE)
    _, other = authority.issue("two", HERE)
    secret = load_pem_private_key(key.read_bytes(), None)
    encrypted = tmp_path / "encrypted.pem"
    encrypted.write_bytes(
        secret.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"x"))  # type: ignore[union-attr]
    )
    port = free_port()
    missing, no_pem = tmp_path / "missing.pem", tmp_path / "no.pem"
    no_pem.write_text("no certificate")
    together = "TRILHA_TLS_CERT and TRILHA_TLS_KEY belong together: set both, or neither."
    form = "TRILHA_TLS_CERT and TRILHA_TLS_KEY take a certificate and an unencrypted key, both in PEM."
    for cert_file, key_file, sentence in (
        (certificate, None, together),
        (None, key, together),
        (missing, key, f"TRILHA_TLS_CERT: {missing} cannot be read (No such file or directory)."),
        (certificate, tmp_path, f"TRILHA_TLS_KEY: {tmp_path} cannot be read (Is a directory)."),
        (
            certificate,
            other,
            "The key of TRILHA_TLS_KEY does not fit the certificate of TRILHA_TLS_CERT.",
        ),
        (no_pem, key, form),
        (certificate, no_pem, form),
        (key, certificate, form),
        (certificate, encrypted, form),
    ):
        files = {"TRILHA_TLS_CERT": cert_file, "TRILHA_TLS_KEY": key_file}
        variables = {name: str(file) for name, file in files.items() if file}
        variables |= {"TRILHA_DATA_DIR": str(tmp_path / "data"), "TRILHA_PORT": str(port)}
        done = CliRunner().invoke(main, [command], env=variables)
        assert (done.exit_code, done.stdout) == (1, "")
        assert done.stderr.splitlines() == [f"trilha: {sentence}"]
        assert not (tmp_path / "data").exists()
