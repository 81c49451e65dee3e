"""An identity provider that signs honest and dishonest messages.

It has its own signature code, so that a mistake in the verifying library cannot hide in both.
"""

import base64
import hashlib
import os
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID
from lxml import etree

SAML = "urn:oasis:names:tc:SAML:2.0:assertion"
SAMLP = "urn:oasis:names:tc:SAML:2.0:protocol"
DS = "http://www.w3.org/2000/09/xmldsig#"
XENC = "http://www.w3.org/2001/04/xmlenc#"
XENC11 = "http://www.w3.org/2009/xmlenc11#"
EXC_C14N = "http://www.w3.org/2001/10/xml-exc-c14n#"
ENVELOPED = f"{DS}enveloped-signature"
EMAIL_FORMAT = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)

_MORE = "http://www.w3.org/2001/04/xmldsig-more#"
METHODS: dict[str, type[hashes.HashAlgorithm]] = {
    f"{DS}rsa-sha1": hashes.SHA1,
    f"{_MORE}rsa-sha256": hashes.SHA256,
    f"{_MORE}rsa-sha384": hashes.SHA384,
    f"{_MORE}rsa-sha512": hashes.SHA512,
    f"{_MORE}ecdsa-sha256": hashes.SHA256,
    f"{_MORE}ecdsa-sha384": hashes.SHA384,
}
RSA_SHA256 = f"{_MORE}rsa-sha256"
DIGESTS = {
    f"{DS}sha1": hashlib.sha1,
    f"{XENC}sha256": hashlib.sha256,
    f"{_MORE}sha384": hashlib.sha384,
    f"{XENC}sha512": hashlib.sha512,
}
NAMES = {"saml": SAML, "samlp": SAMLP, "ds": DS, "xenc": XENC}


@dataclass(frozen=True)
class SigningKey:
    key: Any
    certificate: x509.Certificate

    @property
    def pem(self) -> str:
        return self.certificate.public_bytes(Encoding.PEM).decode()


def new_key(
    name: str = "idp", kind: Any = 2048, begins: datetime = NOW - timedelta(days=1), days: int = 1000
) -> SigningKey:
    key: Any = (
        ec.generate_private_key(kind) if not isinstance(kind, int) else rsa.generate_private_key(65537, kind)
    )
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    certificate = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(begins + timedelta(days=days))
        .sign(key, hashes.SHA256())
    )
    return SigningKey(key, certificate)


@dataclass(frozen=True)
class Facts:
    """The content of a response. None leaves the attribute or element out."""

    issuer: str = "https://idp.acme.test/saml"
    audience: str | None = "https://learn.test/api/sso/saml/1/metadata"
    acs_url: str = "https://learn.test/api/sso/saml/1/acs"
    now: datetime = NOW
    request: str | None = "_request1"
    name_id: str = "alice@acme.test"
    name_format: str = EMAIL_FORMAT
    attributes: dict[str, list[str]] = field(
        default_factory=lambda: {"email": ["alice@acme.test"], "displayName": ["Alice"], "dept": ["Sales"]}
    )
    response_id: str = "_response1"
    assertion_id: str = "_assertion1"
    status: str = "urn:oasis:names:tc:SAML:2.0:status:Success"
    more: dict[str, Any] = field(default_factory=dict)  # see `say`

    def say(self, name: str, default: str | None) -> str | None:
        return self.more.get(name, default)

    def but(self, **changes: Any) -> "Facts":
        known = {name: changes.pop(name) for name in list(changes) if hasattr(self, name)}
        return replace(self, more=self.more | changes, **known)


