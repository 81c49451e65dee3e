"""Messages that we send to providers: sign-in and sign-out requests, and answers to theirs (core 3.4,
3.7).
"""

from datetime import datetime

from lxml import etree
from msgspec import Struct

from trilha.access.sso.saml.documents import Element
from trilha.access.sso.saml.names import ASSERTION_NS, HTTP_POST, PROTOCOL_NS, SUCCESS, saml, samlp
from trilha.access.sso.saml.schema import NameId

_NAMES = {"samlp": PROTOCOL_NS, "saml": ASSERTION_NS}


class Header(Struct, frozen=True):
    """The beginning of every message. `issuer` is our entity id."""

    id: str
    issuer: str
    destination: str
    at: datetime


def sign_in_request(header: Header, acs_url: str) -> bytes:
    """Builds a sign-in request. It names our address and binding explicitly, and leaves the name format
    to the provider.
    """
    root = _message("AuthnRequest", header)
    root.set("AssertionConsumerServiceURL", acs_url)
    root.set("ProtocolBinding", HTTP_POST)
    return etree.tostring(root)


def logout_request(header: Header, name_id: NameId, session_index: str | None) -> bytes:
    root = _message("LogoutRequest", header)
    named = etree.SubElement(root, saml("NameID"))
    named.text = name_id.value
    told = {
        "Format": name_id.format,
        "NameQualifier": name_id.name_qualifier,
        "SPNameQualifier": name_id.sp_name_qualifier,
    }
    for name, value in told.items():
        if value is not None:
            named.set(name, value)
    if session_index is not None:
        etree.SubElement(root, samlp("SessionIndex")).text = session_index
    return etree.tostring(root)


def logout_response(header: Header, in_response_to: str) -> bytes:
    root = _message("LogoutResponse", header)
    root.set("InResponseTo", in_response_to)
    status = etree.SubElement(root, samlp("Status"))
    etree.SubElement(status, samlp("StatusCode")).set("Value", SUCCESS)
    return etree.tostring(root)


def _message(name: str, header: Header) -> Element:
    root = etree.Element(samlp(name), nsmap=_NAMES)
    root.set("ID", header.id)
    root.set("Version", "2.0")
    root.set("IssueInstant", f"{header.at:%Y-%m-%dT%H:%M:%SZ}")
    root.set("Destination", header.destination)
    etree.SubElement(root, saml("Issuer")).text = header.issuer
    return root
