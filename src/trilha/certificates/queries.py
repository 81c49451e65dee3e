"""The SQL of certificates."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from trilha.certificates.rules import EXPIRING
from trilha.certificates.schema import CertificatesQuery, Issued, NewCertificate, StoredCertificate
from trilha.core.database import Tx, columns_of
from trilha.core.errors import NotFound
from trilha.core.web.pagination import Page, SyncQuery, fetch_page
from trilha.enrollments import counters

_COLUMNS = columns_of(StoredCertificate)
_SELECT = f"SELECT {_COLUMNS} FROM certificates WHERE tenant_id = :tenant"  # noqa: S608

# How a certificate looks, of the course `c`.
_PAPER = """jsonb_build_object('design', 'classic', 'orientation', 'landscape')"""
_TEMPLATE = "NULL::uuid"
_ZONE = "COALESCE(s.time_zone, 'America/Sao_Paulo')"
# The same day so many months later where the company is, at the same time of day; of a month that is too
# short its last day.
_EXPIRES = f"""(
    (e.completed_at AT TIME ZONE {_ZONE} + make_interval(months => c.certificate_validity_months))
    AT TIME ZONE {_ZONE})"""
_MODULES = "FROM modules m WHERE m.tenant_id = :tenant AND m.course_id = c.id"
# What the course says of itself, else what its modules come to.
_WORKLOAD = f"""
    CASE WHEN c.duration_hours > 0 THEN round(c.duration_hours * 60)::integer
         ELSE (SELECT COALESCE(sum(m.duration_minutes), 0)::integer {_MODULES}) END"""
_SYLLABUS = f"""(
    SELECT COALESCE(jsonb_agg(jsonb_build_object('title', m.title, 'minutes', m.duration_minutes)
                              ORDER BY m.position), '[]') {_MODULES})"""
# By column: what a completed enrollment `e` of the person `u` in the course `c` comes to.
_FACTS = {
    "user_id": "e.user_id",
    "enrollment_id": "e.id",
    "course_id": "e.course_id",
    "holder_name": "CASE WHEN u.erased_at IS NULL THEN u.name END",
    "holder_cpf": "u.cpf_sealed",
    "holder_cpf_masked": "u.cpf",
    "erased_at": "u.erased_at",
    "course_title": "c.title",
    "issued_by": "t.name",
    "locale": "t.locale",
    "workload_minutes": _WORKLOAD,
    "score": "e.score",
    "started_at": "e.started_at",
    "completed_at": "e.completed_at",
    "regulation_kind": "c.regulation ->> 'kind'",
    "syllabus": _SYLLABUS,
    "template_id": _TEMPLATE,
    "paper": _PAPER,
    "expires_at": _EXPIRES,
    "render_due_at": "CASE WHEN u.erased_at IS NULL THEN CAST(:now AS timestamptz) END",
    "notice_due_at": f"{_EXPIRES} - CAST(:expiring AS interval)",
}
_AT_ISSUE = ("issued_at", "created_at", "updated_at")


async def insert(tx: Tx, new: Sequence[NewCertificate]) -> list[Issued]:
    """Those that were issued: an enrollment that is not completed, or has its certificate, gets none.

    One statement, which also counts them and writes until when each completion stands.
    """
    return await tx.list(
        Issued,
        f"""
        WITH inserted AS (
            INSERT INTO certificates (tenant_id, id, code, evidence_number, evidence_hash,
                                      {", ".join(_FACTS)}, {", ".join(_AT_ISSUE)})
            SELECT :tenant, new.id, new.code, new.number, new.hash, {", ".join(_FACTS.values())},
                   {", ".join(":now" for _ in _AT_ISSUE)}
            FROM unnest(:enrollments::uuid[], :ids::uuid[], :codes::text[], :numbers::integer[],
                        :hashes::bytea[]) AS new (enrollment_id, id, code, number, hash)
            JOIN enrollments e ON e.tenant_id = :tenant AND e.id = new.enrollment_id
            JOIN users u ON u.tenant_id = :tenant AND u.id = e.user_id
            JOIN courses c ON c.tenant_id = :tenant AND c.id = e.course_id
            JOIN tenants t ON t.id = :tenant
            LEFT JOIN tenant_settings s ON s.tenant_id = :tenant
            WHERE e.status = 'COMPLETED'
            ON CONFLICT (tenant_id, enrollment_id) WHERE replaced_by IS NULL DO NOTHING
            RETURNING {columns_of(Issued)}),
        dated AS (
            UPDATE enrollments AS e SET valid_until = inserted.expires_at FROM inserted
            WHERE e.tenant_id = :tenant AND e.id = inserted.enrollment_id
              AND inserted.expires_at IS NOT NULL),
        {counters.COUNT_CERTIFICATES}
        SELECT {columns_of(Issued)} FROM inserted
        """,  # noqa: S608
        enrollments=[each.enrollment_id for each in new],
        ids=[each.id for each in new],
        codes=[each.code for each in new],
        numbers=[each.evidence.number if each.evidence else None for each in new],
        hashes=[each.evidence.hash if each.evidence else None for each in new],
        expiring=EXPIRING,
    )


async def list_page(tx: Tx, query: CertificatesQuery) -> Page[StoredCertificate]:
    where, params = [], dict[str, Any]()
    for name in ("user_id", "course_id"):
        if (value := getattr(query, name)) is not None:
            where.append(f"{name} = :{name}")
            params[name] = value
    return await fetch_page(
        tx, StoredCertificate, _SELECT, query, route="certificates", where=where, **params
    )


async def list_of_user(tx: Tx, user_id: UUID, query: SyncQuery) -> Page[StoredCertificate]:
    return await fetch_page(
        tx,
        StoredCertificate,
        f"{_SELECT} AND user_id = :user_id",
        query,
        route=f"users/{user_id}/certificates",
        user_id=user_id,
    )


async def find(tx: Tx, certificate_id: UUID) -> StoredCertificate | None:
    return await tx.find(StoredCertificate, f"{_SELECT} AND id = :id", id=certificate_id)


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
