"""PKCS #12 files, read and checked. No I/O, no clock.

A file says itself how much work it is to open, so that this runs in a process with limits: see `reading`.
"""

import contextlib
from datetime import datetime
from typing import NoReturn

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import NoEncryption, pkcs12

import trilha.certificates.signatures.errors  # noqa: F401
from trilha.certificates.signatures.rounds import count_rounds
from trilha.certificates.signatures.schema import NewIdentity
from trilha.core.errors import Invalid, invalid
from trilha.core.types import Timestamp

MOST_BYTES = 64 * 1024
# Of hashing, of the whole file: half a second. What is usual is between 2,000 and 600,000.
MAX_ROUNDS = 2_000_000
_RSA_BITS = range(2048, 8193)
_CURVES = ("secp256r1", "secp384r1", "secp521r1")


def read(content: bytes, password: str, now: datetime) -> NewIdentity:
    """Raises Invalid, of `identity` or `password`."""
    if len(content) > MOST_BYTES:
        _refuse("identity_too_large")
    key, certificate, others = _opened(content, password)
    _check(key, certificate, now)
    archive = pkcs12.serialize_key_and_certificates(None, key, certificate, others, NoEncryption())
    return NewIdentity(
        archive=archive,
        subject=name_of(certificate.subject),
        issuer=name_of(certificate.issuer),
        serial=f"{certificate.serial_number:x}",
        not_before=Timestamp.of(certificate.not_valid_before_utc),
        not_after=Timestamp.of(certificate.not_valid_after_utc),
        fingerprint=certificate.fingerprint(hashes.SHA256()),
    )


def name_of(name: x509.Name) -> str:
    """The common name, else the whole one."""
    common = name.get_attributes_for_oid(x509.NameOID.COMMON_NAME)
    return str(common[0].value) if common else name.rfc4514_string()


_Key = RSAPrivateKey | EllipticCurvePrivateKey


def _opened(content: bytes, password: str) -> tuple[_Key, x509.Certificate, list[x509.Certificate]]:
    try:
        rounds = count_rounds(content)
    except Exception:
        _refuse("identity_not_pkcs12")
    if rounds > MAX_ROUNDS:
        _refuse("identity_too_costly")
    try:
        key, certificate, others = pkcs12.load_key_and_certificates(content, password.encode())
    except ValueError:
        _refuse("identity_wrong_password", "password")
    except Exception:
        _refuse("identity_not_pkcs12")
    if key is None or certificate is None:
        _refuse("identity_without_key")
    if not isinstance(key, RSAPrivateKey | EllipticCurvePrivateKey):
        _refuse("identity_weak_key")
    return key, certificate, others


def _check(key: _Key, certificate: x509.Certificate, now: datetime) -> None:
    strong = key.key_size in _RSA_BITS if isinstance(key, RSAPrivateKey) else key.curve.name in _CURVES
    if not strong:
        _refuse("identity_weak_key")
    with contextlib.suppress(x509.ExtensionNotFound):
        usage = certificate.extensions.get_extension_for_class(x509.KeyUsage).value
        if not (usage.digital_signature or usage.content_commitment):
            _refuse("identity_cannot_sign")
    if certificate.not_valid_after_utc <= now:
        _refuse("identity_expired")
    if certificate.not_valid_before_utc > now:
        _refuse("identity_not_yet_valid")


def _refuse(code: str, field: str = "identity") -> NoReturn:
    problem: Invalid = invalid(field, code)
    # Whatever was raised before may quote the file.
    raise problem from None
