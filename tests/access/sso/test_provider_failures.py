"""A provider that is slow, too large, moved, down, or rotates its keys: bounded, reported, and recovered
automatically.
"""

import asyncio
import base64
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID, uuid4

import pytest
from aiohttp import web
from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey

from access.sso.federation import (
    CLIENT,
    SECRET,
    Company,
    Double,
    connect,
    dependency,
    discovery_of,
    doubled,
    exchange,
    request_of,
)
from conftest import World
from trilha.access.sso import actions as connections
from trilha.access.sso import enforcement, queries, sign_ins
from trilha.access.sso.oidc import actions
from trilha.access.sso.oidc import queries as oidc
from trilha.access.sso.oidc.schema import NewOidcConnection, OidcPatch
from trilha.access.sso.oidc.signing_in import OidcSignIn
from trilha.access.sso.schema import ConnectionPatch
from trilha.core.errors import BusinessRule
from trilha.core.lists import find_row
from trilha.core.outbound.fetching import MAX_BYTES, Fetcher
from trilha.core.web.parsing import convert

CODE = "provider_unreachable"
JWKS, TOKEN = "/jwks", "/token"
DOCUMENT = "/.well-known/openid-configuration"


def rotate(double: Double, kid: str) -> None:
    """Makes the provider sign with a new key and publish only that one."""
    double.keys = {kid: ECKey.generate_key("P-256", private=True)}
    double.signing = (kid, double.keys[kid])


async def test_new_keys_are_found_at_once(company: Company, double: Double) -> None:
    await company.sign_in(company.browser())
    asked = double.asked[JWKS]
    rotate(double, "two")
    await company.sign_in(company.browser())
    await company.sign_in(company.browser())
    assert double.asked[JWKS] == asked + 1


async def test_fifty_come_at_once_with_a_new_key(company: Company, double: Double) -> None:
    """One of them fetches the keys, and the others wait for the result: all of them sign in."""
    browsers = [company.browser() for _ in range(20)]
    answers = [double.code_for(await company.leave(each)) for each in browsers]
    rotate(double, "two")
    asked = double.asked[JWKS]
    back = zip(browsers, answers, strict=True)
    locations = await asyncio.gather(*[company.come_back(each, **answer) for each, answer in back])
    assert ["#ticket=" in each for each in locations] == [True] * 20
    assert double.asked[JWKS] == asked + 1


async def test_a_hundred_unknown_keys_are_one_question(
    world: World, company: Company, double: Double
) -> None:
    asked = double.asked[JWKS]
    right = double.signing
    for number in range(100):
        double.signing = (f"unknown-{number}", double.keys["one"])
        entry = await company.refusal(await company.arrive(company.browser()))
        assert (entry["code"], entry["expected"]) == ("key_unknown", "one")
    assert double.asked[JWKS] == asked + 1
    double.signing = right
    await company.sign_in(company.browser())  # people with a known key are not affected
    world.clock.move(seconds=61)
    rotate(double, "two")
    await company.sign_in(company.browser())
    assert double.asked[JWKS] == asked + 2


async def test_keys_are_read_anew_when_their_time_is_over(world: World, double: Double) -> None:
    for max_age, fresh, stale in (("60", 14, 16), ("999999", 23 * 60, 25 * 60), ("3600", 59, 61)):

        def answer(request: web.Request, age: str = max_age) -> web.Response:
            keys = {"keys": [{**double.keys["one"].as_dict(private=False), "kid": "one"}]}
            return web.json_response(keys, headers={"cache-control": f"public, max-age={age}"})

        double.answers = {JWKS: answer}
        company = await connect(world, double)
        double.claims["email"] = f"ana@{company.domain}"
        asked = double.asked[JWKS]
        for minutes, more in ((fresh, 0), (stale - fresh, 1)):
            world.clock.move(minutes=minutes)
            await company.sign_in(company.browser(), connection=str(company.id))
            assert double.asked[JWKS] == asked + more


