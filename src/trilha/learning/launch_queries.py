"""The SQL of the player: what a launch is of, and what its page is made with."""

from collections.abc import Sequence
from uuid import UUID

import msgspec
from msgspec import Struct

from trilha.core.database import Tx
from trilha.courses.schema import ModuleType
from trilha.learning import preview_queries
from trilha.learning.attempt_queries import LastAttempt, get_launch


class Material(Struct, frozen=True):
    """What a launch is of. It never changes, but for the devices that its module may use."""

    launch_id: UUID
    attempt_id: UUID
    enrollment_id: UUID
    module_id: UUID
    module_type: ModuleType
    package_id: UUID | None
    sha256: str | None  # the package's
    preview: bool = False  # nothing of it is kept
    camera: bool = False
    microphone: bool = False

    @property
    def devices(self) -> list[str]:
        return [name for name in ("camera", "microphone") if getattr(self, name)]


async def find_material(tx: Tx, launch_id: UUID) -> Material | None:
    """Of a launch, or of a preview."""
    return await _find_launched(tx, launch_id) or await _find_previewed(tx, launch_id)


async def is_launch_of(tx: Tx, user_id: UUID, launch_id: UUID) -> bool:
    """Whether this person made the launch, and no erasure has ended it."""
    return bool(
        await tx.value(
            """
            SELECT true FROM launches l
            JOIN all_enrollments e ON e.tenant_id = l.tenant_id AND e.id = l.enrollment_id
            WHERE l.tenant_id = :tenant AND l.id = :launch_id AND l.fingerprint <> ''
              AND e.user_id = :user_id
            """,
            launch_id=launch_id,
            user_id=user_id,
        )
    )


async def get_module_title(tx: Tx, launch_id: UUID) -> str:
    """The title of the module that a launch is of, as it is now."""
    title: str = await tx.value(
        """
        SELECT m.title FROM launches l
        JOIN attempts a ON a.tenant_id = l.tenant_id AND a.id = l.attempt_id
        JOIN all_modules m ON m.tenant_id = a.tenant_id AND m.id = a.module_id
        WHERE l.tenant_id = :tenant AND l.id = :launch_id
        """,
        launch_id=launch_id,
    )
    return title


async def list_packages(tx: Tx, user_id: UUID, module_ids: Sequence[UUID], most: int) -> list[str | None]:
    """The digests of the packages that this person has opened in these modules, the latest first; None stands
    for what is no package. A browser may hold work at the host of each."""
    rows = await tx.rows(
        """
        SELECT p.sha256 FROM (
            SELECT a.package_id, max(a.started_at) AS at FROM all_enrollments e
            JOIN attempts a ON a.tenant_id = e.tenant_id AND a.enrollment_id = e.id
            WHERE e.tenant_id = :tenant AND e.user_id = :user_id AND a.module_id = ANY(:module_ids)
            GROUP BY a.package_id ORDER BY at DESC LIMIT :most) AS opened
        LEFT JOIN packages p ON p.tenant_id = :tenant AND p.id = opened.package_id
        ORDER BY opened.at DESC
        """,
        user_id=user_id,
        module_ids=list(module_ids),
        most=most,
    )
    return [row["sha256"] for row in rows]


async def find_package_of(tx: Tx, module_id: UUID) -> str | None:
    """The digest of the package that a module shows now."""
    found: str | None = await tx.value(
        """
        SELECT p.sha256 FROM modules m
        JOIN packages p ON p.tenant_id = m.tenant_id AND p.id = (m.content ->> 'package_id')::uuid
        WHERE m.tenant_id = :tenant AND m.id = :module_id AND m.type = 'SCORM'
        """,
        module_id=module_id,
    )
    return found


async def _find_previewed(tx: Tx, preview_id: UUID) -> Material | None:
    found = await preview_queries.find(tx, preview_id)
    if found is None:
        return None
    content = found.content or {}
    return Material(
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


async def _find_launched(tx: Tx, launch_id: UUID) -> Material | None:
    return await tx.find(
        Material,
        """
        SELECT l.id AS launch_id, a.id AS attempt_id, l.enrollment_id, a.module_id, m.type AS module_type,
               a.package_id, p.sha256, false AS preview,
               COALESCE(m.content -> 'camera' = 'true', false) AS camera,
               COALESCE(m.content -> 'microphone' = 'true', false) AS microphone
        FROM launches l
        JOIN attempts a ON a.tenant_id = l.tenant_id AND a.id = l.attempt_id
        JOIN all_modules m ON m.tenant_id = a.tenant_id AND m.id = a.module_id
        LEFT JOIN packages p ON p.tenant_id = a.tenant_id AND p.id = a.package_id
        WHERE l.tenant_id = :tenant AND l.id = :launch_id
        """,
        launch_id=launch_id,
    )


async def get_attempt_as_left(tx: Tx, launch_id: UUID) -> LastAttempt:
    """The attempt of a launch that is there."""
    _, attempt = await get_launch(tx, launch_id)
    rows = await tx.rows(
        """
        SELECT cmi, (SELECT COALESCE(sum(l.credited_seconds), 0) FROM launches l
                     WHERE l.tenant_id = :tenant AND l.attempt_id = attempts.id) AS seconds
        FROM attempts WHERE tenant_id = :tenant AND id = :attempt_id
        """,
        attempt_id=attempt.id,
    )
    cmi = rows[0]["cmi"]
    return LastAttempt(attempt, None if cmi is None else msgspec.json.decode(cmi), rows[0]["seconds"])


async def find_sequencing(tx: Tx, enrollment_id: UUID, package_id: UUID) -> str | None:
    """The state of the runtime's activities, as JSON."""
    found: str | None = await tx.value(
        """
        SELECT state FROM sequencing_states
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id AND package_id = :package_id
        """,
        enrollment_id=enrollment_id,
        package_id=package_id,
    )
    return found


async def keep_sequencing(tx: Tx, enrollment_id: UUID, package_id: UUID, state: str) -> None:
    await tx.execute(
        """
        INSERT INTO sequencing_states (tenant_id, enrollment_id, package_id, state, updated_at)
        VALUES (:tenant, :enrollment_id, :package_id, :state, :now)
        ON CONFLICT (tenant_id, enrollment_id, package_id)
        DO UPDATE SET state = excluded.state, updated_at = excluded.updated_at
        """,
        enrollment_id=enrollment_id,
        package_id=package_id,
        state=state,
    )
