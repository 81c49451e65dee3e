"""The known attacks on SAML. Each is refused with SignInRefused and nothing else."""

import base64
import copy
import hashlib
import hmac
from collections.abc import Callable
from typing import Any

import pytest
from lxml import etree
from msgspec.structs import replace

from access.sso.saml import attacks
from access.sso.saml.attacks import EVIL, assertion_of, evil, parse, signature_of, write
from access.sso.saml.provider import (
    DS,
    ENVELOPED,
    EXC_C14N,
    MODES,
    SAML,
    XENC,
    XENC11,
    Facts,
    SigningKey,
    Way,
    assertion,
    canonical,
    encrypt,
    encrypted_assertion,
    new_key,
    posted,
    response,
    sealed_assertion,
    sign,
    signed,
)
from trilha.access.sso.errors import SignInRefused
from trilha.access.sso.saml.assertions import ExpectedResponse, read_response
from trilha.access.sso.saml.certificates import load_certificate
from trilha.access.sso.saml.signatures import find_signed_element


def refusal(xml: str | bytes, expected: ExpectedResponse) -> SignInRefused:
    with pytest.raises(SignInRefused) as caught:
        read_response(posted(xml), expected)
    return caught.value


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("attack", attacks.ALL, ids=lambda attack: attack.__name__)
def test_structure(
    attack: Callable[[Any], Any], mode: str, facts: Facts, key: SigningKey, expected: ExpectedResponse
) -> None:
    xml = write(attack(parse(signed(facts, key, mode))))
    assert EVIL in xml or attack is attacks.another_root
    refusal(xml, expected)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("attack", attacks.ALL, ids=lambda attack: attack.__name__)
def test_signatures_alone(
    attack: Callable[[Any], Any], mode: str, facts: Facts, key: SigningKey, expected: ExpectedResponse
) -> None:
    """Without the schema check before it: the accepted part is the signed one, or nothing is accepted."""
    raw = write(attack(parse(signed(facts, key, mode)))).encode()
    for within in ("", f"{{{SAML}}}Assertion"):
        try:
            found = find_signed_element(raw, expected.certificates, expected.now, within)
        except SignInRefused:
            continue
        assert EVIL not in write(found)
        assert "alice@acme.test" in write(found)


@pytest.mark.parametrize("attack", attacks.ALL[:8], ids=lambda attack: attack.__name__)
def test_wrapping_of_what_is_encrypted(
    attack: Callable[[Any], Any],
    facts: Facts,
    key: SigningKey,
    own_key: SigningKey,
    expected: ExpectedResponse,
) -> None:
    """A person who has seen a signed assertion can encrypt any version of it."""
    forged = assertion_of(attack(parse(signed(facts, key, "assertion"))))
    if forged is None:
        pytest.skip("no assertion is left to encrypt")
    sealed = encrypted_assertion(etree.tostring(forged), own_key.certificate)
    try:
        found = read_response(posted(response(facts, sealed)), expected)
    except SignInRefused:
        return
    assert found.identity.subject == "alice@acme.test"