async def test_keys_outlive_a_day_without_an_answer(world: World, company: Company, double: Double) -> None:
    double.answers[JWKS] = lambda _: web.Response(status=503)
    asked = double.asked[JWKS]
    world.clock.move(hours=2)
    await company.sign_in(company.browser())
    await company.sign_in(company.browser())
    assert double.asked[JWKS] == asked + 1  # not fetched again within the minute
    world.clock.move(hours=22)
    await company.sign_in(company.browser())
    world.clock.move(hours=2)
    entry = await company.refusal(await company.arrive(company.browser()))
    assert (entry["code"], entry["received"]) == (CODE, "status 503")
    double.answers.clear()
    world.clock.move(seconds=61)
    await company.sign_in(company.browser())  # recovers automatically


async def test_a_set_without_a_key_takes_none_away(world: World, company: Company, double: Double) -> None:
    double.set = {"keys": [{"kty": "oct", "k": "AAAA"}]}
    world.clock.move(hours=2)
    await company.sign_in(company.browser())


async def slow(request: web.Request) -> web.StreamResponse:
    """Sends a byte now and then, for longer than anyone waits."""
    answer = web.StreamResponse()
    await answer.prepare(request)
    for _ in range(1000):
        await answer.write(b" ")
        await asyncio.sleep(0.02)
    return answer


async def huge(request: web.Request) -> web.StreamResponse:
    """Sends a gigabyte to a client that reads it; `sent` counts the bytes."""
    answer = web.StreamResponse()
    await answer.prepare(request)
    for _ in range(1024):
        await answer.write(b" " * MAX_BYTES)
        sent["bytes"] = sent.get("bytes", 0) + MAX_BYTES
    return answer


sent: dict[str, int] = {}


def elsewhere(request: web.Request) -> web.Response:
    return web.Response(status=302, headers={"location": f"http://{request.host}/jwks"})


def packed(request: web.Request) -> web.Response:
    """Sends a body that would become very large if it were decompressed."""
    return web.Response(body=b"\x1f\x8b" + b"\x00" * 100, headers={"content-encoding": "gzip"})


def down(request: web.Request) -> web.Response:
    assert request.transport is not None
    request.transport.close()
    return web.Response()


FAILURES = {
    "slow": (slow, "timeout"),
    "huge": (huge, "too_large"),
    "elsewhere": (elsewhere, "redirect"),
    "down": (down, "connection_failed"),
    "an error": (lambda _: web.Response(status=500, text="{}"), "status 500: another error"),
    "packed": (packed, "status 200"),
    "no JSON": (lambda _: web.Response(text="<html>"), "status 200"),
}


