"""Signatures inside a document, and the bytes they are over.

signxml finds the bytes and compares; what it may find was narrowed before, by `structure`. It gives back the
canonical bytes that were signed, parsed anew: nothing else is read afterwards.
"""

import base64
import logging
from collections.abc import Sequence
from datetime import datetime

from cryptography import x509
from signxml.algorithms import DigestAlgorithm, SignatureMethod
from signxml.exceptions import InvalidDigest, InvalidSignature
from signxml.verifier import SignatureConfiguration, VerifyResult, XMLVerifier

from trilha.sso.errors import SignInRefused
from trilha.sso.saml.certificates import fingerprint
from trilha.sso.saml.documents import Element, new_parser, parsed
from trilha.sso.saml.errors import refused
from trilha.sso.saml.names import ds

# It would write what was signed, which is about people.
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


def signed_part(
    raw: bytes, certificates: Sequence[x509.Certificate], now: datetime, within: str = ""
) -> Element:
    """What the signature of the root, or of the root's one child of the tag `within`, is over.

    Raises SignInRefused where no certificate fits, and where there is none to compare with.
    """
    if not certificates:
        raise refused("saml_certificate_missing", "at least one signing certificate", "none")
    root = parsed(raw)  # a tree of its own: it is changed below
    signature = root.find(f"./{within}/{ds('Signature')}" if within else f"./{ds('Signature')}")
    if signature is None:
        raise refused("saml_signature_missing", "a signature")
    _check_algorithms(signature)
    told = _told_certificate(signature)
    _drop_key_info(signature)
    parent = signature.getparent()
    assert parent is not None
    signed = _tried(root, f"./{within}/" if within else "./", certificates, now, told)
    if signed.tag != parent.tag or signed.get("ID") != parent.get("ID"):
        raise refused("saml_reference_mismatch", parent.get("ID"), signed.get("ID"))
    return signed


def _tried(
    root: Element, location: str, certificates: Sequence[x509.Certificate], now: datetime, told: str | None
) -> Element:
    changed = False
    for certificate in certificates:
        try:
            result = _verified(root, location, certificate, now)
        except InvalidDigest:
            changed = True
        except InvalidSignature:
            continue
        except SignInRefused:
            raise
        except Exception:  # signxml lets errors of Python and lxml through for what it did not foresee
            raise refused("saml_signature_invalid", "a signature that can be read") from None
        else:
            if result.signed_xml is None:
                raise refused("saml_signature_invalid", "XML that was signed")
            return result.signed_xml
    if changed:
        raise refused("saml_signature_digest", "the content that was signed", "other content")
    raise refused("saml_signature_invalid", f"a key of {_fingerprints(certificates)}", told)


def _verified(root: Element, location: str, certificate: x509.Certificate, now: datetime) -> VerifyResult:
    expected = SignatureConfiguration(
        location=location,
        expect_references=1,
        signature_methods=_METHODS,
        digest_algorithms=_DIGESTS,
        verification_time=_inside(certificate, now),
    )
    verifier = XMLVerifier()  # it keeps what it was last asked
    result = verifier.verify(
        root, x509_cert=certificate, parser=new_parser(), id_attribute="ID", expect_config=expected
    )
    assert isinstance(result, VerifyResult)
    return result


def _inside(certificate: x509.Certificate, now: datetime) -> datetime:
    """A moment at which the certificate is valid: its dates are told of elsewhere."""
    return min(max(now, certificate.not_valid_before_utc), certificate.not_valid_after_utc)


def _check_algorithms(signature: Element) -> None:
    method = signature.find(f"{ds('SignedInfo')}/{ds('SignatureMethod')}")
    digest = signature.find(f"{ds('SignedInfo')}/{ds('Reference')}/{ds('DigestMethod')}")
    assert method is not None
    assert digest is not None
    if method.get("Algorithm") not in _METHOD_NAMES:
        raise refused(
            "saml_signature_algorithm", "RSA or ECDSA with SHA-256 or more", method.get("Algorithm")
        )
    if digest.get("Algorithm") not in _DIGEST_NAMES:
        raise refused("saml_digest_algorithm", "SHA-256, SHA-384 or SHA-512", digest.get("Algorithm"))


def _told_certificate(signature: Element) -> str | None:
    """The fingerprint of what the message says it was signed with, for people to compare; never used."""
    found = signature.find(f"{ds('KeyInfo')}/{ds('X509Data')}/{ds('X509Certificate')}")
    if found is None or not found.text:
        return None
    try:
        return fingerprint(x509.load_der_x509_certificate(base64.b64decode(found.text)))
    except Exception:  # whatever it is, it is only shown
        return "no certificate that can be read"


def _drop_key_info(signature: Element) -> None:
    """The key is ours to choose. It is outside of what this signature is over."""
    for found in signature.findall(ds("KeyInfo")):
        signature.remove(found)


def _fingerprints(certificates: Sequence[x509.Certificate]) -> str:
    return ", ".join(map(fingerprint, certificates))
