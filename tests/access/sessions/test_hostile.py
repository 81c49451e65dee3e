"""Attempts to get in without an account. Each has worked on other systems."""

import asyncio
import re
import time
from dataclasses import replace
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx2
import pyotp
import pytest
from msgspec import json

from access.sessions.mailed import mailed
from conftest import World
from trilha import app as trilha_app
from trilha.access.sessions.actions import RESET_SECONDS
from trilha.core.database import Database
from trilha.core.web.rate_limits import Limit
from trilha.people.users import actions as users
from trilha.people.users.schema import Email, UserPatch
from trilha.settings import Settings
from web.learn.signing_in import PASSWORD, learner, send, signed_in, token_in
from web.panel.signing_in import signed_in as admin_in

SECURITY = "/learn/security"


@pytest.fixture
def limited(settings: Settings, database: Database, world: World) -> Any:
    """The application with the real limit of sign-ins, in one long window."""
    return trilha_app.create_app(replace(settings, limit_login=Limit(5, 86_400)), database, world.clock)


def browser(world: World, **options: Any) -> httpx2.AsyncClient:
    client = world.client(**options)
    client.headers["sec-fetch-site"] = "same-origin"
    return client


def form(world: World, email: str, **fields: str) -> dict[str, str]:
    return {"tenant_slug": world.tenant.slug, "email": email, "password": PASSWORD} | fields


async def is_in(client: httpx2.AsyncClient) -> bool:
    return (await client.get("/learn")).status_code == 200


# Guessing.


async def test_guesses_at_once_count_like_guesses_one_by_one(world: World, limited: Any) -> None:
    user = await world.user(password=PASSWORD)

    async def guess(number: int) -> int:
        client = browser(world, app=limited, address=f"198.51.100.{number}")
        body = form(world, user["email"], password="wrong horse")
        return (await client.post("/api/auth/login", json=body)).status_code

    statuses = sorted(await asyncio.gather(*(guess(number) for number in range(20))))
    assert statuses == [401] * 5 + [429] * 15


@pytest.mark.parametrize(
    "path", ["/api/auth/login", "/login", "/login/forgotten", "/api/auth/password-reset"]
)
async def test_no_spelling_of_a_person_or_company_has_a_count_of_its_own(
    world: World, limited: Any, path: str
) -> None:
    user = await world.user(password=PASSWORD)
    slug, email = world.tenant.slug, user["email"]
    local, _, domain = email.partition("@")
    full_width = "".join(chr(ord(each) + 0xFEE0) if each.isalpha() else each for each in domain)
    typed = [
        *((slug, each) for each in (email, email.upper(), f" {email}\t", f"{local}@{full_width}")),
        *((each, email) for each in (slug.upper(), f" {slug}", f"{slug}  ", slug.title())),
    ]
    statuses = []
    for number, (slug, email) in enumerate(typed):
        client = browser(world, app=limited, address=f"198.51.100.{number}")
        client.headers["x-forwarded-for"] = f"203.0.113.{number}"
        fields = {"tenant_slug": slug, "email": email, "password": "wrong horse"}
        fields = {k: v for k, v in fields.items() if k != "password" or path.endswith("login")}
        body: Any = {"json": fields} if path.startswith("/api") else {"data": fields}
        statuses.append((await client.post(path, **body)).status_code)
    assert statuses[5:] == [429] * 3
    assert 429 not in statuses[:5]


async def test_codes_are_not_guessed_from_many_addresses_and_sessions(world: World, limited: Any) -> None:
    user, mine = await learner(world)
    await turned_on(world, mine)
    sessions = []
    for number in range(4):
        client = browser(world, app=limited, address=f"192.0.2.{number}")
        client.cookies.set("trilha_browser", mine.cookies["trilha_browser"])
        await client.post("/login", data=form(world, user["email"]))
        sessions.append((client, token_in((await client.get("/login/code")).text)))
    statuses = [
        (await client.post("/login/code", data={"csrf_token": token, "code": "000000"})).status_code
        for client, token in sessions * 2
    ]
    assert statuses == [422] * 5 + [429] * 3


