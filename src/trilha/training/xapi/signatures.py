"""Checks signed statements: JSON Web Signatures in attachments (xAPI 1.0.3, part 2 section 2.6)."""

import base64
import binascii
from typing import Any

import msgspec
from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from trilha.core.errors import ApiError
from trilha.training.xapi import decoding
from trilha.training.xapi.errors import refuse
from trilha.training.xapi.statements import normalize
from trilha.training.xapi.times import parse_timestamp

USAGE = "http://adlnet.gov/expapi/attachments/signature"
_MEDIA_TYPE = "application/octet-stream"
_HASHES = {"RS256": hashes.SHA256(), "RS384": hashes.SHA384(), "RS512": hashes.SHA512()}
# Verifying with a longer key takes long.
_MAX_KEY_BITS = 8192
_ENCODER = msgspec.json.Encoder(order="deterministic")
_MAX_BYTES = 2 * decoding.MAX_STATEMENT_BYTES


def check_signature(description: dict[str, Any], content: bytes, statement: dict[str, Any]) -> None:
    """Checks an attached signature. Raises ApiError unless it signs this statement."""
    if description["contentType"].partition(";")[0].strip().lower() != _MEDIA_TYPE:
        raise _refuse(f"must have the content type {_MEDIA_TYPE}")
    parts = content.strip().split(b".", 3) if len(content) <= _MAX_BYTES else []
    if len(parts) != 3:
        raise _refuse("is not a JSON Web Signature in compact form")
    head, payload, signature = map(_decode, parts)
    header = _read_object(head)
    algorithm = header.get("alg")
    if not isinstance(algorithm, str) or algorithm not in _HASHES:
        raise _refuse("must use the algorithm RS256, RS384 or RS512")
    signed = _read_object(payload)
    if not _is_same(signed, statement):
        raise _refuse("is of another statement")
    if "x5c" in header:
        _verify(header, b".".join(parts[:2]), signature)


def _refuse(message: str) -> ApiError:
    return refuse("invalid_statement", f"The signature {message}.")


def _decode(part: bytes) -> bytes:
    try:
        return base64.b64decode(part + b"=" * (-len(part) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise _refuse("is not encoded as base64url") from None


def _read_object(text: bytes) -> dict[str, Any]:
    value = decoding.decode(text)
    if not isinstance(value, dict):
        raise _refuse("has a part that is not a JSON object")
    return value


def _is_same(signed: dict[str, Any], statement: dict[str, Any]) -> bool:
    try:
        return _compare(signed, statement)
    except (KeyError, TypeError, ValueError, AttributeError):
        return False  # what is signed is no statement


def _compare(signed: dict[str, Any], statement: dict[str, Any]) -> bool:
    first, second = normalize(signed), normalize(statement)
    for each in (first, second):
        # The signature itself is attached after signing.
        attachments = each.pop("attachments", [])
        each["attachments"] = [one for one in attachments if one["usageType"] != USAGE]
    agrees = all(signed[name] == statement[name] for name in ("id",) if name in signed and name in statement)
    if "timestamp" in signed and "timestamp" in statement:
        agrees &= parse_timestamp(signed["timestamp"]) == parse_timestamp(statement["timestamp"])
    return agrees and _ENCODER.encode(first) == _ENCODER.encode(second)


def _verify(header: dict[str, Any], signed: bytes, signature: bytes) -> None:
    """Verifies the signature with the first certificate of the header. Its issuer is not checked."""
    chain = header["x5c"]
    try:
        key = x509.load_der_x509_certificate(base64.b64decode(chain[0], validate=True)).public_key()
        if not isinstance(key, rsa.RSAPublicKey) or key.key_size > _MAX_KEY_BITS:
            raise _refuse("has a certificate without a suitable RSA key")
        key.verify(signature, signed, padding.PKCS1v15(), _HASHES[header["alg"]])
    except InvalidSignature:
        raise _refuse("does not match its certificate") from None
    except (TypeError, ValueError, IndexError, KeyError, UnsupportedAlgorithm, x509.InvalidVersion):
        raise _refuse("has a malformed certificate") from None
