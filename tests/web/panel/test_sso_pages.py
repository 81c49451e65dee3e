"""The pages of single sign-on, in a browser without scripts."""

import re
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from access.sso.federation import CLIENT, SECRET, Company, Double
from access.sso.test_domains import new_domain, verification
from conftest import World
from name_server import Zone, name_server
from trilha import app as trilha_app
from trilha.access.sso import enforcement, queries, sign_ins
from trilha.access.sso.errors import SignInRefused
from trilha.access.sso.schema import Step
from trilha.settings import Settings
from web.panel.signing_in import made, send, signed_in

SSO = "/admin/sso"


@pytest.fixture
async def admin(world: World) -> httpx2.AsyncClient:
    return await signed_in(world)


@pytest.fixture
async def zone() -> AsyncIterator[Zone]:
    async with name_server() as zone:
        yield zone


async def text(browser: httpx2.AsyncClient, path: str, status: int = 200) -> str:
    page = await browser.get(path)
    assert page.status_code == status, page.text
    return page.text


async def led(browser: httpx2.AsyncClient, answer: httpx2.Response) -> str:
    """Returns the page that a form redirects to."""
    assert answer.status_code == 303, answer.text
    return await text(browser, answer.headers["location"])


@pytest.mark.parametrize("role", ["gestor", "instrutor", "learner"])
async def test_it_is_for_administrators(world: World, role: Any) -> None:
    browser = await signed_in(world, role)
    for path in ("", "/domains", "/domains/new", "/oidc/new", "/saml/new", "/sign-ins", "/required"):
        assert (await browser.get(f"{SSO}{path}")).status_code == 403


async def test_an_empty_one_says_what_to_do(admin: httpx2.AsyncClient) -> None:
    assert "Start with a domain" in await text(admin, SSO)
    assert "No connection yet" in await text(admin, SSO)
    assert "No domain yet" in await text(admin, f"{SSO}/domains")
    assert "No sign-ins yet" in await text(admin, f"{SSO}/sign-ins")


async def test_a_domain_is_claimed_and_verified(world: World, settings: Settings, zone: Zone) -> None:
    app = trilha_app.create_app(
        Settings(data_dir=settings.data_dir, dns_servers=(zone.server,)), world.database, world.clock
    )
    world.app = app
    admin = await signed_in(world)
    name = new_domain()
    answer = await send(admin, f"{SSO}/domains/new", domain=name.upper())
    page = await led(admin, answer)
    address = answer.headers["location"]
    record = f"_trilha-challenge.{name}"
    assert f'value="{record}"' in page
    (value,) = re.findall(r'value="(trilha-domain-verification=[0-9a-f]+)"', page)
    assert "The record was not found yet." in await led(admin, await send(admin, f"{address}/verify"))
    zone.texts[record] = [value]
    assert f"The domain {name} is verified." in await led(admin, await send(admin, f"{address}/verify"))
    assert "Verified" in await text(admin, f"{SSO}/domains")
    assert "Remove domain" in await text(admin, f"{address}/remove")
    assert "was removed" in await led(admin, await send(admin, f"{address}/remove"))
    assert (await admin.get(address)).status_code == 404
    assert verification(zone)


@pytest.mark.parametrize(
    ("domain", "said"),
    [
        ("acme", "Enter the part after the @"),
        ("gmail.com", "Anyone can get an address there."),
        ("com.br", "Many organizations share this suffix."),
        ("", "Fill in this field."),
    ],
)
async def test_what_is_no_domain_is_told(admin: httpx2.AsyncClient, domain: str, said: str) -> None:
    page = await send(admin, f"{SSO}/domains/new", domain=domain)
    assert page.status_code == 422
    assert said in page.text


