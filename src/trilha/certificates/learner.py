"""What learners see of their own certificates."""

from uuid import UUID

from msgspec import Struct

from trilha.certificates.rules import CertificateStatus, shown_code, status_of
from trilha.core.database import Tx, columns_of
from trilha.core.errors import NotFound
from trilha.core.types import Timestamp
from trilha.core.web.pagination import ListQuery, Page, fetch_page


class MyCertificate(Struct, frozen=True):
    """`taken_again` is the enrollment by which its holder takes the course again; `on_offer`: the course is
    published, so that somebody may be enrolled in it."""

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
    def shown_code(self) -> str:
        return shown_code(self.code)

    def status(self, now: Timestamp) -> CertificateStatus:
        return status_of(self.revoked_at, self.expires_at, now)


# One that was replaced is not shown: the one in its place is.
_MINE = """
    SELECT c.id, c.code, c.enrollment_id, c.course_title, c.issued_by, c.workload_minutes, c.score,
           c.completed_at, c.issued_at, c.expires_at, c.revoked_at, c.file_key IS NOT NULL AS has_file,
           c.file_key IS NULL AND c.render_due_at IS NULL AS failed, c.badge IS NOT NULL AS has_badge,
           course.status = 'PUBLISHED' AS on_offer, c.created_at, (
               SELECT later.id FROM enrollments AS later
               WHERE later.tenant_id = :tenant AND later.user_id = c.user_id
                 AND later.course_id = c.course_id AND later.created_at > c.issued_at
                 AND later.status IN ('NOT_STARTED', 'IN_PROGRESS')
               ORDER BY later.created_at DESC LIMIT 1) AS taken_again
    FROM certificates AS c
    JOIN courses AS course ON course.tenant_id = :tenant AND course.id = c.course_id
    WHERE c.tenant_id = :tenant AND c.user_id = :user_id AND c.replaced_by IS NULL AND c.erased_at IS NULL
"""


async def list_page(tx: Tx, user_id: UUID, query: ListQuery) -> Page[MyCertificate]:
    """Newest first."""
    select = f"SELECT {columns_of(MyCertificate)} FROM ({_MINE}) AS c WHERE true"  # noqa: S608
    return await fetch_page(
        tx, MyCertificate, select, query, route=f"learn/certificates/{user_id}", user_id=user_id
    )


async def get(tx: Tx, user_id: UUID, certificate_id: UUID) -> MyCertificate:
    """Raises NotFound, also for another person's."""
    found = await tx.find(
        MyCertificate, f"{_MINE} AND c.id = :certificate_id", user_id=user_id, certificate_id=certificate_id
    )
    if found is None:
        raise NotFound("certificate_not_found")
    return found


async def find_of_enrollment(tx: Tx, user_id: UUID, enrollment_id: UUID) -> MyCertificate | None:
    return await tx.find(
        MyCertificate,
        f"{_MINE} AND c.enrollment_id = :enrollment_id",
        user_id=user_id,
        enrollment_id=enrollment_id,
    )
