"""The details of a certificate that lists do not show."""

from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx, columns_of
from trilha.core.types import Timestamp


class Part(Struct, frozen=True):
    """A module as the certificate prints it."""

    title: str
    minutes: int | None = None


class CertificateDetails(Struct, frozen=True):
    """What a certificate says and its row in lists does not show. `render_due_at` is None if no rendering is
    due; `regulation_kind` and the evidence are None if there is none.
    """

    started_at: Timestamp
    regulation_kind: str | None
    syllabus: list[Part]
    evidence_number: int | None
    evidence_hash: bytes | None
    rendered_at: Timestamp | None
    render_due_at: Timestamp | None
    render_tries: int


async def get(tx: Tx, certificate_id: UUID) -> CertificateDetails:
    """Returns the details of an existing certificate."""
    found = await tx.find(
        CertificateDetails,
        f"SELECT {columns_of(CertificateDetails)} FROM certificates WHERE tenant_id = :tenant AND id = :id",  # noqa: S608
        id=certificate_id,
    )
    assert found is not None
    return found
