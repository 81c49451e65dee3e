"""In production, nothing is served without TLS: JSON surfaces refuse, and pages redirect."""

import json
from random import randbytes
from typing import Any

import httpx2
import pytest

from access.oauth.clients import GRANT, new_client
from conftest import NO_LIMIT, World
from trilha import app as trilha_app
from trilha.core.net import parse_networks
from trilha.core.web.rate_limits import Limit
from trilha.settings import Settings

ADDRESS = "https://learn.example.com"
PROXY = "192.0.2.7"


def application(world: World, **settings: Any) -> Any:
    given = {"env": "production", "base_url": ADDRESS, "limit_v1": NO_LIMIT, "limit_token": NO_LIMIT}
    return trilha_app.create_app(Settings(**(given | settings)), world.database, world.clock)


@pytest.fixture
async def plain(world: World) -> Any:
    """A client with a valid key and no TLS."""
    return world.client(await world.key(), application(world))


async def test_v1_is_refused_in_the_envelope(plain: httpx2.AsyncClient) -> None:
    for method, path in (("GET", "/v1/users"), ("POST", "/api/v1/users"), ("GET", "/v1/nothing")):
        answer = await plain.request(method, path)
        error = answer.json()["error"]
        assert (answer.status_code, error["type"], error["code"]) == (
            403,
            "authorization_error",
            "https_required",
        )
        assert error["request_id"] == answer.headers["x-request-id"]


async def test_oauth_is_refused_in_its_own_form(world: World) -> None:
    client = await new_client(world)
    http = world.client(app=application(world))
    answer = await http.post("/oauth/token", data=GRANT, headers=client.basic)
    assert answer.status_code == 403
    assert answer.json() == {
        "error": "invalid_request",
        "error_description": "This server accepts only HTTPS requests.",
    }
    assert answer.headers["content-type"] == "application/json;charset=UTF-8"
    for path in ("/oauth/jwks", "/.well-known/oauth-authorization-server"):
        assert (await http.get(path)).status_code == 403


async def test_a_refused_request_changes_nothing(world: World, plain: httpx2.AsyncClient) -> None:
    new = {"email": "ana@example.com", "name": "Ana"}
    assert (await plain.post("/v1/users", json=new)).status_code == 403
    assert (await world.http.get("/v1/users")).json()["data"] == []


async def test_what_came_in_the_clear_is_counted_and_its_credential_not_looked_at(
    world: World, capfd: pytest.CaptureFixture[str]
) -> None:
    app = application(world, limit_v1=Limit(2, 900))
    key = await world.key()
    client = world.client(key, app, f"2001:db8:{randbytes(2).hex()}:{randbytes(2).hex()}::1")
    answers = [await client.get("/v1/users") for _ in range(3)]
    assert [each.status_code for each in answers] == [403, 403, 429]
    assert [each.headers["ratelimit-remaining"] for each in answers] == ["1", "0", "0"]
    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    noted = [line for line in lines if line["message"] == "GET /v1/users"]
    assert [(line["status"], line["actor"]) for line in noted] == [(403, None), (403, None), (429, None)]
    async with world.tx() as tx:
        used = await tx.value(
            "SELECT count(*) FROM api_keys WHERE tenant_id = :tenant AND last_used_at IS NULL"
        )
    assert used == 2  # the fixture's call and this one


@pytest.mark.parametrize(
    "path",
    [
        "/docs",
        "/docs/",
        "/docs/users",
        "/docs?a=1&b=%20&c=%0d%0a",
        "/openapi.json",
        "/oauth/openapi.json",
        "/docs/a%20b%C3%A3",
        "/docs/%0D%0ASet-Cookie:%20a=b",
        "/docs/nothing/at/all",
    ],
)
async def test_a_page_leads_to_the_same_place_on_the_public_address(world: World, path: str) -> None:
    http = world.client(app=application(world))
    for host in ("learn.example.com", "evil.example.com", "evil.example.com:8000"):
        answer = await http.get(f"http://trilha.test{path}", headers={"host": host})
        assert (answer.status_code, answer.headers["location"]) == (308, ADDRESS + path)
        assert all("\r" not in value and "\n" not in value for value in answer.headers.values())


async def test_a_page_leads_to_tls_whatever_the_address_says(world: World) -> None:
    answer = await world.client(app=application(world, base_url=None, port=8443)).get("/docs")
    assert answer.headers["location"] == "https://127.0.0.1:8443/docs"


async def test_health_is_exempt(plain: httpx2.AsyncClient) -> None:
    for path in ("/livez", "/readyz"):
        assert (await plain.get(path)).json() == {"status": "ok"}


async def test_with_tls_all_is_served(world: World) -> None:
    http = world.client(await world.key(), application(world), scheme="https")
    for path in ("/v1/users", "/oauth/jwks", "/docs", "/openapi.json", "/livez"):
        answer = await http.get(path)
        assert answer.status_code == 200
        assert answer.headers["strict-transport-security"] == "max-age=31536000"
    refused = await http.get("/v1/nothing")
    assert (refused.status_code, "strict-transport-security" in refused.headers) == (404, True)


async def test_hsts_is_told_by_tls_alone(world: World, plain: httpx2.AsyncClient) -> None:
    """RFC 6797 section 7.2: not over a connection that anyone may have changed."""
    answers = [await plain.get(path) for path in ("/v1/users", "/docs", "/livez")]
    answers += [await world.http.get("/livez"), await world.client(scheme="https").get("/livez")]
    assert [each.headers.get("strict-transport-security") for each in answers] == [None] * 5


@pytest.mark.parametrize(
    ("forwarded", "status"),
    [
        (["https"], 200),
        (["HTTPS"], 200),
        (["http, https"], 200),
        (["http", "https"], 200),
        (["http,https "], 200),
        (["http"], 403),
        (["https, http"], 403),
        (["https", "http"], 403),
        (["https,"], 403),
        (["wss"], 403),
        ([], 403),
    ],
)
async def test_a_trusted_proxy_says_how_it_was_asked(world: World, forwarded: list[str], status: int) -> None:
    app = application(world, trusted_proxies=parse_networks(PROXY))
    headers = [("x-forwarded-proto", each) for each in forwarded]
    headers.append(("x-forwarded-for", "198.51.100.4"))
    key = await world.key()
    trusted = await world.client(key, app, PROXY).get("/v1/users", headers=headers)
    assert trusted.status_code == status
    # Anyone can send that header.
    other = await world.client(key, app, "192.0.2.8").get("/v1/users", headers=headers)
    assert other.status_code == 403
    assert ("strict-transport-security" in trusted.headers) == (status == 200)


async def test_in_development_nothing_is_demanded(world: World) -> None:
    http = world.client(await world.key(), application(world, env="development"))
    for path in ("/v1/users", "/docs", "/oauth/jwks"):
        assert (await http.get(path)).status_code == 200
