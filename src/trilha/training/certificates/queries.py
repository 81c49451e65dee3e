"""The SQL of certificates."""

from collections.abc import Sequence
from uuid import UUID

from trilha.core.database import Tx, columns_of
from trilha.core.errors import NotFound
from trilha.core.lists import get_row
from trilha.people.users.reach import Reach
from trilha.training.certificates.lists import CERTIFICATE_ROWS, CERTIFICATES
from trilha.training.certificates.schema import ListedCertificate, StoredCertificate

_COLUMNS = columns_of(StoredCertificate)
_SELECT = f"SELECT {_COLUMNS} FROM certificates WHERE tenant_id = :tenant"  # noqa: S608


async def get_listed(tx: Tx, certificate_id: UUID, reach: Reach) -> ListedCertificate:
    """Raises NotFound, also if the certificate is outside the reader's reach."""
    return await get_row(tx, CERTIFICATE_ROWS, certificate_id, reach, missing="certificate_not_found")


async def find_badge(tx: Tx, certificate_id: UUID) -> str | None:
    """Returns the signed credential; None until it exists, and after the holder was erased."""
    badge: str | None = await tx.value(
        "SELECT badge FROM certificates WHERE tenant_id = :tenant AND id = :id", id=certificate_id
    )
    return badge


async def get(tx: Tx, certificate_id: UUID) -> StoredCertificate:
    """Raises NotFound."""
    return await get_row(tx, CERTIFICATES, certificate_id, missing="certificate_not_found")


async def get_for_update(tx: Tx, certificate_id: UUID) -> StoredCertificate:
    """Returns the certificate, locked until the transaction ends. Raises NotFound."""
    return _require(await tx.find(StoredCertificate, f"{_SELECT} AND id = :id FOR UPDATE", id=certificate_id))


async def restart_rendering(tx: Tx, certificate_id: UUID) -> bool:
    """Returns False if the PDF exists or the holder was erased."""
    return (
        await tx.value(
            """
            UPDATE certificates SET render_due_at = :now, render_tries = 0, render_error = NULL
            WHERE tenant_id = :tenant AND id = :id AND file_key IS NULL AND erased_at IS NULL
            RETURNING true
            """,
            id=certificate_id,
        )
        is not None
    )


def _require(certificate: StoredCertificate | None) -> StoredCertificate:
    if certificate is None:
        raise NotFound("certificate_not_found")
    return certificate


async def revoke(tx: Tx, certificate_id: UUID, reason: str, *, replaced_by: UUID | None = None) -> None:
    """Revokes a locked certificate. If it is already revoked, only stores its replacement."""
    await tx.execute(
        """
        UPDATE certificates
        SET revoked_at = COALESCE(revoked_at, :now), revoked_by = COALESCE(revoked_by, :by),
            revocation_reason = COALESCE(revocation_reason, :reason), replaced_by = :replaced_by,
            notice = NULL, notice_due_at = NULL, updated_at = :now
        WHERE tenant_id = :tenant AND id = :id
        """,
        id=certificate_id,
        by=tx.actor.name,
        reason=reason,
        replaced_by=replaced_by,
    )


async def forget(tx: Tx, user_id: UUID) -> None:
    """Removes the person's data from rows; the worker removes the files later."""
    await tx.execute(
        """
        UPDATE certificates
        SET holder_name = NULL, holder_cpf = NULL, holder_cpf_masked = NULL, badge = NULL,
            -- Free text, which may name them.
            revocation_reason = CASE WHEN revoked_at IS NOT NULL THEN '[erased]' END,
            render_due_at = NULL, notice = NULL, notice_due_at = NULL, erased_at = :now, updated_at = :now
        WHERE tenant_id = :tenant AND user_id = :user_id AND erased_at IS NULL
        """,
        user_id=user_id,
    )


async def list_erased(tx: Tx, limit: int) -> list[UUID]:
    """Lists certificates of erased people that still have files. One that is being rendered waits until its
    lease ends, because that worker may still store a file.
    """
    rows = await tx.rows(
        """
        SELECT id FROM certificates
        WHERE tenant_id = :tenant AND erased_at IS NOT NULL AND files_removed_at IS NULL
          AND (render_lease_until IS NULL OR render_lease_until <= :now)
        ORDER BY erased_at LIMIT :limit
        """,
        limit=limit,
    )
    return [row["id"] for row in rows]


async def note_removed_files(tx: Tx, ids: Sequence[UUID]) -> None:
    """Keeps the digest of the PDF, so that a copy of it can still be verified."""
    await tx.execute(
        """
        UPDATE certificates SET files_removed_at = :now, file_key = NULL, file_size = NULL
        WHERE tenant_id = :tenant AND id = ANY(:ids) AND files_removed_at IS NULL
        """,
        ids=ids,
    )
