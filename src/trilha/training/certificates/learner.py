"""A learner's own certificates."""

from datetime import datetime
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.lists import Condition, List, by_owner, find_rows, get_row
from trilha.core.types import Timestamp
from trilha.training.certificates.rules import CertificateStatus, format_code, status_of


class MyCertificate(Struct, frozen=True):
    """A certificate as its holder sees it. `taken_again` is the holder's newer enrollment in the course;
    `on_offer`: the course is published, so that people can be enrolled.
    """

    id: UUID
    code: str
    enrollment_id: UUID
    course_title: str
    issued_by: str
    workload_minutes: int
    score: float | None
    completed_at: Timestamp
    issued_at: Timestamp
    expires_at: Timestamp | None
    revoked_at: Timestamp | None
    has_file: bool
    failed: bool
    has_badge: bool
    on_offer: bool
    taken_again: UUID | None
    created_at: Timestamp

    @property
    def display_code(self) -> str:
        return format_code(self.code)

    def status(self, now: Timestamp) -> CertificateStatus:
        return status_of(self.revoked_at, self.expires_at, now)


# A replaced certificate is not shown, because its replacement is.
MINE = List(
    name="learn/certificates",
    table="certificates",
    kind=MyCertificate,
    columns={
        "has_file": "row.file_key IS NOT NULL",
        "failed": "row.file_key IS NULL AND row.render_due_at IS NULL",
        "has_badge": "row.badge IS NOT NULL",
        "on_offer": """(
            SELECT status = 'PUBLISHED' FROM courses WHERE tenant_id = :tenant AND id = row.course_id)""",
        "taken_again": """(
            SELECT later.id FROM enrollments AS later
            WHERE later.tenant_id = :tenant AND later.user_id = row.user_id
              AND later.course_id = row.course_id AND later.created_at > row.issued_at
              AND later.status IN ('NOT_STARTED', 'IN_PROGRESS')
            ORDER BY later.created_at DESC LIMIT 1)""",
    },
    always=(Condition(where="row.replaced_by IS NULL AND row.erased_at IS NULL"),),
    reach=by_owner("user_id", "created_at"),
)


async def get(tx: Tx, user_id: UUID, certificate_id: UUID) -> MyCertificate:
    """Raises NotFound, also for another person's certificate."""
    return await get_row(tx, MINE, certificate_id, user_id, missing="certificate_not_found")


async def find_of_enrollment(tx: Tx, user_id: UUID, enrollment_id: UUID) -> MyCertificate | None:
    rows = await tx.rows(
        """
        SELECT id FROM certificates
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id AND replaced_by IS NULL
        """,
        enrollment_id=enrollment_id,
    )
    certificates = await find_rows(tx, MINE, [row["id"] for row in rows], user_id)
    return certificates[0] if certificates else None


class ExpiringCertificate(Struct, frozen=True):
    id: UUID
    course_title: str
    issued_at: Timestamp
    expires_at: Timestamp


async def list_expiring(tx: Tx, user_id: UUID, since: datetime, limit: int) -> list[ExpiringCertificate]:
    """Lists the newest certificate of each course, if it expires after `since`; the earliest first."""
    return await tx.list(
        ExpiringCertificate,
        """
        SELECT id, course_title, issued_at, expires_at FROM (
            SELECT DISTINCT ON (course_id) id, course_title, issued_at, expires_at FROM certificates
            WHERE tenant_id = :tenant AND user_id = :user_id AND replaced_by IS NULL
                  AND erased_at IS NULL AND revoked_at IS NULL
            ORDER BY course_id, issued_at DESC, id) AS newest
        WHERE expires_at > :since ORDER BY expires_at, id LIMIT :limit
        """,
        user_id=user_id,
        since=since,
        limit=limit,
    )
