"""Namespaces, tags and algorithms, as the standards name them."""

ASSERTION_NS = "urn:oasis:names:tc:SAML:2.0:assertion"
PROTOCOL_NS = "urn:oasis:names:tc:SAML:2.0:protocol"
METADATA_NS = "urn:oasis:names:tc:SAML:2.0:metadata"
DSIG_NS = "http://www.w3.org/2000/09/xmldsig#"
XMLENC_NS = "http://www.w3.org/2001/04/xmlenc#"
XMLENC11_NS = "http://www.w3.org/2009/xmlenc11#"
EXC_C14N = "http://www.w3.org/2001/10/xml-exc-c14n#"
ENVELOPED_TRANSFORM = f"{DSIG_NS}enveloped-signature"

SUCCESS = "urn:oasis:names:tc:SAML:2.0:status:Success"
BEARER = "urn:oasis:names:tc:SAML:2.0:cm:bearer"
HTTP_POST = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"
HTTP_REDIRECT = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
EMAIL_FORMAT = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"
UNSPECIFIED_FORMAT = "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified"
PERSISTENT_FORMAT = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"
TRANSIENT_FORMAT = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient"
RSA_SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"


def saml(name: str) -> str:
    return f"{{{ASSERTION_NS}}}{name}"


def samlp(name: str) -> str:
    return f"{{{PROTOCOL_NS}}}{name}"


def md(name: str) -> str:
    return f"{{{METADATA_NS}}}{name}"


def ds(name: str) -> str:
    return f"{{{DSIG_NS}}}{name}"


def xenc(name: str) -> str:
    return f"{{{XMLENC_NS}}}{name}"
