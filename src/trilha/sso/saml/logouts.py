"""Logout messages of providers (profiles 4.4): signed always, by whichever binding they come."""

from datetime import datetime, timedelta

from msgspec import Struct

from trilha.sso.saml.assertions import SKEW, Expected
from trilha.sso.saml.conditions import check_instant_ahead
from trilha.sso.saml.documents import Element, decoded, instant, needed, parsed, text_of
from trilha.sso.saml.errors import refused
from trilha.sso.saml.identities import subject_of
from trilha.sso.saml.names import TRANSIENT_FORMAT, saml, samlp
from trilha.sso.saml.redirects import Name, Redirected
from trilha.sso.saml.signatures import signed_part
from trilha.sso.saml.structure import check_signed_message

# How old a message may be that says nothing of when it ends.
_AGE = timedelta(minutes=5)
_TAGS: dict[Name, str] = {"SAMLRequest": samlp("LogoutRequest"), "SAMLResponse": samlp("LogoutResponse")}
_MOST_INDEXES = 100


class LogoutRequest(Struct, frozen=True):
    """Whom a provider signs out. `subject` is None where its name was for one session alone.

    Without `session_indexes` all sessions of the subject are meant. It must not be taken twice before
    `good_until`.
    """

    id: str
    subject: str | None
    session_indexes: tuple[str, ...]
    good_until: datetime


def read_posted_logout(name: Name, text: str, expected: Expected, slo_url: str) -> Element:
    """The signed message of a form's field. Raises SignInRefused."""
    raw = decoded(text)
    if not check_signed_message(_of_kind(parsed(raw), name)):
        raise refused("saml_message_unsigned", "a signed message", "no signature")
    return _checked(signed_part(raw, expected.certificates, expected.now), expected, slo_url)


def read_redirected_logout(message: Redirected, expected: Expected, slo_url: str) -> Element:
    """The message of a query, whose signature is found good first. Raises SignInRefused."""
    message.check(expected.certificates)
    root = _of_kind(parsed(message.raw), message.name)
    if check_signed_message(root):
        root = signed_part(message.raw, expected.certificates, expected.now)
    return _checked(root, expected, slo_url)


def logout_request_of(root: Element, expected: Expected) -> LogoutRequest:
    """Raises SignInRefused."""
    name_id = needed(root, saml("NameID"))
    lasting = name_id.get("Format") != TRANSIENT_FORMAT
    indexes = tuple(text_of(each) for each in root.findall(samlp("SessionIndex")))
    if len(indexes) > _MOST_INDEXES or (not lasting and not indexes):
        raise refused("saml_session_index", f"1 to {_MOST_INDEXES} of SessionIndex", f"{len(indexes)}")
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
        raise refused("saml_message_kind", _TAGS[name], root.tag)
    return root


def _checked(root: Element, expected: Expected, slo_url: str) -> Element:
    issuer = text_of(needed(root, saml("Issuer")))
    if issuer != expected.issuer:
        raise refused("saml_issuer_mismatch", expected.issuer, issuer)
    if root.get("Destination") != slo_url:
        raise refused("saml_destination_mismatch", slo_url, root.get("Destination") or "no Destination")
    issued = instant(root.get("IssueInstant", ""))
    if not expected.now - _AGE - SKEW < issued <= expected.now + SKEW:
        raise refused("saml_message_expired", f"about {expected.now:%Y-%m-%dT%H:%M:%SZ}", f"{issued}")
    return root
