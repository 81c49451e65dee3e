"""Erases a person from learning: their recordings, essays, comments on them, and traces of their browser."""

from uuid import UUID

from trilha.core.database import Tx

_ATTEMPTS_OF_USER = """
    SELECT a.id FROM attempts a
    JOIN all_enrollments e ON e.tenant_id = a.tenant_id AND e.id = a.enrollment_id
    WHERE a.tenant_id = :tenant AND e.user_id = :user_id
"""


async def erase_person(tx: Tx, user_id: UUID) -> None:
    """Erases a person. The worker deletes the files of the recordings later."""
    await tx.execute(
        f"""
        UPDATE voice_recordings SET removed_at = :now
        WHERE tenant_id = :tenant AND removed_at IS NULL AND attempt_id IN ({_ATTEMPTS_OF_USER})
        """,  # noqa: S608
        user_id=user_id,
    )
    await tx.execute(
        f"""
        UPDATE quiz_answers SET comment = '', awaits_since = NULL, recording_id = NULL, corrections = '[]'
        WHERE tenant_id = :tenant AND attempt_id IN ({_ATTEMPTS_OF_USER})
          AND (comment <> '' OR awaits_since IS NOT NULL OR recording_id IS NOT NULL)
        """,  # noqa: S608
        user_id=user_id,
    )
    await _erase_essays(tx, user_id)
    await tx.execute(
        f"""
        UPDATE quiz_attempts SET closes_at = NULL
        WHERE tenant_id = :tenant AND closes_at IS NOT NULL AND attempt_id IN ({_ATTEMPTS_OF_USER})
        """,  # noqa: S608
        user_id=user_id,
    )
    # A reason may name the person.
    await tx.execute(
        """
        UPDATE review_flags SET reason = '[erased]'
        WHERE tenant_id = :tenant AND dismissed_at IS NOT NULL AND enrollment_id IN (
            SELECT id FROM all_enrollments WHERE tenant_id = :tenant AND user_id = :user_id)
        """,
        user_id=user_id,
    )
    await _scrub_launches(tx, user_id)


async def _erase_essays(tx: Tx, user_id: UUID) -> None:
    """Erases what the person wrote in essays; the answers and their grades stay."""
    essays = f"""
        SELECT qa.attempt_id, each ->> 'id' AS question_id
        FROM quiz_attempts qa CROSS JOIN LATERAL jsonb_array_elements(qa.questions) AS each
        WHERE qa.tenant_id = :tenant AND qa.attempt_id IN ({_ATTEMPTS_OF_USER}) AND each ->> 'kind' = 'essay'
    """  # noqa: S608
    await tx.execute(
        f"""
        UPDATE quiz_answers AS answer SET response = '"[erased]"' FROM ({essays}) AS essay
        WHERE answer.tenant_id = :tenant AND answer.attempt_id = essay.attempt_id
          AND answer.question_id::text = essay.question_id
        """,  # noqa: S608
        user_id=user_id,
    )
    await tx.execute(
        f"""
        UPDATE interactions AS answer SET response = '[erased]', raw_response = '[erased]'
        FROM ({essays}) AS essay
        WHERE answer.tenant_id = :tenant AND answer.attempt_id = essay.attempt_id
          AND answer.interaction_id = essay.question_id
        """,  # noqa: S608
        user_id=user_id,
    )


async def _scrub_launches(tx: Tx, user_id: UUID) -> None:
    """Ends all launches and previews: no token has an empty fingerprint.

    Content knows the person's name, so that traces and stored reports may contain it.
    """
    await tx.execute(
        """
        UPDATE launches SET fingerprint = '', source = '', agent = ''
        WHERE tenant_id = :tenant AND fingerprint <> '' AND enrollment_id IN (
            SELECT id FROM all_enrollments WHERE tenant_id = :tenant AND user_id = :user_id)
        """,
        user_id=user_id,
    )
    await tx.execute(
        "DELETE FROM cmi5_sessions WHERE tenant_id = :tenant AND user_id = :user_id", user_id=user_id
    )
    await tx.execute("DELETE FROM previews WHERE tenant_id = :tenant AND user_id = :user_id", user_id=user_id)
    for table in ("launch_traces", "unapplied_reports"):
        await tx.execute(
            f"""
            DELETE FROM {table} WHERE tenant_id = :tenant AND launch_id IN (
                SELECT l.id FROM launches l
                JOIN all_enrollments e ON e.tenant_id = l.tenant_id AND e.id = l.enrollment_id
                WHERE l.tenant_id = :tenant AND e.user_id = :user_id)
            """,  # noqa: S608
            user_id=user_id,
        )
