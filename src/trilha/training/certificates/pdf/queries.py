"""The SQL of rendering certificates."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import structs

from trilha.core.database import Tx, columns_of
from trilha.core.errors import NotFound
from trilha.core.jobs import each_tenant_once
from trilha.training.certificates.pdf.schema import ClaimedCertificate, Company, StoredPaper, StoredRendering
from trilha.training.signatures import queries as signatures

_IS_DUE = """
    file_key IS NULL AND render_due_at <= :now
    AND (render_lease_until IS NULL OR render_lease_until <= :now)"""
DUE = each_tenant_once("certificates", _IS_DUE)
_COLUMNS = columns_of(ClaimedCertificate)


def _first(order: str) -> str:
    return f"""
        SELECT id FROM certificates WHERE tenant_id = :tenant AND {_IS_DUE}
        ORDER BY render_due_at {order}, id {order} LIMIT :limit FOR UPDATE SKIP LOCKED"""  # noqa: S608


async def claim(tx: Tx, lease_until: datetime, limit: int) -> list[ClaimedCertificate]:
    """Claims certificates that are due, in order of issue, until the lease ends.

    Half of the batch are the newest, so that a person who has just completed a course does not wait behind
    thousands of older ones.
    """
    claimed = await tx.list(
        ClaimedCertificate,
        f"""
        WITH oldest AS ({_first("ASC")}), newest AS ({_first("DESC")})
        UPDATE certificates SET render_lease_until = :lease_until, render_tries = render_tries + 1
        WHERE tenant_id = :tenant AND id IN (SELECT id FROM oldest UNION SELECT id FROM newest)
        RETURNING {_COLUMNS}
        """,  # noqa: S608
        lease_until=lease_until,
        limit=limit // 2,
    )
    await _add_drawings(tx, claimed)
    return sorted(claimed, key=lambda each: each.issued_at)


def _find_signature(certificate: ClaimedCertificate) -> dict[str, Any] | None:
    signature: Any = certificate.training.get("signature")
    return signature or None


async def _add_drawings(tx: Tx, claimed: Sequence[ClaimedCertificate]) -> None:
    """Adds the strokes of the holders' signatures to what the certificates say of the training."""
    named = [signature for each in claimed if (signature := _find_signature(each))]
    found = await signatures.list_by_id(tx, [UUID(each["id"]) for each in named]) if named else {}
    for each in named:
        stored = found.get(UUID(each["id"]))
        each["strokes"] = stored.content.strokes if stored and stored.content else []


async def extend(tx: Tx, ids: Sequence[UUID], lease_until: datetime) -> None:
    await tx.execute(
        """
        UPDATE certificates SET render_lease_until = :lease_until
        WHERE tenant_id = :tenant AND id = ANY(:ids) AND file_key IS NULL
        """,
        ids=list(ids),
        lease_until=lease_until,
    )


async def finish(tx: Tx, rendered: Sequence[StoredRendering]) -> set[UUID]:
    """Stores the results; returns the ids that had no file yet and whose holder was not erased."""
    rows = await tx.rows(
        """
        UPDATE certificates AS c
        SET file_key = made.key, file_sha256 = made.sha256, file_size = made.size, rendered_at = :now,
            badge = made.badge, signed_by = made.signed_by, render_due_at = NULL,
            render_lease_until = NULL, render_error = NULL, updated_at = :now
        FROM unnest(:ids::uuid[], :keys::text[], :hashes::bytea[], :sizes::bigint[], :badges::text[],
                    :signers::text[]) AS made (id, key, sha256, size, badge, signed_by)
        WHERE c.tenant_id = :tenant AND c.id = made.id AND c.file_key IS NULL AND c.erased_at IS NULL
        RETURNING c.id
        """,
        ids=[each.id for each in rendered],
        keys=[each.key for each in rendered],
        hashes=[each.sha256 for each in rendered],
        sizes=[each.size for each in rendered],
        badges=[each.badge for each in rendered],
        signers=[each.signed_by for each in rendered],
    )
    return {row["id"] for row in rows}


