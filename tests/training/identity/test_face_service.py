"""An external service that compares faces, as a double that answers over HTTP."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import parse_qs
from uuid import uuid4

import pytest

from trilha.core.outbound.fetching import Fetcher
from trilha.settings import Settings
from trilha.training.identity.matching import FaceMatchers, ModelMatcher
from trilha.training.identity.schema import Comparison, Face

REFERENCE, PHOTO = Face(b"reference"), Face(b"photo")


@asynccontextmanager
async def answering(body: str, status: str = "200 OK") -> AsyncIterator[tuple[str, list[bytes]]]:
    requests: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        requests.append(head + await reader.readexactly(length))
        writer.write(
            f"HTTP/1.1 {status}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n{body}".encode()
        )
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/compare", requests


async def test_a_service_gets_both_photos_and_its_token(settings: Settings) -> None:
    matchers = FaceMatchers(Fetcher(settings.guard))
    async with answering('{"faces": 1, "distance": 0.31}') as (url, requests):
        comparison = await matchers.choose(uuid4(), url, "secret").compare(REFERENCE, PHOTO)
    assert comparison == Comparison(0.31, 1)
    head, _, body = requests[0].partition(b"\r\n\r\n")
    assert b"bearer secret" in head.lower()
    assert parse_qs(body.decode()) == {"reference": ["cmVmZXJlbmNl"], "photo": ["cGhvdG8="]}


@pytest.mark.parametrize(
    ("body", "status", "expected"),
    [
        ('{"faces": 0, "distance": 0.9}', "200 OK", Comparison(0.9, 0)),
        ('{"faces": 2, "distance": 0.1}', "200 OK", Comparison(0.1, 2)),
        ('{"distance": -1}', "200 OK", Comparison(None, 1)),
        ('{"distance": "NaN"}', "200 OK", Comparison(None, 1)),
        ("no json", "200 OK", Comparison(None)),
        ("[]", "200 OK", Comparison(None)),
        ("{}", "200 OK", Comparison(None)),
        ('{"distance": 0.1}', "500 Internal Server Error", Comparison(None)),
    ],
)
async def test_a_service_that_fails_decides_nothing(
    settings: Settings, body: str, status: str, expected: Comparison
) -> None:
    matchers = FaceMatchers(Fetcher(settings.guard))
    async with answering(body, status) as (url, _):
        assert await matchers.choose(uuid4(), url, "").compare(REFERENCE, PHOTO) == expected


async def test_a_service_that_is_away_decides_nothing(settings: Settings) -> None:
    matchers = FaceMatchers(Fetcher(settings.guard))
    closed = "http://127.0.0.1:9/compare"
    assert await matchers.choose(uuid4(), closed, "").compare(REFERENCE, PHOTO) == Comparison(None)


async def test_without_a_service_the_model_compares(settings: Settings) -> None:
    matcher = FaceMatchers(Fetcher(settings.guard)).choose(uuid4(), None, "")
    assert isinstance(matcher, ModelMatcher)
    one, other = Face(b"", [0.0] * 128), Face(b"", [0.3] + [0.0] * 127)
    assert (await matcher.compare(one, other)).distance == pytest.approx(0.3)
    assert (await matcher.compare(one, Face(b""))).distance is None
