"""The SQL of notifying holders."""

from collections.abc import Mapping
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.training.certificates.rules import Notice
from trilha.training.certificates.schema import DueNotice


async def take_due_notices(tx: Tx, limit: int) -> list[DueNotice]:
    """Returns due notifications, locked until the transaction ends; skips locked rows."""
    return await tx.list(
        DueNotice,
        """
        SELECT d.id, d.enrollment_id, d.user_id, d.course_id, d.notice, d.course_title, d.expires_at,
               u.email, u.name, COALESCE(u.locale, t.locale) AS locale,
               COALESCE(s.time_zone, 'America/Sao_Paulo') AS time_zone,
               u.status = 'ACTIVE' AS reachable,
               c.status = 'PUBLISHED' AND NOT EXISTS (
                   SELECT FROM enrollments e
                   WHERE e.tenant_id = :tenant AND e.user_id = d.user_id AND e.course_id = d.course_id
                     AND e.current AND e.id <> d.enrollment_id) AS renewable
        FROM (SELECT id, enrollment_id, user_id, course_id, notice, notice_due_at, course_title, expires_at
              FROM certificates WHERE tenant_id = :tenant AND notice_due_at <= :now
              ORDER BY notice_due_at LIMIT :limit FOR UPDATE SKIP LOCKED) AS d
        JOIN users u ON u.tenant_id = :tenant AND u.id = d.user_id
        JOIN courses c ON c.tenant_id = :tenant AND c.id = d.course_id
        JOIN tenants t ON t.id = :tenant
        LEFT JOIN tenant_settings s ON s.tenant_id = :tenant
        ORDER BY d.notice_due_at, d.id
        """,
        limit=limit,
    )


async def set_notices(tx: Tx, following: Mapping[UUID, tuple[Notice | None, Timestamp | None]]) -> None:
    await tx.execute(
        """
        UPDATE certificates c SET notice = f.notice, notice_due_at = f.due_at
        FROM unnest(:ids::uuid[], :notices::text[], :dues::timestamptz[]) AS f (id, notice, due_at)
        WHERE c.tenant_id = :tenant AND c.id = f.id
        """,
        ids=list(following),
        notices=[notice for notice, _ in following.values()],
        dues=[due_at for _, due_at in following.values()],
    )
