"""Reads the identity from a response: every rule, in order, on nothing but what was signed.

Profiles 4.1.4.2 and 4.1.4.3 say what a relying party must check. The order is that of trust: form,
signatures, content.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from msgspec import Struct

from trilha.access.sso.errors import SignInRefused
from trilha.access.sso.saml.conditions import check_conditions, check_instant_ahead
from trilha.access.sso.saml.documents import (
    Element,
    decode_base64,
    instant,
    only,
    parse_document,
    require_child,
    text_of,
)
from trilha.access.sso.saml.encryption import decrypt
from trilha.access.sso.saml.errors import build_refusal
from trilha.access.sso.saml.identities import identity_of, name_id_of
from trilha.access.sso.saml.names import BEARER, SUCCESS, saml, samlp
from trilha.access.sso.saml.schema import NameId
from trilha.access.sso.saml.signatures import find_signed_element
from trilha.access.sso.saml.structure import ResponseShape, check_decrypted, check_response
from trilha.access.sso.schema import FederatedIdentity

SKEW = timedelta(seconds=120)


class ExpectedResponse(Struct, frozen=True, kw_only=True):
    """What a response must contain, as configured in the connection. `audience` is our entity id.

    `key` decrypts assertions; None refuses encrypted ones. `encrypted` requires encryption, and
    `unsolicited` allows the provider to start the sign-in.
    """

    issuer: str
    certificates: Sequence[x509.Certificate]
    audience: str
    acs_url: str
    now: datetime
    key: RSAPrivateKey | None = None
    encrypted: bool = False
    unsolicited: bool = False


class SignedAssertion(Struct, frozen=True):
    """The signed content. `in_response_to` is None if the response is unsolicited.

    The same assertion must not be accepted again before `good_until`.
    """

    id: str
    identity: FederatedIdentity
    name_id: NameId
    in_response_to: str | None
    good_until: datetime


def read_response(text: str, expected: ExpectedResponse) -> SignedAssertion:
    """Reads the SAMLResponse field of the POST binding. Raises only SignInRefused."""
    raw = decode_base64(text)
    root = parse_document(raw)
    shape = check_response(root)
    signed = find_signed_element(raw, expected.certificates, expected.now) if shape.signed else None
    assertion = _find_signed_assertion(raw, shape, signed, expected)
    response = root if signed is None else signed
    _check_response(response, expected, signed=signed is not None)
    _check_issuer(assertion, expected.issuer)
    confirmed = _confirm_subject(assertion, response, expected)
    session_ends_at = check_conditions(assertion, expected.audience, expected.now, SKEW)
    return SignedAssertion(
        id=assertion.get("ID", ""),
        identity=identity_of(assertion, session_ends_at, expected),
        name_id=name_id_of(assertion),
        in_response_to=confirmed.get("InResponseTo"),
        good_until=instant(confirmed.get("NotOnOrAfter", "")) + SKEW,
    )


def _find_signed_assertion(
    raw: bytes, shape: ResponseShape, signed: Element | None, expected: ExpectedResponse
) -> Element:
    """Returns the assertion from signed bytes: its own if it is signed, else the response's."""
    if shape.is_encrypted:
        return _decrypt_assertion(shape, signed, expected)
    if expected.encrypted:
        raise build_refusal("saml_encryption_missing", "an EncryptedAssertion", "an Assertion")
    if shape.assertion_signed:
        return find_signed_element(raw, expected.certificates, expected.now, saml("Assertion"))
    assert signed is not None  # the gate lets no other pass
    return require_child(signed, saml("Assertion"))


def _decrypt_assertion(shape: ResponseShape, signed: Element | None, expected: ExpectedResponse) -> Element:
    sealed = shape.assertion if signed is None else require_child(signed, saml("EncryptedAssertion"))
    plain, root = decrypt(sealed, expected.key, signed=signed is not None)
    if check_decrypted(root):
        return find_signed_element(plain, expected.certificates, expected.now)
    if signed is None:
        raise build_refusal("saml_signature_missing", "a signed Response or Assertion", "no signature")
    return root


def _check_response(response: Element, expected: ExpectedResponse, *, signed: bool) -> None:
    status = require_child(require_child(response, samlp("Status")), samlp("StatusCode"))
    if status.get("Value") != SUCCESS:
        raise build_refusal("saml_status_not_success", SUCCESS, _status(status))
    if only(response, saml("Issuer")) is not None:
        _check_issuer(response, expected.issuer)
    destination = response.get("Destination")
    if (signed or destination is not None) and destination != expected.acs_url:
        raise build_refusal("saml_destination_mismatch", expected.acs_url, destination or "no Destination")


def _status(code: Element) -> str:
    """Returns the status code with its nested code, which is more specific."""
    inner = code.find(samlp("StatusCode"))
    return " / ".join(each.get("Value", "") for each in (code, inner) if each is not None)


def _check_issuer(parent: Element, expected: str) -> None:
    received = text_of(require_child(parent, saml("Issuer")))
    if received != expected:
        raise build_refusal("saml_issuer_mismatch", expected, received)


def _confirm_subject(assertion: Element, response: Element, expected: ExpectedResponse) -> Element:
    """Returns the SubjectConfirmationData that is valid. If none is, raises SignInRefused for the first
    one's fault.
    """
    subject = require_child(assertion, saml("Subject"))
    bearers = [each for each in subject.findall(saml("SubjectConfirmation")) if each.get("Method") == BEARER]
    if not bearers:
        raise build_refusal("saml_confirmation_missing", BEARER, "no bearer confirmation")
    failures = []
    for bearer in bearers:
        try:
            return _check_bearer(require_child(bearer, saml("SubjectConfirmationData")), response, expected)
        except SignInRefused as failure:
            failures.append(failure)
    raise failures[0]


def _check_bearer(data: Element, response: Element, expected: ExpectedResponse) -> Element:
    if data.get("Recipient") != expected.acs_url:
        raise build_refusal(
            "saml_recipient_mismatch", expected.acs_url, data.get("Recipient") or "no Recipient"
        )
    if data.get("NotBefore") is not None:
        raise build_refusal("saml_confirmation_not_before", "no NotBefore", data.get("NotBefore"))
    check_instant_ahead("saml_confirmation_expired", data.get("NotOnOrAfter"), expected.now, SKEW)
    _check_request(data.get("InResponseTo"), response.get("InResponseTo"), expected)
    return data


def _check_request(confirmed: str | None, in_response_to: str | None, expected: ExpectedResponse) -> None:
    """Checks that the response answers the request it claims to answer. Whether that request is still
    open is checked where requests are stored.
    """
    if in_response_to is not None and in_response_to != confirmed:
        received = "another InResponseTo" if confirmed else "no InResponseTo"
        raise build_refusal("saml_in_response_to_mismatch", "the InResponseTo of the Response", received)
    if confirmed is None and not expected.unsolicited:
        raise build_refusal("saml_unsolicited", "an answer to a request of ours", "no InResponseTo")


def read_request_id(text: str) -> str:
    """Returns the request that a response claims to answer, unverified. Use it only to explain a failure.
    Raises SignInRefused.
    """
    return parse_document(decode_base64(text)).get("InResponseTo", "")
