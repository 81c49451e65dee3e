"""Signing identities, and the requests and answers of the signing process."""

from datetime import datetime

from msgspec import Struct

from trilha.core.types import Timestamp


class SigningIdentity(Struct, frozen=True):
    """A signing identity as pages show it. `serial` and `fingerprint` (the certificate's SHA-256) are
    hexadecimal.
    """

    subject: str
    issuer: str
    serial: str
    not_before: Timestamp
    not_after: Timestamp
    fingerprint: str
    timestamp_url: str | None
    created_at: Timestamp


class StoredIdentity(Struct, frozen=True):
    """A stored identity. `sealed` contains the key and its certificates (PKCS #12 without a password, in
    Base64).
    """

    sealed: bytes
    subject: str
    not_after: str
    timestamp_url: str | None


class NewIdentity(Struct, frozen=True):
    """The result of reading a PKCS #12 file. `archive` holds only the signer's chain, without a password."""

    archive: bytes
    subject: str
    issuer: str
    serial: str
    not_before: Timestamp
    not_after: Timestamp
    fingerprint: bytes


# The room for a signature with its certificates and timestamp, as hexadecimal digits.
ROOM = 2 * 24 * 1024


class ToSign(Struct, frozen=True):
    """`has_room`: a timestamp is added to the signature later."""

    pdf: bytes
    archive: bytes
    has_room: bool = False


class ToRead(Struct, frozen=True):
    """A PKCS #12 file and its password."""

    content: bytes
    password: str
    now: datetime

    def __repr__(self) -> str:
        return "ToRead()"


class IdentityReadResult(Struct, frozen=True):
    """The contents of a file, or the refused field and the code of the reason."""

    identity: NewIdentity | None = None
    refused: tuple[str, str] | None = None


class SigningResult(Struct, frozen=True):
    """`error` is the kind of failure and never contains any part of the key."""

    pdf: bytes = b""
    error: str | None = None


class OpenedIdentity(Struct, frozen=True):
    """The key and certificates for the signing process, with their owner and validity, and the address of the
    company's own timestamp server.
    """

    archive: bytes
    subject: str
    not_after: str
    timestamp_url: str | None = None