async def test_a_connection_is_made_changed_and_deleted(
    world: World, admin: httpx2.AsyncClient, company: Company
) -> None:
    page = await text(admin, f"{SSO}/oidc/new")
    assert 'value="http://127.0.0.1:8000/api/sso/oidc/callback"' in page
    form = {
        "name": "Okta <b>",
        "issuer": company.double.issuer,
        "client_id": CLIENT,
        "client_secret": SECRET,
        "auth_method": "client_secret_post",
        "domains": company.domain,
        "jit": "true",
    }
    answer = await send(admin, f"{SSO}/oidc/new", **form)
    page = await led(admin, answer)
    address = answer.headers["location"]
    assert "Okta &lt;b&gt; was created" in page
    assert SECRET not in page
    assert "Disabled" in page
    page = await led(admin, await send(admin, f"{address}/enable"))
    assert "People can now sign in with Okta &lt;b&gt;." in page
    edited = await send(admin, f"{address}/edit", name="Keycloak", domains=company.domain)
    assert "The sign-in is refused" in await led(admin, edited)
    kept = await send(
        admin,
        f"{address}/oidc",
        issuer=company.double.issuer,
        client_id="other",
        auth_method="client_secret_basic",
    )
    assert "other" in await led(admin, kept)
    assert "is disabled" in await led(admin, await send(admin, f"{address}/disable"))
    assert "was deleted" in await led(admin, await send(admin, f"{address}/delete"))
    assert (await admin.get(address)).status_code == 404


async def test_a_provider_that_is_none_is_told_exactly(admin: httpx2.AsyncClient, double: Double) -> None:
    double.document = {"issuer": "https://other.example"}
    form = {"name": "Okta", "issuer": double.issuer, "client_id": "a", "client_secret": "b"}
    page = await send(admin, f"{SSO}/oidc/new", **form)
    assert page.status_code == 422
    assert "The provider's issuer differs from the one in the connection." in page.text
    assert "https://other.example" in page.text
    assert 'value="b"' not in page.text


async def test_metadata_that_is_none_is_told_exactly(admin: httpx2.AsyncClient) -> None:
    document = ("idp.xml", b"<a/>", "application/xml")
    page = await send(admin, f"{SSO}/saml/new", name="ADFS", metadata=document)
    assert page.status_code == 422
    assert "The document is not the metadata of one identity provider." in page.text
    neither = await send(admin, f"{SSO}/saml/new", name="ADFS", metadata=("", b"", ""))
    assert "not both" in neither.text


async def test_it_is_mapped_to_members_and_units(
    world: World, admin: httpx2.AsyncClient, company: Company
) -> None:
    await send(admin, "/admin/units/new", name="Norte", code="N-1")
    address = f"{SSO}/{company.id}/mapping"
    form = {"attribute_department": "dept", "unit_attribute": "site", "units": "SP = N-1\nRJ=norte\n"}
    assert (await send(admin, address, **form)).status_code == 303
    page = await text(admin, address)
    assert 'value="dept"' in page
    assert "SP = N-1" in page
    for wrong in ("SP", "SP = Sul", "= N-1"):
        assert (await send(admin, address, units=wrong)).status_code == 422
    async with world.tx() as tx:
        connection = await queries.get(tx, company.id)
    assert (dict(connection.attributes), set(connection.units)) == ({"department": "dept"}, {"SP", "RJ"})


async def test_a_domain_of_nobody_is_not_chosen(admin: httpx2.AsyncClient, company: Company) -> None:
    page = await send(admin, f"{SSO}/{company.id}/edit", name="Acme", domains="other.test")
    assert page.status_code == 422


async def test_it_is_required_with_a_way_back(
    world: World, admin: httpx2.AsyncClient, company: Company
) -> None:
    address = f"{SSO}/required"
    refused = await send(admin, address, required="true")
    assert refused.status_code == 422
    assert "Choose at least one administrator" in refused.text
    me = admin.headers["x-user-id"]
    assert (await send(admin, address, required="true", administrators=me)).status_code == 303
    async with world.tx() as tx:
        assert await enforcement.is_required(tx)
    last = await send(admin, f"{SSO}/{company.id}/disable")
    assert last.status_code == 422
    assert "Enable another connection first." in last.text
    assert "Everyone must now sign in with the provider" in await text(admin, SSO)
    assert (await send(admin, address)).status_code == 303
    async with world.tx() as tx:
        assert not await enforcement.is_required(tx)
        assert await enforcement.list_break_glass(tx) == []


