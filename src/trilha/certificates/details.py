"""What a certificate says beside what lists show of it."""

from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx, columns_of
from trilha.core.types import Timestamp


class Part(Struct, frozen=True):
    """A module as the paper names it."""

    title: str
    minutes: int | None = None


class CertificateDetails(Struct, frozen=True):
    """What a certificate says and its row does not list. `render_due_at` is None once there is nothing more
    to try; `regulation_kind` and the evidence are None where there is none."""

    started_at: Timestamp
    regulation_kind: str | None
    syllabus: list[Part]
    evidence_number: int | None
    evidence_hash: bytes | None
    rendered_at: Timestamp | None
    render_due_at: Timestamp | None
    render_tries: int


async def get(tx: Tx, certificate_id: UUID) -> CertificateDetails:
    """Of one that is there."""
    found = await tx.find(
        CertificateDetails,
        f"SELECT {columns_of(CertificateDetails)} FROM certificates WHERE tenant_id = :tenant AND id = :id",  # noqa: S608
        id=certificate_id,
    )
    assert found is not None
    return found