@pytest.fixture
def impatient(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lowers the timeout, because no test here waits for five seconds."""
    monkeypatch.setattr(dependency(world, OidcSignIn)._fetcher, "_seconds", 0.3)


@pytest.mark.parametrize("name", FAILURES)
async def test_a_token_endpoint_that_fails(
    company: Company, double: Double, name: str, impatient: None
) -> None:
    answer, received = FAILURES[name]
    double.answers[TOKEN] = answer
    entry = await company.refusal(await company.arrive(company.browser()))
    assert entry["code"] in (CODE, "token_refused")
    assert entry["received"] == received
    double.answers.clear()
    await company.sign_in(company.browser())


async def test_little_is_read_of_what_is_huge(company: Company, double: Double, impatient: None) -> None:
    """Sent but unread bytes are in the buffers of the connection: a few megabytes at most."""
    sent.clear()
    double.answers[TOKEN] = huge
    assert await company.refused() == CODE
    assert sent["bytes"] < 32 * MAX_BYTES


async def test_one_tenant_waits_for_its_own_provider(world: World, double: Double) -> None:
    """However many people wait for a slow provider, the provider of another tenant is called at once."""
    fetcher = Fetcher(discovery_of(world)._guard, seconds=30)
    begun = asyncio.Event()

    async def never(request: web.Request) -> web.Response:
        begun.set()
        await asyncio.sleep(60)
        return web.Response()

    double.answers["/slow"] = never
    double.answers["/fast"] = lambda _: web.Response(text="{}")
    mine = world.tenant.id
    waiting = [asyncio.create_task(fetcher.get(mine, f"{double.issuer}/slow")) for _ in range(60)]
    await begun.wait()
    assert (await fetcher.get(uuid4(), f"{double.issuer}/fast")).status == 200
    assert double.asked["/slow"] <= 8
    for each in waiting:
        each.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert (await fetcher.get(mine, f"{double.issuer}/fast")).status == 200  # the slots are free again


# Creating and changing connections.


def new(double: Double, **members: Any) -> NewOidcConnection:
    raw = {"name": "A", "issuer": double.issuer, "client_id": CLIENT, "client_secret": SECRET} | members
    return convert(NewOidcConnection, raw, double.clock().date())


async def refused(world: World, issuer: str) -> dict[str, Any]:
    with pytest.raises(BusinessRule) as told:
        await actions.look_up(discovery_of(world), world.tenant.id, issuer)
    assert told.value.code == "provider_not_usable"
    return dict(told.value.detail)


@pytest.mark.parametrize(
    ("issuer", "received"),
    [
        ("https://169.254.169.254/", "address_not_allowed"),
        ("https://10.0.0.1/", "address_not_allowed"),
        ("https://[::1]/", "address_not_allowed"),
        ("ftp://idp.test/", "https_required"),
        ("https://user:password@idp.test/", "invalid_url"),
        ("https://2130706433/", "invalid_url"),
        ("not a url", "invalid_url"),
    ],
)
async def test_an_issuer_that_may_not_be_called(world: World, issuer: str, received: str) -> None:
    told = await refused(world, issuer)
    assert (told["reason"], told["received"]) == (CODE, received)


async def test_a_document_that_leads_inside(world: World, double: Double) -> None:
    for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
        double.document = {name: "http://169.254.169.254/latest/meta-data"}
        told = await refused(world, double.issuer)
        assert (told["reason"], told["expected"], told["received"]) == (
            "endpoint_not_allowed",
            name,
            "address_not_allowed",
        )


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ({"issuer": "https://evil.test"}, "issuer_mismatch"),
        ({"issuer": "{issuer}/"}, "issuer_mismatch"),
        ({"issuer": None}, "issuer_mismatch"),
        ({"issuer": ["{issuer}"]}, "issuer_mismatch"),
        ({"token_endpoint": None}, "endpoint_missing"),
        ({"jwks_uri": 1}, "endpoint_missing"),
        ({"userinfo_endpoint": "javascript:alert(1)"}, "endpoint_not_allowed"),
    ],
)
async def test_a_document_of_another(world: World, double: Double, document: Any, reason: str) -> None:
    filled = {
        name: value.replace("{issuer}", double.issuer) if isinstance(value, str) else value
        for name, value in document.items()
    }
    double.document = filled
    assert (await refused(world, double.issuer))["reason"] == reason


async def test_a_document_that_cannot_be_read(world: World, double: Double) -> None:
    for body in (b"", b"[]", b"{", b'{"issuer":1,"issuer":2}', b"[" * 100_000, b"\xff\xfe{}"):
        double.answers[DOCUMENT] = lambda _, body=body: web.Response(body=body)  # type: ignore[misc]
        assert (await refused(world, double.issuer))["reason"] == "document_unreadable"


async def test_a_provider_without_a_key(world: World, double: Double) -> None:
    double.set = {"keys": []}
    assert (await refused(world, double.issuer))["reason"] == "keys_unavailable"


async def test_the_client_shows_who_it_is(world: World, double: Double) -> None:
    basic = await connect(world, double)
    await basic.sign_in(basic.browser())
    headers, form = double.received[-1]
    # RFC 6749 section 2.3.1: encoded before it is joined.
    assert base64.b64decode(headers["Authorization"].removeprefix("Basic ")) == b"trilha:s%3Ae%25c%2Br+t"
    assert not form.keys() & {"client_secret", "client_id"}
    post = await connect(world, double, auth_method="client_secret_post")
    double.claims["email"] = f"ana@{post.domain}"
    await post.sign_in(post.browser(), connection=str(post.id))
    headers, form = double.received[-1]
    assert (form["client_id"], form["client_secret"]) == (CLIENT, SECRET)
    assert "Authorization" not in headers


async def test_the_client_signs(world: World, double: Double) -> None:
    company = await connect(world, double, auth_method="private_key_jwt", client_secret=None)
    await company.sign_in(company.browser())
    await company.sign_in(company.browser())
    async with world.tx() as tx:
        detail = await oidc.get(tx, company.id)
    assert detail.public_key is not None
    assert not detail.public_key.keys() & {"d", "p", "q"}
    first, second = [form["client_assertion"] for _, form in double.received]
    key = RSAKey.import_key(dict(detail.public_key))
    claims = jwt.decode(first, key, algorithms=["RS256"]).claims
    assert (claims["iss"], claims["sub"], claims["aud"]) == (CLIENT, CLIENT, f"{double.issuer}/token")
    assert claims["exp"] - claims["iat"] == 60
    assert claims["jti"] != jwt.decode(second, key, algorithms=["RS256"]).claims["jti"]


async def test_a_connection_is_enabled_with_a_verified_domain(world: World, double: Double) -> None:
    provider = await actions.look_up(discovery_of(world), world.tenant.id, double.issuer)
    async with world.tx() as tx:
        made = await actions.create(tx, new(double, domains=["nobody.test"]), provider)
        with pytest.raises(BusinessRule, match="no_verified_domain"):
            await connections.enable(tx, made.connection.id)
        assert not made.connection.enabled


async def test_an_enabled_connection_keeps_a_verified_domain(company: Company) -> None:
    async with company.world.tx() as tx:
        with pytest.raises(BusinessRule, match="no_verified_domain"):
            await connections.change(tx, company.id, ConnectionPatch(domains=[]))


async def test_a_secret_is_stored_sealed_and_never_shown(world: World, company: Company) -> None:
    async with world.tx() as tx:
        (row,) = await tx.rows("SELECT t::text AS line FROM sso_oidc t WHERE tenant_id = :tenant")
        shown = repr([await oidc.get(tx, company.id), await oidc.get_client(tx, company.id)])
        audited = await tx.rows("SELECT detail::text AS line FROM audit_records WHERE tenant_id = :tenant")
    for text in (row["line"], shown, *[each["line"] for each in audited]):
        assert SECRET not in text
        assert SECRET.encode().hex() not in text


async def test_another_issuer_knows_nobody(world: World, company: Company) -> None:
    """The same subject at another provider is another person."""
    browser = company.browser()
    await company.sign_in(browser)
    on_the_way = company.double.code_for(await company.leave(browser))
    async with doubled(world.clock) as other:
        provider = await actions.look_up(discovery_of(world), world.tenant.id, other.issuer)
        async with world.tx() as tx:
            await actions.change(tx, company.id, OidcPatch(), provider)
        assert (await browser.get("/api/auth/session")).status_code == 401
        assert "reference=" in await company.come_back(browser, **on_the_way)
        other.claims |= {"sub": "s-1", "email": f"bia@{company.domain}"}
        company.double = other
        assert (await company.sign_in(browser))["user"]["email"] == f"bia@{company.domain}"


async def test_a_changed_secret_is_used(company: Company, double: Double) -> None:
    async with company.world.tx() as tx:
        changed = await actions.change(tx, company.id, OidcPatch(client_secret="another"))
    assert changed.detail.auth_method == "client_secret_basic"
    await company.sign_in(company.browser())
    sent = double.received[-1][0]["Authorization"].removeprefix("Basic ")
    assert base64.b64decode(sent) == b"trilha:another"


async def test_the_last_connection_stays_while_it_is_required(world: World, company: Company) -> None:
    async with world.tx() as tx:
        with pytest.raises(BusinessRule, match="no_break_glass"):
            await enforcement.require(tx)
        await enforcement._set(tx, True)
        for end in (connections.disable, connections.delete):
            with pytest.raises(BusinessRule, match="last_connection"):
                await end(tx, company.id)
        await enforcement.allow_passwords(tx)
        await connections.delete(tx, company.id)
        assert await queries.list_all(tx) == []


async def test_a_provider_that_moved_is_found_within_a_day(
    world: World, company: Company, double: Double
) -> None:
    double.document["token_endpoint"] = f"{double.issuer}/moved"
    double.answers["/moved"] = lambda request: _moved(double, request)
    await company.sign_in(company.browser())
    assert "/moved" not in double.asked
    world.clock.move(hours=25)
    await company.sign_in(company.browser())
    assert double.asked["/moved"] == 1


async def _moved(double: Double, request: web.Request) -> web.Response:
    return double._token(request, await request.post())


async def test_a_provider_that_says_nothing_is_where_it_was(
    world: World, company: Company, double: Double
) -> None:
    double.answers[DOCUMENT] = lambda _: web.Response(status=500)
    world.clock.move(hours=23)
    await company.sign_in(company.browser())
    world.clock.move(hours=2)
    asked = double.asked[DOCUMENT]
    for _ in range(3):
        location = await company.arrive(company.browser())
        assert "#ticket=" in location
    assert double.asked[DOCUMENT] == asked + 1
    async with world.tx() as tx:
        alerts = (await queries.get(tx, company.id)).alerts
    assert "status 500" in alerts["document_unreadable"]["text"]
    double.answers.clear()
    world.clock.move(hours=25)
    await company.arrive(company.browser())
    async with world.tx() as tx:
        assert (await queries.get(tx, company.id)).alerts == {}


# A test of a connection.


@pytest.mark.parametrize("code", [None, "email_not_verified"])
async def test_a_test_makes_no_session_and_nobody(world: World, double: Double, code: str | None) -> None:
    company = await connect(world, double, enable=False)
    double.claims |= {"email_verified": code is None, "name": "Ana Secret"}
    browser = company.browser()
    async with world.tx() as tx:
        connection = await queries.get(tx, company.id)
        sign_in = dependency(world, OidcSignIn)
        location = await sign_in.begin(tx, connection, request_of(browser), is_test=True)
    back = await company.come_back(browser, **double.code_for(location))
    assert back.startswith(f"/admin/sso/{company.id}/sign-ins/")
    async with world.tx() as tx:
        entry = await find_row(tx, sign_ins.SIGN_INS, UUID(back.rpartition("/")[2]))
        for table in ("users", "sso_tickets", "sso_identities"):
            assert await tx.value(f"SELECT count(*) FROM {table} WHERE tenant_id = :tenant") == 0
    assert entry is not None
    assert (entry.outcome, entry.code) == ("TESTED", code)
    assert entry.trace is not None
    assert [step["name"] for step in entry.trace] == ["answer", "token", "key", "claims", code or "account"]
    nonce = dict(parse_qsl(urlsplit(location).query))["nonce"]
    for secret in ("Ana Secret", "ana@", nonce, SECRET, "access"):
        assert secret not in str(entry.trace)
    assert await world.events("user.created") == []


async def test_the_exchange_needs_a_connection_that_is_enabled(world: World, company: Company) -> None:
    browser = company.browser()
    ticket = await company.ticket(browser)
    async with world.tx() as tx:
        await tx.execute("UPDATE sso_connections SET enabled = false WHERE tenant_id = :tenant")
    assert (await exchange(browser, ticket)).status_code == 401
