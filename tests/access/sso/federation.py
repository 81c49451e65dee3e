"""A tenant with a provider, a test double of a provider, and browsers that sign in."""

import asyncio
import base64
import hashlib
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit
from uuid import UUID, uuid4

import httpx2
from aiohttp import web
from joserfc import jws
from joserfc.jwk import ECKey

from conftest import World
from trilha.access.sso import actions as connections
from trilha.access.sso.domains import actions as domains
from trilha.access.sso.oidc import actions
from trilha.access.sso.oidc.documents import Discovery
from trilha.access.sso.oidc.schema import NewOidcConnection
from trilha.access.sso.oidc.signing_in import OidcSignIn
from trilha.access.sso.rules import new_secret
from trilha.core.web.parsing import convert
from trilha.core.web.request import Request

CLIENT, SECRET = "trilha", "s:e%c+r t"
Claims = dict[str, Any]


class Double:
    """A test double of a provider. `claims` and `header` replace correct values in tokens, `document` those
    of discovery.
    """

    def __init__(self, clock: Callable[[], Any]) -> None:
        self.clock = clock
        self.issuer = ""
        self.keys = {"one": ECKey.generate_key("P-256", private=True)}
        self.signing: tuple[str | None, Any] = ("one", self.keys["one"])
        self.algorithm = "ES256"
        self.claims: Claims = {}
        self.left_out: set[str] = set()
        self.header: Claims = {}
        self.document: Claims = {}
        self.set: Any = None  # replaces the keys
        self.userinfo: Claims | None = None
        self.token: Callable[[str], str] = lambda token: token  # changes a signed token
        self.answers: dict[str, Callable[[web.Request], Any]] = {}  # by path, replaces the usual answer
        self.asked: dict[str, int] = {}
        self.codes: dict[str, dict[str, str]] = {}
        # headers and form of the token requests
        self.received: list[tuple[dict[str, str], dict[str, str]]] = []

    def code_for(self, location: str) -> dict[str, str]:
        """Returns the query with which this provider sends back a browser that was redirected to it."""
        asked = dict(parse_qsl(urlsplit(location).query))
        code = uuid4().hex
        self.codes[code] = asked
        return {"code": code, "state": asked["state"]}

    async def serve(self, request: web.Request) -> web.StreamResponse:
        path = request.path
        self.asked[path] = self.asked.get(path, 0) + 1
        if path in self.answers:
            answered = self.answers[path](request)
            return await answered if asyncio.iscoroutine(answered) else answered
        return {
            "/.well-known/openid-configuration": self._document,
            "/jwks": self._keys,
            "/token": self._token,
            "/userinfo": self._userinfo,
        }[path](request, await request.post())

    def _document(self, request: web.Request, _: Any) -> web.Response:
        said = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/jwks",
            **({"userinfo_endpoint": f"{self.issuer}/userinfo"} if self.userinfo is not None else {}),
            **self.document,
        }
        return web.json_response({name: value for name, value in said.items() if value is not None})

    def _keys(self, request: web.Request, _: Any) -> web.Response:
        published = [{**key.as_dict(private=False), "kid": kid} for kid, key in self.keys.items()]
        return web.json_response({"keys": published} if self.set is None else self.set)

    def _token(self, request: web.Request, form: Any) -> web.Response:
        self.received.append((dict(request.headers), dict(form)))
        asked = self.codes.pop(form.get("code", ""), None)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest())
        if asked is None or challenge.rstrip(b"=").decode() != asked["code_challenge"]:
            return web.json_response({"error": "invalid_grant"}, status=400)
        assert form["redirect_uri"] == asked["redirect_uri"]
        return web.json_response(
            {"access_token": "access", "token_type": "Bearer", "id_token": self.id_token(asked["nonce"])}
        )

    def id_token(self, nonce: str) -> str:
        now = int(self.clock().timestamp())
        right = {
            "iss": self.issuer,
            "aud": CLIENT,
            "exp": now + 300,
            "iat": now,
            "nonce": nonce,
            "sub": "s-1",
        }
        claims = {name: each for name, each in (right | self.claims).items() if name not in self.left_out}
        kid, key = self.signing
        header = {"alg": self.algorithm} | ({"kid": kid} if kid else {}) | self.header
        registry = jws.JWSRegistry(algorithms=[self.algorithm], strict_check_header=False)
        payload = json.dumps(claims)
        return self.token(jws.serialize_compact(header, payload, key, registry=registry))

    def _userinfo(self, request: web.Request, _: Any) -> web.Response:
        assert request.headers["authorization"] == "Bearer access"
        return web.json_response(self.userinfo)


@asynccontextmanager
async def doubled(clock: Callable[[], Any]) -> AsyncIterator[Double]:
    double = Double(clock)
    application = web.Application()
    application.router.add_route("*", "/{rest:.*}", double.serve)
    runner = web.AppRunner(application, shutdown_timeout=0.1)  # some answers never end
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    double.issuer = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield double
    finally:
        await runner.cleanup()


