"""The sign-in pages of a company with its own provider."""

from typing import Any
from uuid import UUID

import httpx2
import pytest

from access.sso.test_discover import connected, new_domain
from conftest import World
from trilha.access.sso import enforcement, queries
from web.panel.signing_in import PASSWORD, made


@pytest.fixture
async def browser(world: World) -> httpx2.AsyncClient:
    client = world.client()
    client.headers |= {"sec-fetch-site": "same-origin"}
    client.cookies.set("trilha_locale", "en")
    return client


def start(world: World, connection_id: UUID, kind: str = "oidc", **more: str) -> str:
    extra = "".join(f"&amp;{name}={value}" for name, value in more.items())
    return (
        f'href="/api/sso/{kind}/start?tenant_slug={world.tenant.slug}&amp;connection={connection_id}{extra}"'
    )


async def required(world: World) -> Any:
    """Requires the provider; only one administrator may use a password."""
    admin = await made(world, "admin")
    async with world.tx() as tx:
        await enforcement.set_break_glass(tx, admin.id, allowed=True)
        await enforcement.require(tx)
    return admin


async def test_providers_come_before_the_password(world: World, browser: httpx2.AsyncClient) -> None:
    page = (await browser.get(f"/login?tenant={world.tenant.slug}")).text
    assert "Sign in with" not in page
    connection_id = await connected(world, new_domain(), name="Acme <Okta>")
    page = (await browser.get(f"/login?tenant={world.tenant.slug}&next=/learn/profile")).text
    assert start(world, connection_id, return_to="%2Flearn%2Fprofile") in page
    assert "Sign in with Acme &lt;Okta&gt;" in page
    assert 'type="password"' in page
    wrong = await browser.post(
        "/login", data={"tenant_slug": world.tenant.slug, "email": "a@b.test", "password": "x"}
    )
    assert wrong.status_code == 422
    assert start(world, connection_id) in wrong.text


async def test_one_that_is_off_is_not_offered(world: World, browser: httpx2.AsyncClient) -> None:
    await connected(world, new_domain(), enabled=False)
    assert "/api/sso/" not in (await browser.get(f"/login?tenant={world.tenant.slug}")).text


async def test_where_it_is_required_there_is_no_password(world: World, browser: httpx2.AsyncClient) -> None:
    connection_id = await connected(world, new_domain(), kind="SAML")
    admin = await required(world)
    address = f"/login?tenant={world.tenant.slug}"
    page = (await browser.get(address)).text
    assert start(world, connection_id, "saml") in page
    assert 'type="password"' not in page
    assert f'href="{address}&amp;password=true"' in page
    page = (await browser.get(f"{address}&password=true")).text
    assert 'type="password"' in page
    form = {"tenant_slug": world.tenant.slug, "password": PASSWORD}
    learner = await made(world)
    assert (await browser.post("/login", data=form | {"email": learner.email})).status_code == 422
    assert (await browser.post("/login", data=form | {"email": admin.email})).status_code == 303


async def test_an_address_leads_to_its_companys_provider(world: World, browser: httpx2.AsyncClient) -> None:
    domain = new_domain()
    connection_id = await connected(world, domain)
    form = {"tenant_slug": f"Ana.Lima@{domain.upper()}", "next": "/learn/profile"}
    led = await browser.post("/login/company", data=form)
    assert led.status_code == 303
    location = led.headers["location"]
    assert location == (
        f"/login/sso/oidc?tenant_slug={world.tenant.slug}&connection={connection_id}"
        "&return_to=%2Flearn%2Fprofile"
    )
    page = await browser.get(location)
    assert page.status_code == 200
    assert start(world, connection_id, return_to="%2Flearn%2Fprofile") in page.text
    assert "Ana" not in location + page.text


@pytest.mark.parametrize("typed", ["ana@nobody.test", "ana@", "@", "not a slug", ""])
async def test_what_leads_nowhere_is_told(world: World, browser: httpx2.AsyncClient, typed: str) -> None:
    page = await browser.post("/login/company", data={"tenant_slug": typed})
    assert page.status_code == 422
    assert 'aria-invalid="true"' in page.text


async def test_of_a_refusal_the_person_is_told_a_reference(world: World, browser: httpx2.AsyncClient) -> None:
    page = await browser.get("/login/sso?reference=AB12-%3Cb%3E")
    assert page.status_code == 200
    assert 'value="AB12-&lt;b&gt;"' in page.text
    assert "sso-arrival" not in page.text


async def test_the_page_that_takes_a_ticket_tells_nobody_of_it(browser: httpx2.AsyncClient) -> None:
    page = await browser.get("/login/sso")
    assert "<sso-arrival>" in page.text
    assert page.headers["referrer-policy"] == "no-referrer"
    assert page.headers["cache-control"] == "no-store"
    assert "script-src 'self'" in page.headers["content-security-policy"]
    assert (await browser.get("/login/sso?ticket=abc")).status_code == 400
    assert (
        await browser.get("/login/sso/cas?tenant_slug=a&connection=" + str(UUID(int=1)))
    ).status_code == 404


async def test_another_companys_connection_is_not_offered(
    world: World, stranger: World, browser: httpx2.AsyncClient
) -> None:
    connection_id = await connected(stranger, new_domain())
    page = (await browser.get(f"/login?tenant={world.tenant.slug}")).text
    assert str(connection_id) not in page
    async with world.tx() as tx:
        assert await queries.find(tx, connection_id) is None
