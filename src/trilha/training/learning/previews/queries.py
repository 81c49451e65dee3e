"""The SQL of previews. A preview uses its own id where a launch has ids of attempts and enrollments."""

from typing import Any
from uuid import UUID, uuid4

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.training.courses.schema import ModuleType
from trilha.training.learning.launches import queries as launch_queries
from trilha.training.learning.launches.schema import LaunchContext


class Preview(Struct, frozen=True):
    """A preview with what its module shows now. `sha256` is the digest of the package."""

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


async def find_context(tx: Tx, id: UUID) -> LaunchContext | None:
    """Finds the context of a launch or of a preview."""
    if context := await launch_queries.find_context(tx, id):
        return context
    preview = await find_preview(tx, id)
    if preview is None:
        return None
    content = preview.content or {}
    return LaunchContext(
        launch_id=id,
        attempt_id=id,
        package_id=preview.package_id,
        sha256=preview.sha256,
        camera=content.get("camera") is True,
        microphone=content.get("microphone") is True,
        preview=True,
    )


async def insert_preview(
    tx: Tx, user_id: UUID, module_id: UUID, fingerprint: bytes, session_id: UUID | None
) -> UUID:
    """Replaces the person's earlier preview of the module, if any; returns the new id."""
    preview_id: UUID = await tx.value(
        """
        INSERT INTO previews (tenant_id, id, user_id, module_id, fingerprint, session_id, started_at)
        VALUES (:tenant, :id, :user_id, :module_id, :fingerprint, :session_id, :now)
        ON CONFLICT (tenant_id, user_id, module_id)
        DO UPDATE SET id = excluded.id, fingerprint = excluded.fingerprint,
                      session_id = excluded.session_id,
                      started_at = excluded.started_at
        RETURNING id
        """,
        id=uuid4(),
        user_id=user_id,
        module_id=module_id,
        fingerprint=fingerprint,
        session_id=session_id,
    )
    return preview_id


async def find_preview(tx: Tx, preview_id: UUID) -> Preview | None:
    """Returns None also if the module was removed."""
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
