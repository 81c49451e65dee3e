"""Every answer of the JSON surfaces, and no other, has the rest of the rate limit's window."""

from collections.abc import Awaitable, Callable
from random import randbytes
from typing import Any

import httpx2
import pytest

from access.oauth.clients import GRANT, Client, new_client
from conftest import World
from trilha import app as trilha_app
from trilha.core.credentials import Scope
from trilha.core.web.rate_limits import Limit
from trilha.settings import Settings

FAMILIES = [
    f"{family}-{name}" for family in ("x-ratelimit", "ratelimit") for name in ("limit", "remaining", "reset")
]
JSON = {"content-type": "application/json"}
FORM = {"content-type": "application/x-www-form-urlencoded"}


class Asked:
    """Calls an application with the rules of production through its proxy, with a key or as an
    OAuth client.
    """

    def __init__(self, world: World, key: str, client: Client, **limits: Limit) -> None:
        self.world = world
        self.client = client
        self.key = key
        self.app = trilha_app.create_app(
            Settings(env="production", base_url="https://trilha.test", **limits), world.database, world.clock
        )
        self.address = f"2001:db8:{randbytes(2).hex()}:{randbytes(2).hex()}::1"

    async def __call__(self, method: str, path: str, scheme: str = "https", **sent: Any) -> httpx2.Response:
        async with self.world.client(None, self.app, self.address, scheme) as http:
            return await http.request(method, path, **sent)

    async def v1(self, method: str, path: str, **sent: Any) -> httpx2.Response:
        headers = {"authorization": f"Bearer {self.key}", **sent.pop("headers", {})}
        return await self(method, path, headers=headers, **sent)

    async def oauth(self, method: str, path: str, **sent: Any) -> httpx2.Response:
        headers = {**self.client.basic, **sent.pop("headers", {})}
        return await self(method, path, headers=headers, **sent)


@pytest.fixture
async def asked(world: World) -> Asked:
    client = await new_client(world)
    return Asked(world, await world.key(), client, limit_v1=Limit(1000, 60), limit_token=Limit(1000, 60))


Call = Callable[[Asked], Awaitable[httpx2.Response]]
BIG = b" " * (1024 * 1024 + 1)
SHOWN: list[tuple[int, str, Call]] = [
    (200, "v1", lambda a: a.v1("GET", "/v1/users")),
    (200, "v1 HEAD", lambda a: a.v1("HEAD", "/api/v1/users")),
    (201, "v1", lambda a: a.v1("POST", "/v1/users", json={"email": "a@example.com", "name": "A"})),
    (204, "v1 OPTIONS", lambda a: a("OPTIONS", "/v1/users")),
    (400, "v1", lambda a: a.v1("GET", "/v1/users?page=1")),
    (400, "v1 malformed", lambda a: a.v1("POST", "/v1/users", content=b"{", headers=JSON)),
    (401, "v1", lambda a: a("GET", "/v1/users")),
    (401, "v1 invalid", lambda a: a("GET", "/v1/users", headers={"authorization": "Bearer x"})),
    (403, "v1 https", lambda a: a("GET", "/v1/users", scheme="http")),
    (404, "v1", lambda a: a.v1("GET", "/v1/users/7")),
    (404, "v1 address", lambda a: a("GET", "/v1/nothing")),
    (405, "v1", lambda a: a("PUT", "/v1/users")),
    (413, "v1", lambda a: a.v1("POST", "/v1/users", content=BIG, headers=JSON)),
    (415, "v1", lambda a: a.v1("POST", "/v1/users", content=b"{}", headers={"content-type": "text/plain"})),
    (200, "token", lambda a: a.oauth("POST", "/oauth/token", data=GRANT)),
    (200, "revoke", lambda a: a.oauth("POST", "/oauth/revoke", data={"token": "x"})),
    (200, "introspect", lambda a: a.oauth("POST", "/oauth/introspect", data={"token": "x"})),
    (200, "jwks", lambda a: a("GET", "/oauth/jwks")),
    (200, "jwks HEAD", lambda a: a("HEAD", "/oauth/jwks")),
    (204, "token OPTIONS", lambda a: a("OPTIONS", "/oauth/token")),
    (204, "jwks OPTIONS", lambda a: a("OPTIONS", "/oauth/jwks")),
    (400, "token", lambda a: a.oauth("POST", "/oauth/token", data={"grant_type": "password"})),
    (400, "token no form", lambda a: a.oauth("POST", "/oauth/token", json={})),
    (400, "revoke", lambda a: a.oauth("POST", "/oauth/revoke", data={})),
    (400, "jwks", lambda a: a("GET", "/oauth/jwks?x=1")),
    (401, "token", lambda a: a("POST", "/oauth/token", data=GRANT)),
    (401, "introspect", lambda a: a("POST", "/oauth/introspect", data={"token": "x"})),
    (403, "oauth https", lambda a: a("POST", "/oauth/token", scheme="http", data=GRANT)),
    (404, "oauth", lambda a: a("GET", "/oauth/nothing")),
    (405, "oauth", lambda a: a("GET", "/oauth/token")),
    (413, "oauth", lambda a: a.oauth("POST", "/oauth/token", content=BIG, headers=FORM)),
    (200, "metadata", lambda a: a("GET", "/.well-known/oauth-authorization-server")),
    (204, "metadata OPTIONS", lambda a: a("OPTIONS", "/.well-known/oauth-authorization-server")),
    (400, "metadata", lambda a: a("GET", "/.well-known/oauth-authorization-server?x=1")),
    (403, "metadata https", lambda a: a("GET", "/.well-known/oauth-authorization-server", scheme="http")),
    (404, "well-known", lambda a: a("GET", "/.well-known/security.txt")),
    (405, "metadata", lambda a: a("POST", "/.well-known/oauth-authorization-server")),
]
HIDDEN: list[tuple[int, str]] = [
    (200, "/docs"),
    (200, "/docs/users"),
    (404, "/docs/nothing"),
    (200, "/openapi.json"),
    (200, "/oauth/openapi.json"),
    (400, "/openapi.json?x=1"),
    (200, "/livez"),
    (200, "/readyz"),
    (404, "/livez/x"),
    (200, "/"),
    (404, "/nothing"),
]


