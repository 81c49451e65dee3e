"""Signing in by pages, as a browser without scripts does."""

import re

import httpx2
import pytest

from conftest import World

PASSWORD = "correct horse"


@pytest.fixture
async def browser(world: World) -> httpx2.AsyncClient:
    client = world.client()
    client.headers |= {"sec-fetch-site": "same-origin"}
    client.cookies.set("trilha_locale", "en")
    return client


async def sign_in(world: World, client: httpx2.AsyncClient, email: str, **fields: str) -> httpx2.Response:
    form = {"tenant_slug": world.tenant.slug, "email": email, "password": PASSWORD}
    return await client.post("/login", data=form | fields)


def token_in(page: str) -> str:
    found = re.search(r'name="csrf_token" value="([0-9a-f]+)"', page)
    assert found
    return found[1]


async def test_the_front_leads_to_signing_in_and_then_home(world: World, browser: httpx2.AsyncClient) -> None:
    assert (await browser.get("/")).headers["location"] == "/login"
    company = await browser.post("/login/company", data={"tenant_slug": world.tenant.slug, "next": "/learn"})
    address = company.headers["location"]
    assert address == f"/login?tenant={world.tenant.slug}&next=/learn"
    assert 'value="/learn"' in (await browser.get(address)).text
    user = await world.user(password=PASSWORD)
    signed = await sign_in(world, browser, user["email"])
    assert (signed.status_code, signed.headers["location"]) == (303, "/learn")
    assert (await browser.get("/")).headers["location"] == "/learn"
    page = await browser.get("/learn")
    assert (page.status_code, page.headers["cache-control"]) == (200, "no-store")
    assert user["name"] in page.text


@pytest.mark.parametrize("role", ["gestor", "instrutor"])
async def test_the_panel_is_home_to_those_who_work_there(
    world: World, browser: httpx2.AsyncClient, role: str
) -> None:
    user = await world.user(password=PASSWORD, role=role)
    assert (await sign_in(world, browser, user["email"])).headers["location"] == "/admin"
    assert (await browser.get("/admin")).status_code == 200


async def test_a_learner_has_no_panel(world: World, browser: httpx2.AsyncClient) -> None:
    user = await world.user(password=PASSWORD)
    await sign_in(world, browser, user["email"])
    assert (await browser.get("/admin")).status_code == 403


async def test_a_wrong_password_is_told_and_is_not_sent_back(
    world: World, browser: httpx2.AsyncClient
) -> None:
    page = await sign_in(world, browser, "ana@example.com", password="secret words")
    assert page.status_code == 422
    assert "The e-mail address or the password is wrong." in page.text
    assert 'value="ana@example.com"' in page.text
    assert "secret words" not in page.text
    empty = await sign_in(world, browser, "", password="")
    assert empty.status_code == 422
    assert empty.text.count("Fill in this field.") == 4  # twice each: above, and at the field


@pytest.mark.parametrize(
    "wanted", ["//evil.test", "https://evil.test/", "/\\evil.test", "/login/x", "javascript:alert(1)"]
)
async def test_nobody_is_led_elsewhere(world: World, browser: httpx2.AsyncClient, wanted: str) -> None:
    user = await world.user(password=PASSWORD)
    assert (await sign_in(world, browser, user["email"], next=wanted)).headers["location"] == "/learn"


async def test_who_is_not_signed_in_is_led_there_and_back(world: World, browser: httpx2.AsyncClient) -> None:
    away = await browser.get("/learn?q=ana")
    assert away.headers["location"] == "/login?next=/learn%3Fq%3Dana"


async def test_signing_out_takes_the_token_of_the_page(world: World, browser: httpx2.AsyncClient) -> None:
    user = await world.user(password=PASSWORD)
    await sign_in(world, browser, user["email"])
    page = (await browser.get("/learn")).text
    for fields in ({"csrf_token": ""}, {"csrf_token": "0" * 32}):
        assert (await browser.post("/logout", data=fields)).status_code == 403
    out = await browser.post("/logout", data={"csrf_token": token_in(page)})
    assert out.headers["location"] == f"/login?tenant={world.tenant.slug}"
    assert (await browser.get("/learn")).status_code == 303


async def test_a_password_that_was_given_is_changed_first(world: World, browser: httpx2.AsyncClient) -> None:
    made = await world.http.post("/v1/users", json={"email": "novo@example.com", "name": "Novo"})
    temporary = made.json()["_meta"]["temporary_password"]
    signed = await sign_in(world, browser, "novo@example.com", password=temporary)
    assert signed.headers["location"] == "/login/password"
    assert (await browser.get("/learn")).headers["location"] == "/login/password"
    token = token_in((await browser.get("/login/password")).text)
    form = {"csrf_token": token, "current_password": temporary, "new_password": "short"}
    page = await browser.post("/login/password", data=form)
    assert page.status_code == 422
    assert temporary not in page.text
    changed = await browser.post("/login/password", data=form | {"new_password": "a better one"})
    assert changed.headers["location"] == "/learn"
    assert (await browser.get("/learn")).status_code == 200
