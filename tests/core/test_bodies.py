"""Request bodies: their size, their media type, and invalid JSON."""

from collections.abc import AsyncIterator

import pytest

from conftest import World
from trilha.core.web.routes import MIB

JSON = {"content-type": "application/json"}
# The largest body that each address accepts.
LIMITS = [("/v1/users", MIB), ("/v1/enrollments/bulk", 2 * MIB), ("/v1/users/7/suspend", MIB)]


class Stream:
    """A body without a Content-Length that counts how much of it was read."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.read = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while self.read < self.size:
            piece = min(64 * 1024, self.size - self.read)
            self.read += piece
            yield b" " * piece


@pytest.mark.parametrize(("path", "limit"), LIMITS[:2])
async def test_a_body_may_fill_the_limit_and_not_pass_it(world: World, path: str, limit: int) -> None:
    for size, status, code in ((limit, 400, "malformed_json"), (limit + 1, 413, "payload_too_large")):
        for content in (b" " * size, Stream(size)):
            answer = await world.http.post(path, content=content, headers=JSON)
            error = answer.json()["error"]
            assert (answer.status_code, error["type"], error["code"]) == (status, "validation_error", code)


@pytest.mark.parametrize(("path", "limit"), LIMITS)
async def test_reading_stops_at_the_limit(world: World, path: str, limit: int) -> None:
    path = path.replace("7", (await world.user())["id"])
    stream = Stream(50 * MIB)
    answer = await world.http.post(path, content=stream, headers=JSON)
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "payload_too_large")
    assert stream.read <= limit + 64 * 1024


async def test_a_length_above_the_limit_is_refused_unread(world: World) -> None:
    stream = Stream(2 * MIB)
    answer = await world.http.post(
        "/v1/users", content=stream, headers=JSON | {"content-length": str(2 * MIB)}
    )
    assert (answer.status_code, stream.read) == (413, 0)


@pytest.mark.parametrize("type", ["text/plain", "multipart/form-data", "application/scim+json", ""])
async def test_a_body_must_be_json_by_its_type(world: World, type: str) -> None:
    answer = await world.http.post("/v1/users", content=b"{}", headers={"content-type": type})
    assert (answer.status_code, answer.json()["error"]["code"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize("type", ["application/json", "Application/JSON", "application/json; charset=utf-8"])
async def test_json_has_parameters_and_no_case(world: World, type: str) -> None:
    body = b'{"email": "ana@example.com", "name": "Ana"}'
    answer = await world.http.post("/v1/users", content=body, headers={"content-type": type})
    assert answer.status_code == 201


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"name": "A",}',
        b'{"name": "A"} x',
        b'{"name": NaN}',
        b"{'name': 'A'}",
        b'{"name": "\xff"}',  # not UTF-8
        b'{"name": "\xed\xa0\x80"}',  # a surrogate in UTF-8
        b'{"name": "\\ud800"}',
        b'{"name": "\\udc00\\ud800"}',
        b'{"unknown": "\\ud800"}',
        b'{"\\ud800": 1}',
        b'{"name": "a\x00b"}',
        b'{"name": "a\\u0000\\ud800"}',
        b'{"name": 1e999}',
        b'{"unknown": ' + b"9" * 5000 + b"}",
        b"[" * 100_000,
        b'{"cnh":' * 100_000,
        b'{"cnh":' * 5000 + b"1" + b"}" * 5000,
        b'\xef\xbb\xbf{"name": "A"}',
        '{"name": "A"}'.encode("utf-16"),
    ],
    ids=lambda body: repr(body[:24]),
)
async def test_what_is_not_json(world: World, body: bytes) -> None:
    answer = await world.http.post("/v1/users", content=body, headers=JSON)
    error = answer.json()["error"]
    assert (answer.status_code, error["type"], error["code"]) == (400, "validation_error", "malformed_json")
    assert (await world.http.get("/v1/users")).json()["data"] == []


@pytest.mark.parametrize("body", [b"[]", b"null", b"7", b'"text"', b"true"])
async def test_json_that_is_no_object(world: World, body: bytes) -> None:
    answer = await world.http.post("/v1/users", content=body, headers=JSON)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_type")


@pytest.mark.parametrize("member", ["name", "email", "department", "password", "cpf", "business_unit_id"])
async def test_nul_is_refused_wherever_it_stands(world: World, member: str) -> None:
    body = {"email": "ana@example.com", "name": "Ana"} | {member: "ana\x00ana"}
    answer = await world.http.post("/v1/users", json=body)
    error = answer.json()["error"]
    assert (answer.status_code, error["field"], error["code"]) == (400, member, "invalid_text")


async def test_a_backslash_before_u0000_is_no_nul(world: World) -> None:
    answer = await world.http.post(
        "/v1/users", content=b'{"email": "ana@example.com", "name": "a\\\\u0000b"}', headers=JSON
    )
    assert (answer.status_code, answer.json()["data"]["name"]) == (201, "a\\u0000b")


async def test_of_a_repeated_member_the_last_counts(world: World) -> None:
    body = b'{"email": "a@example.com", "name": "First", "name": "Last"}'
    answer = await world.http.post("/v1/users", content=body, headers=JSON)
    assert answer.json()["data"]["name"] == "Last"


async def test_letters_beyond_the_first_plane_are_kept(world: World) -> None:
    answer = await world.http.post(
        "/v1/users", content=b'{"email": "a@example.com", "name": "Jo\\u00e3o \\ud83d\\ude00"}', headers=JSON
    )
    assert answer.json()["data"]["name"] == "João 😀"
