"""A real provider, the npm package oidc-provider: a whole sign-in, key rotation, and its own errors."""

import asyncio
import json
import shutil
import socket
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urljoin, urlsplit

import httpx2
import pytest
from joserfc.jwk import ECKey, RSAKey

from access.sso.federation import Company, dependency, discovery_of, exchange, ticket_in, verified_domain
from conftest import World
from npm import NODE, installed
from trilha.access.sso import actions as connections
from trilha.access.sso import queries
from trilha.access.sso.oidc import actions
from trilha.access.sso.oidc import queries as oidc
from trilha.access.sso.oidc.schema import NewOidcConnection, OidcPatch
from trilha.access.sso.oidc.signing_in import OidcSignIn
from trilha.core.web.parsing import convert

HERE = Path(__file__).parent / "oidc_provider"
CLIENT, SECRET = "trilha", "a secret of some length: %+/"
Asked = dict[str, Any]


class RealProvider:
    def __init__(self, port: int) -> None:
        self.issuer = f"http://127.0.0.1:{port}"

    async def log_in(self, location: str, *, agree: bool = True) -> dict[str, str]:
        """Signs in at the provider and consents. Returns the address that it redirects the browser to."""
        back = dict(parse_qsl(urlsplit(location).query))["redirect_uri"]
        async with httpx2.AsyncClient(follow_redirects=False) as browser:
            answer = await browser.get(location)
            for _ in range(20):
                address = answer.headers.get("location")
                if address is not None:
                    address = urljoin(str(answer.request.url), address)
                    if address.startswith(back):
                        return dict(parse_qsl(urlsplit(address).query))
                    answer = await browser.get(address)
                    continue
                assert answer.status_code == 200, answer.text
                form = Form(answer.text)
                if not agree:
                    abort = urljoin(str(answer.request.url), form.abort)
                    answer = await browser.get(abort)
                    continue
                fields = form.fields | {"login": "person-1", "password": "any"}
                answer = await browser.post(urljoin(str(answer.request.url), form.action), data=fields)
        raise AssertionError("it goes on and on")


class Form(HTMLParser):
    """The form of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.action, self.abort = "", ""
        self.fields: dict[str, str] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attributes}
        if tag == "form":
            self.action = told["action"]
        if tag == "input" and told.get("type") == "hidden":
            self.fields[told["name"]] = told["value"]
        if tag == "a" and told.get("href", "").endswith("/abort"):
            self.abort = told["href"]


def key(kid: str, kind: str = "RS256") -> dict[str, Any]:
    made: Any = (
        RSAKey.generate_key(2048, private=True)
        if kind == "RS256"
        else ECKey.generate_key("P-256", private=True)
    )
    return {**made.as_dict(private=True), "kid": kid, "use": "sig", "alg": kind}


KEYS = [key("one")]


@asynccontextmanager
async def providing(port: int, asked: Asked, folder: Path) -> AsyncIterator[RealProvider]:
    if not (folder / "node_modules").exists():
        (folder / "node_modules").symlink_to(installed(HERE) / "node_modules")
        shutil.copy(HERE / "provider.mjs", folder)
    process = await asyncio.create_subprocess_exec(
        str(NODE),
        "provider.mjs",
        json.dumps({"port": port, "conform": True, "keys": KEYS} | asked),
        cwd=folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(60):
            while (line := await process.stdout.readline()) != b"ready\n":
                assert line, "it did not start"
        yield RealProvider(port)
    finally:
        process.kill()
        await process.wait()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Place:
    """The provider's address and clients. It can be restarted there with another identity."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world = world
        self.folder = folder
        self.port = free_port()
        self.domain = ""
        self.client: Asked = {
            "client_id": CLIENT,
            "client_secret": SECRET,
            "redirect_uris": [redirect_uri(world)],
        }

    def start(self, **asked: Any) -> AbstractAsyncContextManager[RealProvider]:
        person = {"email": f"ana@{self.domain}", "email_verified": True, "name": "Ana Lima"}
        return providing(self.port, {"clients": [self.client], "person": person} | asked, self.folder)


def redirect_uri(world: World) -> str:
    return str(dependency(world, OidcSignIn).redirect_uri)


@pytest.fixture
async def place(world: World, tmp_path: Path) -> Place:
    place = Place(world, tmp_path)
    place.domain = await verified_domain(world)
    return place


