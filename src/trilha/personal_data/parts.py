"""What the export holds beside the profile, in the order of the file.

A page at a time, each in a transaction of its own: none is held while the person's browser reads, and memory
holds one page.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from trilha.certificates.lists import CERTIFICATES
from trilha.certificates.schema import CertificatesQuery, HeldCertificate, StoredCertificate
from trilha.core.database import Tx
from trilha.core.lists import read_pages
from trilha.enrollments.lists import KEPT
from trilha.enrollments.schema import EnrollmentQuery, KeptEnrollment
from trilha.personal_data import queries
from trilha.personal_data.schema import FollowedPath, Part, Progress, Reader, Transcript

_PAGE = 100
# With attempts and answers, one enrollment may be as large as a hundred others.
_FEW = 10
# What is told of the enrollments on a page.
Told = Callable[[Tx, Sequence[KeptEnrollment]], Awaitable[Sequence[Any]]]


async def _by_enrollment(
    told: Told, most: int, reader: Reader, user_id: UUID
) -> AsyncIterator[Sequence[Any]]:
    """Of every enrollment, newest first, those that are cancelled too."""
    query = EnrollmentQuery(user_id=user_id)
    async for rows in read_pages(reader.transaction, KEPT, query, size=most, load=told):
        yield rows


async def _enrollments(_: Tx, page: Sequence[KeptEnrollment]) -> Sequence[KeptEnrollment]:
    return page


async def _progress(tx: Tx, page: Sequence[KeptEnrollment]) -> Sequence[Progress]:
    titles = await queries.titles(tx, _courses(page))
    return [
        Progress(
            enrollment_id=each.id,
            course_id=each.course_id,
            course_title=titles[each.course_id],
            status=each.status,
            progress=each.progress,
            score=each.score,
            started_at=each.started_at,
            completed_at=each.completed_at,
            expires_at=each.expires_at,
            cancelled_at=each.cancelled_at,
        )
        for each in page
    ]


async def _transcripts(tx: Tx, page: Sequence[KeptEnrollment]) -> Sequence[Transcript]:
    titles = await queries.titles(tx, _courses(page))
    modules = await queries.modules(tx, [each.id for each in page])
    return [
        Transcript(
            enrollment_id=each.id,
            course_id=each.course_id,
            course_title=titles[each.course_id],
            score=each.score,
            modules=modules.get(each.id, []),
            cancelled_at=each.cancelled_at,
        )
        for each in page
    ]


async def _certificates(reader: Reader, user_id: UUID) -> AsyncIterator[Sequence[HeldCertificate]]:
    """Newest first, those that were revoked or replaced too."""

    async def load(tx: Tx, page: Sequence[StoredCertificate]) -> Sequence[HeldCertificate]:
        return [reader.links.held(tx.tenant_id, each, tx.now) for each in page]

    query = CertificatesQuery(user_id=user_id)
    async for rows in read_pages(reader.transaction, CERTIFICATES, query, load=load):
        yield rows


async def _learning_paths(reader: Reader, user_id: UUID) -> AsyncIterator[Sequence[FollowedPath]]:
    async with reader.transaction() as tx:
        found = await queries.list_paths(tx, user_id)
    yield found


def _courses(page: Sequence[KeptEnrollment]) -> list[UUID]:
    return list({each.course_id for each in page})


PARTS = (
    Part("enrollments", KeptEnrollment, partial(_by_enrollment, _enrollments, _PAGE)),
    Part("progress", Progress, partial(_by_enrollment, _progress, _PAGE)),
    Part("certificates", HeldCertificate, _certificates),
    Part("transcripts", Transcript, partial(_by_enrollment, _transcripts, _FEW)),
    Part("learning_paths", FollowedPath, _learning_paths),
)
