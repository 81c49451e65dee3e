"""The export of a person's enrollments, newest first, cancelled ones included."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.lists import read_pages
from trilha.core.types import Timestamp
from trilha.feature import ExportPart, ExportReader
from trilha.training.courses import queries as courses
from trilha.training.courses.schema import CourseLanguage
from trilha.training.enrollments import queries
from trilha.training.enrollments.lists import ALL_ENROLLMENTS
from trilha.training.enrollments.schema import EnrollmentQuery, EnrollmentRecord, EnrollmentStatus, Percent

# Returns one row of the export for each enrollment on a page.
PageLoader = Callable[[Tx, Sequence[EnrollmentRecord]], Awaitable[Sequence[Any]]]


class Progress(Struct, frozen=True, omit_defaults=True):
    """The progress of one enrollment, with the course's title at the time of the export. `cancelled_at` is
    left out unless the enrollment is cancelled, and `language` unless the person has chosen one."""

    enrollment_id: UUID
    course_id: UUID
    course_title: str
    status: EnrollmentStatus
    progress: Percent
    score: Percent | None
    started_at: Timestamp | None
    completed_at: Timestamp | None
    expires_at: Timestamp | None
    cancelled_at: Timestamp | None = None
    language: CourseLanguage | None = None


def export_by_enrollment(
    load: PageLoader, page_size: int
) -> Callable[[ExportReader, UUID], AsyncIterator[Sequence[Any]]]:
    """Builds the `pages` of a part that has one row for each enrollment."""

    async def pages(reader: ExportReader, user_id: UUID) -> AsyncIterator[Sequence[Any]]:
        query = EnrollmentQuery(user_id=user_id)
        async for rows in read_pages(reader.transaction, ALL_ENROLLMENTS, query, size=page_size, load=load):
            yield rows

    return pages


async def load_titles(tx: Tx, page: Sequence[EnrollmentRecord]) -> dict[UUID, str]:
    """The titles of the courses on a page, by id."""
    return await courses.load_titles(tx, list({enrollment.course_id for enrollment in page}))


async def _return_enrollments(_: Tx, page: Sequence[EnrollmentRecord]) -> Sequence[EnrollmentRecord]:
    return page


async def _load_progress(tx: Tx, page: Sequence[EnrollmentRecord]) -> Sequence[Progress]:
    titles = await load_titles(tx, page)
    languages = await queries.load_languages(tx, [enrollment.id for enrollment in page])
    return [
        Progress(
            enrollment_id=enrollment.id,
            course_id=enrollment.course_id,
            course_title=titles[enrollment.course_id],
            status=enrollment.status,
            progress=enrollment.progress,
            score=enrollment.score,
            started_at=enrollment.started_at,
            completed_at=enrollment.completed_at,
            expires_at=enrollment.expires_at,
            cancelled_at=enrollment.cancelled_at,
            language=languages.get(enrollment.id),
        )
        for enrollment in page
    ]


EXPORT = (
    ExportPart("enrollments", EnrollmentRecord, export_by_enrollment(_return_enrollments, 100)),
    ExportPart("progress", Progress, export_by_enrollment(_load_progress, 100)),
)
