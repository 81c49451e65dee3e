"""Structs of passkeys."""

from typing import Annotated, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.types import STORABLE, Timestamp

ChallengePurpose = Literal["REGISTRATION", "SIGN_IN", "SIGNATURE"]
# The JSON of a browser's answer. The largest one, with the attestation of a TPM, has about 6 KiB.
AnswerText = Annotated[str, Meta(min_length=1, max_length=16 * 1024, extra_json_schema=STORABLE)]


class Passkey(Struct, frozen=True):
    """A passkey of a person. `may_sync` is set if it can be on several devices, `is_synced` if it is."""

    id: UUID
    user_id: UUID
    name: str
    credential_id: bytes
    public_key: bytes
    sign_count: int
    may_sync: bool
    is_synced: bool
    transports: list[str]
    created_at: Timestamp
    last_used_at: Timestamp | None


class NewPasskey(Struct, frozen=True):
    """What a verified registration says about a passkey."""

    credential_id: bytes
    public_key: bytes
    sign_count: int
    may_sync: bool
    is_synced: bool
    transports: list[str]


class RelyingParty(Struct, frozen=True):
    """Who passkeys are for: a domain, and the origins of the pages that may ask for them."""

    id: str
    origins: list[str]


class Challenge(Struct, frozen=True):
    """A challenge that was taken, and what it was for."""

    user_id: UUID | None
    document: bytes | None


class Assertion(Struct, frozen=True):
    """A verified answer of a passkey."""

    sign_count: int
    may_sync: bool
    is_synced: bool


class PasskeySignature(Struct, frozen=True):
    """The evidence of a signature by passkey: whoever has it can verify it without Trilha.

    The authenticator signed `authenticator_data` and the SHA-256 of `client_data`, whose challenge is
    `challenge`: the SHA-256 of `nonce` and the document's digest. Bytes are encoded as base64url.
    """

    passkey_id: UUID
    passkey_name: str
    public_key: str
    nonce: str
    challenge: str
    client_data: str
    authenticator_data: str
    signature: str


class ExportedPasskey(Struct, frozen=True):
    """A passkey in the export of personal data."""

    name: str
    created_at: Timestamp
    last_used_at: Timestamp | None
