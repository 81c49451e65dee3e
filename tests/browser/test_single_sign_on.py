"""From the typed e-mail address to the person's own page, through a real OpenID Connect provider."""

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.async_api import expect

from access.sso.federation import discovery_of, verified_domain
from access.sso.saml.company import connect_saml
from access.sso.saml.provider import SigningKey
from access.sso.saml.test_saml_real_provider import Provider as SamlProvider
from access.sso.saml.test_saml_real_provider import provider as saml_provider  # noqa: F401 - a fixture
from access.sso.test_oidc_provider import CLIENT, SECRET, RealProvider, providing
from browser.flows import Visit, Visits
from browser.serving import serving
from conftest import World
from running import free_port
from trilha import app as trilha_app
from trilha.access.sso import actions as connections
from trilha.access.sso import queries
from trilha.access.sso.oidc import actions
from trilha.access.sso.oidc.schema import NewOidcConnection
from trilha.core.clock import system_clock
from trilha.core.database import Database
from trilha.core.web.parsing import convert
from trilha.settings import Settings
from web.panel.signing_in import made

CALLBACK = "/api/sso/oidc/callback"


@pytest.fixture
async def own(settings: Settings, database: Database) -> AsyncIterator[str]:
    """Runs the server on another host than the provider, because browsers store cookies by host and not by
    port.
    """
    port = free_port()
    address = f"http://localhost:{port}"
    app = trilha_app.create_app(replace(settings, port=port, base_url=address), database, system_clock)
    async with serving(app, port):
        yield address


@pytest.fixture
async def domain(world: World) -> str:
    return await verified_domain(world)


@pytest.fixture
async def provider(own: str, domain: str, tmp_path: Path) -> AsyncIterator[RealProvider]:
    client = {"client_id": CLIENT, "client_secret": SECRET, "redirect_uris": [f"{own}{CALLBACK}"]}
    person = {"email": f"ana@{domain}", "email_verified": True, "name": "Ana Lima"}
    async with providing(free_port(), {"clients": [client], "person": person}, tmp_path) as provider:
        yield provider


async def log_in_there(visit: Visit) -> None:
    """Signs in at the provider: enters a name, and consents."""
    page = visit.page
    await page.wait_for_url("**/interaction/**")
    await page.locator("[name=login]").fill("person-1")
    await page.locator("[name=password]").fill("any")
    await page.locator("[type=submit]").click()
    await page.locator("[type=submit]").click()


async def without_fonts(visit: Visit) -> Visit:
    """Blocks the fonts that the provider's pages load from another server."""
    await visit.page.route(
        re.compile("^https://"), lambda route: route.fulfill(body="", content_type="text/css")
    )
    return visit


async def enters(visit: Visit, world: World, domain: str) -> None:
    world.clock.now = datetime.now(UTC)  # the provider's clock does not stand still
    await visit.go("/login?next=/learn/profile")
    await visit.send(tenant_slug=f"Ana@{domain.upper()}")


