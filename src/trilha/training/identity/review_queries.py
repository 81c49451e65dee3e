"""The SQL of what administrators decide: doubtful photos, and people who refused photos or may take no
further one.
"""

from uuid import UUID

from trilha.core.database import Tx
from trilha.training.identity.rules import MAX_ATTEMPTS
from trilha.training.identity.schema import CheckStatus, ReviewedCheck, UnconfirmedEnrollment

MAX_LISTED = 100


async def decide(tx: Tx, check_id: UUID, status: CheckStatus, reason: str | None, decided_by: UUID) -> bool:
    """Returns False if the check no longer waits for a decision."""
    return bool(
        await tx.execute(
            """
            UPDATE identity_checks
            SET status = :status, reason = :reason, decided_by = :decided_by, decided_at = :now
            WHERE tenant_id = :tenant AND id = :id AND status = 'DOUBTFUL'
            """,
            id=check_id,
            status=status,
            reason=reason,
            decided_by=decided_by,
        )
    )


_SELECT_DOUBTFUL = """
    SELECT k.id, k.enrollment_id, k.user_id, u.name AS user_name, c.title AS course_title, k.moment,
           p.id AS photo_id, NULLIF(f.photo_id, p.id) AS reference_id, p.distance,
           COALESCE(r.threshold, 0.5) AS threshold, k.taken_at
    FROM identity_checks k
    JOIN users u ON u.tenant_id = :tenant AND u.id = k.user_id
    JOIN all_enrollments e ON e.tenant_id = :tenant AND e.id = k.enrollment_id
    JOIN courses c ON c.tenant_id = :tenant AND c.id = e.course_id
    LEFT JOIN identity_rules r ON r.tenant_id = :tenant AND r.course_id = e.course_id
    LEFT JOIN identity_photos p ON p.tenant_id = :tenant AND p.id = k.photo_id
    LEFT JOIN identity_references f ON f.tenant_id = :tenant AND f.user_id = k.user_id
    WHERE k.tenant_id = :tenant AND k.status = 'DOUBTFUL'
"""


async def list_doubtful(tx: Tx) -> list[ReviewedCheck]:
    """Lists the photos that wait for a decision, the oldest first, at most 100."""
    return await tx.list(
        ReviewedCheck, f"{_SELECT_DOUBTFUL} ORDER BY k.taken_at, k.id LIMIT :limit", limit=MAX_LISTED
    )


async def find_doubtful(tx: Tx, check_id: UUID) -> ReviewedCheck | None:
    return await tx.find(ReviewedCheck, f"{_SELECT_DOUBTFUL} AND k.id = :id", id=check_id)


_SELECT_UNCONFIRMED = """
    SELECT e.id, e.user_id, u.name AS user_name, c.title AS course_title,
           COALESCE(n.agreed, false) AS has_agreed, n.created_at AS decided_at
    FROM all_enrollments e
    JOIN identity_rules r ON r.tenant_id = :tenant AND r.course_id = e.course_id
    JOIN users u ON u.tenant_id = :tenant AND u.id = e.user_id AND u.erased_at IS NULL
    JOIN courses c ON c.tenant_id = :tenant AND c.id = e.course_id
    LEFT JOIN LATERAL (
        SELECT agreed, created_at FROM identity_consents
        WHERE tenant_id = :tenant AND user_id = e.user_id ORDER BY created_at DESC, id LIMIT 1) AS n ON true
    WHERE e.tenant_id = :tenant AND e.status IN ('NOT_STARTED', 'IN_PROGRESS') AND e.cancelled_at IS NULL
          AND NOT EXISTS (SELECT FROM identity_confirmations f
                          WHERE f.tenant_id = :tenant AND f.enrollment_id = e.id)
"""


async def list_unconfirmed(tx: Tx) -> list[UnconfirmedEnrollment]:
    """Lists the enrollments of people who refused photos, or may take no further one. The oldest decision
    comes first, at most 100.
    """
    return await tx.list(
        UnconfirmedEnrollment,
        f"""
        {_SELECT_UNCONFIRMED}
          AND (NOT n.agreed
               OR EXISTS (SELECT FROM identity_checks k
                          WHERE k.tenant_id = :tenant AND k.enrollment_id = e.id
                            AND k.status IN ('PENDING', 'REFUSED') AND k.attempts >= :max_attempts))
        ORDER BY n.created_at, e.id LIMIT :limit
        """,
        max_attempts=MAX_ATTEMPTS,
        limit=MAX_LISTED,
    )


async def find_unconfirmed(tx: Tx, enrollment_id: UUID) -> UnconfirmedEnrollment | None:
    """Returns an open enrollment of a course that asks for photos, whatever its person has decided."""
    sql = _SELECT_UNCONFIRMED.replace(
        "n.created_at AS decided_at", "COALESCE(n.created_at, e.created_at) AS decided_at"
    )
    return await tx.find(UnconfirmedEnrollment, f"{sql} AND e.id = :id", id=enrollment_id)
