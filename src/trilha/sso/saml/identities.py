"""The person in an assertion whose signature was found good: subject, attributes, session."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from trilha.sso.errors import masked
from trilha.sso.saml.documents import Element, needed, only, text_of
from trilha.sso.saml.errors import refused
from trilha.sso.saml.names import EMAIL_FORMAT, PERSISTENT_FORMAT, TRANSIENT_FORMAT, saml
from trilha.sso.saml.schema import NameId
from trilha.sso.schema import FederatedIdentity

_LONGEST_SUBJECT = 255
_LONGEST_VALUE = 1000
_MOST_VALUES = 500
# As providers name them when nobody says otherwise: by hand, by ADFS and Entra ID, by LDAP's object ids.
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
_GIVEN = (
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
# What stays the same of a person whose NameID is another each time.
_LASTING = ("uid", "urn:oid:0.9.2342.19200300.100.1.1", *_EMAIL)

Attributes = Mapping[str, Sequence[str]]


class _Named(Protocol):
    @property
    def issuer(self) -> str: ...
    @property
    def audience(self) -> str: ...


def identity_of(assertion: Element, session_ends_at: datetime | None, expected: _Named) -> FederatedIdentity:
    """Raises SignInRefused."""
    attributes = _attributes(assertion)
    name_id = only(needed(assertion, saml("Subject")), saml("NameID"))
    if name_id is None:
        raise refused("saml_name_id_missing", "a NameID that is not encrypted", "none")
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
    """Of an assertion that was read: as the provider has to be told whom a logout is about."""
    found = needed(needed(assertion, saml("Subject")), saml("NameID"))
    told = (found.get(name) for name in ("Format", "NameQualifier", "SPNameQualifier"))
    return NameId(text_of(found), *told)


def subject_of(name_id: Element, issuer: str, audience: str) -> str:
    """What a NameID is kept as. Raises SignInRefused for one that cannot be kept."""
    value = text_of(name_id)
    if not value or len(value) > _LONGEST_SUBJECT or not value.isprintable() or value != value.strip():
        longest = f"1 to {_LONGEST_SUBJECT} printable characters"
        raise refused("saml_name_id_malformed", longest, masked(value))
    if name_id.get("Format") != PERSISTENT_FORMAT:
        return value
    # Core 8.3.7: one value may stand for two people, told apart by who made it and for whom.
    qualifiers = name_id.get("NameQualifier") or issuer, name_id.get("SPNameQualifier") or audience
    if qualifiers == (issuer, audience):
        return value
    return "!".join((*qualifiers, value))


def _subject(name_id: Element, attributes: Attributes, expected: _Named) -> str:
    if name_id.get("Format") != TRANSIENT_FORMAT:
        return subject_of(name_id, expected.issuer, expected.audience)
    lasting = first(attributes, _LASTING)
    if lasting is None:
        raise refused("saml_name_id_transient", "a lasting NameID, or the attribute uid or mail", "transient")
    return lasting


def first(attributes: Attributes, names: Sequence[str]) -> str | None:
    """The first value of the first of these attributes that has one; case does not count in names."""
    lower = {name.lower(): values for name, values in attributes.items()}
    found = (lower.get(name, ()) for name in names)
    return next((values[0] for values in found if values), None)


def _name(attributes: Attributes) -> str | None:
    if (whole := first(attributes, _NAME)) is not None:
        return whole
    parts = [part for part in (first(attributes, _GIVEN), first(attributes, _FAMILY)) if part]
    return " ".join(parts) or None


def _attributes(assertion: Element) -> dict[str, list[str]]:
    """Values that are text; of one that holds elements nothing is read."""
    found: dict[str, list[str]] = {}
    for attribute in assertion.iterfind(f"{saml('AttributeStatement')}/{saml('Attribute')}"):
        for value in attribute.findall(saml("AttributeValue")):
            text = "" if len(value) else (value.text or "").strip()
            if text and len(text) <= _LONGEST_VALUE and text.isprintable():
                found.setdefault(attribute.get("Name", ""), []).append(text)
    if sum(map(len, found.values())) > _MOST_VALUES:
        raise refused("saml_attributes_too_many", f"at most {_MOST_VALUES} values")
    return found


def _session_index(assertion: Element) -> str | None:
    statement = assertion.find(saml("AuthnStatement"))
    return None if statement is None else statement.get("SessionIndex")
