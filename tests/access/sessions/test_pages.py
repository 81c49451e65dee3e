"""Signing in with pages, like a browser without scripts."""

import re

import httpx2
import pytest

from conftest import World
from trilha.settings import Settings

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
    front = await browser.get("/")
    assert front.status_code == 200
    for address in ("/login", "/docs", "/readyz"):
        assert f'href="{address}"' in front.text
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
    assert "The e-mail or password is incorrect. Check both and try again." in page.text
    assert 'value="ana@example.com"' in page.text
    assert "secret words" not in page.text
    empty = await sign_in(world, browser, "", password="")
    assert empty.status_code == 422
    assert empty.text.count("Fill in this field.") == 4  # twice each: at the top, and at the field


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
    for fields in ({"csrf_token": ""}, {"csrf_token": "0" * 64}, {"csrf_token": "é" * 64}):
        assert (await browser.post("/logout", data=fields)).status_code == 403
    out = await browser.post("/logout", data={"csrf_token": token_in(page)})
    assert out.headers["location"] == f"/login?tenant={world.tenant.slug}"
    assert (await browser.get("/learn")).status_code == 303


async def test_no_two_pages_write_the_token_alike(world: World, browser: httpx2.AsyncClient) -> None:
    user = await world.user(password=PASSWORD)
    await sign_in(world, browser, user["email"])
    tokens = [token_in((await browser.get("/learn")).text) for _ in range(2)]
    # The two tokens share no part, so that the compressed length reveals nothing.
    assert not {tokens[0][at : at + 8] for at in range(57)} & {tokens[1][at : at + 8] for at in range(57)}
    theme = {"theme": "dark", "next": "/learn"}
    for token in tokens:
        set_theme = await browser.post("/preferences", data=theme | {"csrf_token": token})
        assert (set_theme.status_code, set_theme.headers["location"]) == (303, "/learn")


async def test_a_password_that_was_given_is_changed_first(world: World, browser: httpx2.AsyncClient) -> None:
    made = await world.http.post("/v1/users", json={"email": "novo@example.com", "name": "Novo"})
    temporary = made.json()["_meta"]["temporary_password"]
    signed = await sign_in(world, browser, "novo@example.com", password=temporary)
    assert signed.headers["location"] == "/login/password"
    assert (await browser.get("/learn")).headers["location"] == "/login/password?next=/learn"
    token = token_in((await browser.get("/login/password")).text)
    form = {"csrf_token": token, "current_password": temporary, "new_password": "short"}
    page = await browser.post("/login/password", data=form)
    assert page.status_code == 422
    assert temporary not in page.text
    for easy in ("12345678", "novo@example.com"):
        assert (await browser.post("/login/password", data=form | {"new_password": easy})).status_code == 422
    changed = await browser.post("/login/password", data=form | {"new_password": "a better one"})
    assert changed.headers["location"] == "/learn"
    assert (await browser.get("/learn")).status_code == 200


async def test_signing_in_again_beside_a_session_and_after_one(
    world: World, browser: httpx2.AsyncClient
) -> None:
    user = await world.user(password=PASSWORD)
    await sign_in(world, browser, user["email"])
    assert (await sign_in(world, browser, user["email"])).headers["location"] == "/learn"
    world.clock.move(hours=3)
    assert (await browser.get("/learn")).headers["location"] == "/login?next=/learn"
    assert (await sign_in(world, browser, user["email"])).headers["location"] == "/learn"
    assert (await browser.get("/learn")).status_code == 200
    browser.headers["sec-fetch-site"] = "cross-site"
    assert (await sign_in(world, browser, user["email"])).status_code == 403


async def test_sign_in_bears_the_name_and_colour_of_the_company(
    world: World, browser: httpx2.AsyncClient
) -> None:
    async with world.tx() as tx:
        await tx.execute(
            """
            INSERT INTO tenant_settings (tenant_id, brand_colour, updated_at)
            VALUES (:tenant, '#b3005e', :now)
            """
        )
        await tx.execute("UPDATE tenants SET name = 'Aurora Ltda' WHERE id = :tenant")
    for path in ("/login", "/login/forgotten"):
        page = (await browser.get(f"{path}?tenant={world.tenant.slug}")).text
        assert "Aurora Ltda" in page
        assert "/brand/b3005e-" in page
    browser.cookies.clear()
    assert '<html lang="pt-BR">' in (await browser.get(f"/login?tenant={world.tenant.slug}")).text
    unknown = await browser.get("/login?tenant=nobody-here")
    assert unknown.status_code == 200
    assert '<span class="mark__name">nobody-here</span>' in unknown.text
    assert (await browser.get("/login?tenant=%3Cscript%3E")).text.count("<script>") == 0


async def test_the_host_tells_the_company(
    world: World, settings: Settings, browser: httpx2.AsyncClient
) -> None:
    host = settings.address.partition("://")[2]
    page = await browser.get("/login", headers={"host": f"{world.tenant.slug}.{host}"})
    assert f'name="tenant_slug" value="{world.tenant.slug}"' in page.text
    for other in (host, f"a.{world.tenant.slug}.{host}", f"{world.tenant.slug}.evil.test"):
        page = await browser.get("/login", headers={"host": other})
        assert 'action="/login/company"' in page.text


async def test_the_short_name_is_taken_as_people_type_it(world: World, browser: httpx2.AsyncClient) -> None:
    typed = {"tenant_slug": f" {world.tenant.slug.upper()} "}
    answer = await browser.post("/login/company", data=typed)
    assert answer.headers["location"] == f"/login?tenant={world.tenant.slug}"
    wrong = await browser.post("/login/company", data={"tenant_slug": "Aurora Ltda."})
    assert wrong.status_code == 422
    assert "only letters, numbers and hyphens" in wrong.text


async def test_a_mailed_link_is_told_to_be_used_before_anything_is_typed(
    world: World, browser: httpx2.AsyncClient
) -> None:
    user = await world.user(password=PASSWORD)
    form = {"tenant_slug": world.tenant.slug, "email": user["email"]}
    sent = await browser.post("/login/forgotten", data=form)
    assert user["email"] in sent.text
    async with world.tx() as tx:
        token = "a-token-of-a-test"
        sql = "UPDATE password_resets SET fingerprint = :f WHERE tenant_id = :tenant"
        assert await tx.execute(sql, f=tx.keyring.fingerprint(token)) == 1
    path = f"/login/reset/{token}"
    assert (await browser.get(path)).status_code == 200
    for weak in ("short", "password1", f"{world.tenant.slug}2026", user["email"]):
        assert (await browser.post(path, data={"new_password": weak})).status_code == 422
    changed = await browser.post(path, data={"new_password": "a better one"})
    assert changed.headers["location"] == f"/login?tenant={world.tenant.slug}"
    assert "This link no longer works" in (await browser.get(path)).text