async def turned_on(world: World, client: httpx2.AsyncClient) -> tuple[pyotp.TOTP, list[str]]:
    """Turns on two-step verification. Returns the app and the recovery codes."""
    await send(client, f"{SECURITY}/authenticator", "")
    page = (await client.get(f"{SECURITY}/authenticator")).text
    (key,) = re.findall(r'id="key" value="([A-Z2-7 ]+)"', page)
    app = pyotp.TOTP(key.replace(" ", ""))
    confirm = f"{SECURITY}/authenticator/confirm"
    shown = await send(client, f"{SECURITY}/authenticator", confirm, code=app.at(world.clock.now))
    return app, re.findall(r"\b[2-9A-Z]{5}-[2-9A-Z]{5}\b", shown.text)


@pytest.mark.parametrize("kind", ["app", "recovery"])
async def test_a_code_that_was_overheard_opens_one_session_at_most(world: World, kind: str) -> None:
    user, mine = await learner(world)
    app, recovery = await turned_on(world, mine)
    world.clock.move(seconds=30)
    code = app.at(world.clock.now) if kind == "app" else recovery[0]
    clients = [await signed_in(world, user["email"]) for _ in range(6)]
    tokens = [token_in((await each.get("/login/code")).text) for each in clients]
    answers = await asyncio.gather(
        *(
            client.post("/login/code", data={"csrf_token": token, "code": code})
            for client, token in zip(clients, tokens, strict=True)
        )
    )
    assert sorted(each.status_code for each in answers) == [303] + [422] * 5
    assert sum([await is_in(each) for each in clients]) == 1


# Planted, leaked and abused sessions.


async def test_a_session_that_was_planted_is_not_the_one_that_goes_on(world: World) -> None:
    _, theirs = await learner(world)
    victim, _ = await learner(world)
    planted = theirs.cookies["trilha_session"]
    client = browser(world)
    client.cookies.set("trilha_session", planted, domain="trilha.test", path="/")
    await client.post("/login", data=form(world, victim["email"]))
    assert client.cookies["trilha_session"] != planted
    assert victim["name"] in (await client.get("/learn/profile")).text


async def test_signing_in_again_ends_the_session_the_browser_had(world: World, stranger: World) -> None:
    user, client = await learner(world)
    elsewhere = await signed_in(world, user["email"])
    earlier = client.cookies["trilha_session"]
    other = await stranger.user(password=PASSWORD)
    # Of another person and another company, too.
    signed = await client.post("/login", data=form(stranger, other["email"]))
    assert signed.headers["location"] == "/learn"
    copy = browser(world)
    copy.cookies.set("trilha_session", earlier)
    assert not await is_in(copy)
    assert await is_in(client)
    assert await is_in(elsewhere)


async def test_a_failed_sign_in_ends_nothing(world: World) -> None:
    user, client = await learner(world)
    await client.post("/login", data=form(world, user["email"], password="wrong horse"))
    assert await is_in(client)


@pytest.mark.parametrize("blank", [b"\xa0", b"\x85", b"\x1c", b"\xc2\xa0", b"\xe2\x80\x80"])
async def test_no_blank_makes_another_cookie_the_hosts_own(world: World, blank: bytes) -> None:
    """A neighboring host may set a cookie whose name only looks as if it began with `__Host-`."""
    user = await world.user(password=PASSWORD)
    signed = await browser(world, scheme="https").post("/login", data=form(world, user["email"]))
    own = signed.headers.get_list("set-cookie")[0].partition(";")[0].encode()
    assert own.startswith(b"__Host-trilha_session=")
    for cookie, status in ((own, 200), (blank + own, 303), (b"x=1;" + blank + own, 303)):
        client = browser(world, scheme="https")
        assert (await client.get("/learn", headers=[(b"cookie", cookie)])).status_code == status


async def test_a_forms_token_is_of_one_session(world: World) -> None:
    user, client = await learner(world)
    _, theirs = await learner(world)
    stale = token_in((await client.get("/learn")).text)
    foreign = token_in((await theirs.get("/learn")).text)
    await client.post("/login", data=form(world, user["email"]))
    for token in (stale, foreign, "", "0" * 32):
        out = await client.post("/logout", data={"csrf_token": token})
        assert out.status_code == 403
        assert await is_in(client)


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "same-origin, cross-site"},
        {"origin": "http://evil.test"},
        {"origin": "null"},
        {"origin": "http://trilha.test.evil.test"},
        {"origin": "http://evil.test", "x-forwarded-host": "evil.test"},
        {"referer": "http://trilha.test/login"},
        {},
    ],
)
@pytest.mark.parametrize("path", ["/login", "/login/forgotten"])
async def test_nobody_is_signed_in_by_another_sites_form(
    world: World, path: str, headers: dict[str, str]
) -> None:
    user = await world.user(password=PASSWORD)
    fields = form(world, user["email"])
    if path == "/login/forgotten":
        del fields["password"]
    answer = await world.client().post(path, data=fields, headers=headers)
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


