"""The SQL of progress in videos, documents and articles."""

from datetime import datetime, timedelta
from uuid import UUID

from trilha.core.database import Tx
from trilha.training.learning.attempts.schema import Attempt
from trilha.training.learning.launches.schema import Launch
from trilha.training.learning.studies.schema import ModuleContent, StudyMaterial, StudyProgress
from trilha.training.scorm.runtime.mapping import State


async def find_material(tx: Tx, attempt: Attempt) -> StudyMaterial | None:
    """Returns what an attempt studies; None for a preview."""
    return await tx.find(
        StudyMaterial,
        """
        SELECT m.type, a.studied, f.seconds, f.pages,
               COALESCE(regexp_count(m.body, '\\S+'), 0) AS words
        FROM attempts a
        JOIN all_modules m ON m.tenant_id = a.tenant_id AND m.id = a.module_id
        LEFT JOIN media_files f ON f.tenant_id = a.tenant_id AND f.id = (a.settings ->> 'file_id')::uuid
        WHERE a.tenant_id = :tenant AND a.id = :attempt_id
        """,
        attempt_id=attempt.id,
    )


async def get_first_start(tx: Tx, attempt: Attempt, launch: Launch, silence: timedelta) -> datetime:
    """Returns when the attempt's first launch began that had not expired when this launch began.

    A launch expires after this `silence`.
    """
    start: str = await tx.value(
        """
        SELECT min(started_at) FROM launches
        WHERE tenant_id = :tenant AND attempt_id = :attempt_id AND number <= :number
              AND seen_at >= CAST(:started_at AS timestamptz) - CAST(:silence AS interval)
        """,
        attempt_id=attempt.id,
        number=launch.number,
        started_at=launch.started_at,
        silence=silence,
    )
    return datetime.fromisoformat(start)


async def find_content(tx: Tx, launch_id: UUID) -> ModuleContent | None:
    """Returns what a launch shows; None for a preview."""
    return await tx.find(
        ModuleContent,
        """
        SELECT m.id AS module_id, a.settings ->> 'file_id' AS file_id, m.content, m.body
        FROM launches l
        JOIN attempts a ON a.tenant_id = l.tenant_id AND a.id = l.attempt_id
        JOIN all_modules m ON m.tenant_id = a.tenant_id AND m.id = a.module_id
        WHERE l.tenant_id = :tenant AND l.id = :launch_id
        """,
        launch_id=launch_id,
    )


async def list_files_of_questions(tx: Tx, launch_id: UUID) -> set[UUID]:
    """Returns the pictures and audio of the questions that a launch asks."""
    rows = await tx.rows(
        """
        SELECT jsonb_path_query(qa.questions, '$.**.file_id') #>> '{}' AS id
        FROM launches l
        JOIN quiz_attempts qa ON qa.tenant_id = l.tenant_id AND qa.attempt_id = l.attempt_id
        WHERE l.tenant_id = :tenant AND l.id = :launch_id
        """,
        launch_id=launch_id,
    )
    return {UUID(row["id"]) for row in rows}


async def store_progress(
    tx: Tx, attempt: Attempt, launch: Launch, state: State, progress: StudyProgress, *, final: bool
) -> None:
    await tx.execute(
        """
        UPDATE attempts SET completion = :completion, progress = :progress, studied = :studied,
            terminated = :final, newest_launch = GREATEST(newest_launch, :launch_number),
            ended_at = CASE WHEN :final THEN CAST(:now AS timestamptz) ELSE ended_at END
        WHERE tenant_id = :tenant AND id = :attempt_id
        """,
        attempt_id=attempt.id,
        launch_number=launch.number,
        completion=state.completion,
        progress=state.progress,
        studied=progress,
        final=final,
    )
