"""Signing in with SAML: to the provider and back, once, in one browser, for one tenant."""

import asyncio
import base64
import re
from datetime import datetime, timedelta
from urllib.parse import parse_qsl, urlsplit
from uuid import uuid4

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.x509 import load_pem_x509_certificate

from access.sso.saml.company import (
    SSO_URL,
    SamlCompany,
    asked,
    connect_saml,
    dependency,
    exchange,
    metadata,
    query_of,
    ticket_in,
)
from access.sso.saml.provider import SAML, SAMLP, SigningKey, at, new_key, signed
from conftest import World
from trilha.access.sso import queries as connection_queries
from trilha.access.sso.saml.signing_in import SamlSignIn
from trilha.core.web.request import Request
from trilha.settings import Settings


async def test_a_stranger_becomes_a_learner(saml: SamlCompany) -> None:
    browser = saml.browser()
    signed_in = await saml.sign_in(browser)
    assert (signed_in["user"]["email"], signed_in["user"]["name"]) == (saml.email, "Ana Lima")
    assert signed_in["user"]["role"] == "learner"
    assert browser.cookies["__Host-trilha_session"] == signed_in["session_token"]
    again = await saml.sign_in(saml.browser())
    assert again["user"]["id"] == signed_in["user"]["id"]


@pytest.mark.parametrize("mode", ["assertion", "response", "both"])
async def test_whatever_is_signed(saml: SamlCompany, mode: str) -> None:
    browser = saml.browser()
    answer = await exchange(browser, ticket_in(await saml.arrive(browser, mode)))
    assert answer.status_code == 200


async def test_the_request(saml: SamlCompany) -> None:
    """The signature covers the exact bytes of the query, and the request states everything that the provider
    needs.
    """
    location = await saml.leave(saml.browser())
    assert location.startswith(f"{SSO_URL}&SAMLRequest=")
    request = asked(location)
    assert request.tag == f"{{{SAMLP}}}AuthnRequest"
    assert (
        dict(request.attrib).items()
        >= {
            "Destination": SSO_URL,
            "AssertionConsumerServiceURL": saml.own.acs_url,
            "ProtocolBinding": "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST",
            "Version": "2.0",
        }.items()
    )
    assert request.findtext(f"{{{SAML}}}Issuer") == saml.own.entity_id
    query = urlsplit(location).query.partition("&")[2]
    over, _, _ = query.partition("&Signature=")
    signature = base64.b64decode(query_of(location)["Signature"])
    public = load_pem_x509_certificate(saml.made.detail.certificate.encode()).public_key()
    public.verify(signature, over.encode(), PKCS1v15(), hashes.SHA256())  # type: ignore[call-arg,union-attr]


async def test_our_metadata(saml: SamlCompany) -> None:
    answer = await saml.world.client().get(f"/api/sso/saml/{saml.id}/metadata")
    assert answer.headers["content-type"] == "application/samlmetadata+xml"
    for part in (saml.own.entity_id, saml.own.acs_url, saml.own.slo_url, 'use="signing"'):
        assert part in answer.text
    assert 'use="encryption"' not in answer.text
    nobody = await saml.world.client().get(f"/api/sso/saml/{uuid4()}/metadata")
    assert nobody.status_code == 404


async def test_an_answer_counts_once(saml: SamlCompany) -> None:
    browser = saml.browser()
    request = asked(await saml.leave(browser)).get("ID")
    xml = signed(saml.facts(request=request), saml.key)
    first = await saml.post(xml)
    ticket_in(first.headers["location"])
    assert await saml.refused(xml) == "flow_unknown"
    # Another request does not make it valid again, nor does another id of the response around it.
    again = asked(await saml.leave(browser)).get("ID")
    assert await saml.refused(xml.replace(f'InResponseTo="{request}"', f'InResponseTo="{again}"', 1)) == (
        "saml_in_response_to_mismatch"
    )


