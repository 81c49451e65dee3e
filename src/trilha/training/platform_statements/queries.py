"""The SQL of the setting, and of what happened."""

from collections.abc import Collection
from uuid import UUID

from trilha.core.database import Tx, columns_of
from trilha.training.platform_statements.schema import (
    CompletedModule,
    LogEntry,
    NamedActivity,
    Place,
    PublicEvent,
    StatementSettings,
)


async def find_settings(tx: Tx) -> StatementSettings | None:
    """Returns None if the company does not want statements."""
    return await tx.find(
        StatementSettings, "SELECT since, position FROM statement_settings WHERE tenant_id = :tenant"
    )


async def lock_settings(tx: Tx) -> StatementSettings | None:
    """Returns None also if another worker writes this company's statements."""
    return await tx.find(
        StatementSettings,
        "SELECT since, position FROM statement_settings WHERE tenant_id = :tenant FOR UPDATE SKIP LOCKED",
    )


async def turn_on(tx: Tx) -> None:
    """Begins with what happens from now on."""
    last: int | None = await tx.value(
        """
        SELECT position FROM events WHERE tenant_id = :tenant AND position IS NOT NULL
        ORDER BY position DESC LIMIT 1
        """
    )
    await tx.execute(
        """
        INSERT INTO statement_settings (tenant_id, since, position) VALUES (:tenant, :now, :position)
        ON CONFLICT (tenant_id) DO NOTHING
        """,
        position=last or 0,
    )


async def turn_off(tx: Tx) -> None:
    """Forgets what statements were still to be written about."""
    await tx.execute("DELETE FROM statement_settings WHERE tenant_id = :tenant")
    await tx.execute("DELETE FROM statement_outbox WHERE tenant_id = :tenant")


async def set_position(tx: Tx, position: int) -> None:
    await tx.execute(
        "UPDATE statement_settings SET position = :position WHERE tenant_id = :tenant", position=position
    )


async def take_entries(tx: Tx, limit: int) -> list[LogEntry]:
    """Removes the oldest entries from the outbox and returns them."""
    taken = await tx.rows(
        """
        WITH oldest AS (
            SELECT at, enrollment_id, number FROM statement_outbox WHERE tenant_id = :tenant
            ORDER BY at, enrollment_id, number LIMIT :limit)
        DELETE FROM statement_outbox AS entry USING oldest
        WHERE entry.tenant_id = :tenant AND entry.at = oldest.at
          AND entry.enrollment_id = oldest.enrollment_id AND entry.number = oldest.number
        RETURNING entry.enrollment_id, entry.number
        """,
        limit=limit,
    )
    if not taken:
        return []
    return await tx.list(
        LogEntry,
        """
        SELECT l.enrollment_id, e.user_id, e.course_id, l.number, l.kind, l.at, l.detail, l.launch_id,
               a.module_id, a.number AS attempt, a.studied AS attempt_data,
               n.credited_seconds AS launch_seconds
        FROM unnest(:ids::uuid[], :numbers::int[]) AS taken (enrollment_id, number)
        JOIN learning_log l ON l.tenant_id = :tenant AND l.enrollment_id = taken.enrollment_id
                               AND l.number = taken.number
        JOIN all_enrollments e ON e.tenant_id = :tenant AND e.id = l.enrollment_id
        LEFT JOIN launches n ON n.tenant_id = :tenant AND n.id = l.launch_id
        LEFT JOIN attempts a ON a.tenant_id = :tenant AND a.id = n.attempt_id
        ORDER BY l.at, l.enrollment_id, l.number
        """,
        ids=[row["enrollment_id"] for row in taken],
        numbers=[row["number"] for row in taken],
    )


async def list_completed_modules(tx: Tx, enrollment_ids: Collection[UUID]) -> list[CompletedModule]:
    """Lists the modules that these enrollments have completed, except those whose content says so itself."""
    return await tx.list(
        CompletedModule,
        """
        SELECT p.enrollment_id, e.user_id, e.course_id, p.module_id, p.completed_at,
               p.credited_seconds AS seconds,
               (SELECT a.studied FROM attempts a
                WHERE a.tenant_id = :tenant AND a.enrollment_id = p.enrollment_id
                  AND a.module_id = p.module_id
                ORDER BY a.number DESC LIMIT 1) AS attempt_data
        FROM module_progress p
        JOIN all_enrollments e ON e.tenant_id = :tenant AND e.id = p.enrollment_id
        JOIN all_modules m ON m.tenant_id = :tenant AND m.id = p.module_id
        WHERE p.tenant_id = :tenant AND p.enrollment_id = ANY(:ids::uuid[]) AND p.completed_at IS NOT NULL
          AND m.type <> 'CMI5'
        ORDER BY p.completed_at, p.enrollment_id, p.module_id
        """,
        ids=list(enrollment_ids),
    )