async def test_the_log_tells_what_was_expected_and_what_came(
    world: World, admin: httpx2.AsyncClient, company: Company
) -> None:
    async with world.tx() as tx:
        refused = SignInRefused("domain_not_of_connection", "acme.test", "<i>evil.test</i>")
        entry = await sign_ins.record(tx, company.id, "REFUSED", refused=refused)
        await sign_ins.record(tx, company.id, "SIGNED_IN")
    page = await text(admin, f"{SSO}/sign-ins")
    assert page.count('data-state="ok"') >= 1
    assert "The e-mail address does not belong to any domain of this connection." in page
    only = await text(admin, f"{SSO}/sign-ins?q={entry.reference.lower()}&outcome=REFUSED")
    assert entry.reference in only
    assert "No results for" in await text(admin, f"{SSO}/sign-ins?q=nothing")
    shown = await text(admin, f"{SSO}/sign-ins/{entry.id}")
    assert "acme.test" in shown
    assert "&lt;i&gt;evil.test&lt;/i&gt;" in shown
    assert entry.reference in await text(admin, f"{SSO}/{company.id}")


async def test_a_test_is_shown_step_by_step(
    world: World, admin: httpx2.AsyncClient, company: Company
) -> None:
    away = await admin.get(f"{SSO}/{company.id}/test")
    assert away.status_code == 302
    assert away.headers["location"].startswith(f"{company.double.issuer}/authorize?")
    async with world.tx() as tx:
        trace = [Step("answer", True), Step("token_expired", False, "expected a; received b")]
        refused = SignInRefused("token_expired", "a", "b")
        entry = await sign_ins.record(tx, company.id, "TESTED", refused=refused, trace=trace)
    page = await text(admin, f"{SSO}/{company.id}/sign-ins/{entry.id}")
    assert "The provider answered" in page
    assert "The token has expired." in page
    assert (await admin.get(f"{SSO}/{uuid4()}/sign-ins/{entry.id}")).status_code == 404


async def test_a_person_is_linked_anew(world: World, admin: httpx2.AsyncClient, company: Company) -> None:
    person = await made(world, email=f"ana@{company.domain}")
    address = f"{SSO}/{company.id}/unlink"
    refused = await send(admin, address, email=person.email)
    assert "This person is not linked to this connection." in refused.text
    async with world.tx() as tx:
        await queries.link(tx, company.id, "s-1", person.id)
    assert "will be linked again" in await led(admin, await send(admin, address, email=person.email))
    async with world.tx() as tx:
        assert await queries.find_linked(tx, company.id, "s-1") is None


@pytest.mark.parametrize("name", ["entra", "okta", "google", "keycloak", "adfs"])
async def test_a_guide_has_the_addresses_of_the_connection(
    admin: httpx2.AsyncClient, company: Company, name: str
) -> None:
    page = await text(admin, f"{SSO}/{company.id}/guides/{name}")
    assert 'value="http://127.0.0.1:8000/api/sso/oidc/callback"' in page
    assert "{" not in re.sub(r"<script.*?</script>|<meta[^>]*>", "", page, flags=re.DOTALL)
    assert "SAML 2.0" in await text(admin, f"{SSO}/guides/{name}")


async def test_another_companys_is_not_there(world: World, stranger: World, company: Company) -> None:
    theirs = await signed_in(stranger)
    for path in (
        "",
        "/edit",
        "/provider",
        "/mapping",
        "/disable",
        "/delete",
        "/unlink",
        "/guides/okta",
        "/test",
    ):
        assert (await theirs.get(f"{SSO}/{company.id}{path}")).status_code == 404, path
    for path in ("edit", "enable", "disable", "delete", "mapping", "oidc", "unlink"):
        answer = await send(
            theirs, f"{SSO}/{company.id}/{path}", name="x", email="a@b.test", issuer="x", client_id="x"
        )
        assert answer.status_code == 404, path
    async with world.tx() as tx:
        assert (await queries.get(tx, company.id)).enabled
