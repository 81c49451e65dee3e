"""The Redirect binding (bindings 3.4): a message in a query, signed over the very bytes of that query."""

import base64
import zlib
from collections.abc import Sequence
from typing import Literal
from urllib.parse import quote, unquote_plus

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from msgspec import Struct

from trilha.sso.saml.certificates import fingerprint
from trilha.sso.saml.documents import decoded, inflated
from trilha.sso.saml.errors import refused
from trilha.sso.saml.names import RSA_SHA256

Name = Literal["SAMLRequest", "SAMLResponse"]
_NAMES = ("SAMLRequest", "SAMLResponse", "RelayState", "SigAlg", "Signature", "SAMLEncoding")
_DEFLATE = "urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE"
_MORE = "http://www.w3.org/2001/04/xmldsig-more#"
_HASHES: dict[str, type[hashes.HashAlgorithm]] = {
    "sha256": hashes.SHA256,
    "sha384": hashes.SHA384,
    "sha512": hashes.SHA512,
}
_RSA = {f"{_MORE}rsa-{name}": kind for name, kind in _HASHES.items()}
_ECDSA = {f"{_MORE}ecdsa-{name}": kind for name, kind in _HASHES.items() if name != "sha512"}
_MOST_QUERY = 64 * 1024


class Redirected(Struct, frozen=True):
    """A message that came in a query. `signed` is what its signature is over."""

    name: Name
    raw: bytes
    relay_state: str | None
    signed: bytes
    algorithm: str | None
    signature: bytes | None

    def check(self, certificates: Sequence[x509.Certificate]) -> None:
        """Raises SignInRefused unless one of these has signed it."""
        if self.signature is None or self.algorithm is None:
            raise refused("saml_message_unsigned", "SigAlg and Signature", "no signature")
        if not certificates:
            raise refused("saml_certificate_missing", "at least one signing certificate", "none")
        if self.algorithm not in _RSA and self.algorithm not in _ECDSA:
            raise refused("saml_signature_algorithm", "RSA or ECDSA with SHA-256 or more", self.algorithm)
        if not any(_fits(self.signed, self.signature, self.algorithm, each) for each in certificates):
            known = ", ".join(map(fingerprint, certificates))
            raise refused("saml_signature_invalid", f"a key of {known}", "a signature of another key")


def redirect_address(
    address: str, name: Name, message: bytes, key: RSAPrivateKey | None, relay_state: str | None = None
) -> str:
    """Where the browser is sent with this message; signed where there is a `key`."""
    deflater = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    packed = base64.b64encode(deflater.compress(message) + deflater.flush()).decode()
    query = f"{name}={quote(packed, safe='')}"
    if relay_state is not None:
        query += f"&RelayState={quote(relay_state, safe='')}"
    if key is not None:
        query += f"&SigAlg={quote(RSA_SHA256, safe='')}"
        signature = key.sign(query.encode(), PKCS1v15(), hashes.SHA256())
        query += f"&Signature={quote(base64.b64encode(signature).decode(), safe='')}"
    return f"{address}{'&' if '?' in address else '?'}{query}"


def read_redirect(query: str) -> Redirected:
    """Of a query as it came. Raises SignInRefused."""
    if len(query) > _MOST_QUERY:
        raise refused("saml_message_too_large", f"a query of at most {_MOST_QUERY} characters")
    given = _parameters(query)
    names: list[Name] = [name for name in ("SAMLRequest", "SAMLResponse") if name in given]
    if len(names) != 1:
        raise refused("saml_message_missing", "SAMLRequest or SAMLResponse", f"{len(names)} of them")
    if unquote_plus(given.get("SAMLEncoding", _DEFLATE)) != _DEFLATE:
        raise refused("saml_message_not_deflated", _DEFLATE, unquote_plus(given["SAMLEncoding"]))
    parts = [f"{name}={given[name]}" for name in (names[0], "RelayState", "SigAlg") if name in given]
    relay_state = unquote_plus(given["RelayState"]) if "RelayState" in given else None
    return Redirected(
        name=names[0],
        raw=inflated(unquote_plus(given[names[0]])),
        relay_state=relay_state,
        signed="&".join(parts).encode("latin-1"),
        algorithm=unquote_plus(given["SigAlg"]) if "SigAlg" in given else None,
        signature=decoded(unquote_plus(given["Signature"])) if "Signature" in given else None,
    )


def _parameters(query: str) -> dict[str, str]:
    """As they came, still quoted: the signature is over that."""
    given: dict[str, str] = {}
    for pair in query.split("&"):
        name, _, value = pair.partition("=")
        if name in given and name in _NAMES:
            raise refused("saml_message_missing", f"{name} once", f"{name} twice")
        given[name] = value
    return given


def _fits(signed: bytes, signature: bytes, algorithm: str, certificate: x509.Certificate) -> bool:
    key = certificate.public_key()
    try:
        if isinstance(key, RSAPublicKey) and algorithm in _RSA:
            key.verify(signature, signed, PKCS1v15(), _RSA[algorithm]())
            return True
        if isinstance(key, ec.EllipticCurvePublicKey) and algorithm in _ECDSA:
            half = len(signature) // 2
            pair = int.from_bytes(signature[:half]), int.from_bytes(signature[half:])
            key.verify(encode_dss_signature(*pair), signed, ec.ECDSA(_ECDSA[algorithm]()))
            return True
    except (InvalidSignature, ValueError):
        pass
    return False
