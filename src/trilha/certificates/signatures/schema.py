"""Signing identities, and what goes to the process that signs and comes back."""

from datetime import datetime

from msgspec import Struct

from trilha.core.types import Timestamp


class SigningIdentity(Struct, frozen=True):
    """As it is shown. `serial` and `fingerprint` (SHA-256 of the certificate) are hexadecimal."""

    subject: str
    issuer: str
    serial: str
    not_before: Timestamp
    not_after: Timestamp
    fingerprint: str
    created_at: Timestamp


class StoredIdentity(Struct, frozen=True):
    """`sealed` opens to the key and its certificates (PKCS #12 without a password, in Base64)."""

    sealed: bytes
    subject: str
    not_after: str


class NewIdentity(Struct, frozen=True):
    """What was read from a PKCS #12 file. `archive` is the same, of the signer's chain alone, without a
    password."""

    archive: bytes
    subject: str
    issuer: str
    serial: str
    not_before: Timestamp
    not_after: Timestamp
    fingerprint: bytes


class ToSign(Struct, frozen=True):
    pdf: bytes
    archive: bytes


class ToRead(Struct, frozen=True):
    """A PKCS #12 file and its password."""

    content: bytes
    password: str
    now: datetime

    def __repr__(self) -> str:
        return "ToRead()"


class Read(Struct, frozen=True):
    """What is in a file; or the field that is refused, and the code of why."""

    identity: NewIdentity | None = None
    refused: tuple[str, str] | None = None


class Signed(Struct, frozen=True):
    """`error` is the kind of failure, in no word of which there is anything of the key."""

    pdf: bytes = b""
    error: str | None = None


class OpenedIdentity(Struct, frozen=True):
    """The key and its certificates, for the process that signs; whose, and until when they are good."""

    archive: bytes
    subject: str
    not_after: str
