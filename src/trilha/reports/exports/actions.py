"""Asking for an export, and taking all of them back."""

from uuid import UUID

import msgspec

from trilha.audit import queries as audit
from trilha.core.database import Tx
from trilha.core.errors import Conflict
from trilha.courses import queries as courses
from trilha.reports.exports import queries
from trilha.reports.exports.errors import MOST_WAITING
from trilha.reports.exports.rows import Wanted
from trilha.reports.exports.schema import StoredExport


async def request(tx: Tx, type: str, wanted: Wanted, user_id: UUID | None = None) -> StoredExport:
    """The worker makes it. Raises NotFound (course_not_found), and Conflict (too_many_exports)."""
    if wanted.course_id is not None:
        await courses.get(tx, wanted.course_id)
    export = await queries.insert(tx, type, wanted, user_id, MOST_WAITING)
    if export is None:
        raise Conflict("too_many_exports")
    asked = {name: value for name, value in msgspec.to_builtins(wanted).items() if value is not None}
    await audit.record(tx, "export.requested", export.id, type=type, **asked)
    return export


async def withdraw(tx: Tx, user_id: UUID) -> None:
    """When a person is erased, files that may name them go, whoever asked for them."""
    await queries.withdraw(tx)
