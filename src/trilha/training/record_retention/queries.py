"""The SQL of record retention."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from trilha.core.database import Tx, columns_of
from trilha.platform.mail.schema import Recipient
from trilha.training.record_retention.schema import (
    ErasureCounts,
    ErasureState,
    OverdueRecord,
    RecordErasure,
    RecordSettings,
)

# Until when the evidence of the enrollment `e` is kept: after the certificate that is valid longest, or after
# the end of an enrollment that was not completed. `infinity` is without end.
_RETENTION_END = """
    COALESCE(
        (SELECT max(CASE
            WHEN c.expires_at IS NOT NULL THEN c.expires_at + :years * interval '1 year'
            WHEN c.revoked_at IS NOT NULL THEN c.revoked_at + :years * interval '1 year'
            ELSE COALESCE(c.issued_at + CAST(:unlimited AS integer) * interval '1 year', 'infinity') END)
         FROM certificates c
         WHERE c.tenant_id = :tenant AND c.enrollment_id = e.id AND c.replaced_by IS NULL),
        CASE WHEN e.cancelled_at IS NOT NULL THEN e.cancelled_at + :years * interval '1 year'
             WHEN e.status = 'COMPLETED'
             THEN COALESCE(e.completed_at + CAST(:unlimited AS integer) * interval '1 year', 'infinity')
             WHEN e.expires_at IS NOT NULL THEN e.expires_at + :years * interval '1 year'
             ELSE 'infinity' END)
"""
# Attendance belongs to a person and a session. Who cancelled and was registered anew needs it for another
# enrollment.
_NEEDED_ONLY_HERE = """
    NOT EXISTS (SELECT FROM class_registrations o
                WHERE o.tenant_id = :tenant AND o.class_id = r.class_id AND o.user_id = r.user_id
                  AND o.enrollment_id <> r.enrollment_id AND o.cancelled_at IS NULL)
"""
# The enrollments that have something to erase.
_EVIDENCE = f"""
    SELECT a.enrollment_id FROM practice_photos p
    JOIN practice_assessments a ON a.tenant_id = :tenant AND a.id = p.assessment_id
    WHERE p.tenant_id = :tenant AND p.removed_at IS NULL
    UNION
    SELECT a.enrollment_id FROM practice_ratings g
    JOIN practice_assessments a ON a.tenant_id = :tenant AND a.id = g.assessment_id
    WHERE g.tenant_id = :tenant AND g.note IS NOT NULL
    UNION
    SELECT a.enrollment_id FROM practice_assessments a
    JOIN signatures s ON s.tenant_id = :tenant AND s.id IN (a.assessor_signature_id, a.learner_signature_id)
    WHERE a.tenant_id = :tenant AND s.content IS NOT NULL
    UNION
    SELECT r.enrollment_id FROM signatures s
    JOIN class_sessions k ON k.tenant_id = :tenant AND k.id = s.subject_id
    JOIN class_registrations r ON r.tenant_id = :tenant AND r.class_id = k.class_id AND r.user_id = s.user_id
    WHERE s.tenant_id = :tenant AND s.purpose = 'attendance' AND s.content IS NOT NULL
      AND {_NEEDED_ONLY_HERE}
    UNION
    SELECT r.enrollment_id FROM attendance_corrections n
    JOIN class_sessions k ON k.tenant_id = :tenant AND k.id = n.session_id
    JOIN class_registrations r ON r.tenant_id = :tenant AND r.class_id = k.class_id AND r.user_id = n.user_id
    WHERE n.tenant_id = :tenant AND {_NEEDED_ONLY_HERE}
    UNION
    SELECT r.enrollment_id FROM attendance_marks n
    JOIN class_sessions k ON k.tenant_id = :tenant AND k.id = n.session_id
    JOIN class_registrations r ON r.tenant_id = :tenant AND r.class_id = k.class_id AND r.user_id = n.user_id
    WHERE n.tenant_id = :tenant AND {_NEEDED_ONLY_HERE}
    UNION
    SELECT r.enrollment_id FROM attendance_scans n
    JOIN class_sessions k ON k.tenant_id = :tenant AND k.id = n.session_id
    JOIN class_registrations r
        ON r.tenant_id = :tenant AND r.class_id = k.class_id AND r.status = 'REGISTERED'
    LEFT JOIN record_erasures d ON d.tenant_id = :tenant AND d.enrollment_id = r.enrollment_id
    WHERE n.tenant_id = :tenant AND n.removed_at IS NULL AND n.erased_at IS NULL
      AND (d.erased_at IS NULL OR d.erased_at < n.created_at)
