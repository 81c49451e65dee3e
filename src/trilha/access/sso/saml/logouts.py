"""Logout messages of providers (profiles 4.4). They must be signed, whichever binding they use."""

from datetime import datetime, timedelta

from msgspec import Struct

from trilha.access.sso.saml.assertions import SKEW, ExpectedResponse
from trilha.access.sso.saml.conditions import check_instant_ahead
from trilha.access.sso.saml.documents import (
    Element,
    decode_base64,
    instant,
    parse_document,
    require_child,
    text_of,
)
from trilha.access.sso.saml.errors import build_refusal
from trilha.access.sso.saml.identities import subject_of
from trilha.access.sso.saml.names import TRANSIENT_FORMAT, saml, samlp
from trilha.access.sso.saml.redirects import Name, RedirectMessage
from trilha.access.sso.saml.signatures import find_signed_element
from trilha.access.sso.saml.structure import check_signed_message

# The maximum age of a message that does not say when it expires.
_AGE = timedelta(minutes=5)
_TAGS: dict[Name, str] = {"SAMLRequest": samlp("LogoutRequest"), "SAMLResponse": samlp("LogoutResponse")}
_MAX_INDEXES = 100


class LogoutRequest(Struct, frozen=True):
    """A provider's request to sign somebody out. `subject` is None if the name was valid for one session
    only.

    Without `session_indexes`, all sessions of the subject end. The request must not be accepted twice before
    `good_until`.
    """

    id: str
    subject: str | None
    session_indexes: tuple[str, ...]
    good_until: datetime


def read_posted_logout(name: Name, text: str, expected: ExpectedResponse, slo_url: str) -> Element:
    """Returns the signed message of a form field. Raises SignInRefused."""
    raw = decode_base64(text)
    if not check_signed_message(_of_kind(parse_document(raw), name)):
        raise build_refusal("saml_message_unsigned", "a signed message", "no signature")
    return _check_message(find_signed_element(raw, expected.certificates, expected.now), expected, slo_url)


def read_redirected_logout(message: RedirectMessage, expected: ExpectedResponse, slo_url: str) -> Element:
    """Returns the message of a query after verifying its signature. Raises SignInRefused."""
    message.check(expected.certificates)
    root = _of_kind(parse_document(message.raw), message.name)
    if check_signed_message(root):
        root = find_signed_element(message.raw, expected.certificates, expected.now)
    return _check_message(root, expected, slo_url)


def logout_request_of(root: Element, expected: ExpectedResponse) -> LogoutRequest:
    """Raises SignInRefused."""
    name_id = require_child(root, saml("NameID"))
    lasting = name_id.get("Format") != TRANSIENT_FORMAT
    indexes = tuple(text_of(each) for each in root.findall(samlp("SessionIndex")))
    if len(indexes) > _MAX_INDEXES or (not lasting and not indexes):
        raise build_refusal("saml_session_index", f"1 to {_MAX_INDEXES} of SessionIndex", f"{len(indexes)}")
    until = root.get("NotOnOrAfter")
    if until is not None:
        check_instant_ahead("saml_message_expired", until, expected.now, SKEW)
    return LogoutRequest(
        id=root.get("ID", ""),
        subject=subject_of(name_id, expected.issuer, expected.audience) if lasting else None,
        session_indexes=indexes,
        good_until=(expected.now + _AGE if until is None else instant(until)) + SKEW,
    )


def _of_kind(root: Element, name: Name) -> Element:
    if root.tag != _TAGS[name]:
        raise build_refusal("saml_message_kind", _TAGS[name], root.tag)
    return root


def _check_message(root: Element, expected: ExpectedResponse, slo_url: str) -> Element:
    issuer = text_of(require_child(root, saml("Issuer")))
    if issuer != expected.issuer:
        raise build_refusal("saml_issuer_mismatch", expected.issuer, issuer)
    if root.get("Destination") != slo_url:
        raise build_refusal("saml_destination_mismatch", slo_url, root.get("Destination") or "no Destination")
    issued = instant(root.get("IssueInstant", ""))
    if not expected.now - _AGE - SKEW < issued <= expected.now + SKEW:
        raise build_refusal("saml_message_expired", f"about {expected.now:%Y-%m-%dT%H:%M:%SZ}", f"{issued}")
    return root