async def test_a_login_in_json_is_not_sent_by_a_plain_form(world: World) -> None:
    user = await world.user(password=PASSWORD)
    body = json.encode(form(world, user["email"]))
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        headers = {"content-type": kind} if kind else {}
        answer = await world.client().post("/api/auth/login", content=body, headers=headers)
        assert (answer.status_code, answer.headers.get("set-cookie")) == (415, None), kind
    asked = await world.client().options("/api/auth/login", headers={"origin": "http://evil.test"})
    assert not [name for name in asked.headers if name.startswith("access-control")]


# Links in e-mails.


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.test"},
        {"x-forwarded-host": "evil.test"},
        {"forwarded": "host=evil.test;proto=https"},
        {"x-original-url": "http://evil.test/", "x-rewrite-url": "/evil"},
    ],
)
async def test_a_mailed_link_leads_to_us_whatever_the_request_says(
    world: World, settings: Settings, headers: dict[str, str]
) -> None:
    user = await world.user(password=PASSWORD)
    body = {"tenant_slug": world.tenant.slug, "email": user["email"]}
    await browser(world).post("/login/forgotten", data=body, headers=headers)
    await browser(world).post("/login", data=form(world, user["email"]), headers=headers)
    links = [each["link"] for kind in ("password_reset", "new_sign_in") for each in await mailed(world, kind)]
    assert len(links) == 2
    assert all(link.startswith(f"{settings.address}/") for link in links)


async def test_a_link_dies_with_the_address_it_went_to(world: World) -> None:
    """A person who gets another one's mail by mistake cannot use it once the address is corrected."""
    user = await world.user(password=PASSWORD)
    body = {"tenant_slug": world.tenant.slug, "email": user["email"]}
    await browser(world).post("/login/forgotten", data=body)
    ((mail),) = await mailed(world, "password_reset")
    assert (await browser(world).get(mail["link"])).status_code == 200
    async with world.tx() as tx:
        await users.update(tx, user["id"], UserPatch(email=Email("right@example.com")))
    assert (await browser(world).get(mail["link"])).status_code == 422
    answer = await browser(world).post(mail["link"], data={"new_password": "one of theirs"})
    assert answer.status_code == 422
    client = browser(world)
    await client.post("/login", data=form(world, "right@example.com"))
    assert await is_in(client)


async def test_a_link_is_told_to_nobody_else(world: World) -> None:
    user = await world.user(password=PASSWORD)
    body = {"tenant_slug": world.tenant.slug, "email": user["email"]}
    await browser(world).post("/login/forgotten", data=body)
    (mail,) = await mailed(world, "password_reset")
    page = await browser(world).get(mail["link"])
    assert page.headers["referrer-policy"] == "same-origin"
    assert page.headers["cache-control"] == "no-store"
    loaded = re.findall(r'(?:src|href|action)="([^"]+)"', page.text)
    assert loaded
    assert all(each.startswith(("/", "#")) and not each.startswith("//") for each in loaded)


async def test_who_has_an_account_is_not_told_by_how_long_it_takes(world: World) -> None:
    user = await world.user(password=PASSWORD)
    slug = world.tenant.slug
    for tenant, email in (
        (slug, user["email"]),
        (slug, "nobody@example.com"),
        ("nobody-here", user["email"]),
    ):
        began = time.perf_counter()
        await browser(world).post("/login/forgotten", data={"tenant_slug": tenant, "email": email})
        assert time.perf_counter() - began >= RESET_SECONDS


# Redirects.

WANTED = [
    *("//evil.test", "///evil.test", "/\\evil.test", "\\\\evil.test", "/\t/evil.test", "/\n/evil.test"),
    *("\t//evil.test", " //evil.test", "/\\\t/evil.test", "https:evil.test", "https:/evil.test"),
    *("http://trilha.test@evil.test/", "//trilha.test@evil.test", "javascript:alert(1)", "/\x00/evil.test"),
    *("data:text/html,x", "/／evil.test", "/\u2028/evil.test", "?next=//evil.test", "/login//evil.test"),
    *("/x\r\nSet-Cookie: a=b", "/;//evil.test", "/./\\evil.test", "/%5cevil.test", "/%09//evil.test"),
]  # fmt: skip


