"""Decrypts assertions that were encrypted for us (XML Encryption 1.1).

Somebody who can send messages and observe how they fail could decrypt with our key, message by message. So
every failure is the same, and takes the same work. CBC, which does not detect changes, is decrypted only if
a valid signature covers it.
"""

import base64
import secrets

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, OAEP
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC
from msgspec import Struct

from trilha.access.sso.saml.documents import Element, only, parse_document, require_child, text_of
from trilha.access.sso.saml.errors import build_refusal
from trilha.access.sso.saml.names import XMLENC11_NS, XMLENC_NS, ds, xenc

_GCM = {f"{XMLENC11_NS}aes{bits}-gcm": bits // 8 for bits in (128, 192, 256)}
_CBC = {f"{XMLENC_NS}aes{bits}-cbc": bits // 8 for bits in (128, 192, 256)}
_OAEP_SHA1 = f"{XMLENC_NS}rsa-oaep-mgf1p"
_OAEP = f"{XMLENC11_NS}rsa-oaep"
# Hashes of the padding, in which SHA-1 is no weakness; nothing is signed with them.
_DIGESTS: dict[str | None, type[hashes.HashAlgorithm]] = {
    None: hashes.SHA1,
    "http://www.w3.org/2000/09/xmldsig#sha1": hashes.SHA1,
    f"{XMLENC_NS}sha256": hashes.SHA256,
    "http://www.w3.org/2001/04/xmldsig-more#sha384": hashes.SHA384,
    f"{XMLENC_NS}sha512": hashes.SHA512,
}
_MASKS: dict[str | None, type[hashes.HashAlgorithm]] = {
    None: hashes.SHA1,
    f"{XMLENC11_NS}mgf1sha1": hashes.SHA1,
    f"{XMLENC11_NS}mgf1sha256": hashes.SHA256,
    f"{XMLENC11_NS}mgf1sha384": hashes.SHA384,
    f"{XMLENC11_NS}mgf1sha512": hashes.SHA512,
}
_BLOCK = 16
_NONCE = 12


class _EncryptedParts(Struct, frozen=True):
    """The parts of an EncryptedAssertion: algorithms, the wrapped key and the content."""

    length: int  # of the content's key, in bytes
    authenticated: bool
    padding: OAEP
    wrapped_key: bytes
    content: bytes


def decrypt(encrypted: Element, key: RSAPrivateKey | None, *, signed: bool) -> tuple[bytes, Element]:
    """Returns the document inside an EncryptedAssertion, as bytes and as its root.

    `signed` says that a signature over it was verified. Raises SignInRefused.
    """
    if key is None:
        raise build_refusal(
            "saml_encryption_unexpected", "an assertion that is not encrypted", "an EncryptedAssertion"
        )
    sealed = _read_parts(encrypted)
    if not sealed.authenticated and not signed:
        raise build_refusal(
            "saml_encryption_unsigned", "a signed Response around CBC, or AES-GCM", "CBC alone"
        )
    content_key = _unwrap_key(sealed, key)
    try:
        plain = _open(sealed, content_key)
        return plain, parse_document(plain)
    except Exception:  # one failure for all: see above
        raise build_refusal("saml_decryption_failed") from None


def _read_parts(encrypted: Element) -> _EncryptedParts:
    """Raises SignInRefused. Its reasons may differ, because the sender can see all of these parts."""
    try:
        return _read(encrypted)
    except (ValueError, TypeError):
        raise build_refusal("saml_decryption_failed") from None


def _read(encrypted: Element) -> _EncryptedParts:
    data = require_child(encrypted, xenc("EncryptedData"))
    algorithm = require_child(data, xenc("EncryptionMethod")).get("Algorithm") or ""
    if algorithm not in _GCM and algorithm not in _CBC:
        raise build_refusal("saml_encryption_algorithm", "AES-GCM or AES-CBC", algorithm)
    keys = list(encrypted.iter(xenc("EncryptedKey")))
    if len(keys) != 1:
        raise build_refusal("saml_encryption_key_count", "one EncryptedKey", len(keys))
    return _EncryptedParts(
        length=_GCM.get(algorithm) or _CBC[algorithm],
        authenticated=algorithm in _GCM,
        padding=_padding(require_child(keys[0], xenc("EncryptionMethod"))),
        wrapped_key=_value(keys[0]),
        content=_value(data),
    )


def _padding(method: Element) -> OAEP:
    algorithm = method.get("Algorithm")
    if algorithm not in (_OAEP_SHA1, _OAEP):
        raise build_refusal("saml_key_transport_algorithm", "RSA-OAEP", algorithm)
    digest, mask, label = (
        only(method, name) for name in (ds("DigestMethod"), f"{{{XMLENC11_NS}}}MGF", xenc("OAEPparams"))
    )
    digest_name = None if digest is None else digest.get("Algorithm")
    mask_name = None if mask is None or algorithm == _OAEP_SHA1 else mask.get("Algorithm")
    if digest_name not in _DIGESTS or mask_name not in _MASKS or label is not None:
        raise build_refusal(
            "saml_key_transport_algorithm", "RSA-OAEP with SHA-1 or SHA-2, no label", digest_name
        )
    return OAEP(MGF1(_MASKS[mask_name]()), _DIGESTS[digest_name](), None)


def _value(parent: Element) -> bytes:
    text = text_of(require_child(require_child(parent, xenc("CipherData")), xenc("CipherValue")))
    return base64.b64decode("".join(text.split()), validate=True)


def _unwrap_key(sealed: _EncryptedParts, key: RSAPrivateKey) -> bytes:
    """Returns the content's key. If it cannot be unwrapped, returns a random key, so that the failure
    looks the same.
    """
    instead = secrets.token_bytes(sealed.length)
    try:
        found = key.decrypt(sealed.wrapped_key, sealed.padding)
    except ValueError:
        return instead
    return found if len(found) == sealed.length else instead


def _open(sealed: _EncryptedParts, key: bytes) -> bytes:
    if sealed.authenticated:
        return AESGCM(key).decrypt(sealed.content[:_NONCE], sealed.content[_NONCE:], None)
    decryptor = Cipher(AES(key), CBC(sealed.content[:_BLOCK])).decryptor()
    padded = decryptor.update(sealed.content[_BLOCK:]) + decryptor.finalize()
    # XML Encryption 5.2.1: the last byte is the length of the padding; the other padding bytes mean
    # nothing.
    if not padded or not 1 <= padded[-1] <= _BLOCK:
        raise ValueError("padding")
    return padded[: -padded[-1]]
