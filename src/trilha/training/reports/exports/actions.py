"""Requests exports."""

from uuid import UUID

import msgspec

from trilha.core.database import Tx
from trilha.core.errors import Conflict
from trilha.platform.audit import queries as audit
from trilha.training.courses import queries as courses
from trilha.training.reports.exports import queries
from trilha.training.reports.exports.bundle_rows import BundleFilter
from trilha.training.reports.exports.errors import MAX_WAITING
from trilha.training.reports.exports.matrix_rows import MatrixFilter
from trilha.training.reports.exports.queries import AnyFilter
from trilha.training.reports.exports.rows import ExportFilter
from trilha.training.reports.exports.schema import StoredExport


async def request(
    tx: Tx, type: str, export_filter: ExportFilter, user_id: UUID | None = None
) -> StoredExport:
    """Queues an export of enrollments for the worker. Raises NotFound (course_not_found), and Conflict
    (too_many_exports).
    """
    if export_filter.course_id is not None:
        await courses.get(tx, export_filter.course_id)
    return await _request(tx, "enrollments", type, export_filter, user_id)


async def request_matrix(tx: Tx, type: str, matrix_filter: MatrixFilter, user_id: UUID) -> StoredExport:
    """Queues an export of where people stand with requirements. Raises Conflict (too_many_exports)."""
    return await _request(tx, "compliance", type, matrix_filter, user_id)


async def request_bundle(tx: Tx, bundle_filter: BundleFilter, user_id: UUID) -> StoredExport:
    """Queues what an inspector asks for, as a ZIP file. Raises Conflict (too_many_exports)."""
    return await _request(tx, "inspection", "zip", bundle_filter, user_id)


async def _request(
    tx: Tx, name: str, type: str, export_filter: AnyFilter, user_id: UUID | None
) -> StoredExport:
    export = await queries.insert(tx, name, type, export_filter, user_id, MAX_WAITING)
    if export is None:
        raise Conflict("too_many_exports")
    asked = {name: value for name, value in msgspec.to_builtins(export_filter).items() if value is not None}
    await audit.record(tx, "export.requested", export.id, type=type, **asked)
    return export