@pytest.mark.parametrize("wanted", WANTED)
async def test_a_way_back_never_leads_to_another_host(world: World, wanted: str) -> None:
    user = await world.user(password=PASSWORD)
    client = browser(world)
    shown = await client.get("/login", params={"tenant": world.tenant.slug, "next": wanted})
    assert shown.status_code in (200, 400, 404, 422)
    signed = await client.post("/login", data=form(world, user["email"], next=wanted))
    for answer in (signed, await client.get("/login", params={"next": wanted})):
        location = answer.headers.get("location")
        if location is None:
            assert answer.status_code >= 400
            continue
        assert location.isprintable()
        led = urlsplit(urljoin("http://trilha.test/login", location.replace("\\", "/")))
        assert (led.scheme, led.netloc) == ("http", "trilha.test")


# A sign-in that waits for the second factor.


async def test_the_way_back_outlasts_the_second_factor(world: World) -> None:
    user, mine = await learner(world)
    _, recovery = await turned_on(world, mine)
    client = browser(world)
    signed = await client.post("/login", data=form(world, user["email"], next="/learn/profile?a=b"))
    assert signed.headers["location"] == "/login/code?next=/learn/profile%3Fa%3Db"
    page = await client.get(signed.headers["location"])
    assert 'name="next" value="/learn/profile?a=b"' in page.text
    fields = {"csrf_token": token_in(page.text), "next": "/learn/profile?a=b"}
    wrong = await client.post("/login/code", data=fields | {"code": "000000"})
    assert 'name="next" value="/learn/profile?a=b"' in wrong.text
    passed = await client.post("/login/code", data=fields | {"code": recovery[0]})
    assert passed.headers["location"] == "/learn/profile?a=b"
    # A person who opened a page before entering the code comes back to it, too.
    again = await signed_in(world, user["email"])
    assert (await again.get("/learn/profile")).headers["location"] == "/login/code?next=/learn/profile"
    away = fields | {"csrf_token": token_in((await again.get("/login/code")).text), "next": "//evil.test"}
    assert (await again.post("/login/code", data=away | {"code": recovery[1]})).headers[
        "location"
    ] == "/learn"


async def test_turning_it_off_does_not_get_around_the_companys_policy(world: World) -> None:
    admin = await admin_in(world)
    await turned_on(world, admin)
    async with world.tx() as tx:
        await tx.execute(
            """
            INSERT INTO tenant_settings (tenant_id, second_factor_required, updated_at)
            VALUES (:tenant, true, :now)
            """
        )
    assert (await admin.get("/admin")).status_code == 200
    await send(admin, SECURITY, f"{SECURITY}/authenticator/remove", password=PASSWORD)
    assert (await admin.get("/admin")).headers["location"] == f"{SECURITY}/authenticator"


async def test_who_waits_for_a_code_goes_on_once_the_factor_was_removed_for_them(world: World) -> None:
    user, mine = await learner(world)
    await turned_on(world, mine)
    waiting = await signed_in(world, user["email"])
    assert (await waiting.get("/learn")).headers["location"].startswith("/login/code")
    admin = await admin_in(world)
    await send(admin, "/learn", f"/admin/people/{user['id']}/remove-second-factor")
    assert await is_in(waiting)


# People who are signed in already.


async def test_who_is_signed_in_is_not_asked_again(world: World, stranger: World) -> None:
    user, client = await learner(world)
    slug = world.tenant.slug
    for path, location in (
        ("/login", "/learn"),
        (f"/login?tenant={slug}", "/learn"),
        (f"/login?tenant={slug}&next=/learn/profile", "/learn/profile"),
        ("/login?next=//evil.test", "/learn"),
    ):
        assert (await client.get(path)).headers["location"] == location
    assert (await client.get(f"/login?tenant={stranger.tenant.slug}")).status_code == 200
    await world.http.post(f"/v1/users/{user['id']}/suspend")
    assert (await client.get(f"/login?tenant={slug}")).status_code == 200