async def test_an_assertion_is_taken_once(saml: SamlCompany, settings: Settings) -> None:
    """Without a request of ours, only the assertion's id shows that it was used before."""
    begun = await connect_saml(saml.world, saml.key, settings.address, idp_initiated=True)
    facts = begun.facts()
    assert (await begun.post(signed(facts, begun.key))).status_code == 200
    assert await begun.refused(signed(facts, begun.key)) == "replayed"
    assert await begun.refused(signed(facts.but(response_id="_other"), begun.key, "both")) == "replayed"


async def test_fifty_at_once(saml: SamlCompany) -> None:
    request = asked(await saml.leave(saml.browser())).get("ID")
    xml = signed(saml.facts(request=request), saml.key)
    answers = await asyncio.gather(*(saml.post(xml) for _ in range(50)))
    assert sum("ticket=" in each.headers["location"] for each in answers) == 1


async def test_a_request_is_good_for_ten_minutes(saml: SamlCompany) -> None:
    request = asked(await saml.leave(saml.browser())).get("ID")
    saml.world.clock.move(minutes=10)
    assert await saml.refused(signed(saml.facts(request=request), saml.key)) == "flow_expired"


async def test_a_request_of_nobody(saml: SamlCompany) -> None:
    for request in ("_" + "x" * 43, "_1", "x", ""):
        assert await saml.refused(signed(saml.facts(request=request), saml.key)) == "flow_unknown"


async def test_another_browser(saml: SamlCompany) -> None:
    """The provider's page posts without a cookie. The browser is checked when the ticket is exchanged."""
    location = await saml.arrive(saml.browser())
    assert (await exchange(saml.browser(), ticket_in(location))).status_code == 401
    assert await saml.sessions() == 0


async def test_the_page_afterwards(saml: SamlCompany) -> None:
    location = await saml.arrive(saml.browser(), leaving={"return_to": "/learn/courses"})
    assert dict(parse_qsl(urlsplit(location).fragment))["return_to"] == "/learn/courses"
    for evil in ("//evil.test", "https://evil.test", "/\\evil.test", "javascript:alert(1)", "/x\r\ny"):
        location = await saml.arrive(saml.browser(), leaving={"return_to": evil})
        assert "return_to" not in urlsplit(location).fragment


async def test_the_provider_ends_the_session(saml: SamlCompany) -> None:
    until = saml.world.clock.now + timedelta(minutes=30)
    signed_in = await saml.sign_in(saml.browser(), session_until=at(until))
    assert datetime.fromisoformat(signed_in["expires_at"]) == until


async def test_what_an_administrator_reads(saml: SamlCompany) -> None:
    browser = saml.browser()
    location = await saml.arrive(browser, audience="https://other.test")
    entry = await saml.refusal(location)
    assert (entry["code"], entry["expected"], entry["received"]) == (
        "saml_audience_mismatch",
        saml.own.entity_id,
        "https://other.test",
    )
    assert (entry["outcome"], entry["connection_id"]) == ("REFUSED", saml.id)


async def test_an_address_of_another_domain(saml: SamlCompany) -> None:
    browser = saml.browser()
    location = await saml.arrive(browser, name_id="ana@other.test", attributes={})
    assert (await saml.refusal(location))["code"] == "domain_not_of_connection"


async def test_what_is_no_form(saml: SamlCompany) -> None:
    client = saml.world.client()
    for body in (b"", b"\xff", b"SAMLResponse=a&SAMLResponse=b", b"SAMLRequest=a", b"&" * 1000, b"{}"):
        answer = await client.post(f"/api/sso/saml/{saml.id}/acs", content=body)
        assert answer.status_code == 303
        code = (await saml.refusal(answer.headers["location"]))["code"]
        assert code == "saml_message_missing"
    too_large = await client.post(f"/api/sso/saml/{saml.id}/acs", content=b"a" * 300_000)
    assert too_large.status_code == 413


async def test_a_connection_that_is_not_there(saml: SamlCompany) -> None:
    for path in (f"{uuid4()}/acs", f"{uuid4()}/slo"):
        answer = await saml.world.client().post(f"/api/sso/saml/{path}", data={"SAMLResponse": "x"})
        assert answer.status_code == 303
    assert (await saml.world.client().post("/api/sso/saml/1/acs")).status_code == 404


