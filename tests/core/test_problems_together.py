"""All problems of one request are in one answer, and a body where none is expected is refused."""

from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx2
import pytest
from msgspec import Struct

from access.oauth.clients import Client, new_client
from conftest import World
from core.web.library import SURFACE, Shelf
from known import known_ids
from trilha.app import all_routes
from trilha.core.errors import Invalid
from trilha.core.web.admission import Admission
from trilha.core.web.gateway import Gateway
from trilha.core.web.pagination import ItemQuery, ListQuery
from trilha.core.web.parsing import convert, parse_body, parse_query
from trilha.core.web.routes import Route
from trilha.core.web.surface import Surface

FORM = {"content-type": "application/x-www-form-urlencoded"}
JSON = {"content-type": "application/json"}
ANA = {"email": "ana@example.com", "name": "Ana"}
BODYLESS = [route for route in all_routes() if route.data is None]
READS = [route for route in all_routes() if route.method == "GET" and not route.media_type]


def problems(answer: httpx2.Response) -> list[tuple[str, str]]:
    assert answer.status_code == 400, answer.text
    error = answer.json()["error"]
    found = [(each["field"], each["code"]) for each in error["detail"]]
    assert (error["field"], error["code"]) == found[0]
    return found


async def test_of_query_headers_and_body(world: World) -> None:
    answer = await world.http.post(
        "/v1/users?page=1&page=2&x=%20",
        json={"name": "", "nickname": "A", "email": "ana"},
        headers={"idempotency-key": b"\xe9"},
    )
    assert problems(answer) == [
        ("page", "unknown_parameter"),
        ("page", "unknown_parameter"),
        ("x", "unknown_parameter"),
        ("Idempotency-Key", "invalid_idempotency_key"),
        ("email", "invalid_email"),
        ("name", "too_short"),
        ("nickname", "unknown_field"),
    ]


async def test_of_a_query_and_a_body_that_is_not_taken(world: World) -> None:
    user = (await world.user())["id"]
    answer = await world.http.post(
        f"/v1/users/{user}/suspend?x=1", json={"a": 1}, headers={"idempotency-key": "x" * 256}
    )
    assert problems(answer) == [
        ("x", "unknown_parameter"),
        ("Idempotency-Key", "invalid_idempotency_key"),
        ("a", "unknown_field"),
    ]
    answer = await world.http.request("GET", "/v1/users?limit=0&fields=shoe", json={"a": 1})
    assert problems(answer) == [("limit", "out_of_range"), ("a", "unknown_field")]
    answer = await world.http.request("GET", "/v1/users?limit=1&fields=shoe", json={"a": 1})
    assert problems(answer) == [("fields", "invalid_value"), ("a", "unknown_field")]
    assert (await world.http.get(f"/v1/users/{user}")).json()["data"]["status"] == "ACTIVE"


async def test_of_a_query_and_a_form(world: World, tmp_path: Path) -> None:
    surface = Surface(name="library", prefixes=["/library"], features=SURFACE.features)
    app = Gateway([surface], world.database, Admission(world.database, []), dependencies=[Shelf(tmp_path)])
    async with world.client(app=app) as http:
        answer = await http.post("/library/books?x=1", data={"title": "", "pages": "many", "isbn": "1"})
        assert problems(answer) == [
            ("x", "unknown_parameter"),
            ("title", "required"),
            ("pages", "invalid_type"),
            ("isbn", "unknown_field"),
        ]
        answer = await http.post("/library/scans?x=1", data={"title": ""}, files={"other": b"1"})
        assert problems(answer)[0] == ("x", "unknown_parameter")
        assert ("scan", "required") in problems(answer)


@pytest.fixture
async def client(world: World) -> Client:
    return await new_client(world)


async def test_of_a_form_of_oauth(client: Client) -> None:
    answer = await client.post("token", {"grant_type": "", "scope": "\x00"})
    told = answer.json()["error_description"]
    assert "grant_type: This field is required." in told
    assert "scope: The text contains a character that cannot be stored. Remove control characters." in told


@pytest.mark.parametrize("name", ['"; drop', "é", "trl_secret_abc", "a\\b", "x" * 500])
async def test_a_name_that_a_client_made_up_does_not_come_back(client: Client, name: str) -> None:
    """RFC 6749 section 5.2: neither do characters that an error_description must not have."""
    answer = await client.http.post(
        "/oauth/token", content=urlencode([(name, "1"), (name, "2")]), headers=FORM | client.basic
    )
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")
    assert name not in answer.json()["error_description"]
    assert all(0x20 <= ord(c) <= 0x7E and c not in '"\\' for c in answer.json()["error_description"])


async def known_path(world: World, route: Route) -> str:
    """Returns the route's address with existing ids."""
    if not route.path_params:
        return f"/v1{route.path}"
    return f"/v1{route.path.format(**await known_ids(world))}"


