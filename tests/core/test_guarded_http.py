"""Which connections the guard allows to the HTTP client. The servers are real, the DNS answers are not."""

import asyncio
import socket
import ssl
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from trilha.core.net import Address, parse_networks
from trilha.core.outbound.guard import BlockedAddress, Guard
from trilha.core.outbound.http import build_connector, was_blocked

PUBLIC, OTHER = "93.184.215.14", "2606:4700::1111"
LOOPBACK = Guard(allow=parse_networks("127.0.0.0/8"))
NAME = "hooks.example.com"
Ends = Callable[[], tuple[ssl.SSLContext, ssl.SSLContext]]


class Names:
    """A name server: each query takes the next list of answers, and the last one is repeated."""

    def __init__(self) -> None:
        self.answers: list[list[str]] = [[]]
        self.asked: list[str] = []

    def getaddrinfo(self, host: str, port: int, **options: Any) -> list[tuple[Any, ...]]:
        self.asked.append(host)
        found = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return [(0, 0, 0, "", (each, port)) for each in found]


@pytest.fixture
async def names(monkeypatch: pytest.MonkeyPatch) -> Names:
    names = Names()
    monkeypatch.setattr(socket, "getaddrinfo", names.getaddrinfo)
    return names


class Server:
    def __init__(self) -> None:
        self.port = 0
        self.connections = 0
        self.server_names: list[str | None] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        writer.close()


@asynccontextmanager
async def serving(tls: ssl.SSLContext | None = None) -> AsyncIterator[Server]:
    one = Server()
    if tls:
        tls.sni_callback = lambda _socket, name, _context: one.server_names.append(name)
    async with await asyncio.start_server(one.serve, "127.0.0.1", 0, ssl=tls) as listening:
        one.port = listening.sockets[0].getsockname()[1]
        yield one


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with serving() as one:
        yield one


async def get(guard: Guard, url: str, **options: Any) -> int:
    timeout = aiohttp.ClientTimeout(total=5)
    async with (
        aiohttp.ClientSession(connector=build_connector(guard, **options), timeout=timeout) as session,
        session.get(url, allow_redirects=False) as answer,
    ):
        return answer.status


async def refused(guard: Guard, url: str) -> aiohttp.ClientConnectorError:
    with pytest.raises(aiohttp.ClientConnectorError) as caught:
        await get(guard, url)
    return caught.value


async def test_asks_once_and_connects_to_the_answer(names: Names, server: Server) -> None:
    names.answers = [["127.0.0.1"], [PUBLIC]]
    assert await get(LOOPBACK, f"http://{NAME}:{server.port}/") == 204
    assert names.asked == [NAME]
    assert server.connections == 1


async def test_a_name_that_turns_inward_after_the_check(names: Names, server: Server) -> None:
    guard = Guard()
    names.answers = [[PUBLIC], ["127.0.0.1"]]
    assert await guard.resolve(NAME, 443) == [ip_address(PUBLIC)]
    error = await refused(guard, f"http://{NAME}:{server.port}/")
    assert was_blocked(error)
    assert str(error.os_error) == "address_not_allowed"
    assert server.connections == 0


async def test_every_connection_asks_anew(names: Names, server: Server) -> None:
    names.answers = [["127.0.0.1"], ["127.0.0.1"], ["10.0.0.1"]]
    url = f"http://{NAME}:{server.port}/"
    async with aiohttp.ClientSession(connector=build_connector(LOOPBACK, force_close=True)) as session:
        for _ in range(2):
            async with session.get(url):
                pass
        with pytest.raises(aiohttp.ClientConnectorError) as caught:
            await session.get(url)
    assert was_blocked(caught.value)
    assert (len(names.asked), server.connections) == (3, 2)


@pytest.mark.parametrize(
    "answers",
    [
        *([PUBLIC, "10.0.0.1"], ["10.0.0.1", PUBLIC], [PUBLIC, "::1"], [OTHER, "127.0.0.1"]),
        *([PUBLIC, "::ffff:127.0.0.1"], [PUBLIC, "fe80::1%eth0"], [PUBLIC, "nonsense"]),
        [PUBLIC] * 1000 + ["169.254.169.254"],
    ],
)
async def test_one_bad_answer_spoils_the_rest(names: Names, answers: list[str]) -> None:
    names.answers = [answers]
    with pytest.raises(BlockedAddress, match="address_not_allowed"):
        await Guard().resolve(NAME, 443)
    assert was_blocked(await refused(Guard(), f"https://{NAME}/"))