INCLUSIVE = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
WAYS: list[tuple[Way, str]] = [
    (Way(method=f"{DS}rsa-sha1"), "saml_signature_algorithm"),
    (Way(digest=f"{DS}sha1"), "saml_digest_algorithm"),
    (Way(method=f"{DS}hmac-sha1"), "saml_signature_algorithm"),
    (Way(method="http://www.w3.org/2001/04/xmldsig-more#hmac-sha256"), "saml_signature_algorithm"),
    (Way(method=""), "saml_signature_algorithm"),
    (Way(canonicalization=f"{EXC_C14N}WithComments"), "saml_canonicalization_unknown"),
    (
        Way(canonicalization="http://www.w3.org/TR/2001/REC-xml-c14n-20010315"),
        "saml_canonicalization_unknown",
    ),
    (Way(uri=""), "saml_reference_mismatch"),
    (Way(uri="#other"), "saml_reference_mismatch"),
    (Way(uri="##_assertion1"), "saml_reference_mismatch"),
    (Way(uri="#xpointer(id('_assertion1'))"), "saml_reference_mismatch"),
    (Way(uri="https://evil.test/x"), "saml_reference_mismatch"),
    (Way(transforms=()), "saml_transforms_unknown"),
    (Way(transforms=(ENVELOPED,)), "saml_transforms_unknown"),
    (Way(transforms=(EXC_C14N, ENVELOPED)), "saml_transforms_unknown"),
    (Way(transforms=(ENVELOPED, f"{EXC_C14N}WithComments")), "saml_transforms_unknown"),
    *(
        (Way(transforms=(ENVELOPED, EXC_C14N, other)), "saml_transforms_unknown")
        for other in (
            "http://www.w3.org/TR/1999/REC-xslt-19991116",
            "http://www.w3.org/TR/1999/REC-xpath-19991116",
            "http://www.w3.org/2002/06/xmldsig-filter2",
            f"{DS}base64",
        )
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("way", "code"), WAYS)
def test_ways_to_sign_that_are_not_safe(
    way: Way, code: str, mode: str, facts: Facts, key: SigningKey, expected: ExpectedResponse
) -> None:
    assert refusal(signed(facts, key, mode, way), expected).code == code


@pytest.mark.parametrize("mode", MODES)
def test_the_public_key_is_no_secret(
    mode: str, facts: Facts, key: SigningKey, expected: ExpectedResponse
) -> None:
    """The signature is an HMAC with the certificate as its key."""
    tree = parse(signed(facts, key, mode))
    for signature in tree.iter(f"{{{DS}}}Signature"):
        info = signature[0]
        info[1].set("Algorithm", "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256")
        mac = hmac.digest(key.pem.encode(), canonical(info), hashlib.sha256)
        signature[1].text = base64.b64encode(mac).decode()
    assert refusal(write(tree), expected).code == "saml_signature_algorithm"


@pytest.mark.parametrize("mode", MODES)
def test_another_key_that_shows_our_certificate(
    mode: str, facts: Facts, key: SigningKey, other_key: SigningKey, expected: ExpectedResponse
) -> None:
    shown = "".join(key.pem.splitlines()[1:-1])
    xml = evil(signed(facts, other_key, mode, Way(key_info=shown)))
    assert refusal(xml, expected).code in ("saml_signature_invalid", "saml_reference_mismatch")


@pytest.mark.parametrize("mode", MODES)
def test_a_clone_of_the_certificate(
    mode: str, facts: Facts, key: SigningKey, expected: ExpectedResponse
) -> None:
    """The certificate has the same names and dates, and another key."""
    assert refusal(signed(facts, new_key(), mode), expected).code == "saml_signature_invalid"


def test_a_weak_key(facts: Facts, expected: ExpectedResponse) -> None:
    with pytest.raises(SignInRefused) as caught:
        load_certificate(new_key(kind=1024).pem)
    assert (caught.value.code, caught.value.received) == ("saml_key_too_weak", "1024 bits")


def test_one_of_two_signatures_is_no_good(
    facts: Facts, key: SigningKey, other_key: SigningKey, expected: ExpectedResponse
) -> None:
    inside = sign(assertion(facts), facts.assertion_id, key)
    xml = sign(response(facts, inside), facts.response_id, other_key)
    assert refusal(xml, expected).code == "saml_signature_invalid"
    inside = sign(assertion(facts), facts.assertion_id, other_key)
    xml = sign(response(facts, inside), facts.response_id, key)
    assert refusal(xml, expected).code == "saml_signature_invalid"


NAME = "alice@acme.test</saml:NameID>"
CONTENT = {
    "comment": "alice@acme.test<!-- -->.evil.test</saml:NameID>",
    "instruction": "alice@acme.test<?x y?>.evil.test</saml:NameID>",
    "element": "alice@acme.test<x/>.evil.test</saml:NameID>",
    "cdata": "<![CDATA[mallory@evil.test]]></saml:NameID>",
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("what", CONTENT)
def test_what_splits_a_text(
    what: str, mode: str, facts: Facts, key: SigningKey, expected: ExpectedResponse
) -> None:
    """The comment is inserted after signing: canonical XML omits comments, so the digest stays the same."""
    xml = signed(facts, key, mode).replace(NAME, CONTENT[what])
    assert CONTENT[what] in xml
    refusal(xml, expected)


def test_a_comment_in_the_digest(facts: Facts, key: SigningKey, expected: ExpectedResponse) -> None:
    """CVE-2025-29775."""
    tree = parse(signed(facts, key))
    digest = next(tree.iter(f"{{{DS}}}DigestValue"))
    digest.insert(0, etree.Comment("x"))
    assert refusal(write(tree), expected).code == "saml_xml_forbidden"


def test_elements_that_were_signed_are_no_text(
    facts: Facts, key: SigningKey, expected: ExpectedResponse
) -> None:
    """A provider whose people choose their own names may sign this."""
    told = facts.but(name_id="alice@acme.test<x xmlns=''/>.evil.test")
    assert refusal(signed(told, key), expected).code == "saml_element_not_text"
    told = facts.but(attributes={"email": ["alice@acme.test<x xmlns=''/>.evil.test"]}, name_id="bob")
    assert read_response(posted(signed(told, key)), expected).identity.attributes == {}


ENTITIES = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + "".join(
    f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
PROLOGUES = {
    "doctype": "<!DOCTYPE samlp:Response>",
    "external entity": '<!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]>',
    "external subset": '<!DOCTYPE x SYSTEM "https://evil.test/x.dtd">',
    "parameter entity": '<!DOCTYPE x [<!ENTITY % y SYSTEM "https://evil.test/x.dtd"> %y;]>',
    "laughs": ENTITIES + "]>",
    "default attribute": '<!DOCTYPE x [<!ATTLIST samlp:Response ID CDATA "_response1">]>',
    "comment": "<!-- -->",
    "instruction": '<?xml-stylesheet href="x"?>',
    "1.1": '<?xml version="1.1"?>',
    "latin": '<?xml version="1.0" encoding="iso-8859-1"?>',
    "utf-7": '<?xml version="1.0" encoding="utf-7"?>',
    "twice": '<?xml version="1.0"?><?xml version="1.0"?>',
}


@pytest.mark.parametrize("prologue", PROLOGUES)
def test_what_comes_before_the_root(
    prologue: str, facts: Facts, key: SigningKey, expected: ExpectedResponse
) -> None:
    told = refusal(PROLOGUES[prologue] + signed(facts, key), expected)
    assert told.code in ("saml_xml_forbidden", "saml_xml_declaration")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-7", "cp037"])
def test_other_encodings(encoding: str, facts: Facts, key: SigningKey, expected: ExpectedResponse) -> None:
    refusal(signed(facts.but(name_id="älice"), key).encode(encoding), expected)
    refusal(signed(facts, key).encode("utf-16"), expected)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "declared", ['xmlns:x="relative"', 'xmlns:x="../y"', 'xmlns:x="urn:ä"', 'xmlns:x="http:// x"']
)
def test_namespaces_that_libraries_differ_on(
    declared: str, mode: str, facts: Facts, key: SigningKey, expected: ExpectedResponse
) -> None:
    """CVE-2025-25292, and the empty canonical form of a relative URI."""
    xml = signed(facts, key, mode).replace("<samlp:Response ", f"<samlp:Response {declared} ", 1)
    assert refusal(xml, expected).code in ("saml_xml_namespace", "saml_xml_malformed")


def test_a_document_type_in_a_text(facts: Facts, key: SigningKey, expected: ExpectedResponse) -> None:
    """CVE-2025-25291: one parser's DOCTYPE is another parser's text."""
    xml = signed(facts, key).replace("Alice", "<![CDATA[<!DOCTYPE x [ ]>]]>")
    assert refusal(xml, expected).code == "saml_xml_forbidden"


def test_too_large(facts: Facts, key: SigningKey, expected: ExpectedResponse) -> None:
    """CVE-2025-54572."""
    xml = signed(facts, key)
    assert refusal(xml + " " * 5_000_000, expected).code == "saml_message_too_large"
    assert refusal("<x/>" * 10, expected).code == "saml_xml_malformed"
    many = xml.replace("</saml:Assertion>", "<x/>" * 5000 + "</saml:Assertion>")
    assert refusal(many, expected).code == "saml_message_too_large"
    deep = "<x>" * 20_000 + "</x>" * 20_000
    assert refusal(deep, expected).code == "saml_xml_malformed"
    wide = "<x " + "".join(f'a{number}="" ' for number in range(15_000)) + "/>"
    assert refusal(wide, expected).code == "saml_message_too_large"


@pytest.mark.parametrize(
    "text", ["", "%", "a", "PHgvPg", "PHgv Pg==", "PHgvPg==PHgvPg==", "ä", "PHgvPh==", "\0"]
)
def test_what_is_no_base64(text: str, expected: ExpectedResponse) -> None:
    with pytest.raises(SignInRefused):
        read_response(text, expected)


def test_a_transform_is_not_run(facts: Facts, key: SigningKey, expected: ExpectedResponse) -> None:
    """An XSLT loop, which other libraries run before they verify anything."""
    stylesheet = (
        '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">'
        '<xsl:template match="/"><xsl:for-each select="//. | //@*"><xsl:for-each select="//. | //@*">'
        '<xsl:for-each select="//. | //@*"><foo/></xsl:for-each></xsl:for-each></xsl:for-each>'
        "</xsl:template></xsl:stylesheet>"
    )
    xml = signed(facts, key).replace(
        f'<ds:Transform Algorithm="{EXC_C14N}"/>',
        f'<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116">{stylesheet}</ds:Transform>',
    )
    assert "xsl:for-each" in xml
    assert refusal(xml, expected).code == "saml_transforms_unknown"


# Encryption.


def test_encryption_is_no_signature(
    facts: Facts, key: SigningKey, own_key: SigningKey, expected: ExpectedResponse
) -> None:
    """Our certificate is public, so anyone can encrypt for us."""
    for inside in (evil(assertion(facts)), sign(evil(assertion(facts)), facts.assertion_id, new_key())):
        xml = encrypt(response(facts, inside), own_key.certificate)
        assert refusal(xml, expected).code in ("saml_signature_missing", "saml_signature_invalid")


def test_unsafe_encryption(
    facts: Facts, key: SigningKey, own_key: SigningKey, expected: ExpectedResponse
) -> None:
    xml = signed(facts, key)
    told = refusal(encrypt(xml, own_key.certificate, f"{XENC}aes128-cbc"), expected)
    assert told.code == "saml_encryption_unsigned"
    told = refusal(encrypt(xml, own_key.certificate, transport=f"{XENC}rsa-1_5"), expected)
    assert told.code == "saml_key_transport_algorithm"
    tree = parse(encrypt(xml, own_key.certificate))
    next(tree.iter(f"{{{XENC}}}EncryptionMethod")).set("Algorithm", f"{XENC}tripledes-cbc")
    assert refusal(write(tree), expected).code == "saml_encryption_algorithm"


def test_a_changed_outer_signature_keeps_cbc_closed(
    facts: Facts, key: SigningKey, other_key: SigningKey, own_key: SigningKey, expected: ExpectedResponse
) -> None:
    xml = encrypt(response(facts, assertion(facts)), own_key.certificate, f"{XENC}aes128-cbc")
    assert refusal(sign(xml, facts.response_id, other_key), expected).code == "saml_signature_invalid"


def _damaged(own_key: SigningKey, plain: bytes) -> dict[str, str]:
    """EncryptedAssertions that fail at every possible step."""
    gcm, oaep = f"{XENC11}aes256-gcm", f"{XENC}rsa-oaep-mgf1p"
    good = parse(encrypted_assertion(plain, own_key.certificate))
    key, content = (base64.b64decode(each.text) for each in good.iter(f"{{{XENC}}}CipherValue"))
    flipped = bytes([key[0] ^ 1]) + key[1:]
    short = parse(encrypted_assertion(plain, own_key.certificate, f"{XENC11}aes128-gcm"))
    short_key = base64.b64decode(next(short.iter(f"{{{XENC}}}CipherValue")).text)
    return {
        "key changed": sealed_assertion(flipped, content, gcm, oaep),
        "key empty": sealed_assertion(b"", content, gcm, oaep),
        "key too large": sealed_assertion(b"\xff" * len(key), content, gcm, oaep),
        "key of another length": sealed_assertion(short_key, content, gcm, oaep),
        "content changed": sealed_assertion(key, content[:-1] + bytes([content[-1] ^ 1]), gcm, oaep),
        "content empty": sealed_assertion(key, b"", gcm, oaep),
        "content short": sealed_assertion(key, content[:20], gcm, oaep),
        "no XML": encrypted_assertion(b"nothing", own_key.certificate),
        "no UTF-8": encrypted_assertion(b"\xff\xfe", own_key.certificate),
        "a DOCTYPE": encrypted_assertion(b"<!DOCTYPE x><x/>", own_key.certificate),
    }


def test_every_failure_to_decrypt_is_the_same(
    facts: Facts, key: SigningKey, own_key: SigningKey, expected: ExpectedResponse
) -> None:
    """Otherwise our key would be an oracle: the code, the message and the exception do not tell which step
    failed.
    """
    told = {
        name: refusal(response(facts, sealed), expected)
        for name, sealed in _damaged(own_key, assertion(facts).encode()).items()
    }
    assert {(each.code, each.expected, each.received) for each in told.values()} == {
        ("saml_decryption_failed", None, None)
    }
    assert all(each.__cause__ is None for each in told.values())


def test_every_padding_is_the_same(
    facts: Facts, key: SigningKey, own_key: SigningKey, expected: ExpectedResponse
) -> None:
    """CBC with a valid signature and every possible last block."""
    tree = parse(encrypt(response(facts, assertion(facts)), own_key.certificate, f"{XENC}aes128-cbc"))
    value = list(tree.iter(f"{{{XENC}}}CipherValue"))[1]
    content = base64.b64decode(value.text)
    told = set()
    for change in range(1, 256, 5):
        altered = content[:-17] + bytes([content[-17] ^ change]) + content[-16:]
        value.text = base64.b64encode(altered).decode()
        try:
            read_response(posted(sign(write(tree), facts.response_id, key)), expected)
        except SignInRefused as refused:
            told.add((refused.code, refused.expected, refused.received))
    assert told == {("saml_decryption_failed", None, None)}


def test_an_assertion_for_another_receiver(
    facts: Facts, key: SigningKey, other_key: SigningKey, expected: ExpectedResponse
) -> None:
    xml = encrypt(signed(facts, key), other_key.certificate)
    assert refusal(xml, expected).code == "saml_decryption_failed"


def test_a_response_inside_an_assertion(
    facts: Facts, key: SigningKey, own_key: SigningKey, expected: ExpectedResponse
) -> None:
    inner = signed(facts, key, "response").encode()
    told = refusal(response(facts, encrypted_assertion(inner, own_key.certificate)), expected)
    assert told.code == "saml_message_kind"


# Another tenant.


def test_a_response_for_another_connection(facts: Facts, key: SigningKey, expected: ExpectedResponse) -> None:
    """The same provider, entity id and key in two tenants."""
    xml = signed(facts, key, "both")
    elsewhere = replace(
        expected,
        audience="https://learn.test/api/sso/saml/2/metadata",
        acs_url="https://learn.test/api/sso/saml/2/acs",
    )
    assert read_response(posted(xml), expected).id == "_assertion1"
    assert refusal(xml, elsewhere).code == "saml_destination_mismatch"
    assert refusal(signed(facts.but(destination=None), key), elsewhere).code == "saml_recipient_mismatch"
    moved = facts.but(destination=None, recipient=elsewhere.acs_url)
    assert refusal(signed(moved, key), elsewhere).code == "saml_audience_mismatch"


def test_a_signature_of_somebody_else_on_the_same_element(
    facts: Facts, key: SigningKey, expected: ExpectedResponse
) -> None:
    """Two signatures in one element, with the honest one first or last."""
    for index in (1, 2):
        tree = parse(signed(facts, key))
        inside = assertion_of(tree)
        inside.insert(index, copy.deepcopy(signature_of(inside)))
        assert refusal(write(tree), expected).code == "saml_element_repeated"


def test_ids_beyond_the_message(facts: Facts, key: SigningKey, expected: ExpectedResponse) -> None:
    for identifier in ("", "a b", "ä", "_" * 300, "-1", "#x"):
        told = facts.but(assertion_id=identifier, destination=None)
        with pytest.raises(SignInRefused):
            read_response(posted(signed(told, key, "response")), expected)
    assert SAML in signed(facts, key)
