"""Our own metadata, one document for each connection. Providers get its address or its text."""

from lxml import etree

from trilha.access.sso.saml.certificates import in_metadata
from trilha.access.sso.saml.documents import Element
from trilha.access.sso.saml.names import (
    DSIG_NS,
    EMAIL_FORMAT,
    HTTP_POST,
    HTTP_REDIRECT,
    METADATA_NS,
    PERSISTENT_FORMAT,
    PROTOCOL_NS,
    UNSPECIFIED_FORMAT,
    XMLENC11_NS,
    XMLENC_NS,
    ds,
    md,
)
from trilha.access.sso.saml.schema import OwnAddresses

MEDIA_TYPE = "application/samlmetadata+xml"
_FORMATS = (EMAIL_FORMAT, PERSISTENT_FORMAT, UNSPECIFIED_FORMAT)
_ENCRYPTION = (f"{XMLENC11_NS}aes256-gcm", f"{XMLENC11_NS}aes128-gcm", f"{XMLENC_NS}rsa-oaep-mgf1p")


def own_metadata(own: OwnAddresses, certificate: str, *, signs: bool, encrypted: bool) -> bytes:
    """Builds the document. `certificate` is PEM. With `encrypted`, it is offered for encryption, which
    some providers then use.
    """
    names = {"md": METADATA_NS, "ds": DSIG_NS}
    root = etree.Element(md("EntityDescriptor"), nsmap=names)
    root.set("entityID", own.entity_id)
    role = etree.SubElement(root, md("SPSSODescriptor"))
    role.set("AuthnRequestsSigned", "true" if signs else "false")
    role.set("WantAssertionsSigned", "true")
    role.set("protocolSupportEnumeration", PROTOCOL_NS)
    _add_key(role, "signing", certificate)
    if encrypted:
        key = _add_key(role, "encryption", certificate)
        for algorithm in _ENCRYPTION:
            etree.SubElement(key, md("EncryptionMethod")).set("Algorithm", algorithm)
    for binding in (HTTP_REDIRECT, HTTP_POST):
        _add_service(role, "SingleLogoutService", binding, own.slo_url)
    for each in _FORMATS:
        etree.SubElement(role, md("NameIDFormat")).text = each
    acs = _add_service(role, "AssertionConsumerService", HTTP_POST, own.acs_url)
    acs.set("index", "0")
    acs.set("isDefault", "true")
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)


def _add_key(role: Element, use: str, certificate: str) -> Element:
    key = etree.SubElement(role, md("KeyDescriptor"))
    key.set("use", use)
    content = etree.SubElement(etree.SubElement(key, ds("KeyInfo")), ds("X509Data"))
    etree.SubElement(content, ds("X509Certificate")).text = in_metadata(certificate)
    return key


def _add_service(role: Element, name: str, binding: str, location: str) -> Element:
    service = etree.SubElement(role, md(name))
    service.set("Binding", binding)
    service.set("Location", location)
    return service
