"""Verifies signatures inside a document and returns the bytes that they cover.

signxml locates and verifies the signature in a document that `structure` has restricted before. It returns
the canonical signed bytes, parsed anew; nothing else is read afterwards.
"""

import base64
import logging
from collections.abc import Sequence
from datetime import datetime

from cryptography import x509
from signxml.algorithms import DigestAlgorithm, SignatureMethod
from signxml.exceptions import InvalidDigest, InvalidSignature
from signxml.verifier import SignatureConfiguration, VerifyResult, XMLVerifier

from trilha.access.sso.errors import SignInRefused
from trilha.access.sso.saml.certificates import fingerprint
from trilha.access.sso.saml.documents import Element, new_parser, parse_document
from trilha.access.sso.saml.errors import build_refusal
from trilha.access.sso.saml.names import ds

# It would log signed content, which is about people.
logging.getLogger("signxml").setLevel(logging.WARNING)

_METHODS = frozenset(
    {
        SignatureMethod.RSA_SHA256,
        SignatureMethod.RSA_SHA384,
        SignatureMethod.RSA_SHA512,
        SignatureMethod.ECDSA_SHA256,
        SignatureMethod.ECDSA_SHA384,
    }
)
_DIGESTS = frozenset({DigestAlgorithm.SHA256, DigestAlgorithm.SHA384, DigestAlgorithm.SHA512})
_METHOD_NAMES = {each.value: each for each in _METHODS}
_DIGEST_NAMES = {each.value: each for each in _DIGESTS}


def find_signed_element(
    raw: bytes, certificates: Sequence[x509.Certificate], now: datetime, within: str = ""
) -> Element:
    """Returns the content covered by the signature of the root, or of the root's only child of the tag
    `within`.

    Raises SignInRefused if no certificate matches or if there is none.
    """
    if not certificates:
        raise build_refusal("saml_certificate_missing", "at least one signing certificate", "none")
    root = parse_document(raw)  # a tree of its own: it is changed below
    signature = root.find(f"./{within}/{ds('Signature')}" if within else f"./{ds('Signature')}")
    if signature is None:
        raise build_refusal("saml_signature_missing", "a signature")
    _check_algorithms(signature)
    told = _read_certificate(signature)
    _drop_key_info(signature)
    parent = signature.getparent()
    assert parent is not None
    signed = _try_certificates(root, f"./{within}/" if within else "./", certificates, now, told)
    if signed.tag != parent.tag or signed.get("ID") != parent.get("ID"):
        raise build_refusal("saml_reference_mismatch", parent.get("ID"), signed.get("ID"))
    return signed


def _try_certificates(
    root: Element, location: str, certificates: Sequence[x509.Certificate], now: datetime, named: str | None
) -> Element:
    changed = False
    for certificate in certificates:
        try:
            result = _verify(root, location, certificate, now)
        except InvalidDigest:
            changed = True
        except InvalidSignature:
            continue
        except SignInRefused:
            raise
        except Exception:  # signxml lets errors of Python and lxml through for what it did not foresee
            raise build_refusal("saml_signature_invalid", "a signature that can be read") from None
        else:
            if result.signed_xml is None:
                raise build_refusal("saml_signature_invalid", "XML that was signed")
            return result.signed_xml
    if changed:
        raise build_refusal("saml_signature_digest", "the content that was signed", "other content")
    raise build_refusal("saml_signature_invalid", f"a key of {_fingerprints(certificates)}", named)


def _verify(root: Element, location: str, certificate: x509.Certificate, now: datetime) -> VerifyResult:
    expected = SignatureConfiguration(
        location=location,
        expect_references=1,
        signature_methods=_METHODS,
        digest_algorithms=_DIGESTS,
        verification_time=_inside(certificate, now),
    )
    verifier = XMLVerifier()  # the verifier keeps its last query
    result = verifier.verify(
        root, x509_cert=certificate, parser=new_parser(), id_attribute="ID", expect_config=expected
    )
    assert isinstance(result, VerifyResult)
    return result


def _inside(certificate: x509.Certificate, now: datetime) -> datetime:
    """Returns a moment at which the certificate is valid, because its dates are reported elsewhere."""
    return min(max(now, certificate.not_valid_before_utc), certificate.not_valid_after_utc)


def _check_algorithms(signature: Element) -> None:
    method = signature.find(f"{ds('SignedInfo')}/{ds('SignatureMethod')}")
    digest = signature.find(f"{ds('SignedInfo')}/{ds('Reference')}/{ds('DigestMethod')}")
    assert method is not None
    assert digest is not None
    if method.get("Algorithm") not in _METHOD_NAMES:
        raise build_refusal(
            "saml_signature_algorithm", "RSA or ECDSA with SHA-256 or more", method.get("Algorithm")
        )
    if digest.get("Algorithm") not in _DIGEST_NAMES:
        raise build_refusal("saml_digest_algorithm", "SHA-256, SHA-384 or SHA-512", digest.get("Algorithm"))


def _read_certificate(signature: Element) -> str | None:
    """Returns the fingerprint of the certificate in the message, for people to compare. It is never
    trusted.
    """
    found = signature.find(f"{ds('KeyInfo')}/{ds('X509Data')}/{ds('X509Certificate')}")
    if found is None or not found.text:
        return None
    try:
        return fingerprint(x509.load_der_x509_certificate(base64.b64decode(found.text)))
    except Exception:  # whatever it is, it is only shown
        return "no certificate that can be read"


def _drop_key_info(signature: Element) -> None:
    """Removes the KeyInfo, because we choose the key. The signature does not cover it."""
    for found in signature.findall(ds("KeyInfo")):
        signature.remove(found)


def _fingerprints(certificates: Sequence[x509.Certificate]) -> str:
    return ", ".join(map(fingerprint, certificates))
