"""Reads and checks PKCS #12 files. No I/O, no clock.

The file decides how much work it takes to open, so that this runs in a sandbox: see `reading`.
"""

import contextlib
from datetime import datetime
from typing import NoReturn

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import NoEncryption, pkcs12

import trilha.training.certificates.signatures.errors  # noqa: F401
from trilha.core.errors import Invalid, invalid
from trilha.core.types import Timestamp
from trilha.training.certificates.signatures.rounds import count_rounds
from trilha.training.certificates.signatures.schema import NewIdentity

MAX_BYTES = 64 * 1024
# Rounds of hashing in the whole file: half a second. Usual files have between 2,000 and 600,000.
MAX_ROUNDS = 2_000_000
_RSA_BITS = range(2048, 8193)
_CURVES = ("secp256r1", "secp384r1", "secp521r1")


def read(content: bytes, password: str, now: datetime) -> NewIdentity:
    """Raises Invalid for `identity` or `password`."""
    if len(content) > MAX_BYTES:
        _refuse("identity_too_large")
    key, certificate, others = _open_pkcs12(content, password)
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
    """Returns the common name, or else the whole name."""
    common = name.get_attributes_for_oid(x509.NameOID.COMMON_NAME)
    return str(common[0].value) if common else name.rfc4514_string()


_Key = RSAPrivateKey | EllipticCurvePrivateKey


def _open_pkcs12(content: bytes, password: str) -> tuple[_Key, x509.Certificate, list[x509.Certificate]]:
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
    # An earlier exception may quote the file.
    raise problem from None
