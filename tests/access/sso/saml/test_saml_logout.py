"""Single logout: the provider ends our sessions, and is told when a session ends here."""

import base64
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, urlsplit
from uuid import uuid4

import httpx2
import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.x509 import load_pem_x509_certificate

from access.sso.saml.company import (
    ISSUER,
    SLO_URL,
    SamlCompany,
    asked,
    connect_saml,
    exchange,
    metadata,
    packed,
    query_of,
    ticket_in,
)
from access.sso.saml.provider import RSA_SHA256, SAML, SAMLP, SigningKey, at, attributes, posted, sign
from conftest import World
from trilha.settings import Settings


def logout_message(saml: SamlCompany, **changes: Any) -> str:
    """Builds a LogoutRequest for Ana."""
    said = {
        "ID": f"_{uuid4().hex}",
        "Version": "2.0",
        "IssueInstant": at(saml.world.clock.now),
        "Destination": saml.own.slo_url,
        "issuer": ISSUER,
        "name_id": saml.email,
        "index": "_session1",
    } | changes
    issuer, name_id, index = (said.pop(name) for name in ("issuer", "name_id", "index"))
    session = f"<samlp:SessionIndex>{index}</samlp:SessionIndex>" if index else ""
    return (
        f'<samlp:LogoutRequest xmlns:samlp="{SAMLP}" xmlns:saml="{SAML}"{attributes(**said)}>'
        f"<saml:Issuer>{issuer}</saml:Issuer><saml:NameID>{name_id}</saml:NameID>{session}"
        "</samlp:LogoutRequest>"
    )


def query(xml: str, key: SigningKey | None, state: str = "state 1", name: str = "SAMLRequest") -> str:
    """Encodes it for the Redirect binding, signed if there is a key."""
    text = f"{name}={quote(packed(xml), safe='')}&RelayState={quote(state, safe='')}"
    if key is None:
        return text
    text += f"&SigAlg={quote(RSA_SHA256, safe='')}"
    signature = base64.b64encode(key.key.sign(text.encode(), PKCS1v15(), hashes.SHA256())).decode()
    return f"{text}&Signature={quote(signature, safe='')}"


async def by_redirect(saml: SamlCompany, text: str) -> httpx2.Response:
    return await saml.world.client().get(f"/api/sso/saml/{saml.id}/slo?{text}")


async def by_form(saml: SamlCompany, xml: str) -> httpx2.Response:
    path = f"/api/sso/saml/{saml.id}/slo"
    return await saml.world.client().post(path, data={"SAMLRequest": posted(xml), "RelayState": "state 1"})


async def test_the_provider_signs_somebody_out_by_redirect(saml: SamlCompany) -> None:
    browser = saml.browser()
    await saml.sign_in(browser)
    answer = await by_redirect(saml, query(logout_message(saml), saml.key))
    location = answer.headers["location"]
    assert location.startswith(f"{SLO_URL}?SAMLResponse=")
    told = asked(location)
    assert told.tag == f"{{{SAMLP}}}LogoutResponse"
    assert told.get("Destination") == SLO_URL
    assert told.find(f".//{{{SAMLP}}}StatusCode").get("Value").endswith(":Success")
    assert query_of(location)["RelayState"] == "state 1"
    assert await saml.sessions() == 0
    assert (await browser.get("/api/auth/session")).status_code == 401


async def test_and_by_a_form(saml: SamlCompany) -> None:
    await saml.sign_in(saml.browser())
    xml = logout_message(saml, ID="_logout1")
    answer = await by_form(saml, sign(xml, "_logout1", saml.key))
    assert answer.headers["location"].startswith(f"{SLO_URL}?SAMLResponse=")
    assert await saml.sessions() == 0


async def test_only_what_is_meant_ends(saml: SamlCompany) -> None:
    """Other people, other sessions of the same person, and sessions with a password continue."""
    await saml.sign_in(saml.browser())
    bia = f"bia@{saml.domain}"
    await saml.sign_in(saml.browser(), name_id=bia, attributes={"mail": [bia]})
    await by_redirect(saml, query(logout_message(saml, index="_other"), saml.key))
    assert await saml.sessions() == 2
    await by_redirect(saml, query(logout_message(saml), saml.key))
    assert await saml.sessions() == 1
    await by_redirect(saml, query(logout_message(saml, name_id=bia, index=None), saml.key))
    assert await saml.sessions() == 0


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"issuer": "https://evil.test"}, "saml_issuer_mismatch"),
        ({"Destination": "https://evil.test"}, "saml_destination_mismatch"),
        ({"Destination": None}, "saml_destination_mismatch"),
        ({"IssueInstant": "2020-01-01T00:00:00Z"}, "saml_message_expired"),
        ({"NotOnOrAfter": "2020-01-01T00:00:00Z"}, "saml_message_expired"),
        ({"Version": "1.1"}, "saml_version_unknown"),
        ({"name_id": "<x/>"}, "saml_element_not_text"),
    ],
)
async def test_what_is_refused(saml: SamlCompany, changes: dict[str, Any], code: str) -> None:
    await saml.sign_in(saml.browser())
    xml = logout_message(saml, **{"ID": "_l1", **changes})
    for answer in (
        await by_redirect(saml, query(xml, saml.key)),
        await by_form(saml, sign(xml, "_l1", saml.key)),
    ):
        assert (await saml.refusal(answer.headers["location"]))["code"] == code
    assert await saml.sessions() == 1