def at(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def attributes(**given: str | None) -> str:
    return "".join(f' {name}="{value}"' for name, value in given.items() if value is not None)


def assertion(facts: Facts) -> str:
    minute = timedelta(minutes=1)
    until = at(facts.now + 5 * minute)
    confirmed = attributes(
        Recipient=facts.say("recipient", facts.acs_url),
        NotOnOrAfter=facts.say("confirmed_until", until),
        InResponseTo=facts.say("confirmed_request", facts.request),
        NotBefore=facts.say("confirmed_from", None),
    )
    audience = (
        ""
        if facts.audience is None
        else f"<saml:AudienceRestriction><saml:Audience>{facts.audience}</saml:Audience>"
        "</saml:AudienceRestriction>"
    )
    valid = attributes(
        NotBefore=facts.say("valid_from", at(facts.now - minute)),
        NotOnOrAfter=facts.say("valid_until", until),
    )
    conditions = facts.say("conditions", f"<saml:Conditions{valid}>{audience}</saml:Conditions>")
    session = attributes(
        AuthnInstant=at(facts.now),
        SessionIndex="_session1",
        SessionNotOnOrAfter=facts.say("session_until", None),
    )
    authentication = facts.say(
        "authentication",
        f"<saml:AuthnStatement{session}><saml:AuthnContext><saml:AuthnContextClassRef>"
        "urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext>"
        "</saml:AuthnStatement>",
    )
    told = "".join(
        f'<saml:Attribute Name="{name}">'
        + "".join(f"<saml:AttributeValue>{value}</saml:AttributeValue>" for value in values)
        + "</saml:Attribute>"
        for name, values in facts.attributes.items()
    )
    method = facts.say("method", "urn:oasis:names:tc:SAML:2.0:cm:bearer")
    return (
        f'<saml:Assertion xmlns:saml="{SAML}" ID="{facts.assertion_id}" Version="2.0"'
        f' IssueInstant="{at(facts.now)}">'
        f"<saml:Issuer>{facts.say('assertion_issuer', facts.issuer)}</saml:Issuer>"
        f'<saml:Subject><saml:NameID Format="{facts.name_format}">{facts.name_id}</saml:NameID>'
        f'<saml:SubjectConfirmation Method="{method}"><saml:SubjectConfirmationData{confirmed}/>'
        f"</saml:SubjectConfirmation></saml:Subject>{conditions}{authentication}"
        f"<saml:AttributeStatement>{told}</saml:AttributeStatement></saml:Assertion>"
    )


def response(facts: Facts, inside: str) -> str:
    told = attributes(
        ID=facts.response_id,
        Version="2.0",
        IssueInstant=at(facts.now),
        Destination=facts.say("destination", facts.acs_url),
        InResponseTo=facts.say("response_request", facts.request),
    )
    issuer = facts.say("response_issuer", facts.issuer)
    issuer = f"<saml:Issuer>{issuer}</saml:Issuer>" if issuer is not None else ""
    return (
        f'<samlp:Response xmlns:samlp="{SAMLP}" xmlns:saml="{SAML}"{told}>{issuer}'
        f'<samlp:Status><samlp:StatusCode Value="{facts.status}"/></samlp:Status>{inside}</samlp:Response>'
    )


@dataclass(frozen=True)
class Way:
    """How a signature is made."""

    method: str = RSA_SHA256
    digest: str = f"{XENC}sha256"
    canonicalization: str = EXC_C14N
    transforms: tuple[str, ...] = (ENVELOPED, EXC_C14N)
    uri: str | None = None
    key_info: str | None = None  # the base64 of a certificate; None means the signer's own


def sign(xml: str, identifier: str, key: SigningKey, way: Way = Way()) -> str:
    """Returns the document with a signature after the Issuer of the element with this ID."""
    root = etree.fromstring(xml.encode())
    element = next(each for each in root.iter() if each.get("ID") == identifier)
    uri = f"#{identifier}" if way.uri is None else way.uri
    digest = base64.b64encode(DIGESTS[way.digest](canonical(element)).digest()).decode()
    signature = etree.fromstring(_signature(uri, digest, way, key))
    info = signature[0]
    element.insert(1 if element[0].tag == f"{{{SAML}}}Issuer" else 0, signature)
    signature[1].text = base64.b64encode(_signed(canonical(info), key.key, way.method)).decode()
    return etree.tostring(root).decode()


def _signature(uri: str, digest: str, way: Way, key: SigningKey) -> str:
    transforms = "".join(f'<ds:Transform Algorithm="{each}"/>' for each in way.transforms)
    shown = way.key_info or base64.b64encode(key.certificate.public_bytes(Encoding.DER)).decode()
    return (
        f'<ds:Signature xmlns:ds="{DS}"><ds:SignedInfo>'
        f'<ds:CanonicalizationMethod Algorithm="{way.canonicalization}"/>'
        f'<ds:SignatureMethod Algorithm="{way.method}"/><ds:Reference URI="{uri}">'
        f'<ds:Transforms>{transforms}</ds:Transforms><ds:DigestMethod Algorithm="{way.digest}"/>'
        f"<ds:DigestValue>{digest}</ds:DigestValue></ds:Reference></ds:SignedInfo><ds:SignatureValue/>"
        f"<ds:KeyInfo><ds:X509Data><ds:X509Certificate>{shown}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>"
        "</ds:Signature>"
    )


def _signed(raw: bytes, key: Any, method: str) -> bytes:
    algorithm = METHODS.get(method, hashes.SHA256)()
    if isinstance(key, rsa.RSAPrivateKey):
        return key.sign(raw, padding.PKCS1v15(), algorithm)
    r, s = decode_dss_signature(key.sign(raw, ec.ECDSA(algorithm)))
    size = (key.key_size + 7) // 8
    return r.to_bytes(size) + s.to_bytes(size)


def canonical(element: Any) -> bytes:
    return etree.tostring(element, method="c14n", exclusive=True)


def encrypt(
    xml: str,
    certificate: x509.Certificate,
    algorithm: str = f"{XENC11}aes256-gcm",
    transport: str = f"{XENC}rsa-oaep-mgf1p",
) -> str:
    """Returns the document with its Assertion encrypted with this certificate."""
    root = etree.fromstring(xml.encode())
    plain = root.find(f"{{{SAML}}}Assertion")
    assert plain is not None
    sealed = etree.fromstring(encrypted_assertion(canonical(plain), certificate, algorithm, transport))
    root.replace(plain, sealed)
    return etree.tostring(root).decode()


def encrypted_assertion(
    plain: bytes,
    certificate: x509.Certificate,
    algorithm: str = f"{XENC11}aes256-gcm",
    transport: str = f"{XENC}rsa-oaep-mgf1p",
) -> str:
    key = os.urandom(int(algorithm.partition("aes")[2][:3]) // 8)
    public: Any = certificate.public_key()
    if transport.endswith("rsa-1_5"):
        wrapped = public.encrypt(key, padding.PKCS1v15())
    else:
        wrapped = public.encrypt(key, padding.OAEP(padding.MGF1(hashes.SHA1()), hashes.SHA1(), None))
    return sealed_assertion(wrapped, _sealed(plain, key, algorithm), algorithm, transport)


def sealed_assertion(wrapped: bytes, content: bytes, algorithm: str, transport: str) -> str:
    key, value = (base64.b64encode(each).decode() for each in (wrapped, content))
    return (
        f'<saml:EncryptedAssertion xmlns:saml="{SAML}" xmlns:xenc="{XENC}" xmlns:ds="{DS}">'
        "<xenc:EncryptedData>"
        f'<xenc:EncryptionMethod Algorithm="{algorithm}"/><ds:KeyInfo><xenc:EncryptedKey>'
        f'<xenc:EncryptionMethod Algorithm="{transport}"/>'
        f"<xenc:CipherData><xenc:CipherValue>{key}</xenc:CipherValue></xenc:CipherData></xenc:EncryptedKey>"
        f"</ds:KeyInfo><xenc:CipherData><xenc:CipherValue>{value}</xenc:CipherValue></xenc:CipherData>"
        "</xenc:EncryptedData></saml:EncryptedAssertion>"
    )


def _sealed(plain: bytes, key: bytes, algorithm: str) -> bytes:
    if algorithm.endswith("gcm"):
        nonce = os.urandom(12)
        return nonce + AESGCM(key).encrypt(nonce, plain, None)
    count = 16 - len(plain) % 16
    vector = os.urandom(16)
    encryptor = Cipher(AES(key), CBC(vector)).encryptor()
    return vector + encryptor.update(plain + bytes(count - 1) + bytes([count])) + encryptor.finalize()


MODES = ("assertion", "response", "both")


def signed(facts: Facts, key: SigningKey, mode: str = "assertion", way: Way = Way()) -> str:
    """Returns a response that is signed in this way."""
    inside = assertion(facts)
    if mode != "response":
        inside = sign(inside, facts.assertion_id, key, way)
    whole = response(facts, inside)
    return whole if mode == "assertion" else sign(whole, facts.response_id, key, way)


def posted(xml: str | bytes) -> str:
    """Encodes a message for the POST binding."""
    return base64.b64encode(xml if isinstance(xml, bytes) else xml.encode()).decode()
