"""A tenant with a SAML provider, and browsers that sign in with it."""

import base64
import zlib
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit
from uuid import UUID, uuid4

import httpx2
from cryptography.hazmat.primitives.serialization import Encoding
from lxml import etree

from access.sso.saml.provider import EMAIL_FORMAT, Facts, SigningKey, posted, signed
from conftest import World
from trilha.access.sso import actions as connections
from trilha.access.sso.domains import actions as domains
from trilha.access.sso.saml import actions
from trilha.access.sso.saml.actions import MetadataReader
from trilha.access.sso.saml.schema import NewSamlConnection, OwnAddresses, SamlConnection
from trilha.core.net import parse_networks
from trilha.core.outbound.fetching import Fetcher
from trilha.core.outbound.guard import Guard
from trilha.core.web.parsing import convert

LOOPBACK = Guard(parse_networks("127.0.0.0/8"), plain_http=True)
ISSUER = "https://idp.acme.test/saml"
SSO_URL = "https://idp.acme.test/sso?tenant=1"
SLO_URL = "https://idp.acme.test/slo"
REDIRECT = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"


def metadata(
    *certificates: Any, entity_id: str = ISSUER, sso_url: str = SSO_URL, slo_url: str | None = SLO_URL
) -> str:
    """Returns the metadata that a provider publishes."""
    keys = "".join(
        '<md:KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>'
        f"{base64.b64encode(each.public_bytes(Encoding.DER)).decode()}"
        "</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>"
        for each in certificates
    )
    slo = f'<md:SingleLogoutService Binding="{REDIRECT}" Location="{slo_url}"/>' if slo_url else ""
    return (
        f'<?xml version="1.0"?><!-- made by hand --><md:EntityDescriptor entityID="{entity_id}"'
        ' xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#">'
        '<md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">'
        f'{keys}{slo}<md:SingleSignOnService Binding="{REDIRECT}" Location="{sso_url}"/>'
        "</md:IDPSSODescriptor></md:EntityDescriptor>"
    )


def dependency(world: World, kind: type) -> Any:
    """Returns the application's only object of a type."""
    for bound in world.app.bound.values():
        for each in bound.dependencies.values():
            if isinstance(each, kind):
                return each
    raise LookupError(kind)


