"""The SQL of previews. What is asked of launches and attempts elsewhere is asked of them by the same id."""

from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.courses.schema import ModuleType
from trilha.learning.launches import queries as launch_queries
from trilha.learning.launches.schema import LaunchContext


async def find_context(tx: Tx, launch_id: UUID) -> LaunchContext | None:
    """Of a launch, or of a preview."""
    return await launch_queries.find_context(tx, launch_id) or await _find_preview_context(tx, launch_id)


async def _find_preview_context(tx: Tx, preview_id: UUID) -> LaunchContext | None:
    found = await find_preview(tx, preview_id)
    if found is None:
        return None
    content = found.content or {}
    return LaunchContext(
        launch_id=found.id,
        attempt_id=found.id,
        enrollment_id=found.id,
        module_id=found.module_id,
        module_type=found.type,
        package_id=found.package_id,
        sha256=found.sha256,
        camera=content.get("camera") is True,
        microphone=content.get("microphone") is True,
        preview=True,
    )


class Preview(Struct, frozen=True):
    """With what its module shows now. `sha256` is the package's."""

    id: UUID
    user_id: UUID
    module_id: UUID
    course_id: UUID
    started_at: Timestamp
    type: ModuleType
    title: str
    duration_minutes: int
    required: bool
    content: Any
    body: str | None
    package_id: UUID | None
    sha256: str | None
    seconds: float | None
    pages: int | None
    words: int


async def insert_preview(
    tx: Tx, user_id: UUID, module_id: UUID, fingerprint: bytes, session_id: UUID | None
) -> UUID:
    """Its id. An earlier one of the same person and module is not there any more."""
    preview_id: UUID = await tx.value(
        """
        INSERT INTO previews (tenant_id, user_id, module_id, fingerprint, session_id, started_at)
        VALUES (:tenant, :user_id, :module_id, :fingerprint, :session_id, :now)
        ON CONFLICT (tenant_id, user_id, module_id)
        DO UPDATE SET id = gen_random_uuid(), fingerprint = excluded.fingerprint,
                      session_id = excluded.session_id,
                      started_at = excluded.started_at
        RETURNING id
        """,
        user_id=user_id,
        module_id=module_id,
        fingerprint=fingerprint,
        session_id=session_id,
    )
    return preview_id


async def find_preview(tx: Tx, preview_id: UUID) -> Preview | None:
    """None also where its module was removed."""
    return await tx.find(
        Preview,
        """
        SELECT v.id, v.user_id, v.module_id, m.course_id, v.started_at, m.type, m.title, m.duration_minutes,
               m.required, m.content, m.body, p.id AS package_id, p.sha256, f.seconds, f.pages,
               COALESCE(regexp_count(m.body, '\\S+'), 0) AS words
        FROM previews v
        JOIN modules m ON m.tenant_id = v.tenant_id AND m.id = v.module_id
        LEFT JOIN packages p ON p.tenant_id = m.tenant_id AND p.id = (m.content ->> 'package_id')::uuid
        LEFT JOIN media_files f ON f.tenant_id = m.tenant_id AND f.id = (m.content ->> 'file_id')::uuid
        WHERE v.tenant_id = :tenant AND v.id = :preview_id
        """,
        preview_id=preview_id,
    )
