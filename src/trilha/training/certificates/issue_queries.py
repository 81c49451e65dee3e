"""The SQL of issuing certificates. A certificate copies what it says from the rows that it is about."""

from collections.abc import Sequence
from uuid import UUID

from trilha.core.database import Tx, columns_of
from trilha.training.certificates.rules import EXPIRING
from trilha.training.certificates.schema import IssuedCertificate, NewCertificate, StoredCertificate
from trilha.training.certificates.templates import queries as templates
from trilha.training.courses import workloads
from trilha.training.enrollments import counters

# The design of a certificate, copied from its template.
_PAPER = "COALESCE(template.look, '{}')"
# Computed by the caller, because earlier completions and requirements have a say.
_EXPIRES = "new.expires_at"
_MODULES = "FROM modules m WHERE m.tenant_id = :tenant AND m.course_id = c.id"
# The course's own workload, or else the total of its modules.
_WORKLOAD = f"""
    CASE WHEN c.duration_hours > 0 THEN round(c.duration_hours * 60)::integer
         ELSE (SELECT COALESCE(sum(m.duration_minutes), 0)::integer {_MODULES}) END"""
# The sessions of classes that the person of the enrollment `e` attended.
_OF_ATTENDANCE = """
    FROM class_attendance a
    JOIN class_sessions s ON s.tenant_id = :tenant AND s.id = a.session_id AND s.cancelled_at IS NULL
    JOIN classes k ON k.tenant_id = :tenant AND k.id = s.class_id
    JOIN class_registrations r ON r.tenant_id = :tenant AND r.class_id = k.id AND r.enrollment_id = e.id
         AND r.cancelled_at IS NULL
    WHERE a.tenant_id = :tenant AND a.user_id = e.user_id AND a.minutes > 0"""
_KIND, _DELIVERY = workloads.build_columns(
    "m",
    f"EXISTS (SELECT {_OF_ATTENDANCE} AND k.module_id = m.id AND s.room IS NOT NULL)",
)
_SYLLABUS = f"""(
    SELECT COALESCE(jsonb_agg(jsonb_build_object('title', m.title, 'minutes', m.duration_minutes,
                                                 'kind', {_KIND}, 'delivery', {_DELIVERY})
                              ORDER BY m.position), '[]') {_MODULES})"""
# The version of the project that the attended classes stood under, or else the newest.
_PROJECT = f"""COALESCE(
    (SELECT max(k.project_version) {_OF_ATTENDANCE}),
    (SELECT max(newest.number) FROM pedagogic_project_versions newest
     WHERE newest.tenant_id = :tenant AND newest.course_id = e.course_id))"""  # noqa: S608
# The sessions that the person attended, those who taught them or the course, and who is responsible for it.
_TRAINING = f"""jsonb_build_object(
    'sessions', (
        SELECT COALESCE(jsonb_agg(jsonb_build_object(
                   'title', k.title, 'starts_at', s.starts_at, 'ends_at', s.ends_at, 'time_zone', s.time_zone,
                   'room', s.room, 'minutes', a.minutes) ORDER BY s.starts_at, s.id), '[]') {_OF_ATTENDANCE}),
    'instructors', (
        SELECT COALESCE(jsonb_agg(jsonb_build_object('name', instructor.name, 'qualifications', (
                   SELECT COALESCE(jsonb_agg(jsonb_build_object(
                              'title', q.title, 'issuing_body', q.issuing_body,
                              'register_number', q.register_number) ORDER BY q.title, q.id), '[]')
                   FROM qualifications q
                   WHERE q.tenant_id = :tenant AND q.user_id = instructor.id AND q.removed_at IS NULL
                     AND COALESCE(q.valid_until, '9999-12-31')
                         >= to_char(CAST(:now AS timestamptz), 'YYYY-MM-DD')))
                                  ORDER BY instructor.name, instructor.id), '[]')
        FROM users instructor
        WHERE instructor.tenant_id = :tenant AND instructor.erased_at IS NULL AND (
            instructor.id IN (SELECT user_id FROM course_teachers
                              WHERE tenant_id = :tenant AND course_id = e.course_id)
            OR instructor.id IN (SELECT taught.user_id FROM class_instructors taught
                                 WHERE taught.tenant_id = :tenant AND taught.session_id IN (
                                     SELECT s.id {_OF_ATTENDANCE})))),
    'responsible', (
        SELECT p.contents -> 'responsible' FROM pedagogic_project_versions p
        WHERE p.tenant_id = :tenant AND p.course_id = e.course_id AND p.number = {_PROJECT}),
    'signature', (
        SELECT jsonb_build_object('id', g.id, 'kind', g.kind, 'signed_at', g.signed_at)
        FROM signatures g
        WHERE g.tenant_id = :tenant AND g.user_id = e.user_id AND (
            (g.purpose = 'attendance' AND g.subject_id IN (SELECT s.id {_OF_ATTENDANCE}))
            OR g.id IN (SELECT p.learner_signature_id FROM practice_assessments p
                        WHERE p.tenant_id = :tenant AND p.enrollment_id = e.id AND p.annulled_at IS NULL))
        ORDER BY g.signed_at DESC, g.id LIMIT 1))"""  # noqa: S608


def _notice(announced: str, expiring: str) -> str:
    """Builds the condition for notifying a holder: not if erased, and not long after the completion."""
    return f"""
        CASE WHEN u.erased_at IS NOT NULL THEN NULL
             WHEN :announced THEN {announced}
             WHEN {_EXPIRES} > :now THEN {expiring} END"""


