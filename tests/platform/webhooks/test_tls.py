"""Receivers with bad encryption or a bad certificate."""

import asyncio
import os
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from yarl import URL

from answers import HTTP2, sends, summary
from authority import DAY, HERE, Authority
from conftest import World
from posting import Post, dispatcher_of
from receiver import receiving
from trilha.platform.webhooks.delivery.sender import Sender
from trilha.settings import Settings


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


class Trusting(Sender):
    """Trusts a single authority."""

    file: Path

    def _session(self, **options: Any) -> Any:
        return super()._session(ssl=ssl.create_default_context(cafile=str(self.file)), **options)


@asynccontextmanager
async def trusting(world: World, settings: Settings, authority: Authority) -> AsyncIterator[Post]:
    sender = Trusting(settings.guard, world.clock, seconds=2, header_prefix="X-Service-", agent="Test")
    sender.file = authority.file
    async with sender:
        yield Post(world, dispatcher_of(world, sender))


@pytest.fixture
async def post(world: World, settings: Settings, authority: Authority) -> AsyncIterator[Post]:
    async with trusting(world, settings, authority) as post:
        yield post


async def outcome(post: Post, url: str) -> tuple[str, int | None, str | None]:
    endpoint = await post.endpoint(url)
    await post.happen()
    assert await post.send() == 1
    (delivery,) = await post.deliveries(endpoint)
    return summary(delivery)


async def test_a_good_certificate(post: Post, authority: Authority) -> None:
    async with receiving(ssl=authority.server(HERE)) as receiver:
        assert await outcome(post, receiver.url) == ("DELIVERED", 204, None)
        assert len(receiver.calls) == 1


Made = Callable[[Authority, Path], ssl.SSLContext]


def unknown(_: Authority, folder: Path) -> ssl.SSLContext:
    (folder / "other").mkdir()
    return Authority(folder / "other").server(HERE)


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(lambda one, _: one.server(HERE, since=-2 * DAY, until=-DAY), id="expired"),
        pytest.param(lambda one, _: one.server(HERE, since=DAY, until=2 * DAY), id="too-early"),
        pytest.param(lambda one, _: one.server(x509.DNSName("hooks.example.com")), id="other-host"),
        pytest.param(lambda one, _: one.server(x509.DNSName("127.0.0.1")), id="address-as-name"),
        pytest.param(lambda one, _: one.server(), id="no-host"),
        pytest.param(unknown, id="unknown-authority"),
    ],
)
async def test_others_are_sent_nothing(post: Post, authority: Authority, tmp_path: Path, made: Made) -> None:
    async with receiving(ssl=made(authority, tmp_path)) as receiver:
        assert await outcome(post, receiver.url) == ("PENDING", None, "tls_failed")
        assert receiver.calls == []


@contextmanager
def serving_old(authority: Authority) -> Iterator[str]:
    """Runs a receiver that supports only TLS 1.1. It uses a thread, because asyncio does not report why it
    closes a connection.
    """
    context = authority.server(HERE)
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1

    def serve() -> None:
        while True:
            connection, _ = listener.accept()
            with connection, suppress(OSError):
                context.wrap_socket(connection, server_side=True).close()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, daemon=True).start()
        yield f"https://127.0.0.1:{listener.getsockname()[1]}/"


def speaks_old(url: str) -> bool:
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
    client.set_ciphers("ALL:@SECLEVEL=0")
    client.minimum_version = client.maximum_version = ssl.TLSVersion.TLSv1_1
    try:
        with (
            socket.create_connection(("127.0.0.1", URL(url).port or 0), 5) as plain,
            client.wrap_socket(plain) as encrypted,
        ):
            return encrypted.version() == "TLSv1.1"
    except ssl.SSLError:
        return False


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion.TLSv1_1 is deprecated:DeprecationWarning")
async def test_what_is_out_of_date(post: Post, authority: Authority) -> None:
    with serving_old(authority) as url:
        if not await asyncio.to_thread(speaks_old, url):
            pytest.skip("OpenSSL does not serve TLS 1.1 here")
        assert await outcome(post, url) == ("PENDING", None, "tls_failed")


@pytest.mark.parametrize(
    ("said", "then", "error"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "stay", "tls_failed"),
        (b"\x15\x03\x01\x00\x02\x02\x28", "fin", "tls_failed"),  # the alert handshake_failure
        (b"", "fin", "connection_failed"),
        (b"", "reset", "connection_failed"),
        (b"", "stay", "timeout"),
    ],
)
async def test_no_handshake(post: Post, said: bytes, then: str, error: str) -> None:
    server = await asyncio.start_server(sends(said, then=then), "127.0.0.1", 0)
    async with server:
        url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        assert await outcome(post, url) == ("PENDING", None, error)


async def test_http2_alone(post: Post, authority: Authority) -> None:
    context = authority.server(HERE)
    context.set_alpn_protocols(["h2"])
    async with receiving(sends(HTTP2), ssl=context) as receiver:
        assert await outcome(post, receiver.url) == ("PENDING", None, "invalid_response")


SEND = """
import asyncio, sys
from uuid import UUID
from trilha.core.clock import system_clock
from trilha.core.outbound.guard import Guard
from trilha.core.net import parse_networks
from trilha.core.types import Timestamp
from trilha.platform.webhooks.schema import ClaimedDelivery
from trilha.platform.webhooks.delivery.sender import Sender

async def send():
    guard, id, at = Guard(parse_networks("127.0.0.0/8")), UUID(int=1), Timestamp.of(system_clock())
    delivery = ClaimedDelivery(id, id, at, id, id, sys.argv[1], [b""], id, "webhook.test", at, {}, 0, 0)
    async with Sender(guard, system_clock, seconds=5, header_prefix="X-Service-", agent="Test") as sender:
        result = await sender.send(delivery, ["whsec_AAAA"])
        print(result.http_status, result.error)

asyncio.run(send())
"""


async def test_the_machine_says_whom_to_trust(authority: Authority) -> None:
    """In its own process, because the trusted authorities are read once."""

    async def said(url: str, **environment: str) -> str:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", SEND, url), env=os.environ | environment, stdout=subprocess.PIPE
        )
        return (await process.communicate())[0].decode().strip()

    async with receiving(ssl=authority.server(HERE)) as receiver:
        done = await asyncio.gather(said(receiver.url), said(receiver.url, SSL_CERT_FILE=str(authority.file)))
        assert list(done) == ["None tls_failed", "204 None"]