async def test_a_disabled_connection(saml: SamlCompany) -> None:
    browser = saml.browser()
    request = asked(await saml.leave(browser)).get("ID")
    async with saml.world.tx() as tx:
        await connection_queries.update(tx, saml.id, {"enabled": False})
    assert await saml.refused(signed(saml.facts(request=request), saml.key)) == "connection_disabled"
    location = await saml.leave(browser)
    assert (await saml.refusal(location))["code"] == "connection_missing"


# Another tenant, whose administrator uses the same provider, or one that makes the same statements.


async def other_company(
    stranger: World, saml: SamlCompany, address: str, key: SigningKey | None = None
) -> SamlCompany:
    """Creates another tenant with the same entity id, key and metadata."""
    return await connect_saml(stranger, key or saml.key, address, idp_initiated=True)


async def test_another_tenants_answer(saml: SamlCompany, stranger: World, settings: Settings) -> None:
    other = await other_company(stranger, saml, settings.address)
    request = asked(await saml.leave(saml.browser())).get("ID")
    xml = signed(saml.facts(request=request), saml.key, "both")
    answer = await saml.post(xml, to=other.id)
    assert (await other.refusal(answer.headers["location"]))["code"] == "saml_destination_mismatch"
    # Made for the other tenant's address, in answer to a request of this one.
    foreign = signed(other.facts(request=request), other.key, "both")
    assert await other.refused(foreign) == "flow_unknown"
    # The request is still valid in its own tenant.
    ticket_in((await saml.post(xml)).headers["location"])


async def test_another_connection_of_the_same_tenant(saml: SamlCompany, settings: Settings) -> None:
    second = await connect_saml(saml.world, saml.key, settings.address)
    request = asked(await saml.leave(saml.browser(), connection=str(saml.id))).get("ID")
    assert await second.refused(signed(second.facts(request=request), second.key)) == (
        "flow_of_other_connection"
    )


async def test_another_tenants_people(saml: SamlCompany, stranger: World, settings: Settings) -> None:
    """A tenant's provider cannot sign in people of another tenant, with its own key."""
    mallory = await other_company(stranger, saml, settings.address, new_key())
    browser = mallory.browser()
    location = await mallory.arrive(browser, name_id=saml.email, attributes={"mail": [saml.email]})
    assert (await mallory.refusal(location))["code"] == "domain_not_of_connection"
    ticket = ticket_in(await mallory.arrive(browser))
    signed_in = await exchange(browser, ticket)
    assert signed_in.json()["user"]["email"] == mallory.email
    # The other tenant's key is not trusted here.
    request = asked(await saml.leave(saml.browser())).get("ID")
    assert await saml.refused(signed(saml.facts(request=request), mallory.key)) == "saml_signature_invalid"


async def test_the_same_subject_in_two_tenants(
    saml: SamlCompany, stranger: World, settings: Settings
) -> None:
    other = await other_company(stranger, saml, settings.address)
    subject = {"name_id": "u-1", "name_format": "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"}
    here = await saml.sign_in(saml.browser(), **subject, attributes={"mail": [saml.email]})
    there = await other.sign_in(other.browser(), **subject, attributes={"mail": [other.email]})
    assert here["user"]["id"] != there["user"]["id"]


# Sign-ins that the provider initiates.


@pytest.fixture
async def begins(world: World, key: SigningKey, settings: Settings) -> SamlCompany:
    return await connect_saml(world, key, settings.address, idp_initiated=True)


def continuation(page: str) -> dict[str, str]:
    return dict(re.findall(r'name="(continuation|return_to)" value="([^"]*)"', page))


async def test_a_provider_may_not_begin(saml: SamlCompany) -> None:
    assert await saml.refused(signed(saml.facts(), saml.key, "both")) == "saml_unsolicited"