"""  # noqa: S608


def _bind(settings: RecordSettings) -> dict[str, Any]:
    return {"years": settings.years, "unlimited": settings.unlimited_record_years}


async def get_settings(tx: Tx) -> RecordSettings:
    settings = await tx.find(
        RecordSettings,
        f"SELECT {columns_of(RecordSettings)} FROM tenant_settings WHERE tenant_id = :tenant",  # noqa: S608
    )
    return settings or RecordSettings()


async def list_overdue(tx: Tx, settings: RecordSettings, before: datetime, limit: int) -> list[OverdueRecord]:
    """Lists enrollments whose evidence is kept until `before` at the longest, and is not announced yet."""
    return await tx.list(
        OverdueRecord,
        f"""
        SELECT enrollment_id, user_id, course_id, kept_until FROM (
            SELECT e.id AS enrollment_id, e.user_id, e.course_id, {_RETENTION_END} AS kept_until
            FROM ({_EVIDENCE}) AS evidence
            JOIN all_enrollments e ON e.tenant_id = :tenant AND e.id = evidence.enrollment_id
            LEFT JOIN record_erasures d ON d.tenant_id = :tenant AND d.enrollment_id = e.id
            WHERE d.enrollment_id IS NULL OR d.erased_at IS NOT NULL) AS kept
        WHERE kept_until <= :before ORDER BY kept_until, enrollment_id LIMIT :limit
        """,  # noqa: S608
        before=before,
        limit=limit,
        **_bind(settings),
    )


async def announce(tx: Tx, records: Sequence[OverdueRecord], moments: Sequence[datetime]) -> None:
    """Stores when the evidence of each of these enrollments is erased."""
    if records:
        await tx.execute(
            """
            INSERT INTO record_erasures (tenant_id, enrollment_id, user_id, course_id, announced_at, erase_at)
            SELECT :tenant, record.enrollment_id, record.user_id, record.course_id,
                   CAST(:now AS timestamptz), record.erase_at
            FROM unnest(:enrollments::uuid[], :users::uuid[], :courses::uuid[], :moments::timestamptz[])
                 AS record (enrollment_id, user_id, course_id, erase_at)
            ON CONFLICT (tenant_id, enrollment_id) DO UPDATE
            SET announced_at = excluded.announced_at, erase_at = excluded.erase_at, erased_at = NULL
            WHERE record_erasures.erased_at IS NOT NULL
            RETURNING tenant_id
            """,
            enrollments=[each.enrollment_id for each in records],
            users=[each.user_id for each in records],
            courses=[each.course_id for each in records],
            moments=list(moments),
        )


async def withdraw(tx: Tx, settings: RecordSettings) -> int:
    """Withdraws the announcements of evidence that has to be kept longer by now, because the setting or the
    certificate has changed. Returns how many.
    """
    return await tx.execute(
        f"""
        DELETE FROM record_erasures WHERE tenant_id = :tenant AND enrollment_id IN (
            SELECT d.enrollment_id FROM record_erasures d
            JOIN all_enrollments e ON e.tenant_id = :tenant AND e.id = d.enrollment_id
            WHERE d.tenant_id = :tenant AND d.erased_at IS NULL AND {_RETENTION_END} > d.erase_at)
        """,  # noqa: S608
        **_bind(settings),
    )


async def take_due(tx: Tx, limit: int) -> list[RecordErasure]:
    """Locks and returns announced erasures whose time has come, oldest first; skips locked rows."""
    return await tx.list(
        RecordErasure,
        """
        SELECT d.enrollment_id, d.user_id, u.name AS user_name, d.course_id, c.title AS course_title,
               d.erase_at, d.erased_at
        FROM (SELECT * FROM record_erasures
              WHERE tenant_id = :tenant AND erased_at IS NULL AND erase_at <= :now
              ORDER BY erase_at, enrollment_id LIMIT :limit FOR UPDATE SKIP LOCKED) AS d
        JOIN users u ON u.tenant_id = :tenant AND u.id = d.user_id
        JOIN courses c ON c.tenant_id = :tenant AND c.id = d.course_id
        ORDER BY d.erase_at, d.enrollment_id
        """,
        limit=limit,
    )


_ASSESSMENTS = """
    SELECT id FROM practice_assessments WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id
