"""The SQL of issuing: what a certificate says is copied from what it is about."""

from collections.abc import Sequence
from uuid import UUID

from trilha.certificates.rules import EXPIRING
from trilha.certificates.schema import Issued, NewCertificate, StoredCertificate
from trilha.certificates.templates import queries as templates
from trilha.core.database import Tx, columns_of
from trilha.enrollments import counters

# How a certificate looks: what it keeps of its template.
_PAPER = "COALESCE(template.look, '{}')"
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


def _notice(announced: str, expiring: str) -> str:
    """Who is erased is told nothing; what is issued long after the completion is not announced."""
    return f"""
        CASE WHEN u.erased_at IS NOT NULL THEN NULL
             WHEN :announced THEN {announced}
             WHEN {_EXPIRES} > :now THEN {expiring} END"""


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
    "locale": "COALESCE(template.template_locale, t.locale)",
    "workload_minutes": _WORKLOAD,
    "score": "e.score",
    "started_at": "e.started_at",
    "completed_at": "e.completed_at",
    "regulation_kind": "c.regulation ->> 'kind'",
    "syllabus": _SYLLABUS,
    "template_id": "template.template_id",
    "paper": _PAPER,
    "expires_at": _EXPIRES,
    "render_due_at": "CASE WHEN u.erased_at IS NULL THEN CAST(:now AS timestamptz) END",
    "notice": _notice("'ISSUED'", "'EXPIRING'"),
    "notice_due_at": _notice("CAST(:now AS timestamptz)", f"{_EXPIRES} - CAST(:ahead AS interval)"),
}
_AT_ISSUE = ("issued_at", "created_at", "updated_at")


async def insert(tx: Tx, new: Sequence[NewCertificate], *, announced: bool) -> list[Issued]:
    """Those that were issued: an enrollment that is not completed, or has its certificate, gets none.
    `announced`: their holders are told.

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
            {templates.OF_COURSE}
            WHERE e.status = 'COMPLETED'
            ON CONFLICT (tenant_id, enrollment_id) WHERE replaced_by IS NULL DO NOTHING
            RETURNING {columns_of(Issued)}),
        dated AS (
            UPDATE all_enrollments AS e SET valid_until = inserted.expires_at FROM inserted
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
        announced=announced,
        ahead=EXPIRING,
    )


# Of the certificate `old`, for the person `u`: what was learnt stays; who holds it and how it looks is as
# now.
_COPIED = (
    *("user_id", "enrollment_id", "course_id", "course_title", "workload_minutes", "score", "started_at"),
    *("completed_at", "regulation_kind", "syllabus", "evidence_number", "evidence_hash", "expires_at"),
)
_RENEWED = (
    *("holder_name", "holder_cpf", "holder_cpf_masked", "issued_by", "locale", "template_id", "paper"),
)


async def insert_replacement(tx: Tx, old_id: UUID, new_id: UUID, code: str) -> StoredCertificate:
    """The new row. The old one is locked, and has the new one's id in `replaced_by` already."""
    at_once = (*_AT_ISSUE, "render_due_at", "notice_due_at")
    columns = ", ".join((*_COPIED, *_RENEWED, *at_once))
    values = (
        *(f"old.{each}" for each in _COPIED),
        *(_FACTS[each] for each in _RENEWED),
        *(":now" for _ in at_once),
    )
    inserted = await tx.find(
        StoredCertificate,
        f"""
        INSERT INTO certificates (tenant_id, id, code, replaces, notice, {columns})
        SELECT :tenant, :new_id, :code, old.id, 'ISSUED', {", ".join(values)}
        FROM certificates old
        JOIN users u ON u.tenant_id = :tenant AND u.id = old.user_id
        JOIN courses c ON c.tenant_id = :tenant AND c.id = old.course_id
        JOIN tenants t ON t.id = :tenant
        {templates.OF_COURSE}
        WHERE old.tenant_id = :tenant AND old.id = :old_id
        RETURNING {columns_of(StoredCertificate)}
        """,  # noqa: S608
        old_id=old_id,
        new_id=new_id,
        code=code,
    )
    assert inserted is not None
    return inserted


async def lock_holders(tx: Tx, enrollment_ids: Sequence[UUID]) -> None:
    """So that none of them is erased before the transaction ends; who is being erased is waited for."""
    await tx.execute(
        """
        SELECT FROM users WHERE tenant_id = :tenant AND id IN (
            SELECT user_id FROM enrollments WHERE tenant_id = :tenant AND id = ANY(:ids))
        ORDER BY id FOR KEY SHARE
        """,
        ids=enrollment_ids,
    )


async def list_missing(tx: Tx, most: int) -> list[UUID]:
    """Enrollments that were completed before there were certificates; locked, but those that others have."""
    rows = await tx.rows(
        """
        SELECT enrollment_id FROM missing_certificates WHERE tenant_id = :tenant
        ORDER BY enrollment_id LIMIT :most FOR UPDATE SKIP LOCKED
        """,
        most=most,
    )
    return [row["enrollment_id"] for row in rows]


async def delete_missing(tx: Tx, enrollment_ids: Sequence[UUID]) -> None:
    await tx.execute(
        "DELETE FROM missing_certificates WHERE tenant_id = :tenant AND enrollment_id = ANY(:ids)",
        ids=enrollment_ids,
    )


async def count_waiting(tx: Tx, most: int) -> int:
    """How many PDFs are still to be made, up to so many."""
    count: int = await tx.value(
        """
        SELECT count(*) FROM (
            SELECT FROM certificates
            WHERE tenant_id = :tenant AND file_key IS NULL AND render_due_at IS NOT NULL
            LIMIT :most) AS waiting
        """,
        most=most,
    )
    return count
