"""The answers of /api match its description: every operation, and every refusal for every caller."""

from typing import Any
from uuid import uuid4

import httpx2
import pyotp
import pytest

from conftest import World
from contract.session_calls import PASSWORD, SESSION_CALLS, person
from openapi.described import DOCUMENTS
from trilha import app as trilha_app
from trilha.core.web.rate_limits import Limit
from trilha.settings import Settings

API = DOCUMENTS["/api/openapi.json"]
BODIES: dict[str, dict[str, str]] = {
    "POST /auth/login": {"tenant_slug": "acme", "email": "ana@example.com", "password": PASSWORD},
    "POST /auth/second-factor": {"code": "123456"},
    "POST /auth/password": {"current_password": PASSWORD, "new_password": "a better one"},
    "POST /auth/password-reset": {"tenant_slug": "acme", "email": "ana@example.com"},
    "POST /auth/password-reset/confirm": {"token": "x", "new_password": "a better one"},
    "POST /auth/authenticator/confirm": {"code": "123456"},
    "POST /auth/authenticator/remove": {"password": PASSWORD},
    "POST /auth/recovery-codes": {"password": PASSWORD},
    "POST /sso/exchange": {"ticket": "x"},
    "POST /check-in": {"code": "x"},
}
OPEN = (
    *("POST /auth/login", "POST /auth/password-reset", "POST /auth/password-reset/confirm"),
    "GET /sso/discover",
    *("POST /sso/exchange", "GET /sso/oidc/start", "GET /sso/oidc/callback"),
    "GET /sso/saml/start",
)
# The other members are in the provider's answer, and a caller cannot choose them.
PASSING_OVER = ("GET /sso/oidc/callback",)
CLOSED = [name for name in API.operations if name not in OPEN]
each_operation = pytest.mark.parametrize("name", API.operations)
each_closed = pytest.mark.parametrize("name", CLOSED)


async def call(http: httpx2.AsyncClient, name: str, id: object = None, **sent: Any) -> httpx2.Response:
    """Calls the operation and checks the answer against the description."""
    method, _, path = name.partition(" ")
    if name in BODIES and not sent.keys() & {"content", "json"}:
        sent["json"] = BODIES[name]
    path = path.replace("{session_id}", str(id or uuid4()))
    answer = await http.request(method, f"/api{path}", **sent)
    API.check(name, answer)
    return answer


def code(answer: httpx2.Response) -> str:
    return str(answer.json()["error"]["code"])


def test_what_takes_a_body_has_one_here() -> None:
    assert {name for name, each in API.operations.items() if "requestBody" in each} == BODIES.keys()


def test_every_operation_names_its_credential() -> None:
    for name, operation in API.operations.items():
        assert operation["security"] == ([] if name in OPEN else [{"session": []}, {"cookie": []}])


async def test_of_a_person_who_signs_in_and_out(world: World) -> None:
    one = await person(world)
    login = BODIES["POST /auth/login"] | {"tenant_slug": world.tenant.slug, "email": one.email}
    other = (await call(one.http, "POST /auth/login", json=login)).json()
    made = (await call(one.http, "POST /auth/authenticator")).json()
    app = pyotp.TOTP(made["secret"])
    confirmed = await call(
        one.http, "POST /auth/authenticator/confirm", json={"code": app.at(world.clock.now)}
    )
    assert confirmed.status_code == 200
    begun = (await call(one.http, "POST /auth/login", json=login)).json()
    assert begun["unfinished"] == "second_factor_required"
    recovery = {"code": confirmed.json()["recovery_codes"][0]}
    assert (await call(one.http, "POST /auth/second-factor", json=recovery)).status_code == 200
    for name, status in (
        ("GET /auth/session", 200),
        ("GET /auth/sessions", 200),
        ("GET /users/me/data-export", 200),
        ("POST /auth/recovery-codes", 200),
        ("POST /auth/authenticator/remove", 204),
        ("POST /auth/password", 200),
        ("DELETE /auth/sessions", 204),
        ("POST /auth/logout", 204),
    ):
        assert (await call(one.http, name)).status_code == status, name
    ended = await call(world.client(other["session_token"]), "GET /auth/session")
    assert code(ended) == "session_invalid"
    for body in (login, login | {"email": "nobody@example.com"}):
        del body["password"]
        assert (await call(one.http, "POST /auth/password-reset", json=body)).status_code == 204


