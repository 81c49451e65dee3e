"""The export of a person's requests for enrollment."""

from collections.abc import AsyncIterator, Sequence
from typing import Any
from uuid import UUID

from trilha.core.lists import read_pages
from trilha.feature import ExportPart, ExportReader
from trilha.training.enrollment_requests.lists import REQUESTS
from trilha.training.enrollment_requests.schema import EnrollmentRequest, EnrollmentRequestQuery


async def _list_requests(reader: ExportReader, user_id: UUID) -> AsyncIterator[Sequence[Any]]:
    """Newest first."""
    async for rows in read_pages(reader.transaction, REQUESTS, EnrollmentRequestQuery(user_id=user_id)):
        yield rows


EXPORT = (ExportPart("enrollment_requests", EnrollmentRequest, _list_requests),)