async def rows(world: World) -> Any:
    """Returns the rows that a successful call would have changed."""
    async with world.tx() as tx:
        return [
            await tx.rows(f"SELECT t::text AS row FROM {table} t WHERE tenant_id = :tenant ORDER BY 1")
            for table in ("users", "events", "webhook_endpoints", "webhook_secrets", "webhook_deliveries")
        ]


@pytest.mark.parametrize("route", BODYLESS, ids=lambda route: f"{route.method} {route.path}")
async def test_a_body_where_none_is_taken(world: World, route: Route) -> None:
    path = await known_path(world, route)
    before = await rows(world)
    for body, code, field in (
        (b'{"a":1}', "unknown_field", "a"),
        (b"[]", "invalid_type", None),
        (b"null", "invalid_type", None),
        (b'"{}"', "invalid_type", None),
        (b"{", "malformed_json", None),
        (b"a=1", "malformed_json", None),
        (b"{}{}", "malformed_json", None),
        (b"\xff", "malformed_json", None),
    ):
        for headers in (JSON, {"content-type": "text/plain"}, {}):
            answer = await world.http.request(route.method, path, content=body, headers=headers)
            error = answer.json()["error"]
            assert (answer.status_code, error["code"], error.get("field")) == (400, code, field), body
        chunked = await world.http.request(route.method, path, content=_pieces(body), headers=JSON)
        assert (chunked.status_code, chunked.json()["error"]["code"]) == (400, code)
    assert await rows(world) == before


@pytest.mark.parametrize("body", [b"", b"{}", b" \r\n", b" { } "])
@pytest.mark.parametrize("route", BODYLESS, ids=lambda route: f"{route.method} {route.path}")
async def test_an_empty_body_and_an_empty_object_are_let_through(
    world: World, route: Route, body: bytes
) -> None:
    path = await known_path(world, route)
    answer = await world.http.request(route.method, path, content=body, headers=JSON)
    assert answer.status_code == route.status, answer.text


async def _pieces(body: bytes) -> Any:
    for piece in (body[:1], body[1:]):
        yield piece


@pytest.mark.parametrize(
    "path", ["/oauth/jwks", "/.well-known/oauth-authorization-server", "/livez", "/docs"]
)
async def test_a_body_beside_the_api(world: World, path: str) -> None:
    http = world.client()
    assert (await http.request("GET", path, content=b"{}")).status_code == 200
    for body in (b'{"a":1}', b"[]", b"{"):
        assert (await http.request("GET", path, content=body)).status_code == 400


@pytest.mark.parametrize("route", READS, ids=lambda route: route.path)
async def test_every_read_takes_fields_and_every_list_pages(world: World, route: Route) -> None:
    assert issubclass(route.query, ItemQuery)
    path = await known_path(world, route)
    whole = (await world.http.get(path)).json()
    is_list = isinstance(whole["data"], list)
    assert is_list == issubclass(route.query, ListQuery)
    if is_list:
        assert whole.keys() == {"data", "next_cursor", "has_more", "limit"}
        first = (await world.http.get(f"{path}?limit=1")).json()
        assert (len(first["data"]) <= 1, first["limit"]) == (True, 1)
        if first["has_more"]:
            second = await world.http.get(f"{path}?limit=1&cursor={first['next_cursor']}")
            assert second.json()["data"] == whole["data"][1:2]
    for row in whole["data"] if is_list else [whole["data"]]:
        name = next(each for each in row if each != "id")
        shown = (await world.http.get(f"{path}?fields={name}")).json()["data"]
        assert {member for each in (shown if is_list else [shown]) for member in each} == {name} | (
            {"id"} & row.keys()
        )
    for unknown in ("shoe_size", "name,shoe_size", "__class__"):
        assert problems(await world.http.get(f"{path}?fields={unknown}")) == [("fields", "invalid_value")]


class Dated(Struct, frozen=True):
    day: date


def codes(parse: Any, *arguments: Any) -> list[str]:
    with pytest.raises(Invalid) as caught:
        parse(*arguments)
    return [each.code for each in caught.value.detail]


@pytest.mark.parametrize("text", ["2026-02-30", "yesterday", "", "2026-01-01T00:00:00Z", "20260101"])
def test_what_is_no_date_is_called_so(text: str) -> None:
    today = date(2026, 11, 21)
    assert codes(convert, Dated, {"day": text}, today) == ["invalid_date"]
    assert codes(parse_body, Dated, b'{"day": "%s"}' % text.encode(), today) == ["invalid_date"]
    assert codes(parse_query, Dated, f"day={text}", today) == ["invalid_date"]
    assert convert(Dated, {"day": "2026-02-28"}, today).day == date(2026, 2, 28)
