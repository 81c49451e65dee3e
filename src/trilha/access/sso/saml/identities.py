"""The person in a verified assertion: subject, attributes, session."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from trilha.access.sso.errors import mask_email
from trilha.access.sso.saml.documents import Element, only, require_child, text_of
from trilha.access.sso.saml.errors import build_refusal
from trilha.access.sso.saml.names import EMAIL_FORMAT, PERSISTENT_FORMAT, TRANSIENT_FORMAT, saml
from trilha.access.sso.saml.schema import NameId
from trilha.access.sso.schema import FederatedIdentity

_LONGEST_SUBJECT = 255
_LONGEST_VALUE = 1000
_MAX_VALUES = 500
# The default names of providers: set by hand, by ADFS and Entra ID, or LDAP's object ids.
_EMAIL = (
    "email",
    "mail",
    "emailaddress",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
    "urn:oid:0.9.2342.19200300.100.1.3",
    "urn:oid:1.2.840.113549.1.9.1",
    "user.email",
)
_NAME = (
    "displayname",
    "name",
    "cn",
    "fullname",
    "http://schemas.microsoft.com/identity/claims/displayname",
    "urn:oid:2.16.840.1.113730.3.1.241",
    "urn:oid:2.5.4.3",
)
_FIRST_NAMES = (
    "givenname",
    "firstname",
    "first_name",
    "user.firstname",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname",
    "urn:oid:2.5.4.42",
)
_FAMILY = (
    "surname",
    "sn",
    "lastname",
    "last_name",
    "user.lastname",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname",
    "urn:oid:2.5.4.4",
)
# Attributes that identify a person whose NameID changes each time.
_LASTING = ("uid", "urn:oid:0.9.2342.19200300.100.1.1", *_EMAIL)

Attributes = Mapping[str, Sequence[str]]


class _Parties(Protocol):
    @property
    def issuer(self) -> str: ...
    @property
    def audience(self) -> str: ...


def identity_of(
    assertion: Element, session_ends_at: datetime | None, expected: _Parties
) -> FederatedIdentity:
    """Raises SignInRefused."""
    attributes = _attributes(assertion)
    name_id = only(require_child(assertion, saml("Subject")), saml("NameID"))
    if name_id is None:
        raise build_refusal("saml_name_id_missing", "a NameID that is not encrypted", "none")
    email = first(attributes, _EMAIL)
    if email is None and name_id.get("Format") == EMAIL_FORMAT:
        email = text_of(name_id)
    return FederatedIdentity(
        subject=_subject(name_id, attributes, expected),
        email=email,
        email_verified=None,
        name=_name(attributes),
        attributes=attributes,
        session_index=_session_index(assertion),
        session_ends_at=session_ends_at,
    )


def name_id_of(assertion: Element) -> NameId:
    """Returns the name to send to the provider in a logout of this person."""
    found = require_child(require_child(assertion, saml("Subject")), saml("NameID"))
    told = (found.get(name) for name in ("Format", "NameQualifier", "SPNameQualifier"))
    return NameId(text_of(found), *told)


def subject_of(name_id: Element, issuer: str, audience: str) -> str:
    """Returns a NameID in its stored form. Raises SignInRefused if it cannot be stored."""
    value = text_of(name_id)
    if not value or len(value) > _LONGEST_SUBJECT or not value.isprintable() or value != value.strip():
        longest = f"1 to {_LONGEST_SUBJECT} printable characters"
        raise build_refusal("saml_name_id_malformed", longest, mask_email(value))
    if name_id.get("Format") != PERSISTENT_FORMAT:
        return value
    # Core 8.3.7: the same value may stand for two people, distinguished by who made it and for whom.
    qualifiers = name_id.get("NameQualifier") or issuer, name_id.get("SPNameQualifier") or audience
    if qualifiers == (issuer, audience):
        return value
    return "!".join((*qualifiers, value))


def _subject(name_id: Element, attributes: Attributes, expected: _Parties) -> str:
    if name_id.get("Format") != TRANSIENT_FORMAT:
        return subject_of(name_id, expected.issuer, expected.audience)
    lasting = first(attributes, _LASTING)
    if lasting is None:
        raise build_refusal(
            "saml_name_id_transient", "a lasting NameID, or the attribute uid or mail", "transient"
        )
    return lasting


def first(attributes: Attributes, names: Sequence[str]) -> str | None:
    """Returns the first value of the first of these attributes that has one. Names are case-insensitive."""
    lower = {name.lower(): values for name, values in attributes.items()}
    found = (lower.get(name, ()) for name in names)
    return next((values[0] for values in found if values), None)


def _name(attributes: Attributes) -> str | None:
    if (whole := first(attributes, _NAME)) is not None:
        return whole
    parts = [part for part in (first(attributes, _FIRST_NAMES), first(attributes, _FAMILY)) if part]
    return " ".join(parts) or None


def _attributes(assertion: Element) -> dict[str, list[str]]:
    """Returns the text values; values that contain elements are ignored."""
    found: dict[str, list[str]] = {}
    for attribute in assertion.iterfind(f"{saml('AttributeStatement')}/{saml('Attribute')}"):
        for value in attribute.findall(saml("AttributeValue")):
            text = "" if len(value) else (value.text or "").strip()
            if text and len(text) <= _LONGEST_VALUE and text.isprintable():
                found.setdefault(attribute.get("Name", ""), []).append(text)
    if sum(map(len, found.values())) > _MAX_VALUES:
        raise build_refusal("saml_attributes_too_many", f"at most {_MAX_VALUES} values")
    return found


def _session_index(assertion: Element) -> str | None:
    statement = assertion.find(saml("AuthnStatement"))
    return None if statement is None else statement.get("SessionIndex")
