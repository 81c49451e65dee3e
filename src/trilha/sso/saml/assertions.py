"""Whom a response tells of: every rule, in order, over nothing but what was signed.

Profiles 4.1.4.2 and 4.1.4.3 say what a relying party must check. The order is that of trust: form,
signatures, content.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from msgspec import Struct

from trilha.sso.errors import SignInRefused
from trilha.sso.saml.conditions import check_conditions, check_instant_ahead
from trilha.sso.saml.documents import Element, decoded, instant, needed, only, parsed, text_of
from trilha.sso.saml.encryption import decrypted
from trilha.sso.saml.errors import refused
from trilha.sso.saml.identities import identity_of, name_id_of
from trilha.sso.saml.names import BEARER, SUCCESS, saml, samlp
from trilha.sso.saml.schema import NameId
from trilha.sso.saml.signatures import signed_part
from trilha.sso.saml.structure import ResponseShape, check_decrypted, check_response
from trilha.sso.schema import FederatedIdentity

SKEW = timedelta(seconds=120)


class Expected(Struct, frozen=True, kw_only=True):
    """What a response must be, from the connection alone. `audience` is our entity id.

    `key` opens what is encrypted; None where nothing may be. `encrypted` is whether everything must be,
    `unsolicited` whether a provider may begin.
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
    """What was signed. `in_response_to` is None for one that nobody asked for.

    The same assertion must not be taken again before `good_until`.
    """

    id: str
    identity: FederatedIdentity
    name_id: NameId
    in_response_to: str | None
    good_until: datetime


def read_response(text: str, expected: Expected) -> SignedAssertion:
    """Of the SAMLResponse field of the POST binding. Raises SignInRefused, and nothing else."""
    raw = decoded(text)
    root = parsed(raw)
    shape = check_response(root)
    signed = signed_part(raw, expected.certificates, expected.now) if shape.signed else None
    assertion = _signed_assertion(raw, shape, signed, expected)
    response = root if signed is None else signed
    _check_response(response, expected, signed=signed is not None)
    _check_issuer(assertion, expected.issuer)
    confirmed = _confirmed(assertion, response, expected)
    session_ends_at = check_conditions(assertion, expected.audience, expected.now, SKEW)
    return SignedAssertion(
        id=assertion.get("ID", ""),
        identity=identity_of(assertion, session_ends_at, expected),
        name_id=name_id_of(assertion),
        in_response_to=confirmed.get("InResponseTo"),
        good_until=instant(confirmed.get("NotOnOrAfter", "")) + SKEW,
    )


def _signed_assertion(
    raw: bytes, shape: ResponseShape, signed: Element | None, expected: Expected
) -> Element:
    """Out of bytes that were signed: the assertion's own where it is signed, else the response's."""
    if shape.encrypted:
        return _decrypted_assertion(shape, signed, expected)
    if expected.encrypted:
        raise refused("saml_encryption_missing", "an EncryptedAssertion", "an Assertion")
    if shape.assertion_signed:
        return signed_part(raw, expected.certificates, expected.now, saml("Assertion"))
    assert signed is not None  # the gate lets no other pass
    return needed(signed, saml("Assertion"))


def _decrypted_assertion(shape: ResponseShape, signed: Element | None, expected: Expected) -> Element:
    sealed = shape.assertion if signed is None else needed(signed, saml("EncryptedAssertion"))
    plain, root = decrypted(sealed, expected.key, signed=signed is not None)
    if check_decrypted(root):
        return signed_part(plain, expected.certificates, expected.now)
    if signed is None:
        raise refused("saml_signature_missing", "a signed Response or Assertion", "no signature")
    return root


def _check_response(response: Element, expected: Expected, *, signed: bool) -> None:
    status = needed(needed(response, samlp("Status")), samlp("StatusCode"))
    if status.get("Value") != SUCCESS:
        raise refused("saml_status_not_success", SUCCESS, _status(status))
    if only(response, saml("Issuer")) is not None:
        _check_issuer(response, expected.issuer)
    destination = response.get("Destination")
    if (signed or destination is not None) and destination != expected.acs_url:
        raise refused("saml_destination_mismatch", expected.acs_url, destination or "no Destination")


def _status(code: Element) -> str:
    """Its value, and that of the code inside, which says more."""
    inner = code.find(samlp("StatusCode"))
    return " / ".join(each.get("Value", "") for each in (code, inner) if each is not None)


def _check_issuer(parent: Element, expected: str) -> None:
    received = text_of(needed(parent, saml("Issuer")))
    if received != expected:
        raise refused("saml_issuer_mismatch", expected, received)


def _confirmed(assertion: Element, response: Element, expected: Expected) -> Element:
    """The SubjectConfirmationData that holds. Raises SignInRefused with what is wrong with the first one."""
    subject = needed(assertion, saml("Subject"))
    bearers = [each for each in subject.findall(saml("SubjectConfirmation")) if each.get("Method") == BEARER]
    if not bearers:
        raise refused("saml_confirmation_missing", BEARER, "no bearer confirmation")
    failures = []
    for bearer in bearers:
        try:
            return _check_bearer(needed(bearer, saml("SubjectConfirmationData")), response, expected)
        except SignInRefused as failure:
            failures.append(failure)
    raise failures[0]


def _check_bearer(data: Element, response: Element, expected: Expected) -> Element:
    if data.get("Recipient") != expected.acs_url:
        raise refused("saml_recipient_mismatch", expected.acs_url, data.get("Recipient") or "no Recipient")
    if data.get("NotBefore") is not None:
        raise refused("saml_confirmation_not_before", "no NotBefore", data.get("NotBefore"))
    check_instant_ahead("saml_confirmation_expired", data.get("NotOnOrAfter"), expected.now, SKEW)
    _check_request(data.get("InResponseTo"), response.get("InResponseTo"), expected)
    return data


def _check_request(confirmed: str | None, told: str | None, expected: Expected) -> None:
    """Whether it is a request of ours that waits, is asked where requests are kept."""
    if told is not None and told != confirmed:
        received = "another InResponseTo" if confirmed else "no InResponseTo"
        raise refused("saml_in_response_to_mismatch", "the InResponseTo of the Response", received)
    if confirmed is None and not expected.unsolicited:
        raise refused("saml_unsolicited", "an answer to a request of ours", "no InResponseTo")


def told_request(text: str) -> str:
    """Which request a response says that it answers. Nothing of it is checked: it serves to tell more, and
    for nothing else. Raises SignInRefused."""
    return parsed(decoded(text)).get("InResponseTo", "")
