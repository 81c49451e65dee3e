"""The SQL of sessions, and of what learners have reached."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct, structs

from trilha.core.database import Tx, columns_of
from trilha.core.types import Timestamp
from trilha.training.learning.attempts.schema import AssessmentEvent, Attempt
from trilha.training.learning.cmi5.schema import LaunchMode, NodeProgress, Session
from trilha.training.learning.evidence.queries import ENROLLMENT_STATUS
from trilha.training.learning.evidence.schema import Change
from trilha.training.learning.launches.schema import Launch
from trilha.training.scorm.runtime.mapping import State

_SESSION = columns_of(Session)


class Secrets(Struct, frozen=True):
    """The fingerprints of a session's three secrets."""

    fetch: bytes
    token: bytes
    files: bytes


async def insert_session(tx: Tx, session: Session, agent: UUID, secrets: Secrets) -> None:
    await tx.execute(
        """
        INSERT INTO cmi5_sessions (tenant_id, id, user_id, launch_id, enrollment_id, module_id, registration,
                                   agent, mode, fetch_fingerprint, token_fingerprint, files_fingerprint,
                                   last_at, started_at)
        VALUES (:tenant, :id, :user_id, :launch_id, :enrollment_id, :module_id, :registration, :agent, :mode,
                :fetch, :token, :files, :now, :now)
        """,
        **{
            name: getattr(session, name)
            for name in ("id", "user_id", "launch_id", "enrollment_id", "module_id", "registration", "mode")
        },
        agent=agent,
        **structs.asdict(secrets),
    )


async def find_session(tx: Tx, session_id: UUID) -> Session | None:
    sql = f"SELECT {_SESSION} FROM cmi5_sessions WHERE tenant_id = :tenant AND id = :session_id"  # noqa: S608
    return await tx.find(Session, sql, session_id=session_id)


async def lock_session(tx: Tx, session_id: UUID) -> Session | None:
    return await tx.find(
        Session,
        f"""
        SELECT {_SESSION} FROM cmi5_sessions
        WHERE tenant_id = :tenant AND id = :session_id FOR NO KEY UPDATE
        """,  # noqa: S608
        session_id=session_id,
    )


async def may_write(tx: Tx, session_id: UUID) -> bool:
    """Returns whether the content of a session may write: the session has not ended, and its enrollment has
    not expired. The session cannot end until the transaction does.
    """
    return bool(
        await tx.value(
            f"""
            SELECT true FROM cmi5_sessions s
            LEFT JOIN all_enrollments e ON e.tenant_id = :tenant AND e.id = s.enrollment_id
            WHERE s.tenant_id = :tenant AND s.id = :session_id
              AND s.terminated_at IS NULL AND s.abandoned_at IS NULL
              AND (s.enrollment_id IS NULL OR {ENROLLMENT_STATUS} <> 'EXPIRED')
            FOR SHARE OF s
            """,  # noqa: S608
            session_id=session_id,
        )
    )


class LaunchedSession(Struct, frozen=True):
    """A session of a launch. `agent` is the key of the learner's agent, and `next_at` the beginning of the
    first session of the module after those of the launch.
    """

    id: UUID
    module_id: UUID
    registration: UUID
    agent: UUID
    mode: LaunchMode
    started_at: Timestamp
    fetched_at: Timestamp | None
    preferences_at: Timestamp | None
    abandoned_at: Timestamp | None
    next_at: Timestamp | None


async def list_launched_sessions(
    tx: Tx, enrollment_id: UUID, launch_id: UUID, limit: int
) -> list[LaunchedSession]:
    """Returns the first sessions of a launch, oldest first."""
    return await tx.list(
        LaunchedSession,
        """
        SELECT id, module_id, registration, agent, mode, started_at, fetched_at, preferences_at, abandoned_at,
               (SELECT min(other.started_at) FROM cmi5_sessions AS other
                WHERE other.tenant_id = :tenant AND other.registration = session.registration
                  AND other.module_id = session.module_id AND other.launch_id <> session.launch_id
                  AND other.started_at > session.started_at) AS next_at
        FROM cmi5_sessions AS session
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id AND launch_id = :launch_id
        ORDER BY started_at, id LIMIT :limit
        """,
        enrollment_id=enrollment_id,
        launch_id=launch_id,
        limit=limit,
    )


async def lock_open_sessions(tx: Tx, registration: UUID, module_id: UUID) -> list[Session]:
    """Returns the module's sessions that have not ended, oldest first."""
    return await tx.list(
        Session,
        f"""
        SELECT {_SESSION} FROM cmi5_sessions
        WHERE tenant_id = :tenant AND registration = :registration AND module_id = :module_id
          AND terminated_at IS NULL AND abandoned_at IS NULL
        ORDER BY started_at, id LIMIT 100 FOR NO KEY UPDATE
        """,  # noqa: S608
        registration=registration,
        module_id=module_id,
    )