async def test_a_provider_begins(begins: SamlCompany) -> None:
    page = await begins.post(signed(begins.facts(), begins.key, "both"), "/learn/courses")
    assert page.status_code == 200
    assert begins.email in page.text
    assert page.headers["cache-control"] == "no-store"
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    browser = begins.browser()
    answer = await browser.post(f"/api/sso/saml/{begins.id}/continue", data=continuation(page.text))
    assert answer.status_code == 303, answer.text
    fragment = dict(parse_qsl(urlsplit(answer.headers["location"]).fragment))
    assert fragment["return_to"] == "/learn/courses"
    signed_in = await exchange(browser, fragment["ticket"])
    assert signed_in.json()["user"]["email"] == begins.email
    # A second confirmation comes too late.
    again = await browser.post(f"/api/sso/saml/{begins.id}/continue", data=continuation(page.text))
    assert (await begins.refusal(again.headers["location"]))["code"] == "flow_expired"


async def test_nobody_says_yes_for_somebody(begins: SamlCompany) -> None:
    page = await begins.post(signed(begins.facts(), begins.key, "both"))
    held = continuation(page.text)
    other_site = begins.world.client(scheme="https")
    for headers in ({"sec-fetch-site": "cross-site"}, {"origin": "https://evil.test"}, {}):
        path = f"/api/sso/saml/{begins.id}/continue"
        answer = await other_site.post(path, data=held, headers=headers)
        assert answer.status_code == 403
    # The ticket alone belongs to no browser.
    assert (await exchange(begins.browser(), held["continuation"][43:])).status_code == 401
    assert await begins.sessions() == 0


@pytest.mark.parametrize(
    "state",
    ["//evil.test", "https://evil.test/", "javascript:alert(1)", "/\\evil.test", "/x\r\nSet-Cookie: a=b"],
)
async def test_a_state_that_leads_elsewhere(begins: SamlCompany, state: str) -> None:
    page = await begins.post(signed(begins.facts(), begins.key, "both"), state)
    assert continuation(page.text)["return_to"] == ""


# A test in the panel.


async def test_a_test_leaves_nothing(saml: SamlCompany) -> None:
    browser = saml.browser()
    sign_in = dependency(saml.world, SamlSignIn)
    location = await begun_test(saml, sign_in)
    request = asked(location).get("ID")
    answer = await saml.post(signed(saml.facts(request=request), saml.key))
    assert answer.headers["location"].startswith(f"/admin/sso/{saml.id}/sign-ins/")
    assert await saml.world.events("user.created") == []
    location = await begun_test(saml, sign_in)
    request = asked(location).get("ID")
    failed = await saml.post(signed(saml.facts(request=request, audience="x"), saml.key))
    assert failed.headers["location"].startswith(f"/admin/sso/{saml.id}/sign-ins/")
    async with saml.world.tx() as tx:
        rows = await tx.rows(
            "SELECT outcome, code, trace FROM sso_sign_ins WHERE tenant_id = :tenant ORDER BY at, id"
        )
    assert {(row["outcome"], row["code"]) for row in rows} == {
        ("TESTED", None),
        ("TESTED", "saml_audience_mismatch"),
    }
    assert await saml.sessions() == 0
    assert browser.cookies == {}


async def begun_test(saml: SamlCompany, sign_in: SamlSignIn) -> str:
    async with saml.world.tx() as tx:
        connection = await connection_queries.get(tx, saml.id)
        request = Request({"method": "GET", "path": "/", "query_string": b"", "headers": []}, None, "", None)
        return await sign_in.begin(tx, connection, request, is_test=True)


async def test_several_certificates_and_none_that_fits(saml: SamlCompany, settings: Settings) -> None:
    new = new_key()
    both = await connect_saml(
        saml.world, new, settings.address, metadata=metadata(saml.key.certificate, new.certificate)
    )
    for each in (saml.key, new):
        request = asked(await both.leave(both.browser(), connection=str(both.id))).get("ID")
        ticket_in((await both.post(signed(both.facts(request=request), each))).headers["location"])
