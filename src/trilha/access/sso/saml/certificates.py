"""Signing keys: those of providers, which come as certificates, and our own.

A certificate in metadata is only a container of a key (SAML metadata interoperability profile 2.6.1):
storing it means trusting it. Administrators are warned about its dates, but an expired certificate locks
nobody out.
"""

import base64
import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import NameOID
from msgspec import Struct

from trilha.access.sso.saml.errors import build_refusal

RSA_LEAST = 2048
OWN_BITS = 3072
# Each sign-in may try all of them.
MAX_CERTIFICATES = 10
_CURVES = (ec.SECP256R1, ec.SECP384R1, ec.SECP521R1)
_OWN_YEARS = 20
_SPACE = re.compile(r"\s+")


class OwnKey(Struct, frozen=True):
    """The key with which we sign and which decrypts, and its certificate, both as PEM."""

    key: str
    certificate: str

    def __repr__(self) -> str:
        return "OwnKey(…)"

    @property
    def private(self) -> rsa.RSAPrivateKey:
        # We made the key and stored it sealed; checking its primes again would take 100 ms of every
        # sign-in.
        key = load_pem_private_key(self.key.encode(), None, unsafe_skip_rsa_key_validation=True)
        assert isinstance(key, rsa.RSAPrivateKey)
        return key


def load_certificate(text: str) -> x509.Certificate:
    """Loads a certificate from PEM, or from base64 as in metadata. Raises SignInRefused if it is
    unreadable or its key is weak.
    """
    plain = re.sub(r"-----(BEGIN|END) CERTIFICATE-----", "", text)
    try:
        raw = base64.b64decode(_SPACE.sub("", plain), validate=True)
        certificate = x509.load_der_x509_certificate(raw)
        key = certificate.public_key()
    except Exception:  # of cryptography, which names no common class for what it cannot read
        raise build_refusal("saml_certificate_malformed", "an X.509 certificate", plain[:40]) from None
    _check_strength(key)
    return certificate


def load_certificates(texts: Iterable[str]) -> list[x509.Certificate]:
    """Loads certificates without duplicates. Raises SignInRefused if there is none, because nothing could
    be verified then.
    """
    found = list({fingerprint(each): each for each in map(load_certificate, texts)}.values())
    if not found:
        raise build_refusal("saml_certificate_missing", "at least one signing certificate", "none")
    if len(found) > MAX_CERTIFICATES:
        raise build_refusal("saml_certificates_too_many", f"at most {MAX_CERTIFICATES}", len(found))
    return found


def _check_strength(key: object) -> None:
    if isinstance(key, rsa.RSAPublicKey):
        if key.key_size < RSA_LEAST:
            raise build_refusal(
                "saml_key_too_weak", f"RSA of at least {RSA_LEAST} bits", f"{key.key_size} bits"
            )
    elif not isinstance(key, ec.EllipticCurvePublicKey) or not isinstance(key.curve, _CURVES):
        raise build_refusal("saml_key_unknown", "RSA, or ECDSA on P-256, P-384 or P-521", type(key).__name__)


def pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(Encoding.PEM).decode()


def in_metadata(certificate_pem: str) -> str:
    """Returns the base64 of the certificate, in one line."""
    return _SPACE.sub("", re.sub(r"-----(BEGIN|END) CERTIFICATE-----", "", certificate_pem))


def fingerprint(certificate: x509.Certificate) -> str:
    """Returns the SHA-256 fingerprint in hexadecimal digits, as administrators compare it."""
    return certificate.fingerprint(SHA256()).hex()


def expires_at(certificates: Sequence[x509.Certificate]) -> datetime:
    """Returns the end of the certificate that lasts longest."""
    return max(each.not_valid_after_utc for each in certificates)


def new_own_key(name: str, now: datetime) -> OwnKey:
    """Makes an RSA key of 3,072 bits with a self-signed certificate. It takes a second, so do not call it
    on the event loop.
    """
    key = rsa.generate_private_key(public_exponent=65537, key_size=OWN_BITS)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name[:64])])
    certificate = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=365 * _OWN_YEARS))
        .sign(key, SHA256())
    )
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    return OwnKey(secret, pem(certificate))