def dependency(world: World, kind: type) -> Any:
    """Returns the application's only object of a type."""
    for bound in world.app.bound.values():
        for each in bound.dependencies.values():
            if isinstance(each, kind):
                return each
    raise LookupError(kind)


def discovery_of(world: World) -> Discovery:
    return dependency(world, OidcSignIn)._discovery  # type: ignore[no-any-return]


async def verified_domain(world: World) -> str:
    domain = f"{uuid4().hex}.acme.test"
    async with world.tx() as tx:
        await domains.assume_verified(tx, (await domains.claim(tx, domain)).id)
    return domain


class Company:
    """A tenant with one enabled connection and a verified domain."""

    def __init__(self, world: World, double: Any, connection_id: UUID, domain: str) -> None:
        self.world = world
        self.double = double
        self.id = connection_id
        self.domain = domain

    def browser(self) -> httpx2.AsyncClient:
        browser = self.world.client(scheme="https")
        browser.headers["sec-fetch-site"] = "same-origin"
        return browser

    async def leave(self, browser: httpx2.AsyncClient, **more: str) -> str:
        """Starts a sign-in. Returns the provider's address that the browser is redirected to."""
        answer = await browser.get(
            "/api/sso/oidc/start", params={"tenant_slug": self.world.tenant.slug, **more}
        )
        assert answer.status_code == 302, answer.text
        return answer.headers["location"]

    async def come_back(self, browser: httpx2.AsyncClient, **answer: str) -> str:
        """Sends the provider's answer. Returns the address that the browser is redirected to."""
        back = await browser.get("/api/sso/oidc/callback", params=answer)
        assert back.status_code == 302, back.text
        assert back.headers["cache-control"] == "no-store"
        assert back.headers["referrer-policy"] == "no-referrer"
        return back.headers["location"]

    async def arrive(self, browser: httpx2.AsyncClient, **more: str) -> str:
        location = await self.leave(browser, **more)
        assert location.startswith(f"{self.double.issuer}/authorize?"), location
        return await self.come_back(browser, **self.double.code_for(location))

    async def ticket(self, browser: httpx2.AsyncClient, **more: str) -> str:
        return ticket_in(await self.arrive(browser, **more))

    async def sign_in(self, browser: httpx2.AsyncClient, **more: str) -> Any:
        """Signs in. Returns the answer to the exchange of the ticket."""
        answer = await exchange(browser, await self.ticket(browser, **more))
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def refusal(self, location: str) -> dict[str, Any]:
        """Returns the reason that the administrator sees for the reference code of the person."""
        parts = urlsplit(location)
        assert (parts.path, parts.fragment) == ("/login/sso", ""), location
        (reference,) = parse_qs(parts.query).pop("reference")
        return await logged(self.world, reference)

    async def refused(self, browser: httpx2.AsyncClient | None = None, **more: str) -> str:
        """Returns why a whole sign-in is refused."""
        entry = await self.refusal(await self.arrive(browser or self.browser(), **more))
        assert await sessions(self.world) == 0
        return str(entry["code"])


def request_of(browser: httpx2.AsyncClient) -> Request:
    """Returns a request of this browser, with the cookie of a sign-in in progress."""
    if "__Host-sso_b" not in browser.cookies:
        browser.cookies.set("__Host-sso_b", new_secret(), domain="trilha.test", path="/")
    cookie = f"__Host-sso_b={browser.cookies['__Host-sso_b']}".encode()
    scope = {"method": "GET", "path": "/", "query_string": b"", "headers": [(b"cookie", cookie)]}
    request = Request(scope, None, "req_1", None)
    request.secure = True
    return request


def ticket_in(location: str) -> str:
    parts = urlsplit(location)
    assert (parts.path, parts.query) == ("/login/sso", ""), location
    return parse_qs(parts.fragment)["ticket"][0]


async def exchange(browser: httpx2.AsyncClient, ticket: str) -> httpx2.Response:
    return await browser.post("/api/sso/exchange", json={"ticket": ticket})


async def logged(world: World, reference: str) -> dict[str, Any]:
    async with world.tx() as tx:
        (row,) = await tx.rows(
            "SELECT * FROM sso_sign_ins WHERE tenant_id = :tenant AND reference = :reference",
            reference=reference,
        )
    return dict(row)


async def sessions(world: World) -> int:
    async with world.tx() as tx:
        count: int = await tx.value("SELECT count(*) FROM sessions WHERE tenant_id = :tenant")
    return count


async def connect(world: World, double: Double, *, enable: bool = True, **members: Any) -> Company:
    domain = await verified_domain(world)
    raw = {
        "name": "Acme",
        "issuer": double.issuer,
        "client_id": CLIENT,
        "client_secret": SECRET,
        "domains": [domain],
    }
    new = convert(NewOidcConnection, raw | members, world.clock.now.date())
    provider = await actions.look_up(discovery_of(world), world.tenant.id, new.issuer)
    async with world.tx() as tx:
        made = await actions.create(tx, new, provider)
        if enable:
            await connections.enable(tx, made.connection.id)
    double.claims.setdefault("email", f"ana@{domain}")
    double.claims.setdefault("name", "Ana Lima")
    return Company(world, double, made.connection.id, domain)