# By column: the certificate's data from the completed enrollment `e` of the person `u` in the course `c`.
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
    "training": _TRAINING,
    "project_version": _PROJECT,
    "template_id": "template.template_id",
    "paper": _PAPER,
    "expires_at": _EXPIRES,
    "render_due_at": "CASE WHEN u.erased_at IS NULL THEN CAST(:now AS timestamptz) END",
    "notice": _notice("'ISSUED'", "'EXPIRING'"),
    "notice_due_at": _notice("CAST(:now AS timestamptz)", f"{_EXPIRES} - CAST(:ahead AS interval)"),
}
_AT_ISSUE = ("issued_at", "created_at", "updated_at")
_ALL_COLUMNS = ", ".join(("tenant_id", "id", "code", "evidence_number", "evidence_hash", *_FACTS, *_AT_ISSUE))


async def insert(tx: Tx, new: Sequence[NewCertificate], *, announced: bool) -> list[IssuedCertificate]:
    """Inserts certificates and returns the new ones; skips enrollments that are not completed or already have
    one. `announced` notifies the holders.

    One statement also updates the counters.
    """
    return await tx.list(
        IssuedCertificate,
        f"""
        WITH facts ({_ALL_COLUMNS}) AS MATERIALIZED ( -- so that a cluster need not join rows while it inserts
            SELECT :tenant, new.id, new.code, new.number, new.hash, {", ".join(_FACTS.values())},
                   {", ".join(":now" for _ in _AT_ISSUE)}
            FROM unnest(:enrollments::uuid[], :ids::uuid[], :codes::text[], :numbers::integer[],
                        :hashes::bytea[], :expiries::timestamptz(3)[])
                 AS new (enrollment_id, id, code, number, hash, expires_at)
            JOIN enrollments e ON e.tenant_id = :tenant AND e.id = new.enrollment_id
            JOIN users u ON u.tenant_id = :tenant AND u.id = e.user_id
            JOIN courses c ON c.tenant_id = :tenant AND c.id = e.course_id
            JOIN tenants t ON t.id = :tenant
            {templates.OF_COURSE}
            WHERE e.status = 'COMPLETED'),
        inserted AS (
            INSERT INTO certificates ({_ALL_COLUMNS}) SELECT {_ALL_COLUMNS} FROM facts
            ON CONFLICT (tenant_id, enrollment_id) WHERE replaced_by IS NULL DO NOTHING
            RETURNING {columns_of(IssuedCertificate)}),
        {counters.COUNT_CERTIFICATES}
        SELECT {columns_of(IssuedCertificate)} FROM inserted
        """,  # noqa: S608
        enrollments=[each.enrollment_id for each in new],
        ids=[each.id for each in new],
        codes=[each.code for each in new],
        numbers=[each.evidence.number if each.evidence else None for each in new],
        hashes=[each.evidence.hash if each.evidence else None for each in new],
        expiries=[each.expires_at for each in new],
        announced=announced,
        ahead=EXPIRING,
    )


# For a reissue of the certificate `old` for the person `u`: the training data stays; the holder's name and
# the design are the present ones.
_COPIED_COLUMNS = (
    *("user_id", "enrollment_id", "course_id", "course_title", "workload_minutes", "score", "started_at"),
    *(
        "completed_at",
        "regulation_kind",
        "syllabus",
        "training",
        "project_version",
        "evidence_number",
        "evidence_hash",
        "expires_at",
    ),
)
_RENEWED_COLUMNS = (
    *("holder_name", "holder_cpf", "holder_cpf_masked", "issued_by", "locale", "template_id", "paper"),
)


async def insert_replacement(tx: Tx, old_id: UUID, new_id: UUID, code: str) -> StoredCertificate:
    """Inserts the replacement. The old row is locked, and its `replaced_by` already holds the new id."""
    at_once = (*_AT_ISSUE, "render_due_at", "notice_due_at")
    columns = ", ".join((*_COPIED_COLUMNS, *_RENEWED_COLUMNS, *at_once))
    values = (
        *(f"old.{each}" for each in _COPIED_COLUMNS),
        *(_FACTS[each] for each in _RENEWED_COLUMNS),
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
    """Locks the holders so that none is erased before the transaction ends; waits for an erasure in
    progress.
    """
    await tx.execute(
        """
        SELECT FROM users WHERE tenant_id = :tenant AND id IN (
            SELECT user_id FROM enrollments WHERE tenant_id = :tenant AND id = ANY(:ids))
        ORDER BY id FOR KEY SHARE
        """,
        ids=enrollment_ids,
    )


async def list_missing(tx: Tx, limit: int) -> list[UUID]:
    """Lists and locks enrollments that were completed before the company had certificates; skips locked
    rows.
    """
    rows = await tx.rows(
        """
        SELECT enrollment_id FROM missing_certificates WHERE tenant_id = :tenant
        ORDER BY enrollment_id LIMIT :limit FOR UPDATE SKIP LOCKED
        """,
        limit=limit,
    )
    return [row["enrollment_id"] for row in rows]


async def delete_missing(tx: Tx, enrollment_ids: Sequence[UUID]) -> None:
    await tx.execute(
        "DELETE FROM missing_certificates WHERE tenant_id = :tenant AND enrollment_id = ANY(:ids)",
        ids=enrollment_ids,
    )


async def count_waiting(tx: Tx, limit: int) -> int:
    """Counts the PDFs that wait for rendering, up to a limit."""
    count: int = await tx.value(
        """
        SELECT count(*) FROM (
            SELECT FROM certificates
            WHERE tenant_id = :tenant AND file_key IS NULL AND render_due_at IS NOT NULL
            LIMIT :limit) AS waiting
        """,
        limit=limit,
    )
    return count