async def fail(tx: Tx, certificate_id: UUID, error: str, due_at: datetime | None) -> None:
    """Notes a failure. `due_at` is the time of the next try; None for no automatic retry."""
    await tx.execute(
        """
        UPDATE certificates
        SET render_error = :error, render_due_at = :due_at, render_lease_until = NULL
        WHERE tenant_id = :tenant AND id = :id AND file_key IS NULL
        """,
        id=certificate_id,
        error=error,
        due_at=due_at,
    )


async def try_again(tx: Tx, certificate_id: UUID) -> bool:
    """Returns False if the file exists or is being rendered."""
    return bool(
        await tx.execute(
            """
            UPDATE certificates SET render_due_at = :now, render_tries = 0, render_lease_until = NULL
            WHERE tenant_id = :tenant AND id = :id AND file_key IS NULL AND render_due_at IS NULL
              AND erased_at IS NULL
            """,
            id=certificate_id,
        )
    )


async def find_file_key(tx: Tx, certificate_id: UUID) -> str | None:
    key: str | None = await tx.value(
        "SELECT file_key FROM certificates WHERE tenant_id = :tenant AND id = :id", id=certificate_id
    )
    return key


async def get_printable(tx: Tx, certificate_id: UUID) -> ClaimedCertificate:
    """Returns what a certificate says. Raises NotFound, also after its holder was erased."""
    certificate = await tx.find(
        ClaimedCertificate,
        f"""
        SELECT {_COLUMNS} FROM certificates
        WHERE tenant_id = :tenant AND id = :id AND erased_at IS NULL
        """,  # noqa: S608
        id=certificate_id,
    )
    if certificate is None:
        raise NotFound("certificate_not_found")
    await _add_drawings(tx, [certificate])
    return certificate


async def find_paper(tx: Tx, certificate_id: UUID) -> StoredPaper | None:
    """Finds the PDF/A-1b of a certificate."""
    return await tx.find(
        StoredPaper,
        f"""
        SELECT {columns_of(StoredPaper)} FROM certificate_papers
        WHERE tenant_id = :tenant AND certificate_id = :id AND form = 'PDF_A1B'
        """,  # noqa: S608
        id=certificate_id,
    )


async def keep_paper(tx: Tx, certificate_id: UUID, paper: StoredPaper) -> StoredPaper:
    """Stores the PDF/A-1b of a certificate, unless there is one; returns the one that is stored.

    Raises NotFound if the holder was erased meanwhile.
    """
    # An erasure either waits for this transaction, and then removes the file, or comes first.
    is_there = await tx.value(
        """
        SELECT true FROM certificates WHERE tenant_id = :tenant AND id = :id AND erased_at IS NULL FOR SHARE
        """,
        id=certificate_id,
    )
    if not is_there:
        raise NotFound("certificate_not_found")
    await tx.execute(
        """
        INSERT INTO certificate_papers (tenant_id, certificate_id, form, file_key, file_sha256, file_size,
                                        signed_by, created_at)
        VALUES (:tenant, :id, 'PDF_A1B', :file_key, :file_sha256, :file_size, :signed_by, :now)
        ON CONFLICT (tenant_id, certificate_id, form) DO NOTHING
        """,
        id=certificate_id,
        **structs.asdict(paper),
    )
    stored = await find_paper(tx, certificate_id)
    assert stored is not None
    return stored


async def delete_papers(tx: Tx, certificate_ids: Sequence[UUID]) -> None:
    await tx.execute(
        "DELETE FROM certificate_papers WHERE tenant_id = :tenant AND certificate_id = ANY(:ids)",
        ids=list(certificate_ids),
    )


async def get_company(tx: Tx) -> Company:
    company = await tx.find(
        Company,
        """
        SELECT t.slug, t.name, t.locale, COALESCE(s.time_zone, 'America/Sao_Paulo') AS time_zone,
               s.brand_colour, s.logo_name, s.logo
        FROM tenants t LEFT JOIN tenant_settings s ON s.tenant_id = t.id
        WHERE t.id = :tenant
        """,
    )
    assert company is not None
    return company