def check(answer: httpx2.Response, status: int) -> None:
    assert answer.status_code == status, answer.text
    values = [answer.headers[name] for name in FAMILIES]
    assert values[:3] == values[3:]
    assert 0 <= int(values[1]) < int(values[0])
    assert 1 <= int(values[2]) <= 60
    assert ("retry-after" in answer.headers) == (status == 429)


@pytest.mark.parametrize(
    ("status", "call"), [(s, c) for s, _, c in SHOWN], ids=[f"{s} {n}" for s, n, _ in SHOWN]
)
async def test_told_on(asked: Asked, status: int, call: Call) -> None:
    check(await call(asked), status)


async def test_told_with_a_403_of_the_credential(asked: Asked) -> None:
    for key in (await asked.world.key(Scope.COURSES_READ), await asked.world.key(networks="192.0.2.0/24")):
        asked.key = key
        check(await asked.v1("GET", "/v1/users"), 403)


async def test_told_with_every_refusal_of_the_429(world: World) -> None:
    client, one = await new_client(world), Limit(1, 60)
    for path in ("/v1/users", "/v1/nothing", "/v1/certificates/verify/x"):
        asked = Asked(world, await world.key(), client, limit_v1=one, limit_verify=one)
        await asked.v1("GET", path)
        check(await asked.v1("GET", path), 429)
        check(await asked.v1("OPTIONS", path), 429)
    for method, path in (
        ("POST", "/oauth/token"),
        ("POST", "/oauth/revoke"),
        ("POST", "/oauth/introspect"),
        ("GET", "/oauth/jwks"),
        ("GET", "/oauth/nothing"),
        ("GET", "/.well-known/oauth-authorization-server"),
    ):
        asked = Asked(world, "", client, limit_v1=one, limit_token=one)
        await asked.oauth(method, path, data=GRANT)
        check(await asked.oauth(method, path, data=GRANT), 429)


@pytest.mark.parametrize(("status", "path"), HIDDEN)
@pytest.mark.parametrize("scheme", ["https", "http"])
async def test_not_told_on(asked: Asked, status: int, path: str, scheme: str) -> None:
    methods = {"GET": status, "OPTIONS": 204, "PUT": 405}
    for method, expected in methods.items():
        answer = await asked(method, path, scheme=scheme)
        if scheme == "https" and "?" not in path:
            assert answer.status_code == (404 if status == 404 and path != "/docs/nothing" else expected)
        assert [name for name in answer.headers if "ratelimit" in name] == []
