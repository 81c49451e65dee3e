"""The SQL of evidence."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.people.users.reach import Reach
from trilha.training.reports.evidence.schema import Facts


async def get_facts(tx: Tx, enrollment_id: UUID, reach: Reach) -> Facts:
    """Raises NotFound (enrollment_not_found), also if the person is outside the reader's reach."""
    condition, params = reach.condition("u")
    taught = ""
    if reach.role == "instrutor":
        taught = """AND EXISTS (SELECT FROM course_teachers AS t
            WHERE t.tenant_id = :tenant AND t.course_id = e.course_id AND t.user_id = :reach_user)"""
    facts = await tx.find(
        Facts,
        f"""
        SELECT e.id AS enrollment_id, e.status, e.progress, e.score, e.started_at, e.completed_at,
               u.id AS user_id, u.name AS user_name, u.cpf, c.id AS course_id, c.title AS course_title,
               c.regulation, t.name AS tenant_name, t.slug AS tenant_slug,
               COALESCE(h.credited_seconds, 0) + COALESCE((
                   SELECT sum(a.credited_seconds) FROM module_progress AS a
                   JOIN modules AS m ON m.tenant_id = :tenant AND m.id = a.module_id
                    AND m.type IN ('CLASS', 'PRACTICE')
                   WHERE a.tenant_id = :tenant AND a.enrollment_id = e.id), 0) AS credited_seconds,
               p.code AS certificate_code, p.issued_at AS certificate_issued_at,
               p.expires_at AS certificate_expires_at, p.evidence_number AS certificate_entry,
               p.evidence_hash AS certificate_hash
        FROM enrollments AS e
        JOIN users AS u ON u.tenant_id = :tenant AND u.id = e.user_id
        JOIN courses AS c ON c.tenant_id = :tenant AND c.id = e.course_id
        JOIN tenants AS t ON t.id = :tenant
        LEFT JOIN learning_heads AS h ON h.tenant_id = :tenant AND h.enrollment_id = e.id
        LEFT JOIN LATERAL (
            SELECT * FROM certificates AS issued
            WHERE issued.tenant_id = :tenant AND issued.enrollment_id = e.id
            ORDER BY issued.issued_at DESC, issued.id LIMIT 1) AS p ON true
        WHERE e.tenant_id = :tenant AND e.id = :enrollment_id AND {condition} {taught}
        """,  # noqa: S608
        enrollment_id=enrollment_id,
        **params,
    )
    if facts is None:
        raise NotFound("enrollment_not_found")
    return facts
