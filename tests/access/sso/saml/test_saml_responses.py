"""Responses of honest providers, and a violation of each rule."""

from datetime import timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from msgspec.structs import replace

from access.sso.saml.provider import (
    EMAIL_FORMAT,
    MODES,
    NOW,
    XENC,
    XENC11,
    Facts,
    SigningKey,
    Way,
    assertion,
    at,
    encrypt,
    new_key,
    posted,
    response,
    sign,
    signed,
)
from trilha.access.sso.errors import SignInRefused
from trilha.access.sso.saml.assertions import ExpectedResponse, SignedAssertion, read_response

MORE = "http://www.w3.org/2001/04/xmldsig-more#"
NAMEID = "urn:oasis:names:tc:SAML:2.0:nameid-format:"


def refusal(xml: str, expected: ExpectedResponse) -> SignInRefused:
    with pytest.raises(SignInRefused) as caught:
        read_response(posted(xml), expected)
    return caught.value


def read(xml: str, expected: ExpectedResponse) -> SignedAssertion:
    return read_response(posted(xml), expected)


@pytest.mark.parametrize("mode", MODES)
def test_reads_what_was_signed(mode: str, facts: Facts, key: SigningKey, expected: ExpectedResponse) -> None:
    found = read(signed(facts, key, mode), expected)
    identity = found.identity
    assert (identity.subject, identity.email, identity.name) == (
        "alice@acme.test",
        "alice@acme.test",
        "Alice",
    )
    assert identity.attributes["dept"] == ["Sales"]
    assert (identity.session_index, identity.session_ends_at, identity.email_verified) == (
        "_session1",
        None,
        None,
    )
    assert (found.id, found.in_response_to) == ("_assertion1", "_request1")
    assert found.good_until == NOW + timedelta(minutes=7)


@pytest.mark.parametrize("bits", ["384", "512"])
def test_takes_longer_hashes(bits: str, facts: Facts, key: SigningKey, expected: ExpectedResponse) -> None:
    digest = f"{MORE}sha384" if bits == "384" else f"{XENC}sha512"
    way = Way(method=f"{MORE}rsa-sha{bits}", digest=digest)
    assert read(signed(facts, key, "both", way), expected).id == "_assertion1"


@pytest.mark.parametrize(("curve", "method"), [(ec.SECP256R1(), "256"), (ec.SECP384R1(), "384")])
def test_takes_elliptic_curves(curve: Any, method: str, facts: Facts, expected: ExpectedResponse) -> None:
    key = new_key(kind=curve)
    xml = signed(facts, key, "both", Way(method=f"{MORE}ecdsa-sha{method}"))
    assert read(xml, replace(expected, certificates=[key.certificate])).id == "_assertion1"


def test_tries_every_certificate(
    facts: Facts, key: SigningKey, other_key: SigningKey, expected: ExpectedResponse
) -> None:
    both = replace(expected, certificates=[other_key.certificate, key.certificate])
    assert read(signed(facts, key), both).id == "_assertion1"


@pytest.mark.parametrize("days", [-2000, 10])
def test_takes_a_certificate_out_of_its_dates(days: int, facts: Facts, expected: ExpectedResponse) -> None:
    key = new_key(begins=NOW + timedelta(days=days))
    assert read(signed(facts, key), replace(expected, certificates=[key.certificate])).id == "_assertion1"


@pytest.mark.parametrize("algorithm", [f"{XENC11}aes{bits}-gcm" for bits in (128, 192, 256)])
@pytest.mark.parametrize("mode", MODES)
def test_opens_gcm(
    algorithm: str, mode: str, facts: Facts, key: SigningKey, own_key: SigningKey, expected: ExpectedResponse
) -> None:
    xml = encrypted(facts, key, own_key, mode, algorithm)
    assert read(xml, expected).identity.subject == "alice@acme.test"


@pytest.mark.parametrize("bits", [128, 192, 256])
@pytest.mark.parametrize("mode", ["response", "both"])
def test_opens_cbc_that_is_signed_over(
    bits: int, mode: str, facts: Facts, key: SigningKey, own_key: SigningKey, expected: ExpectedResponse
) -> None:
    xml = encrypted(facts, key, own_key, mode, f"{XENC}aes{bits}-cbc")
    assert read(xml, expected).identity.subject == "alice@acme.test"


def encrypted(facts: Facts, key: SigningKey, own_key: SigningKey, mode: str, algorithm: str) -> str:
    """Signs inside, outside, or both."""
    inside = assertion(facts) if mode == "response" else sign(assertion(facts), facts.assertion_id, key)
    whole = encrypt(response(facts, inside), own_key.certificate, algorithm)
    return whole if mode == "assertion" else sign(whole, facts.response_id, key)