"""
_SESSIONS = f"""
    SELECT k.id FROM class_registrations r
    JOIN class_sessions k ON k.tenant_id = :tenant AND k.class_id = r.class_id
    WHERE r.tenant_id = :tenant AND r.enrollment_id = :enrollment_id AND {_NEEDED_ONLY_HERE}
"""  # noqa: S608
# Each by what the audit log calls it.
_ERASURES: Mapping[str, str] = {
    "photos": f"""
        UPDATE practice_photos SET removed_at = :now
        WHERE tenant_id = :tenant AND removed_at IS NULL AND assessment_id IN ({_ASSESSMENTS})
        """,  # noqa: S608
    "notes": f"""
        UPDATE practice_ratings SET note = NULL
        WHERE tenant_id = :tenant AND note IS NOT NULL AND assessment_id IN ({_ASSESSMENTS})
        """,  # noqa: S608
    "signatures": f"""
        UPDATE signatures SET content = NULL
        WHERE tenant_id = :tenant AND content IS NOT NULL AND (
            id IN (SELECT unnest(ARRAY[assessor_signature_id, learner_signature_id]) FROM practice_assessments
                   WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id)
            OR (user_id = :user_id AND purpose = 'attendance' AND subject_id IN ({_SESSIONS})))
        """,  # noqa: S608
    "corrections": f"""
        DELETE FROM attendance_corrections
        WHERE tenant_id = :tenant AND user_id = :user_id AND session_id IN ({_SESSIONS})
        """,  # noqa: S608
    "marks": f"""
        DELETE FROM attendance_marks
        WHERE tenant_id = :tenant AND user_id = :user_id AND session_id IN ({_SESSIONS})
        """,  # noqa: S608
}


async def erase(tx: Tx, enrollment_id: UUID, user_id: UUID) -> dict[str, int]:
    """Erases the evidence of an enrollment, and returns how much of each kind. Minutes, results, digests and
    certificates stay. The worker deletes the files of photos.
    """
    counts = {}
    for name, sql in _ERASURES.items():
        params: dict[str, UUID] = {"enrollment_id": enrollment_id}
        if ":user_id" in sql:
            params["user_id"] = user_id
        counts[name] = await tx.execute(sql, **params)
    await tx.execute(
        """
        UPDATE record_erasures SET erased_at = :now
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id
        """,
        enrollment_id=enrollment_id,
    )
    return counts


async def list_scans_to_erase(tx: Tx, limit: int) -> list[UUID]:
    """Lists scans of sessions in which nobody has a record that must be kept."""
    rows = await tx.rows(
        """
        SELECT n.id FROM attendance_scans n
        JOIN class_sessions k ON k.tenant_id = :tenant AND k.id = n.session_id
        WHERE n.tenant_id = :tenant AND n.removed_at IS NULL AND n.erased_at IS NULL
          AND EXISTS (SELECT FROM class_registrations r
                      WHERE r.tenant_id = :tenant AND r.class_id = k.class_id AND r.status = 'REGISTERED')
          AND NOT EXISTS (
              SELECT FROM class_registrations r
              LEFT JOIN record_erasures d ON d.tenant_id = :tenant AND d.enrollment_id = r.enrollment_id
              WHERE r.tenant_id = :tenant AND r.class_id = k.class_id AND r.status = 'REGISTERED'
                AND (d.erased_at IS NULL OR d.erased_at < n.created_at))
        ORDER BY n.created_at, n.id LIMIT :limit
        """,
        limit=limit,
    )
    return [row["id"] for row in rows]


async def note_erased_scans(tx: Tx, ids: Sequence[UUID]) -> Sequence[Any]:
    """Notes that the files of these scans are deleted, without their names, which people have typed."""
    return await tx.rows(
        """
        UPDATE attendance_scans n SET erased_at = :now, name = '–'
        WHERE n.tenant_id = :tenant AND n.id = ANY(:ids) AND n.removed_at IS NULL AND n.erased_at IS NULL
        RETURNING n.id, n.session_id, n.digest
        """,
        ids=list(ids),
    )


async def note_run(tx: Tx) -> None:
    await tx.execute(
        """
        INSERT INTO record_retention_runs (tenant_id, ran_at) VALUES (:tenant, :now)
        ON CONFLICT (tenant_id) DO UPDATE SET ran_at = excluded.ran_at
        """
    )


async def list_recipients(tx: Tx) -> list[Recipient]:
    """Lists the active administrators."""
    rows = await tx.rows(
        """
        SELECT u.id, u.email, u.name, COALESCE(u.locale, t.locale) AS locale,
               COALESCE(s.time_zone, 'America/Sao_Paulo') AS time_zone
        FROM users u JOIN tenants t ON t.id = :tenant
        LEFT JOIN tenant_settings s ON s.tenant_id = :tenant
        WHERE u.tenant_id = :tenant AND u.role = 'admin' AND u.status = 'ACTIVE' AND u.erased_at IS NULL
        ORDER BY u.id LIMIT 500
        """
    )
    return [Recipient(row["email"], row["name"], row["locale"], row["time_zone"], row["id"]) for row in rows]


async def list_erasures(
    tx: Tx, state: ErasureState, course_id: UUID | None, limit: int, offset: int
) -> list[RecordErasure]:
    """Lists announced erasures, the next one first, or what was erased, the last one first."""
    condition, order = (
        ("d.erased_at IS NULL", "d.erase_at, d.enrollment_id")
        if state == "planned"
        else ("d.erased_at IS NOT NULL", "d.erased_at DESC, d.enrollment_id")
    )
    return await tx.list(
        RecordErasure,
        f"""
        SELECT d.enrollment_id, d.user_id, u.name AS user_name, d.course_id, c.title AS course_title,
               d.erase_at, d.erased_at
        FROM record_erasures d
        JOIN users u ON u.tenant_id = :tenant AND u.id = d.user_id
        JOIN courses c ON c.tenant_id = :tenant AND c.id = d.course_id
        WHERE d.tenant_id = :tenant AND {condition}
          AND (CAST(:course_id AS uuid) IS NULL OR d.course_id = :course_id)
        ORDER BY {order} LIMIT :limit OFFSET :offset
        """,  # noqa: S608
        course_id=course_id,
        limit=limit,
        offset=offset,
    )


async def count_erasures(tx: Tx, course_id: UUID | None, limit: int) -> ErasureCounts:
    """Counts up to `limit` of each."""
    counts = await tx.find(
        ErasureCounts,
        """
        SELECT
            (SELECT count(*) FROM (
                SELECT FROM record_erasures WHERE tenant_id = :tenant AND erased_at IS NULL
                AND (CAST(:course_id AS uuid) IS NULL OR course_id = :course_id)
                LIMIT :limit) AS counted) AS planned,
            (SELECT count(*) FROM (
                SELECT FROM record_erasures WHERE tenant_id = :tenant AND erased_at IS NOT NULL
                AND (CAST(:course_id AS uuid) IS NULL OR course_id = :course_id)
                LIMIT :limit) AS counted) AS erased
        """,
        course_id=course_id,
        limit=limit,
    )
    assert counts is not None
    return counts