async def joined(place: Place, provider: RealProvider, **members: Any) -> Company:
    world = place.world
    raw = {
        "name": "Real",
        "issuer": provider.issuer,
        "client_id": CLIENT,
        "client_secret": SECRET,
        "domains": [place.domain],
    }
    new = convert(NewOidcConnection, raw | members, world.clock.now.date())
    found = await actions.look_up(discovery_of(world), world.tenant.id, new.issuer)
    async with world.tx() as tx:
        made = await actions.create(tx, new, found)
        await connections.enable(tx, made.connection.id)
    return Company(world, provider, made.connection.id, place.domain)


async def log_in(company: Company, provider: RealProvider, **how: Any) -> tuple[httpx2.AsyncClient, str]:
    """Signs in. Returns the browser and its final address."""
    browser = company.browser()
    answer = await provider.log_in(await company.leave(browser), **how)
    return browser, await company.come_back(browser, **answer)


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post", "private_key_jwt"])
async def test_a_whole_login(place: Place, method: str) -> None:
    place.client["token_endpoint_auth_method"] = method
    async with place.start() as provider:
        secret = None if method == "private_key_jwt" else SECRET
        company = await joined(place, provider, auth_method=method, client_secret=secret)
    if method == "private_key_jwt":
        async with place.world.tx() as tx:
            detail = await oidc.get(tx, company.id)
        del place.client["client_secret"]
        place.client |= {"jwks": {"keys": [detail.public_key]}, "token_endpoint_auth_signing_alg": "RS256"}
    async with place.start() as provider:
        browser, location = await log_in(company, provider)
        answer = await exchange(browser, ticket_in(location))
        person = answer.json()["user"]
        assert (person["email"], person["name"]) == (f"ana@{place.domain}", "Ana Lima")  # from userinfo
        again, location = await log_in(company, provider)
        assert (await exchange(again, ticket_in(location))).json()["user"]["id"] == person["id"]
    async with place.world.tx() as tx:
        connection = await queries.get(tx, company.id)
        client = await oidc.get_client(tx, company.id)
    assert connection.last_sign_in_at is not None
    assert client.document.answers_name_issuer  # RFC 9207 is enforced


async def test_claims_in_the_token_and_another_algorithm(place: Place) -> None:
    place.client["id_token_signed_response_alg"] = "ES256"
    async with place.start(conform=False, keys=[*KEYS, key("two", "ES256")]) as provider:
        company = await joined(place, provider, algorithms=["ES256"])
        browser, location = await log_in(company, provider)
        assert (await exchange(browser, ticket_in(location))).status_code == 200


async def test_its_keys_change(place: Place) -> None:
    async with place.start() as provider:
        company = await joined(place, provider)
        await log_in(company, provider)
    async with place.start(keys=[key("two")]) as provider:
        browser, location = await log_in(company, provider)
        assert (await exchange(browser, ticket_in(location))).status_code == 200


async def test_its_own_ways_to_fail(place: Place) -> None:
    async with place.start() as provider:
        company = await joined(place, provider)
        _, location = await log_in(company, provider, agree=False)
        entry = await company.refusal(location)
        assert (entry["code"], entry["received"]) == ("provider_error", "access_denied")
        async with place.world.tx() as tx:
            await actions.change(tx, company.id, OidcPatch(client_secret="wrong"))
        _, location = await log_in(company, provider)
        entry = await company.refusal(location)
        assert (entry["code"], entry["received"]) == ("token_refused", "status 401: invalid_client")
        async with place.world.tx() as tx:
            await actions.change(tx, company.id, OidcPatch(client_secret=SECRET, scopes="email nonsense"))
        _, location = await log_in(company, provider)
        ticket_in(location)  # an unknown scope is ignored


async def test_it_is_down_and_up_again(place: Place) -> None:
    async with place.start() as provider:
        company = await joined(place, provider)
        browser = company.browser()
        answer = await provider.log_in(await company.leave(browser))
    entry = await company.refusal(await company.come_back(browser, **answer))
    assert (entry["code"], entry["received"]) == ("provider_unreachable", "connection_failed")
    async with place.start() as provider:
        _, location = await log_in(company, provider)
        ticket_in(location)