def test_breaks_of_lines_in_base64(facts: Facts, key: SigningKey, expected: ExpectedResponse) -> None:
    text = posted(signed(facts, key))
    lines = "\r\n".join(text[start : start + 76] for start in range(0, len(text), 76))
    assert read_response(lines, expected).id == "_assertion1"


def test_the_provider_ends_our_session(facts: Facts, key: SigningKey, expected: ExpectedResponse) -> None:
    until = NOW + timedelta(hours=1)
    found = read(signed(facts.but(session_until=at(until)), key), expected)
    assert found.identity.session_ends_at == until


def test_an_answer_that_nobody_asked_for(facts: Facts, key: SigningKey, expected: ExpectedResponse) -> None:
    xml = signed(facts.but(request=None), key)
    assert refusal(xml, expected).code == "saml_unsolicited"
    assert read(xml, replace(expected, unsolicited=True)).in_response_to is None


SALT = "urn:x:salt"
BROKEN: list[tuple[dict[str, Any], str, str | None, str | None]] = [
    (
        {"issuer": "https://evil.test"},
        "saml_issuer_mismatch",
        "https://idp.acme.test/saml",
        "https://evil.test",
    ),
    ({"assertion_issuer": "https://evil.test"}, "saml_issuer_mismatch", None, "https://evil.test"),
    ({"response_issuer": "https://evil.test"}, "saml_issuer_mismatch", None, "https://evil.test"),
    ({"issuer": "https://idp.acme.test/saml/"}, "saml_issuer_mismatch", None, None),
    (
        {"audience": "https://other.test"},
        "saml_audience_mismatch",
        "https://learn.test/api/sso/saml/1/metadata",
        "https://other.test",
    ),
    ({"audience": None}, "saml_audience_mismatch", None, "no AudienceRestriction"),
    ({"conditions": ""}, "saml_element_missing", "Conditions", None),
    ({"authentication": ""}, "saml_authentication_missing", None, None),
    ({"recipient": "https://learn.test/api/sso/saml/12/acs"}, "saml_recipient_mismatch", None, None),
    ({"recipient": None}, "saml_recipient_mismatch", None, "no Recipient"),
    ({"destination": "https://learn.test/api/sso/saml/12/acs"}, "saml_destination_mismatch", None, None),
    ({"confirmed_until": at(NOW - timedelta(seconds=120))}, "saml_confirmation_expired", None, None),
    ({"confirmed_until": None}, "saml_confirmation_expired", None, "no NotOnOrAfter"),
    ({"confirmed_from": at(NOW)}, "saml_confirmation_not_before", None, None),
    ({"valid_from": at(NOW + timedelta(seconds=121))}, "saml_assertion_not_yet", None, None),
    ({"valid_until": at(NOW - timedelta(seconds=120))}, "saml_assertion_expired", None, None),
    ({"session_until": at(NOW - timedelta(seconds=120))}, "saml_session_expired", None, None),
    ({"valid_until": "2026-11-22T13:00:00+01:00"}, "saml_time_malformed", None, None),
    ({"valid_until": "tomorrow"}, "saml_time_malformed", None, "tomorrow"),
    ({"confirmed_request": None}, "saml_in_response_to_mismatch", None, "no InResponseTo"),
    ({"confirmed_request": "_request2"}, "saml_in_response_to_mismatch", None, None),
    ({"method": "urn:oasis:names:tc:SAML:2.0:cm:sender-vouches"}, "saml_confirmation_missing", None, None),
    ({"name_format": f"{NAMEID}transient", "attributes": {}}, "saml_name_id_transient", None, None),
    ({"name_id": ""}, "saml_name_id_malformed", None, None),
    ({"name_id": "alice&#10;"}, "saml_name_id_malformed", None, None),
    ({"name_id": "a" * 256}, "saml_name_id_malformed", None, None),
    (
        {"status": "urn:oasis:names:tc:SAML:2.0:status:Responder"},
        "saml_status_not_success",
        None,
        "urn:oasis:names:tc:SAML:2.0:status:Responder",
    ),
    (
        {"conditions": f'<saml:Conditions><x:Salt xmlns:x="{SALT}"/></saml:Conditions>'},
        "saml_condition_unknown",
        None,
        "Salt",
    ),
    (
        {
            "conditions": "<saml:Conditions><saml:AudienceRestriction><saml:Audience>"
            "https://learn.test/api/sso/saml/1/metadata</saml:Audience></saml:AudienceRestriction>"
            "<saml:AudienceRestriction><saml:Audience>https://other.test</saml:Audience>"
            "</saml:AudienceRestriction></saml:Conditions>"
        },
        "saml_audience_mismatch",
        None,
        "https://other.test",
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("changes", "code", "wanted", "received"), BROKEN)
def test_tells_what_is_wrong(
    mode: str,
    changes: dict[str, Any],
    code: str,
    wanted: str | None,
    received: str | None,
    facts: Facts,
    key: SigningKey,
    expected: ExpectedResponse,
) -> None:
    told = refusal(signed(facts.but(**changes), key, mode), expected)
    assert told.code == code
    assert wanted is None or told.expected == wanted
    assert received is None or told.received == received


@pytest.mark.parametrize(
    "changes",
    [
        {"confirmed_until": at(NOW - timedelta(seconds=119))},
        {"confirmed_until": "9999-12-31T23:59:59Z", "valid_until": "9999-12-31T23:59:59.999Z"},
        {"valid_from": at(NOW + timedelta(seconds=120))},
        {"valid_until": at(NOW - timedelta(seconds=119))},
        {"valid_until": "2026-11-22T12:05:00.1234567Z"},
        {"response_issuer": None},
        {"response_request": None},
    ],
)
def test_takes_what_is_just_right(
    changes: dict[str, Any], facts: Facts, key: SigningKey, expected: ExpectedResponse
) -> None:
    assert read(signed(facts.but(**changes), key, "both"), expected).id == "_assertion1"


@pytest.mark.parametrize(("mode", "taken"), [("assertion", True), ("response", False), ("both", False)])
def test_a_signed_response_says_where_it_goes(
    mode: str, taken: bool, facts: Facts, key: SigningKey, expected: ExpectedResponse
) -> None:
    xml = signed(facts.but(destination=None), key, mode)
    if taken:
        assert read(xml, expected).id == "_assertion1"
    else:
        assert refusal(xml, expected).code == "saml_destination_mismatch"


def test_names_the_certificate_that_is_missing(
    facts: Facts, key: SigningKey, other_key: SigningKey, expected: ExpectedResponse
) -> None:
    told = refusal(signed(facts, other_key), expected)
    assert told.code == "saml_signature_invalid"
    assert told.expected is not None
    assert told.expected.endswith(key.certificate.fingerprint(key.certificate.signature_hash_algorithm).hex())
    assert told.received == other_key.certificate.fingerprint(key.certificate.signature_hash_algorithm).hex()


def test_no_certificate_at_all(facts: Facts, key: SigningKey, expected: ExpectedResponse) -> None:
    assert refusal(signed(facts, key), replace(expected, certificates=[])).code == "saml_certificate_missing"


def test_persistent_names_are_told_apart_by_their_qualifiers(
    facts: Facts, key: SigningKey, expected: ExpectedResponse
) -> None:
    def subject(qualifier: str) -> str:
        xml = assertion(facts.but(name_format=f"{NAMEID}persistent"))
        named = xml.replace("<saml:NameID ", f"<saml:NameID {qualifier} ")
        inside = sign(named, facts.assertion_id, key)
        return read(response(facts, inside), expected).identity.subject

    usual = subject(f'NameQualifier="{facts.issuer}" SPNameQualifier="{facts.audience}"')
    assert usual == subject("") == "alice@acme.test"
    assert len({usual, subject('NameQualifier="b"'), subject('SPNameQualifier="b"')}) == 3


def test_a_transient_name_needs_something_lasting(
    facts: Facts, key: SigningKey, expected: ExpectedResponse
) -> None:
    named = facts.but(name_format=f"{NAMEID}transient", name_id="_1", attributes={"uid": ["alice"]})
    assert read(signed(named, key), expected).identity.subject == "alice"


def test_an_address_as_name_is_the_address(facts: Facts, key: SigningKey, expected: ExpectedResponse) -> None:
    found = read(signed(facts.but(attributes={}), key), expected).identity
    assert (found.email, found.name) == ("alice@acme.test", None)
    unspecified = "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified"
    found = read(signed(facts.but(attributes={}, name_format=unspecified), key), expected).identity
    assert found.email is None
    assert unspecified != EMAIL_FORMAT


def test_encryption_that_a_connection_asks_for(
    facts: Facts, key: SigningKey, own_key: SigningKey, expected: ExpectedResponse
) -> None:
    asked = replace(expected, encrypted=True)
    assert refusal(signed(facts, key), asked).code == "saml_encryption_missing"
    xml = encrypted(facts, key, own_key, "both", f"{XENC11}aes256-gcm")
    assert read(xml, asked).id == "_assertion1"
    assert refusal(xml, replace(expected, key=None)).code == "saml_encryption_unexpected"
