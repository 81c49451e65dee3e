"""Signatures as they are stored, shown and exported."""

from typing import Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp

Kind = Literal["DRAWN", "PASSKEY"]


class SignatureContent(Struct, frozen=True):
    """What is sealed: the strokes of a drawing, and what proves the signature, such as a passkey's answer."""

    strokes: list[list[int]] = []
    evidence: dict[str, str] = {}


class Signature(Struct, frozen=True):
    """A signature with its content, which is None once it is erased. `purpose` and `subject_id` say what it
    is about; `digest` is the SHA-256 of what was signed, in hexadecimal.
    """

    id: UUID
    user_id: UUID
    kind: Kind
    purpose: str
    subject_id: UUID
    digest: str
    signed_at: Timestamp
    content: SignatureContent | None


class ExportedSignature(Struct, frozen=True):
    """A signature in the export of personal data, with its drawing."""

    id: UUID
    kind: Kind
    purpose: str
    subject_id: UUID
    digest: str
    signed_at: Timestamp
    strokes: list[list[int]]
