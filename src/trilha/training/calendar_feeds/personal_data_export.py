"""The export of a person's calendar feed. Its address is not stored, so it is not in the export."""

from collections.abc import AsyncIterator, Sequence
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp
from trilha.feature import ExportPart, ExportReader
from trilha.training.calendar_feeds import queries
from trilha.training.calendar_feeds.schema import KINDS, FeedKind


class CalendarFeed(Struct, frozen=True):
    """A secret address from which calendar programs read the person's dates, or the company's sessions."""

    kind: FeedKind
    created_at: Timestamp


async def _list_feeds(reader: ExportReader, user_id: UUID) -> AsyncIterator[Sequence[CalendarFeed]]:
    async with reader.transaction() as tx:
        created = {kind: await queries.find_created(tx, user_id, kind) for kind in KINDS}
    yield [CalendarFeed(kind, created_at) for kind, created_at in created.items() if created_at]


EXPORT = (ExportPart("calendar_feeds", CalendarFeed, _list_feeds),)
