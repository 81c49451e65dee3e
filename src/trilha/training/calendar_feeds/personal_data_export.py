"""The export of a person's calendar feed. Its address is not stored, so it is not in the export."""

from collections.abc import AsyncIterator, Sequence
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp
from trilha.feature import ExportPart, ExportReader
from trilha.training.calendar_feeds import queries


class CalendarFeed(Struct, frozen=True):
    """A secret address from which calendar programs read due dates."""

    created_at: Timestamp


async def _list_feeds(reader: ExportReader, user_id: UUID) -> AsyncIterator[Sequence[CalendarFeed]]:
    async with reader.transaction() as tx:
        created_at = await queries.find_created(tx, user_id)
    yield [CalendarFeed(created_at)] if created_at else []


EXPORT = (ExportPart("calendar_feeds", CalendarFeed, _list_feeds),)
