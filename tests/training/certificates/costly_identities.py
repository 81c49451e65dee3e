"""PKCS #12 files that require very much work, with valid MACs (RFC 7292)."""

import hashlib
import hmac
import os
from typing import Any

from asn1crypto import algos, cms, core, pkcs12
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

ROUNDS = 60_000_000
_BLOCK = 64


def with_rounds_of_mac(content: bytes, rounds: int = ROUNDS) -> bytes:
    pfx = pkcs12.Pfx.load(content)
    pfx["mac_data"]["iterations"] = rounds
    return bytes(pfx.dump())


def with_rounds_of_key(content: bytes, password: str, rounds: int = ROUNDS) -> bytes:
    """The rounds are in the bag of the key, under a MAC that is fast to verify."""
    pfx = pkcs12.Pfx.load(content)
    parts = pfx.authenticated_safe
    for part in parts:
        if part["content_type"].native == "data":
            bags = pkcs12.SafeContents.load(part["content"].native)
            _set_rounds(bags, rounds)
            part["content"] = core.OctetString(bags.dump())
    return _with_mac(pfx, pkcs12.AuthenticatedSafe(list(parts)).dump(force=True), password)


def with_rounds_inside(content: bytes, password: str, rounds: int = ROUNDS) -> bytes:
    """The same, with the bag in a part that is encrypted itself."""
    pfx = pkcs12.Pfx.load(content)
    parts: list[Any] = []
    for part in pfx.authenticated_safe:
        if part["content_type"].native != "data":
            parts.append(part)
            continue
        bags = pkcs12.SafeContents.load(part["content"].native)
        _set_rounds(bags, rounds)
        parts.append(_encrypted(bags.dump(force=True), password))
    return _with_mac(pfx, pkcs12.AuthenticatedSafe(parts).dump(force=True), password)


def _set_rounds(bags: Any, rounds: int) -> None:
    for bag in bags:
        if bag["bag_id"].native == "pkcs8_shrouded_key_bag":
            bag["bag_value"]["encryption_algorithm"] = _pbes2(os.urandom(16), os.urandom(16), rounds)


def _pbes2(salt: bytes, iv: bytes, rounds: int) -> algos.EncryptionAlgorithm:
    return algos.EncryptionAlgorithm(
        {
            "algorithm": "pbes2",
            "parameters": {
                "key_derivation_func": {
                    "algorithm": "pbkdf2",
                    "parameters": {
                        "salt": algos.Pbkdf2Salt(name="specified", value=core.OctetString(salt)),
                        "iteration_count": rounds,
                        "prf": {"algorithm": "sha256", "parameters": core.Null()},
                    },
                },
                "encryption_scheme": {"algorithm": "aes256_cbc", "parameters": core.OctetString(iv)},
            },
        }
    )


def _encrypted(plain: bytes, password: str) -> cms.ContentInfo:
    salt, iv = os.urandom(16), os.urandom(16)
    key = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, 1, 32)
    length = 16 - len(plain) % 16
    encryptor = Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor()
    encrypted = encryptor.update(plain + bytes([length]) * length) + encryptor.finalize()
    return cms.ContentInfo(
        {
            "content_type": "encrypted_data",
            "content": {
                "version": "v0",
                "encrypted_content_info": {
                    "content_type": "data",
                    "content_encryption_algorithm": _pbes2(salt, iv, 1),
                    "encrypted_content": encrypted,
                },
            },
        }
    )


def _with_mac(pfx: Any, safe: bytes, password: str) -> bytes:
    salt = os.urandom(8)
    digest = hmac.new(_key_of_mac(password, salt), safe, "sha256").digest()
    return bytes(
        pkcs12.Pfx(
            {
                "version": pfx["version"].native,
                "auth_safe": {"content_type": "data", "content": core.OctetString(safe)},
                "mac_data": {
                    "mac": {"digest_algorithm": {"algorithm": "sha256"}, "digest": digest},
                    "mac_salt": salt,
                    "iterations": 1,
                },
            }
        ).dump()
    )


def _key_of_mac(password: str, salt: bytes) -> bytes:
    """Derives the MAC's key with one round (RFC 7292 appendix B.2), for a key as long as the hash."""

    def filled(text: bytes) -> bytes:
        return (text * (_BLOCK // len(text) + 1))[:_BLOCK]

    secret = password.encode("utf-16-be") + b"\0\0"
    blocks = -(-len(secret) // _BLOCK)
    repeated = (secret * (blocks * _BLOCK // len(secret) + 1))[: blocks * _BLOCK]
    return hashlib.sha256(b"\x03" * _BLOCK + filled(salt) + repeated).digest()
