"""A passkey made of software: it answers the options of the server as a browser and its authenticator do."""

import base64
import hashlib
import json
import secrets
from typing import Any

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

_PRESENT, _VERIFIED, _MAY_SYNC, _SYNCED, _ATTESTED = 0x01, 0x04, 0x08, 0x10, 0x40


def encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class SoftPasskey:
    """Its members can be changed before it answers, as an attacker would."""

    def __init__(self, origin: str, *, synced: bool = False) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.credential_id = secrets.token_bytes(32)
        self.origin = origin
        self.rp_id = origin.partition("//")[2].partition(":")[0]
        self.count = 0
        self.counts = not synced
        self.flags = _PRESENT | _VERIFIED | (_MAY_SYNC | _SYNCED if synced else 0)
        self.handle = b""
        self.key_members: dict[int, bytes] = {}

    def unverified(self) -> None:
        self.flags &= ~_VERIFIED

    def register(self, options: dict[str, Any]) -> str:
        self.handle = decode(options["user"]["id"])
        numbers = self.key.public_key().public_numbers()
        public_key = cbor2.dumps(
            {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}
            | self.key_members
        )
        credential = bytes(16) + len(self.credential_id).to_bytes(2, "big") + self.credential_id + public_key
        data = self._data(self.flags | _ATTESTED) + credential
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        client = self._client("webauthn.create", options["challenge"])
        return self._answer(clientDataJSON=client, attestationObject=attestation)

    def sign(self, options: dict[str, Any], **client_members: Any) -> str:
        self.count += self.counts
        data = self._data(self.flags)
        client = self._client("webauthn.get", options["challenge"], **client_members)
        signed = self.key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        return self._answer(
            clientDataJSON=client, authenticatorData=data, signature=signed, userHandle=self.handle
        )

    def _data(self, flags: int) -> bytes:
        return hashlib.sha256(self.rp_id.encode()).digest() + bytes([flags]) + self.count.to_bytes(4, "big")

    def _client(self, kind: str, challenge: str, **members: Any) -> bytes:
        client = {"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": False}
        return json.dumps(client | members).encode()

    def _answer(self, **response: bytes) -> str:
        id = encode(self.credential_id)
        members = {name: encode(value) for name, value in response.items()}
        return json.dumps({"id": id, "rawId": id, "type": "public-key", "response": members})