async def list_events(tx: Tx, after: int, limit: int) -> list[PublicEvent]:
    """Lists the events after a position of the forward feed, which only grows."""
    return await tx.list(
        PublicEvent,
        f"""
        SELECT {columns_of(PublicEvent)} FROM events
        WHERE tenant_id = :tenant AND position > :after ORDER BY position LIMIT :limit
        """,  # noqa: S608
        after=after,
        limit=limit,
    )


async def list_registrations(tx: Tx, ids: Collection[UUID]) -> dict[UUID, Place]:
    rows = await tx.list(
        Place,
        """
        SELECT id AS key, class_id, enrollment_id FROM class_registrations
        WHERE tenant_id = :tenant AND id = ANY(:ids::uuid[])
        """,
        ids=list(ids),
    )
    return {row.key: row for row in rows}


async def list_places(
    tx: Tx, class_ids: Collection[UUID], user_ids: Collection[UUID]
) -> dict[tuple[UUID, UUID], Place]:
    """Returns the newest registrations of people in classes, by the class and the person."""
    rows = await tx.list(
        Place,
        """
        SELECT DISTINCT ON (class_id, user_id) user_id AS key, class_id, enrollment_id
        FROM class_registrations
        WHERE tenant_id = :tenant AND class_id = ANY(:class_ids::uuid[]) AND user_id = ANY(:user_ids::uuid[])
        ORDER BY class_id, user_id, created_at DESC
        """,
        class_ids=list(class_ids),
        user_ids=list(user_ids),
    )
    return {(row.class_id, row.key): row for row in rows}


async def list_courses(tx: Tx, ids: Collection[UUID]) -> dict[UUID, NamedActivity]:
    rows = await tx.list(
        NamedActivity,
        """
        SELECT id, title, language, NULL AS type, id AS course_id FROM courses
        WHERE tenant_id = :tenant AND id = ANY(:ids::uuid[])
        """,
        ids=list(ids),
    )
    return {row.id: row for row in rows}


async def list_modules(tx: Tx, ids: Collection[UUID]) -> dict[UUID, NamedActivity]:
    rows = await tx.list(
        NamedActivity,
        """
        SELECT m.id, m.title, c.language, m.type, m.course_id
        FROM all_modules m JOIN courses c ON c.tenant_id = :tenant AND c.id = m.course_id
        WHERE m.tenant_id = :tenant AND m.id = ANY(:ids::uuid[])
        """,
        ids=list(ids),
    )
    return {row.id: row for row in rows}


async def list_classes(tx: Tx, ids: Collection[UUID]) -> dict[UUID, NamedActivity]:
    rows = await tx.list(
        NamedActivity,
        """
        SELECT k.id, k.title, c.language, NULL AS type, k.course_id
        FROM classes k JOIN courses c ON c.tenant_id = :tenant AND c.id = k.course_id
        WHERE k.tenant_id = :tenant AND k.id = ANY(:ids::uuid[])
        """,
        ids=list(ids),
    )
    return {row.id: row for row in rows}


async def lock_people(tx: Tx, ids: Collection[UUID]) -> set[UUID]:
    """Returns the people who are not erased. An erasure waits for this transaction."""
    rows = await tx.rows(
        """
        SELECT id FROM users WHERE tenant_id = :tenant AND id = ANY(:ids::uuid[]) AND erased_at IS NULL
        ORDER BY id FOR KEY SHARE
        """,
        ids=list(ids),
    )
    return {row["id"] for row in rows}


async def list_stored(tx: Tx, ids: Collection[UUID]) -> set[UUID]:
    """Returns which of these statements are stored already."""
    rows = await tx.rows(
        "SELECT id FROM xapi_statements WHERE tenant_id = :tenant AND id = ANY(:ids::uuid[])", ids=list(ids)
    )
    return {row["id"] for row in rows}