async def test_answers(names: Names) -> None:
    names.answers = [[PUBLIC, OTHER, PUBLIC], []]
    assert await Guard().resolve(NAME, 443) == [ip_address(PUBLIC), ip_address(OTHER)]
    with pytest.raises(OSError, match="no address"):
        await Guard().resolve(NAME, 443)
    names.answers = [[PUBLIC]]
    with pytest.raises(BlockedAddress, match="port_not_allowed"):
        await Guard().resolve(NAME, 5432)
    names.answers = [[]]
    assert not was_blocked(await refused(Guard(), f"https://{NAME}/"))


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "①②⑦.⓪.⓪.①"])
async def test_a_literal_address_is_judged_too(names: Names, server: Server, host: str) -> None:
    error = await refused(Guard(), f"http://{host}:{server.port}/")
    assert was_blocked(error)
    assert (names.asked, server.connections) == ([], 0)


async def test_a_form_only_the_c_library_knows() -> None:
    async with serving() as one:
        assert was_blocked(await refused(Guard(), f"http://0x7f000001:{one.port}/"))
        assert one.connections == 0


class Careless(Guard):
    """Does not check resolved names, as if the answer could change before the connection."""

    async def resolve(self, host: str, port: int) -> list[Address]:
        return [ip_address(each) for each in ("127.0.0.1", "::1", "127.0.0.2")]


@pytest.mark.parametrize("options", [{}, {"happy_eyeballs_delay": None}])
async def test_no_socket_is_made_for_what_is_refused(
    server: Server, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[object] = []
    monkeypatch.setattr("trilha.core.outbound.http.socket.socket", lambda *args: made.append(args))
    with pytest.raises(aiohttp.ClientConnectorError) as caught:
        await get(Careless(), f"http://{NAME}:{server.port}/", **options)
    assert was_blocked(caught.value)
    assert (made, server.connections) == ([], 0)


async def test_a_thousand_addresses_are_not_all_knocked_at(names: Names) -> None:
    names.answers = [[f"127.0.{high}.{low}" for high in range(4) for low in range(250)]]
    tried: list[str] = []

    class Counting(Guard):
        def judge(self, address: Address, port: int) -> None:
            if names.asked and len(tried) < 10_000:
                tried.append(str(address))

    with pytest.raises(aiohttp.ClientConnectorError):
        await get(Counting(), f"http://{NAME}:1/")
    assert len(tried) - 1000 <= 10


async def test_a_name_server_that_never_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: over.wait(30))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await Guard().resolve(NAME, 443)
    connector = build_connector(Guard())
    async with aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(0.05)) as session:
        with pytest.raises(TimeoutError) as caught:
            await session.get(f"https://{NAME}/")
    assert not was_blocked(caught.value)
    over.set()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Ends:
    """Returns the two ends of TLS, with a certificate for NAME only."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Test")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path: Path = tmp_path_factory.mktemp("tls") / "both.pem"
    path.write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()) + made.public_bytes(Encoding.PEM)
    )

    def ends() -> tuple[ssl.SSLContext, ssl.SSLContext]:
        server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        server.load_cert_chain(path)
        return server, ssl.create_default_context(cafile=str(path))

    return ends


async def test_the_certificate_is_held_against_the_name(names: Names, certificate: Ends) -> None:
    names.answers = [["127.0.0.1"]]
    tls, trusting = certificate()
    async with serving(tls) as one:
        assert await get(LOOPBACK, f"https://{NAME}:{one.port}/", ssl=trusting) == 204
        with pytest.raises(aiohttp.ClientConnectorCertificateError) as caught:
            await get(LOOPBACK, f"https://other.example.com:{one.port}/", ssl=trusting)
        assert not was_blocked(caught.value)
        with pytest.raises(aiohttp.ClientConnectorCertificateError):
            await get(LOOPBACK, f"https://127.0.0.1:{one.port}/", ssl=trusting)
        assert one.server_names == [NAME, "other.example.com", None]
        assert one.connections == 1
