"""Assertions that were encrypted for us (XML Encryption 1.1).

Who can send us messages and see how they fail could decrypt with our key, answer by answer. So there is one
failure, whatever the cause, and the work is the same; CBC, which nothing protects against changes, is only
decrypted where a signature over it was found good before.
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

from trilha.sso.saml.documents import Element, needed, only, parsed, text_of
from trilha.sso.saml.errors import refused
from trilha.sso.saml.names import XMLENC11_NS, XMLENC_NS, ds, xenc

_GCM = {f"{XMLENC11_NS}aes{bits}-gcm": bits // 8 for bits in (128, 192, 256)}
_CBC = {f"{XMLENC_NS}aes{bits}-cbc": bits // 8 for bits in (128, 192, 256)}
_OAEP_SHA1 = f"{XMLENC_NS}rsa-oaep-mgf1p"
_OAEP = f"{XMLENC11_NS}rsa-oaep"
# Of the padding, in which SHA-1 is no weakness; nothing is signed with it.
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


class _Sealed(Struct, frozen=True):
    """An EncryptedAssertion in parts: how, the key that was wrapped for us, and the rest."""

    length: int  # of the content's key, in bytes
    authenticated: bool
    padding: OAEP
    wrapped_key: bytes
    content: bytes


def decrypted(encrypted: Element, key: RSAPrivateKey | None, *, signed: bool) -> tuple[bytes, Element]:
    """The document that was in an EncryptedAssertion, as bytes and as its root.

    `signed` says that a signature over it was verified. Raises SignInRefused.
    """
    if key is None:
        raise refused(
            "saml_encryption_unexpected", "an assertion that is not encrypted", "an EncryptedAssertion"
        )
    sealed = _sealed(encrypted)
    if not sealed.authenticated and not signed:
        raise refused("saml_encryption_unsigned", "a signed Response around CBC, or AES-GCM", "CBC alone")
    content_key = _unwrapped(sealed, key)
    try:
        plain = _opened(sealed, content_key)
        return plain, parsed(plain)
    except Exception:  # one failure for all: see above
        raise refused("saml_decryption_failed") from None


def _sealed(encrypted: Element) -> _Sealed:
    """Raises SignInRefused; all of it can be seen by whoever wrote the message."""
    try:
        return _read(encrypted)
    except (ValueError, TypeError):
        raise refused("saml_decryption_failed") from None


def _read(encrypted: Element) -> _Sealed:
    data = needed(encrypted, xenc("EncryptedData"))
    algorithm = needed(data, xenc("EncryptionMethod")).get("Algorithm") or ""
    if algorithm not in _GCM and algorithm not in _CBC:
        raise refused("saml_encryption_algorithm", "AES-GCM or AES-CBC", algorithm)
    keys = list(encrypted.iter(xenc("EncryptedKey")))
    if len(keys) != 1:
        raise refused("saml_encryption_key_count", "one EncryptedKey", len(keys))
    return _Sealed(
        length=_GCM.get(algorithm) or _CBC[algorithm],
        authenticated=algorithm in _GCM,
        padding=_padding(needed(keys[0], xenc("EncryptionMethod"))),
        wrapped_key=_value(keys[0]),
        content=_value(data),
    )


def _padding(method: Element) -> OAEP:
    algorithm = method.get("Algorithm")
    if algorithm not in (_OAEP_SHA1, _OAEP):
        raise refused("saml_key_transport_algorithm", "RSA-OAEP", algorithm)
    digest, mask, label = (
        only(method, name) for name in (ds("DigestMethod"), f"{{{XMLENC11_NS}}}MGF", xenc("OAEPparams"))
    )
    digest_name = None if digest is None else digest.get("Algorithm")
    mask_name = None if mask is None or algorithm == _OAEP_SHA1 else mask.get("Algorithm")
    if digest_name not in _DIGESTS or mask_name not in _MASKS or label is not None:
        raise refused("saml_key_transport_algorithm", "RSA-OAEP with SHA-1 or SHA-2, no label", digest_name)
    return OAEP(MGF1(_MASKS[mask_name]()), _DIGESTS[digest_name](), None)


def _value(parent: Element) -> bytes:
    text = text_of(needed(needed(parent, xenc("CipherData")), xenc("CipherValue")))
    return base64.b64decode("".join(text.split()), validate=True)


def _unwrapped(sealed: _Sealed, key: RSAPrivateKey) -> bytes:
    """The content's key. Where it does not open, one that opens nothing, so that this is not told apart."""
    instead = secrets.token_bytes(sealed.length)
    try:
        found = key.decrypt(sealed.wrapped_key, sealed.padding)
    except ValueError:
        return instead
    return found if len(found) == sealed.length else instead


def _opened(sealed: _Sealed, key: bytes) -> bytes:
    if sealed.authenticated:
        return AESGCM(key).decrypt(sealed.content[:_NONCE], sealed.content[_NONCE:], None)
    decryptor = Cipher(AES(key), CBC(sealed.content[:_BLOCK])).decryptor()
    padded = decryptor.update(sealed.content[_BLOCK:]) + decryptor.finalize()
    # XML Encryption 5.2.1: the last byte is how many there are too many; the others are of no meaning.
    if not padded or not 1 <= padded[-1] <= _BLOCK:
        raise ValueError("padding")
    return padded[: -padded[-1]]