class SamlCompany:
    """A tenant with one enabled connection and a verified domain."""

    def __init__(
        self, world: World, key: SigningKey, made: SamlConnection, domain: str, address: str
    ) -> None:
        self.world = world
        self.key = key
        self.id: UUID = made.connection.id
        self.made = made
        self.domain = domain
        self.own = OwnAddresses.of(address, self.id)
        self.email = f"ana@{domain}"

    def facts(self, **changes: Any) -> Facts:
        """Returns what the provider states about Ana at this moment."""
        usual = Facts(
            issuer=ISSUER,
            audience=self.own.entity_id,
            acs_url=self.own.acs_url,
            now=self.world.clock.now,
            request=None,
            name_id=self.email,
            name_format=EMAIL_FORMAT,
            attributes={"mail": [self.email], "displayName": ["Ana Lima"]},
            response_id=f"_{uuid4().hex}",
            assertion_id=f"_{uuid4().hex}",
        )
        return usual.but(**changes)

    def browser(self) -> httpx2.AsyncClient:
        browser = self.world.client(scheme="https")
        browser.headers["sec-fetch-site"] = "same-origin"
        return browser

    async def leave(self, browser: httpx2.AsyncClient, **more: str) -> str:
        """Starts a sign-in. Returns the provider's address that the browser is redirected to."""
        answer = await browser.get(
            "/api/sso/saml/start", params={"tenant_slug": self.world.tenant.slug, **more}
        )
        assert answer.status_code == 302, answer.text
        return str(answer.headers["location"])

    async def post(self, xml: str, relay_state: str | None = None, to: UUID | None = None) -> httpx2.Response:
        """Posts like the provider's page: from another site, so that no cookie is sent."""
        form = {"SAMLResponse": posted(xml)} | ({"RelayState": relay_state} if relay_state else {})
        async with self.world.client(scheme="https") as other_site:
            return await other_site.post(f"/api/sso/saml/{to or self.id}/acs", data=form)

    async def arrive(
        self,
        browser: httpx2.AsyncClient,
        mode: str = "both",
        leaving: dict[str, str] | None = None,
        **facts: Any,
    ) -> str:
        """Sends the provider's answer. Returns the address that the browser is redirected to."""
        request = asked(await self.leave(browser, **(leaving or {})))
        answer = await self.post(signed(self.facts(request=request.get("ID"), **facts), self.key, mode))
        assert answer.status_code == 303, answer.text
        return str(answer.headers["location"])

    async def sign_in(self, browser: httpx2.AsyncClient, **facts: Any) -> Any:
        """Signs in. Returns the answer to the exchange of the ticket."""
        answer = await exchange(browser, ticket_in(await self.arrive(browser, **facts)))
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def refusal(self, location: str) -> dict[str, Any]:
        """Returns the reason that the administrator sees for the reference code of the person."""
        parts = urlsplit(location)
        assert (parts.path, parts.fragment) == ("/login/sso", ""), location
        (reference,) = parse_qs(parts.query)["reference"]
        async with self.world.tx() as tx:
            rows = await tx.rows(
                "SELECT * FROM sso_sign_ins WHERE tenant_id = :tenant AND reference = :reference",
                reference=reference,
            )
        return dict(rows[0])

    async def refused(self, xml: str) -> str:
        answer = await self.post(xml)
        assert answer.status_code == 303, answer.text
        return str((await self.refusal(answer.headers["location"]))["code"])

    async def sessions(self) -> int:
        async with self.world.tx() as tx:
            return int(await tx.value("SELECT count(*) FROM sessions WHERE tenant_id = :tenant"))


def asked(location: str) -> Any:
    """Returns the message in the query of an address, as a tree."""
    query = dict(parse_qsl(urlsplit(location).query))
    packed = query.get("SAMLRequest") or query["SAMLResponse"]
    return etree.fromstring(zlib.decompress(base64.b64decode(packed), -15))


def packed(xml: str) -> str:
    """Encodes a message for the Redirect binding."""
    deflater = zlib.compressobj(wbits=-15)
    return base64.b64encode(deflater.compress(xml.encode()) + deflater.flush()).decode()


def ticket_in(location: str) -> str:
    parts = urlsplit(location)
    assert parts.path == "/login/sso", location
    assert not parts.query, location
    return dict(parse_qsl(parts.fragment))["ticket"]


async def exchange(browser: httpx2.AsyncClient, ticket: str) -> httpx2.Response:
    return await browser.post("/api/sso/exchange", json={"ticket": ticket})


async def connect_saml(world: World, key: SigningKey, address: str, **options: Any) -> SamlCompany:
    """Creates an enabled connection for a verified domain."""
    domain = options.pop("domain", None) or f"{uuid4().hex}.acme.test"
    document = options.pop("metadata", None) or metadata(key.certificate)
    raw = {"name": "Acme", "metadata": document, "domains": [domain], **options}
    reader = MetadataReader(Fetcher(LOOPBACK), LOOPBACK)
    async with world.tx() as tx:
        if not await tx.value(
            "SELECT count(*) FROM email_domains WHERE tenant_id = :tenant AND domain = :domain", domain=domain
        ):
            await domains.assume_verified(tx, (await domains.claim(tx, domain)).id)
        new = convert(NewSamlConnection, raw, tx.today)
        made = await actions.create(tx, new, reader.read(document))
        await connections.enable(tx, made.connection.id)
    return SamlCompany(world, key, made, domain, address)


def query_of(location: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(location).query))


def encoded(**parameters: str) -> str:
    return urlencode(parameters)