async def test_of_another_browser_that_is_signed_out(world: World) -> None:
    one = await person(world)
    first = (await one.http.get("/api/auth/session")).json()["id"]
    one.http.cookies.clear()  # as a different browser
    await one.log_in()
    for expected in (204, 404):
        answer = await call(one.http, "DELETE /auth/sessions/{session_id}", first)
        assert answer.status_code == expected


@pytest.mark.parametrize("name", sorted(SESSION_CALLS.keys() - {"not_permitted"}))
async def test_of_every_code_of_sessions(world: World, name: str) -> None:
    """Each code is returned by an operation whose description names it."""
    answer = await SESSION_CALLS[name](world)
    path = answer.request.url.path.removeprefix("/api")
    if path.startswith("/auth/sessions/"):
        path = "/auth/sessions/{session_id}"
    API.check(f"{answer.request.method} {path}", answer)


@each_closed
async def test_of_nobody(world: World, name: str) -> None:
    for token, expected in ((None, "session_missing"), ("trl_session_x", "session_invalid"), ("x", None)):
        answer = await call(world.client(token), name)
        assert (answer.status_code, code(answer)) == (401, expected or "session_invalid")
        challenge = 'Bearer error="invalid_token"' if token else "Bearer"
        assert answer.headers["www-authenticate"] == challenge


@pytest.mark.parametrize("name", [name for name in CLOSED if not name.startswith("GET")])
async def test_of_a_request_from_another_site(world: World, name: str) -> None:
    one = await person(world)
    for site in ("cross-site", "same-site"):
        answer = await call(one.http, name, headers={"sec-fetch-site": site})
        assert (answer.status_code, code(answer)) == (403, "cross_site_request")
    # Without the cookie, nobody can be signed in.
    token = one.http.cookies["trilha_session"]
    answer = await call(world.client(token), name, headers={"sec-fetch-site": "cross-site"})
    assert answer.status_code != 403


@each_operation
async def test_of_what_cannot_be_read(world: World, name: str) -> None:
    one = await person(world)
    tried: list[tuple[int, dict[str, Any]]] = [
        (400, {"content": b"{", "headers": {"content-type": "application/json"}}),
        (400, {"json": {"nickname": "Ana"}}),
        (302 if name in PASSING_OVER else 400, {"params": {"page": "2"}}),
        (413, {"content": b" " * 1_048_577, "headers": {"content-type": "application/json"}}),
    ]
    if name in BODIES:
        tried.append((415, {"content": b"a=b", "headers": {"content-type": "text/plain"}}))
    for status, sent in tried:
        assert (await call(one.http, name, **sent)).status_code == status


@each_operation
async def test_of_one_call_too_many(world: World, name: str) -> None:
    one = Limit(1, 900)
    settings = Settings(limit_v1=one, limit_login=one, limit_discover_ip=one)
    app = trilha_app.create_app(settings, world.database, world.clock)
    http = world.client(None, app, f"2001:db8::{uuid4().hex[:4]}:{uuid4().hex[:4]}")
    await call(http, name)
    answer = await call(http, name)
    assert answer.status_code == 429
    assert answer.headers["retry-after"] == answer.headers["ratelimit-reset"]


@each_operation
async def test_of_a_call_without_tls(world: World, name: str) -> None:
    settings = Settings(env="production", limit_v1=Limit(10**9, 900), limit_login=Limit(10**9, 900))
    http = world.client(app=trilha_app.create_app(settings, world.database, world.clock))
    answer = await call(http, name)
    assert (answer.status_code, code(answer)) == (403, "https_required")
