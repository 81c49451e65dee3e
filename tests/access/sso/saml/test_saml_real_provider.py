"""Signing in and out with samlp, a widely used provider library, over HTTP on this machine."""

import html
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from access.sso.saml.company import SamlCompany, connect_saml, exchange, ticket_in
from access.sso.saml.provider import SigningKey
from conftest import World
from npm import NODE, installed
from running import free_port
from trilha.settings import Settings

HERE = Path(__file__).parent / "samlp"
MODES = ["assertion", "response", "both", "encrypted"]


@dataclass
class Provider:
    url: str
    own_certificate: Path

    async def metadata(self, mode: str, email: str) -> str:
        async with httpx2.AsyncClient() as http:
            return (await http.get(f"{self.url}/metadata/{mode}/{email}")).text

    async def visit(self, address: str) -> httpx2.Response:
        """Sends a request like a browser, without following redirects."""
        async with httpx2.AsyncClient() as http:
            return await http.get(address)


@pytest.fixture(scope="module")
def provider(key: SigningKey, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Provider]:
    packages = installed(HERE)
    folder = tmp_path_factory.mktemp("samlp")
    private = key.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (folder / "key.pem").write_bytes(private)
    (folder / "cert.pem").write_text(key.pem)
    own = folder / "own.pem"
    port = free_port()
    command = [NODE, HERE / "provider.js", str(port), folder / "key.pem", folder / "cert.pem", own]
    variables = os.environ | {"NODE_PATH": str(packages / "node_modules"), "NODE_NO_WARNINGS": "1"}
    with subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield Provider(f"http://127.0.0.1:{port}", own)
        process.terminate()


async def connected(
    world: World, provider: Provider, key: SigningKey, settings: Settings, mode: str
) -> SamlCompany:
    domain = f"d{world.tenant.id.hex}.acme.test"
    document = await provider.metadata(mode, f"ana@{domain}")
    options = {"wants_encrypted": mode == "encrypted", "idp_initiated": True}
    company = await connect_saml(world, key, settings.address, metadata=document, domain=domain, **options)
    provider.own_certificate.write_text(company.made.detail.certificate)
    return company


def form_in(page: httpx2.Response) -> tuple[str, dict[str, str]]:
    """Returns the address and the fields of the form on the provider's page."""
    assert page.status_code == 200, page.text
    action = re.search(r'action="([^"]+)"', page.text)
    assert action, page.text
    fields = re.findall(r'name="([^"]+)"\s+value="([^"]*)"', page.text)
    return html.unescape(action[1]), {name: html.unescape(value) for name, value in fields}


async def post(company: SamlCompany, page: httpx2.Response) -> httpx2.Response:
    address, fields = form_in(page)
    assert address == company.own.acs_url
    async with company.world.client(scheme="https") as other_site:
        return await other_site.post(urlsplit(address).path, data=fields)


async def sign_in(company: SamlCompany, provider: Provider, browser: httpx2.AsyncClient) -> None:
    page = await provider.visit(await company.leave(browser))
    answer = await post(company, page)
    signed_in = await exchange(browser, ticket_in(answer.headers["location"]))
    assert signed_in.json()["user"]["email"] == company.email


@pytest.mark.parametrize("mode", MODES)
async def test_signs_in(
    mode: str, world: World, provider: Provider, key: SigningKey, settings: Settings
) -> None:
    company = await connected(world, provider, key, settings, mode)
    await sign_in(company, provider, company.browser())
    assert await company.sessions() == 1


async def test_begins_by_itself(
    world: World, provider: Provider, key: SigningKey, settings: Settings
) -> None:
    company = await connected(world, provider, key, settings, "both")
    page = await provider.visit(f"{provider.url}/begin/both/{company.email}?base={company.own.base}")
    asked = await post(company, page)
    assert company.email in asked.text
    fields = dict(re.findall(r'name="(continuation|return_to)" value="([^"]*)"', asked.text))
    assert fields["return_to"] == "/learn/courses"
    browser = company.browser()
    answer = await browser.post(f"/api/sso/saml/{company.id}/continue", data=fields)
    signed_in = await exchange(browser, answer.headers["location"].partition("ticket=")[2].partition("&")[0])
    assert signed_in.status_code == 200


async def test_is_told_of_a_sign_out(
    world: World, provider: Provider, key: SigningKey, settings: Settings
) -> None:
    """The provider verifies our signature, and we verify its answer."""
    company = await connected(world, provider, key, settings, "both")
    browser = company.browser()
    await sign_in(company, provider, browser)
    menu = await browser.get("/learn/profile", follow_redirects=True)
    token = re.search(r'name="csrf_token" value="([^"]+)"', menu.text)
    assert token
    left = await browser.post("/logout", data={"csrf_token": token[1]})
    answered = await provider.visit(left.headers["refresh"].partition("; url=")[2])
    assert answered.status_code == 302, answered.text
    assert answered.headers["location"].startswith(f"{company.own.slo_url}?SAMLResponse=")
    back = urlsplit(answered.headers["location"])
    home = await browser.get(f"{back.path}?{back.query}")
    assert home.headers["location"] == f"/login?tenant={company.world.tenant.slug}"


async def test_signs_out(world: World, provider: Provider, key: SigningKey, settings: Settings) -> None:
    """The provider starts it, verifies the signature of our answer, and ends its own session."""
    company = await connected(world, provider, key, settings, "both")
    await sign_in(company, provider, company.browser())
    sent = await provider.visit(f"{provider.url}/logout")
    asked = urlsplit(sent.headers["location"])
    assert f"{asked.scheme}://{asked.netloc}{asked.path}" == company.own.slo_url
    answer = await world.client().get(f"{asked.path}?{asked.query}")
    assert await company.sessions() == 0
    done = await provider.visit(answer.headers["location"])
    assert done.status_code == 200, done.text