async def test_nobody_else_signs_people_out(saml: SamlCompany, other_key: SigningKey) -> None:
    await saml.sign_in(saml.browser())
    xml = logout_message(saml, ID="_l1")
    answers = {
        "saml_message_unsigned": [await by_redirect(saml, query(xml, None)), await by_form(saml, xml)],
        "saml_signature_invalid": [
            await by_redirect(saml, query(xml, other_key)),
            await by_form(saml, sign(xml, "_l1", other_key)),
            await by_redirect(saml, query(xml, saml.key).replace("state%201", "state%202")),
        ],
    }
    for code, refused in answers.items():
        for answer in refused:
            assert (await saml.refusal(answer.headers["location"]))["code"] == code
    assert await saml.sessions() == 1


async def test_a_message_is_taken_once(saml: SamlCompany) -> None:
    text = query(logout_message(saml), saml.key)
    await by_redirect(saml, text)
    await saml.sign_in(saml.browser())
    again = await by_redirect(saml, text)
    assert (await saml.refusal(again.headers["location"]))["code"] == "saml_message_replayed"
    assert await saml.sessions() == 1


async def test_another_tenant_has_the_same_provider(
    saml: SamlCompany, stranger: World, settings: Settings
) -> None:
    other = await connect_saml(stranger, saml.key, settings.address)
    await saml.sign_in(saml.browser())
    answer = await by_redirect(other, query(logout_message(saml), saml.key))
    assert (await other.refusal(answer.headers["location"]))["code"] == "saml_destination_mismatch"
    await by_redirect(other, query(logout_message(other, name_id=saml.email), saml.key))
    assert await saml.sessions() == 1


BROKEN: list[Callable[[str], str]] = [
    lambda text: "",
    lambda text: text.replace("SAMLRequest=", "SAMLRequest=%00"),
    lambda text: f"{text}&{text}",
    lambda text: text.replace("SigAlg=", "SigAlg=x"),
    lambda text: text.replace("&Signature=", "&Signature=x"),
    lambda text: f"{text}&SAMLEncoding=other",
    lambda text: "SAMLRequest=" + quote(base64.b64encode(b"x" * 100).decode()),
    lambda text: "SAMLRequest=" + quote(packed("a" * 20_000_000)),  # a bomb: 20 KB become 20 MB
]


@pytest.mark.parametrize("breaking", BROKEN)
async def test_broken_queries(saml: SamlCompany, breaking: Callable[[str], str]) -> None:
    answer = await by_redirect(saml, breaking(query(logout_message(saml), saml.key)))
    assert answer.status_code == 303
    code = (await saml.refusal(answer.headers["location"]))["code"]
    assert code.startswith("saml_")


async def test_answers_lead_to_sign_in(saml: SamlCompany) -> None:
    for answer in (
        await by_redirect(saml, query("<x/>", None, name="SAMLResponse")),
        await saml.world.client().post(f"/api/sso/saml/{saml.id}/slo", data={"SAMLResponse": "x"}),
    ):
        assert answer.headers["location"] == f"/login?tenant={saml.world.tenant.slug}"


async def test_signing_out_here(saml: SamlCompany) -> None:
    browser = saml.browser()
    await saml.sign_in(browser)
    page = await sign_out(browser)
    assert page.status_code == 200
    delay, _, location = page.headers["refresh"].partition("; url=")
    assert (delay, urlsplit(location)._replace(query="").geturl()) == ("0", SLO_URL)
    told = asked(location)
    assert told.tag == f"{{{SAMLP}}}LogoutRequest"
    assert told.findtext(f"{{{SAML}}}NameID") == saml.email
    assert told.find(f"{{{SAML}}}NameID").get("Format").endswith(":emailAddress")
    assert told.findtext(f"{{{SAMLP}}}SessionIndex") == "_session1"
    over, _, signature = urlsplit(location).query.partition("&Signature=")
    public = load_pem_x509_certificate(saml.made.detail.certificate.encode()).public_key()
    raw = base64.b64decode(query_of(location)["Signature"])
    public.verify(raw, over.encode(), PKCS1v15(), hashes.SHA256())  # type: ignore[call-arg,union-attr]
    assert signature
    assert await saml.sessions() == 0


async def test_a_provider_without_single_logout(saml: SamlCompany, settings: Settings) -> None:
    simple = await connect_saml(
        saml.world, saml.key, settings.address, metadata=metadata(saml.key.certificate, slo_url=None)
    )
    browser = simple.browser()
    location = await simple.arrive(browser, leaving={"connection": str(simple.id)})
    await exchange(browser, ticket_in(location))
    page = await sign_out(browser)
    assert page.headers["location"].startswith("/login?tenant=")
    answer = await by_redirect(simple, query(logout_message(simple), simple.key))
    assert answer.headers["location"] == f"/login?tenant={simple.world.tenant.slug}"


async def sign_out(browser: httpx2.AsyncClient) -> httpx2.Response:
    """Signs out with the button of the menu."""
    page = await browser.get("/learn/profile", follow_redirects=True)
    found = re.search(r'name="csrf_token" value="([^"]+)"', page.text)
    assert found, page.text[:2000]
    return await browser.post("/logout", data={"csrf_token": found[1]})
