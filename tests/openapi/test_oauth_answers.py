"""Every answer of /oauth and of its metadata matches the OpenAPI description, including errors."""

from typing import Any
from uuid import uuid4

import httpx2
import pytest

from access.oauth.clients import GRANT, Client, basic, new_client
from conftest import World
from openapi.described import OAUTH
from trilha import app as trilha_app
from trilha.access.oauth.errors import STATUSES
from trilha.core.database import Database
from trilha.core.database.logins import serving_urls
from trilha.core.web.rate_limits import Limit
from trilha.settings import Settings

FORM = {"content-type": "application/x-www-form-urlencoded"}
POSTS = {
    "POST /oauth/token": GRANT,
    "POST /oauth/revoke": {"token": "nonsense"},
    "POST /oauth/introspect": {"token": "nonsense"},
}
GETS = ["GET /oauth/jwks", "GET /.well-known/oauth-authorization-server"]
each_post = pytest.mark.parametrize("name", POSTS)
each_get = pytest.mark.parametrize("name", GETS)
each_operation = pytest.mark.parametrize("name", [*POSTS, *GETS])


async def call(http: httpx2.AsyncClient, name: str, **sent: Any) -> httpx2.Response:
    """Calls the operation and checks the answer against the description."""
    method, _, path = name.partition(" ")
    answer = await http.request(method, path, **sent)
    OAUTH.check(name, answer)
    return answer


def error(answer: httpx2.Response) -> tuple[int, str]:
    told = answer.json()["error"]
    return answer.status_code, told if isinstance(told, str) else told["code"]


@pytest.fixture
async def client(world: World) -> Client:
    return await new_client(world)


def test_these_are_all_operations() -> None:
    assert OAUTH.operations.keys() == {*POSTS, *GETS}


@each_post
async def test_of_a_client(client: Client, name: str) -> None:
    for sent in (
        {"data": POSTS[name], "headers": client.basic},
        {"data": POSTS[name] | client.body},
        {"data": POSTS[name] | {"other": "is passed over"}, "headers": client.basic},
    ):
        assert (await call(client.http, name, **sent)).status_code == 200


async def test_of_live_tokens(client: Client) -> None:
    token = (await call(client.http, "POST /oauth/token", data=GRANT, headers=client.basic)).json()
    question = {"token": token["access_token"], "token_type_hint": "access_token"}
    for name, active in (("introspect", True), ("revoke", None), ("introspect", False)):
        answer = await call(client.http, f"POST /oauth/{name}", data=question, headers=client.basic)
        assert active is None or answer.json()["active"] is active


@each_get
async def test_of_what_is_published(world: World, name: str) -> None:
    assert (await call(world.client(), name)).status_code == 200
    for sent in ({"params": {"x": "1"}}, {"content": b"{"}, {"content": b"[]"}, {"json": {"a": 1}}):
        assert (await call(world.client(), name, **sent)).status_code == 400
    assert (await call(world.client(), name, content=b" " * 1_048_577)).status_code == 413


@each_post
async def test_of_a_client_that_is_not_one(world: World, client: Client, name: str) -> None:
    sent: list[dict[str, Any]] = [
        {"data": POSTS[name]},
        {"data": POSTS[name], "headers": basic(client.name, "trl_secret_wrong")},
        {"data": POSTS[name], "headers": basic("nobody", client.secret)},
        {"data": POSTS[name], "headers": {"authorization": "Bearer x"}},
        {"data": POSTS[name] | client.body | {"client_secret": "wrong"}},
        {"data": POSTS[name] | {"client_id": client.name}},
        {
            "data": POSTS[name]
            | {
                "client_assertion": "a.b.c",
                "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            }
        },
    ]
    for each in sent:
        answer = await call(client.http, name, **each)
        assert error(answer) == (401, "invalid_client")
        assert answer.headers["www-authenticate"] == 'Basic realm="oauth", charset="UTF-8"'
    distant = await new_client(world, networks="192.0.2.0/24")
    answer = await call(client.http, name, data=POSTS[name], headers=distant.basic)
    assert error(answer) == (400, "unauthorized_client")


@each_post
async def test_of_a_form_that_is_none(client: Client, name: str) -> None:
    sent: list[tuple[int, dict[str, Any]]] = [
        (400, {"data": {}}),
        (400, {"json": POSTS[name]}),
        (400, {"content": b"%ff=1", "headers": FORM}),
        (400, {"content": b"token=a&token=b", "headers": FORM}),
        (400, {"content": b"token=%00&grant_type=%00", "headers": FORM}),
        (400, {"data": POSTS[name], "params": {"x": "1"}}),
        (400, {"data": POSTS[name] | client.body}),
        (413, {"content": b"x" * 70_000, "headers": FORM}),
    ]
    for status, each in sent:
        each["headers"] = each.get("headers", {}) | client.basic
        assert error(await call(client.http, name, **each)) == (status, "invalid_request")


async def test_of_what_the_token_endpoint_alone_refuses(client: Client) -> None:
    for form, code in (
        ({"grant_type": "password"}, "unsupported_grant_type"),
        (GRANT | {"scope": "users:write"}, "invalid_scope"),
    ):
        answer = await call(client.http, "POST /oauth/token", data=form, headers=client.basic)
        assert error(answer) == (400, code)


@each_operation
async def test_of_one_call_too_many(world: World, name: str) -> None:
    one = Limit(1, 900)
    app = trilha_app.create_app(Settings(limit_v1=one, limit_token=one), world.database, world.clock)
    http = world.client(None, app, f"2001:db8::{uuid4().hex[:4]}:{uuid4().hex[:4]}")
    await call(http, name, data=POSTS.get(name))
    answer = await call(http, name, data=POSTS.get(name))
    assert answer.status_code == 429
    assert answer.headers["retry-after"] == answer.headers["ratelimit-reset"]


@each_operation
async def test_of_a_call_without_tls(world: World, client: Client, name: str) -> None:
    settings = Settings(env="production", limit_v1=Limit(10**9, 900), limit_token=Limit(10**9, 900))
    http = world.client(app=trilha_app.create_app(settings, world.database, world.clock))
    answer = await call(http, name, data=POSTS.get(name), headers=client.basic)
    assert answer.status_code == 403


@each_operation
async def test_of_a_database_that_is_gone(world: World, client: Client, name: str) -> None:
    keyring = world.database.keyring
    gone = Database(serving_urls(world.url, keyring), world.clock, keyring)
    await gone.open()
    await gone.close()
    http = world.client(app=trilha_app.create_app(Settings(), gone, world.clock))
    assert (await call(http, name, data=POSTS.get(name), headers=client.basic)).status_code == 503


def test_every_code_of_the_form_is_shown() -> None:
    """A code that no operation returns is in no example."""
    shown = {
        code
        for operation in OAUTH.operations.values()
        for response in operation["responses"].values()
        for content in response.get("content", {}).values()
        for code in content.get("examples", {})
    }
    assert set(STATUSES) <= shown
