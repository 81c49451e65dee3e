"""Provider metadata: read, refused, and read again each day."""

from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from typing import Any

import pytest
from aiohttp import web
from cryptography.hazmat.primitives import hashes
from lxml import etree

from access.sso.saml.company import ISSUER, LOOPBACK, SLO_URL, SSO_URL, SamlCompany, connect_saml, metadata
from access.sso.saml.provider import SigningKey, new_key
from conftest import World
from trilha.access.sso import queries as connections
from trilha.access.sso.errors import SignInRefused
from trilha.access.sso.saml import actions
from trilha.access.sso.saml.actions import MetadataReader
from trilha.access.sso.saml.jobs import AGE, LookAfterMetadata
from trilha.access.sso.saml.metadata import read_metadata
from trilha.access.sso.saml.own_metadata import own_metadata
from trilha.access.sso.saml.schema import OwnAddresses, SamlPatch
from trilha.core.errors import BusinessRule
from trilha.core.outbound.fetching import Fetcher
from trilha.settings import Settings
from web.panel.signing_in import made

MD = "urn:oasis:names:tc:SAML:2.0:metadata"
READER = MetadataReader(Fetcher(LOOPBACK), LOOPBACK)


def test_what_is_read(key: SigningKey, other_key: SigningKey) -> None:
    found = read_metadata(metadata(key.certificate, other_key.certificate, key.certificate).encode())
    assert (found.entity_id, found.sso_url) == (ISSUER, SSO_URL)
    assert found.slo_url == found.slo_answer_url == SLO_URL
    assert found.certificates == (key.pem, other_key.pem)


def test_a_mark_in_front(key: SigningKey) -> None:
    """Entra ID writes a byte order mark."""
    assert read_metadata(metadata(key.certificate).encode("utf-8-sig")).entity_id == ISSUER


def test_one_of_several_entities(key: SigningKey) -> None:
    one = metadata(key.certificate).partition("-->")[2]
    service = (
        f'<md:EntityDescriptor entityID="sp" xmlns:md="{MD}"><md:SPSSODescriptor/></md:EntityDescriptor>'
    )
    whole = f'<md:EntitiesDescriptor xmlns:md="{MD}">{service}{one}</md:EntitiesDescriptor>'
    assert read_metadata(whole.encode()).entity_id == ISSUER
    two = f'<md:EntitiesDescriptor xmlns:md="{MD}">{one}{one}</md:EntitiesDescriptor>'
    with pytest.raises(SignInRefused, match="saml_metadata_kind"):
        read_metadata(two.encode())


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda text: "", "saml_xml_malformed"),
        (lambda text: "{}", "saml_xml_malformed"),
        (lambda text: "<x/>", "saml_metadata_kind"),
        (lambda text: text.replace("IDPSSODescriptor", "SPSSODescriptor"), "saml_metadata_kind"),
        (lambda text: text.replace("SAML:2.0:protocol", "SAML:1.1:protocol"), "saml_metadata_kind"),
        (lambda text: text.replace(ISSUER, ""), "saml_metadata_kind"),
        (lambda text: text.replace("HTTP-Redirect", "HTTP-POST"), "saml_metadata_binding"),
        (lambda text: text.replace(SSO_URL, "javascript:alert(1)"), "saml_metadata_address"),
        (lambda text: text.replace(SSO_URL, "https:///x"), "saml_metadata_address"),
        (lambda text: text.replace(SSO_URL, "http://idp.acme.test/"), "saml_metadata_address"),
        (lambda text: text.replace(SLO_URL, "//evil.test"), "saml_metadata_address"),
        (lambda text: text.replace('use="signing"', 'use="encryption"'), "saml_certificate_missing"),
        (
            lambda text: text.replace("<ds:X509Certificate>", "<ds:X509Certificate>A"),
            "saml_certificate_malformed",
        ),
        (lambda text: text.replace("?>", "?><!DOCTYPE x>", 1), "saml_xml_forbidden"),
        (lambda text: text + " " * (1024 * 1024), "saml_message_too_large"),
    ],
)
def test_what_cannot_be_used(change: Callable[[str], str], code: str, key: SigningKey) -> None:
    with pytest.raises(SignInRefused, match=code):
        read_metadata(change(metadata(key.certificate)).encode())


def test_ours_is_metadata_too(key: SigningKey) -> None:
    own = OwnAddresses("https://learn.test/api/sso/saml/1")
    for encrypted in (False, True):
        root = etree.fromstring(own_metadata(own, key.pem, signs=True, encrypted=encrypted))
        uses = [each.get("use") for each in root.iter(f"{{{MD}}}KeyDescriptor")]
        assert uses == ["signing", *(["encryption"] if encrypted else [])]
        (acs,) = root.iter(f"{{{MD}}}AssertionConsumerService")
        assert acs.get("Location") == own.acs_url


class Published:
    """A provider's server: `body` is its answer."""

    def __init__(self) -> None:
        self.body = ""
        self.url = ""
        self.status = 200
        self.asked = 0

    async def serve(self, request: web.Request) -> web.Response:
        self.asked += 1
        return web.Response(text=self.body, status=self.status, headers={"location": "https://evil.test/"})


@pytest.fixture
async def published() -> AsyncIterator[Published]:
    published = Published()
    application = web.Application()
    application.router.add_get("/metadata", published.serve)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    published.url = f"http://127.0.0.1:{runner.addresses[0][1]}/metadata"
    yield published
    await runner.cleanup()