async def lock_other_sessions(tx: Tx, registration: UUID, module_id: UUID) -> list[Session]:
    """Returns the sessions of other modules whose content has fetched its token and has not ended."""
    return await tx.list(
        Session,
        f"""
        SELECT {_SESSION} FROM cmi5_sessions
        WHERE tenant_id = :tenant AND registration = :registration AND module_id <> :module_id
          AND fetched_at IS NOT NULL AND terminated_at IS NULL AND abandoned_at IS NULL
        ORDER BY started_at, id LIMIT 100 FOR NO KEY UPDATE
        """,  # noqa: S608
        registration=registration,
        module_id=module_id,
    )


async def get_publisher_id(tx: Tx, launch_id: UUID) -> str:
    """Returns the id that the publisher has given to the unit of an enrollment's launch."""
    publisher_id: str = await tx.value(
        """
        SELECT a.item FROM launches l
        JOIN attempts a ON a.tenant_id = :tenant AND a.id = l.attempt_id
        WHERE l.tenant_id = :tenant AND l.id = :launch_id
        """,
        launch_id=launch_id,
    )
    return publisher_id


async def update_session(tx: Tx, session: Session) -> None:
    names = ("initialized_at", "completed_at", "judged_at", "terminated_at", "abandoned_at", "last_at")
    await tx.execute(
        f"""
        UPDATE cmi5_sessions SET {", ".join(f"{name} = :{name}" for name in names)}
        WHERE tenant_id = :tenant AND id = :id
        """,  # noqa: S608
        id=session.id,
        **{name: getattr(session, name) for name in names},
    )


async def take_fetch(tx: Tx, session_id: UUID, token_fingerprint: bytes) -> bool:
    """Notes the token that a fetch address gives out. Returns False if it was used before."""
    return bool(
        await tx.execute(
            """
            UPDATE cmi5_sessions SET fetched_at = :now, token_fingerprint = :token
            WHERE tenant_id = :tenant AND id = :session_id AND fetched_at IS NULL
              AND terminated_at IS NULL AND abandoned_at IS NULL
            """,
            session_id=session_id,
            token=token_fingerprint,
        )
    )


async def note_preferences(tx: Tx, session_id: UUID) -> None:
    await tx.execute(
        """
        UPDATE cmi5_sessions SET preferences_at = :now
        WHERE tenant_id = :tenant AND id = :session_id AND preferences_at IS NULL
        """,
        session_id=session_id,
    )


async def list_progress(tx: Tx, enrollment_id: UUID, package_id: UUID) -> list[NodeProgress]:
    return await tx.list(
        NodeProgress,
        f"""
        SELECT {columns_of(NodeProgress)} FROM cmi5_progress
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id AND package_id = :package_id
        """,  # noqa: S608
        enrollment_id=enrollment_id,
        package_id=package_id,
    )


async def save_progress(tx: Tx, enrollment_id: UUID, package_id: UUID, nodes: Sequence[NodeProgress]) -> None:
    names = ("completed_at", "passed_at", "failed_at", "waived_at", "satisfied_at")
    await tx.execute(
        f"""
        INSERT INTO cmi5_progress (tenant_id, enrollment_id, package_id, kind, identifier, {", ".join(names)})
        SELECT :tenant, CAST(:enrollment_id AS uuid), CAST(:package_id AS uuid), new.*
        FROM unnest(:kinds::text[], :identifiers::text[],
                    {", ".join(f":{name}::timestamptz[]" for name in names)}) AS new
        ON CONFLICT (tenant_id, enrollment_id, package_id, kind, identifier)
            DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in names)}
        RETURNING tenant_id
        """,  # noqa: S608
        enrollment_id=enrollment_id,
        package_id=package_id,
        kinds=[each.kind for each in nodes],
        identifiers=[each.identifier for each in nodes],
        **{name: [getattr(each, name) for each in nodes] for name in names},
    )


def store_result(
    attempt: Attempt, launch: Launch, state: State, last_event: AssessmentEvent, *, ended: bool
) -> Change:
    return Change(
        """
        UPDATE attempts SET completion = :completion, success = :success, score = :score,
            progress = :progress, told = :last_event,
            newest_launch = GREATEST(newest_launch, :launch_number),
            ended_at = CASE WHEN :ended THEN CAST(:now AS timestamptz) ELSE ended_at END
        WHERE tenant_id = :tenant AND id = :attempt_id
        """,
        {
            **{name: getattr(state, name) for name in ("completion", "success", "score", "progress")},
            "attempt_id": attempt.id,
            "launch_number": launch.number,
            "last_event": last_event,
            "ended": ended,
        },
    )


async def count_interactions(tx: Tx, attempt_id: UUID) -> int:
    """Returns the index of the next interaction of an attempt."""
    number: int = await tx.value(
        """
        SELECT COALESCE(max(index), -1) + 1 FROM interactions
        WHERE tenant_id = :tenant AND attempt_id = :attempt_id
        """,
        attempt_id=attempt_id,
    )
    return number


async def get_language(tx: Tx, user_id: UUID) -> str:
    """Returns the language of a person's pages."""
    locale: str | None = await tx.value(
        "SELECT locale FROM users WHERE tenant_id = :tenant AND id = :user_id", user_id=user_id
    )
    return locale or "pt-BR"