async def test_an_administrator_connects_it_and_people_come_in(
    world: World, visits: Visits, own: str, provider: RealProvider, domain: str
) -> None:
    """The connection is created, tested and enabled in the panel. Then a person signs in by e-mail address,
    through the provider and the ticket.
    """
    admin = await made(world, "admin")
    panel = await without_fonts(await visits(at=own, locale="en-US"))
    await panel.sign_in(world, admin.email)
    await panel.go("/admin/sso/oidc/new")
    await expect(panel.page.locator("#callback")).to_have_value(f"{own}{CALLBACK}")
    form = {"name": "Keycloak", "issuer": provider.issuer, "client_id": CLIENT, "client_secret": SECRET}
    await panel.fill(**form)
    await panel.page.locator("form#form .btn--primary").click()
    await panel.is_titled("Keycloak")
    connection = urlsplit(panel.page.url).path
    await panel.page.locator(f"a[href='{connection}/test']").click()
    await log_in_there(panel)
    await panel.page.wait_for_url(f"**{connection}/sign-ins/*")
    await expect(panel.page.locator("main .badge").first).to_have_attribute("data-state", "ok")
    await panel.go(connection)
    await panel.page.locator(f"form[action='{connection}/enable'] button").click()
    await panel.is_told("Keycloak")

    ana = await without_fonts(await visits(at=own, size="phone"))
    await enters(ana, world, domain)
    await log_in_there(ana)
    await ana.page.wait_for_url(f"{own}/learn/profile")
    await expect(ana.page.get_by_text(f"ana@{domain}").first).to_be_visible()
    gone = await ana.page.evaluate("performance.getEntriesByType('navigation')[0].name")
    assert "ticket" not in gone + ana.page.url
    await ana.page.go_back()
    assert "ticket" not in ana.page.url
    await ana.go("/learn")
    await ana.sign_out()
    await ana.page.wait_for_url("**/login?tenant=*")
    async with world.tx() as tx:
        (connected,) = await queries.list_all(tx)
    assert connected.last_sign_in_at is not None


async def test_a_ticket_of_another_browser_is_refused(world: World, visits: Visits, own: str) -> None:
    """The page says so, and removes the ticket from its address anyway."""
    visit = await visits(at=own)
    await visit.page.goto(f"{own}/login/sso#ticket={'a' * 43}&return_to=/learn")
    await expect(visit.page.get_by_role("alert")).to_be_visible()
    assert visit.page.url == f"{own}/login/sso"
    assert "ticket" not in await visit.page.evaluate("JSON.stringify([history.state, document.referrer])")
    link = visit.page.locator("main .btn--primary")
    assert await link.get_attribute("href") == "/login"


async def test_who_gives_up_at_the_provider_is_told_a_reference(
    world: World, visits: Visits, own: str, provider: RealProvider, domain: str, axe: str
) -> None:
    raw: dict[str, Any] = {"name": "Real", "issuer": provider.issuer, "client_id": CLIENT}
    raw |= {"client_secret": SECRET, "domains": [domain]}
    new = convert(NewOidcConnection, raw, world.clock.now.date())
    found = await actions.look_up(discovery_of(world), world.tenant.id, new.issuer)
    async with world.tx() as tx:
        await connections.enable(tx, (await actions.create(tx, new, found)).connection.id)
    visit = await without_fonts(await visits(at=own))
    await enters(visit, world, domain)
    await visit.page.locator("a[href$='/abort']").click()
    await visit.page.wait_for_url(f"{own}/login/sso?reference=*")
    await expect(visit.page.locator("#reference")).to_have_value(re.compile("^[0-9A-Z]{4}-[0-9A-Z]{4}$"))
    await visit.is_usable(axe)


async def test_in_and_out_by_saml(
    world: World,
    visits: Visits,
    own: str,
    key: SigningKey,
    saml_provider: SamlProvider,  # noqa: F811
) -> None:
    """Through samlp: its page posts the response. Signing out here signs out there, and leads back."""
    domain = f"d{world.tenant.id.hex}.acme.test"
    document = await saml_provider.metadata("both", f"ana@{domain}")
    made_here = await connect_saml(world, key, own, metadata=document, domain=domain)
    saml_provider.own_certificate.write_text(made_here.made.detail.certificate)
    ana = await visits(at=own)
    await enters(ana, world, domain)
    await ana.page.wait_for_url(f"{own}/learn/profile")
    await expect(ana.page.get_by_text(f"ana@{domain}").first).to_be_visible()
    await ana.go("/learn")
    await ana.sign_out()
    await ana.page.wait_for_url(re.compile(f"^{re.escape(own)}/login(\\?.*)?$"))
    await ana.go("/learn")
    await ana.page.wait_for_url(re.compile(f"^{re.escape(own)}/login"))
