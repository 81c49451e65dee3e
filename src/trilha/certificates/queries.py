"""The SQL of certificates."""

from collections.abc import Sequence
from uuid import UUID

from trilha.certificates.lists import LISTED
from trilha.certificates.schema import ListedCertificate, StoredCertificate
from trilha.core.database import Tx, columns_of
from trilha.core.errors import NotFound
from trilha.core.lists import get_row
from trilha.users.reach import Reach

_COLUMNS = columns_of(StoredCertificate)
_SELECT = f"SELECT {_COLUMNS} FROM certificates WHERE tenant_id = :tenant"  # noqa: S608


async def get_listed(tx: Tx, certificate_id: UUID, reach: Reach) -> ListedCertificate:
    """Raises NotFound, also for what is out of reach."""
    return await get_row(tx, LISTED, certificate_id, reach, missing="certificate_not_found")


async def find(tx: Tx, certificate_id: UUID) -> StoredCertificate | None:
    return await tx.find(StoredCertificate, f"{_SELECT} AND id = :id", id=certificate_id)


async def find_badge(tx: Tx, certificate_id: UUID) -> str | None:
    """The signed credential; None until there is one, and when the holder was erased."""
    badge: str | None = await tx.value(
        "SELECT badge FROM certificates WHERE tenant_id = :tenant AND id = :id", id=certificate_id
    )
    return badge


async def get(tx: Tx, certificate_id: UUID) -> StoredCertificate:
    """Raises NotFound."""
    return _found(await find(tx, certificate_id))


async def get_for_update(tx: Tx, certificate_id: UUID) -> StoredCertificate:
    """Locked until the transaction ends. Raises NotFound."""
    return _found(await tx.find(StoredCertificate, f"{_SELECT} AND id = :id FOR UPDATE", id=certificate_id))


async def restart_rendering(tx: Tx, certificate_id: UUID) -> bool:
    """False where there is a PDF, or nobody to make it for."""
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


def _found(certificate: StoredCertificate | None) -> StoredCertificate:
    if certificate is None:
        raise NotFound("certificate_not_found")
    return certificate


async def revoke(tx: Tx, certificate_id: UUID, reason: str, *, replaced_by: UUID | None = None) -> None:
    """Of one that is revoked already, only what it is replaced by is written. Its row is locked."""
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
    """Their files are removed afterwards, by the worker."""
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


async def list_erased(tx: Tx, most: int) -> list[UUID]:
    """Whose files are still there. Where one is being rendered, only once nobody is at it any more: what it
    leaves behind is then there to be removed."""
    rows = await tx.rows(
        """
        SELECT id FROM certificates
        WHERE tenant_id = :tenant AND erased_at IS NOT NULL AND files_removed_at IS NULL
          AND (render_lease_until IS NULL OR render_lease_until <= :now)
        ORDER BY erased_at LIMIT :most
        """,
        most=most,
    )
    return [row["id"] for row in rows]


async def note_removed_files(tx: Tx, ids: Sequence[UUID]) -> None:
    """What the PDF's bytes were stays known, so that a copy of it still verifies."""
    await tx.execute(
        """
        UPDATE certificates SET files_removed_at = :now, file_key = NULL, file_size = NULL
        WHERE tenant_id = :tenant AND id = ANY(:ids) AND files_removed_at IS NULL
        """,
        ids=ids,
    )
