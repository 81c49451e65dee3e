"""The export of personal data: decisions and dates, and nothing that was seen or computed of a face."""

from collections.abc import AsyncIterator, Sequence
from uuid import UUID

from trilha.feature import ExportPart, ExportReader
from trilha.training.identity import queries
from trilha.training.identity.schema import ExportedCheck, ExportedConsent


async def _list_consents(reader: ExportReader, user_id: UUID) -> AsyncIterator[Sequence[ExportedConsent]]:
    async with reader.transaction() as tx:
        yield await queries.list_exported_consents(tx, user_id)


async def _list_checks(reader: ExportReader, user_id: UUID) -> AsyncIterator[Sequence[ExportedCheck]]:
    async with reader.transaction() as tx:
        yield await queries.list_exported_checks(tx, user_id)


EXPORT = (
    ExportPart("identity_consents", ExportedConsent, _list_consents),
    ExportPart("identity_checks", ExportedCheck, _list_checks),
)
