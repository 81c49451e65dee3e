"""Stores signatures. Callers decide that the person who signs is the one who is signed in, or has just proven
who they are on another person's device.
"""

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from uuid import UUID, uuid4

import trilha.training.signatures.errors  # noqa: F401
from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.platform.audit import queries as audit
from trilha.training.signatures import drawings, queries
from trilha.training.signatures.schema import Kind, Signature, SignatureContent

# Stores the signature of a passkey. It is given the purpose, the id of what is signed, and the digest.
PasskeySigner = Callable[[str, UUID, str], Awaitable[Signature]]


def compute_digest(signed: Mapping[str, object]) -> str:
    """Returns the SHA-256 of what is signed: of its JSON with sorted keys and without spaces, in UTF-8."""
    text = json.dumps(signed, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


async def sign(
    tx: Tx, user_id: UUID, purpose: str, subject_id: UUID, digest: str, signing: str | PasskeySigner
) -> Signature:
    """Stores a signature by a drawing, or by a passkey. Raises what the one or the other raises."""
    if isinstance(signing, str):
        return await sign_by_drawing(tx, user_id, purpose, subject_id, digest, signing)
    return await signing(purpose, subject_id, digest)


async def sign_by_drawing(
    tx: Tx,
    user_id: UUID,
    purpose: str,
    subject_id: UUID,
    digest: str,
    drawing: str,
    evidence: Mapping[str, str] | None = None,
) -> Signature:
    """Stores a drawing of a form's field. Raises Invalid (signature_missing, signature_not_readable)."""
    content = SignatureContent(drawings.read(drawing), dict(evidence or {}))
    return await _store(tx, user_id, "DRAWN", purpose, subject_id, digest, content)


async def sign_by_passkey(
    tx: Tx, user_id: UUID, purpose: str, subject_id: UUID, digest: str, evidence: Mapping[str, str]
) -> Signature:
    """Stores a passkey's answer, which the caller has verified, as evidence."""
    content = SignatureContent(evidence=dict(evidence))
    return await _store(tx, user_id, "PASSKEY", purpose, subject_id, digest, content)


async def _store(
    tx: Tx,
    user_id: UUID,
    kind: Kind,
    purpose: str,
    subject_id: UUID,
    digest: str,
    content: SignatureContent,
) -> Signature:
    signature = Signature(uuid4(), user_id, kind, purpose, subject_id, digest, Timestamp.of(tx.now), content)
    await queries.insert(tx, signature)
    await audit.record(
        tx,
        "signature.created",
        signature.id,
        user_id=user_id,
        kind=kind,
        purpose=purpose,
        subject_id=subject_id,
        digest=digest,
    )
    return signature
