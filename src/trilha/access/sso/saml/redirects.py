"""The Redirect binding (bindings 3.4): a message in a query, signed over the exact bytes of that query."""

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

from trilha.access.sso.saml.certificates import fingerprint
from trilha.access.sso.saml.documents import decode_base64, inflate
from trilha.access.sso.saml.errors import build_refusal
from trilha.access.sso.saml.names import RSA_SHA256

Name = Literal["SAMLRequest", "SAMLResponse"]
_NAMES = ("SAMLRequest", "SAMLResponse", "RelayState", "SigAlg", "Signature", "SAMLEncoding")
_DEFLATE = "urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE"
_DSIG_EXTENSIONS = "http://www.w3.org/2001/04/xmldsig-more#"
_HASHES: dict[str, type[hashes.HashAlgorithm]] = {
    "sha256": hashes.SHA256,
    "sha384": hashes.SHA384,
    "sha512": hashes.SHA512,
}
_RSA = {f"{_DSIG_EXTENSIONS}rsa-{name}": kind for name, kind in _HASHES.items()}
_ECDSA = {f"{_DSIG_EXTENSIONS}ecdsa-{name}": kind for name, kind in _HASHES.items() if name != "sha512"}
_MAX_QUERY = 64 * 1024


class RedirectMessage(Struct, frozen=True):
    """A message from a query. `signed` are the bytes that its signature covers."""

    name: Name
    raw: bytes
    relay_state: str | None
    signed: bytes
    algorithm: str | None
    signature: bytes | None

    def check(self, certificates: Sequence[x509.Certificate]) -> None:
        """Raises SignInRefused unless the signature is valid for one of these certificates."""
        if self.signature is None or self.algorithm is None:
            raise build_refusal("saml_message_unsigned", "SigAlg and Signature", "no signature")
        if not certificates:
            raise build_refusal("saml_certificate_missing", "at least one signing certificate", "none")
        if self.algorithm not in _RSA and self.algorithm not in _ECDSA:
            raise build_refusal(
                "saml_signature_algorithm", "RSA or ECDSA with SHA-256 or more", self.algorithm
            )
        if not any(_fits(self.signed, self.signature, self.algorithm, each) for each in certificates):
            known = ", ".join(map(fingerprint, certificates))
            raise build_refusal("saml_signature_invalid", f"a key of {known}", "a signature of another key")


def redirect_address(
    address: str, name: Name, message: bytes, key: RSAPrivateKey | None, relay_state: str | None = None
) -> str:
    """Returns the address to which the browser takes this message; signed if a `key` is given."""
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


def read_redirect(query: str) -> RedirectMessage:
    """Reads the message of a raw query. Raises SignInRefused."""
    if len(query) > _MAX_QUERY:
        raise build_refusal("saml_message_too_large", f"a query of at most {_MAX_QUERY} characters")
    given = _parameters(query)
    names: list[Name] = [name for name in ("SAMLRequest", "SAMLResponse") if name in given]
    if len(names) != 1:
        raise build_refusal("saml_message_missing", "SAMLRequest or SAMLResponse", f"{len(names)} of them")
    if unquote_plus(given.get("SAMLEncoding", _DEFLATE)) != _DEFLATE:
        raise build_refusal("saml_message_not_deflated", _DEFLATE, unquote_plus(given["SAMLEncoding"]))
    parts = [f"{name}={given[name]}" for name in (names[0], "RelayState", "SigAlg") if name in given]
    relay_state = unquote_plus(given["RelayState"]) if "RelayState" in given else None
    return RedirectMessage(
        name=names[0],
        raw=inflate(unquote_plus(given[names[0]])),
        relay_state=relay_state,
        signed="&".join(parts).encode("latin-1"),
        algorithm=unquote_plus(given["SigAlg"]) if "SigAlg" in given else None,
        signature=decode_base64(unquote_plus(given["Signature"])) if "Signature" in given else None,
    )


def _parameters(query: str) -> dict[str, str]:
    """Returns the parameters still quoted, because the signature covers that form."""
    given: dict[str, str] = {}
    for pair in query.split("&"):
        name, _, value = pair.partition("=")
        if name in given and name in _NAMES:
            raise build_refusal("saml_message_missing", f"{name} once", f"{name} twice")
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