@pytest.fixture
async def followed(world: World, key: SigningKey, settings: Settings, published: Published) -> SamlCompany:
    """Creates a connection whose metadata is read from the provider's server."""
    published.body = metadata(key.certificate)
    company = await connect_saml(world, key, settings.address)
    async with world.tx() as tx:
        await actions.change(tx, company.id, SamlPatch(metadata_url=published.url))
    world.clock.move(days=1, seconds=1)
    return company


async def look(company: SamlCompany) -> None:
    await LookAfterMetadata(READER, "https://learn.test").run_in(
        company.world.database, company.world.tenant.id
    )


async def alerts(company: SamlCompany) -> dict[str, Any]:
    async with company.world.tx() as tx:
        return dict((await connections.get(tx, company.id)).alerts)


async def letters(world: World) -> list[str]:
    async with world.tx() as tx:
        rows = await tx.rows("SELECT kind FROM mail_messages WHERE tenant_id = :tenant")
    return [row["kind"] for row in rows]


async def certificates(company: SamlCompany) -> list[str]:
    async with company.world.tx() as tx:
        return (await actions.get(tx, company.id)).detail.certificates


async def test_a_changed_key(followed: SamlCompany, published: Published, key: SigningKey) -> None:
    await made(followed.world, "admin")
    await look(followed)
    assert (published.asked, await certificates(followed)) == (1, [key.pem])
    await look(followed)
    assert published.asked == 1  # once a day
    new = new_key()
    published.body = metadata(key.certificate, new.certificate)
    followed.world.clock.move(seconds=AGE.total_seconds() + 1)
    await look(followed)
    assert await certificates(followed) == [key.pem, new.pem]
    assert "sso_certificates_changed" in await letters(followed.world)
    async with followed.world.tx() as tx:
        row = await tx.value(
            "SELECT detail FROM audit_records WHERE tenant_id = :tenant"
            " AND action = 'sso.certificates_changed'"
        )
    assert row["added"] == [new.certificate.fingerprint(hashes.SHA256()).hex()]


@pytest.mark.parametrize(
    ("break_it", "said"),
    [
        (lambda each: setattr(each, "status", 500), "status 500"),
        (lambda each: setattr(each, "status", 302), "redirect"),
        (lambda each: setattr(each, "body", "<x/>"), "not the metadata"),
        (lambda each: setattr(each, "body", "x" * 2_000_000), "too_large"),
        (lambda each: setattr(each, "body", each.body.replace(ISSUER, "urn:evil")), "urn:evil"),
    ],
)
async def test_what_is_not_taken(
    followed: SamlCompany,
    published: Published,
    key: SigningKey,
    break_it: Callable[[Published], None],
    said: str,
) -> None:
    """The stored metadata stays, and people can still sign in."""
    right = published.body
    break_it(published)
    await look(followed)
    assert said in (await alerts(followed))["metadata"]["text"]
    assert await certificates(followed) == [key.pem]
    published.body, published.status = right, 200
    followed.world.clock.move(days=1, seconds=1)
    await look(followed)
    assert "metadata" not in await alerts(followed)


async def test_a_certificate_that_ends(world: World, settings: Settings) -> None:
    begins = world.clock.now - timedelta(days=1)
    key = new_key(begins=begins, days=40)
    company = await connect_saml(world, key, settings.address)
    await made(world, "admin")
    world.clock.move(days=1, seconds=1)
    await look(company)
    assert await alerts(company) == {}
    for _ in range(2):  # one notice
        world.clock.move(days=10)
        await look(company)
        assert "certificate" in await alerts(company)
    assert (await letters(world)).count("sso_certificate_expires") == 1
    world.clock.move(days=40)  # people can still sign in
    assert (await company.sign_in(company.browser()))["user"]["email"] == company.email


async def test_addresses_are_guarded(world: World) -> None:
    for url in ("http://169.254.169.254/x", "http://10.0.0.1/", "ftp://acme.test/", "https://localhost/"):
        with pytest.raises(BusinessRule) as caught:
            await READER.look_up(world.tenant.id, None, url)
        assert caught.value.code == "metadata_not_usable"
        assert caught.value.detail["reason"] == "saml_metadata_unreachable"
    with pytest.raises(BusinessRule, match="metadata_missing"):
        await READER.look_up(world.tenant.id, None, None)


async def test_metadata_from_an_address(world: World, published: Published, key: SigningKey) -> None:
    published.body = metadata(key.certificate)
    assert (await READER.look_up(world.tenant.id, None, published.url)).entity_id == ISSUER


async def test_another_provider_is_another_connection(saml: SamlCompany, key: SigningKey) -> None:
    other = read_metadata(metadata(key.certificate, entity_id="urn:other").encode())
    with pytest.raises(BusinessRule) as caught:
        async with saml.world.tx() as tx:
            await actions.change(tx, saml.id, SamlPatch(), other)
    assert caught.value.detail["reason"] == "saml_metadata_other_entity"
    assert (caught.value.detail["expected"], caught.value.detail["received"]) == (ISSUER, "urn:other")


async def test_the_private_key_is_sealed(saml: SamlCompany) -> None:
    async with saml.world.tx() as tx:
        raw = await tx.value("SELECT private_key FROM sso_saml WHERE tenant_id = :tenant")
    assert b"PRIVATE" not in raw
