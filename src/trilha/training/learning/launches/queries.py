"""The SQL of launches. Lock the log's head first, with `lock_launch`, before changing one."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import structs

from trilha.core.database import Tx, columns_of, structs_of
from trilha.core.errors import NotFound
from trilha.training.learning.attempts import queries as attempt_queries
from trilha.training.learning.attempts.schema import Attempt
from trilha.training.learning.evidence import queries as evidence_queries
from trilha.training.learning.evidence.schema import Change, LogHead
from trilha.training.learning.launches.schema import (
    Launch,
    LaunchClient,
    LaunchContext,
    LearnerClock,
    LockedLaunch,
    Module,
)
from trilha.training.learning.study_days.schema import DEFAULT_TIME_ZONE, StudyDays


async def lock_launch(tx: Tx, launch_id: UUID) -> LockedLaunch:
    """Locks the enrollment's log, so that its reports are applied one after the other.

    The launch and its attempt are locked after the log: a row that is only read would be as old as the
    statement, which may have waited for the previous report. Raises NotFound (launch_not_found), also if the
    erasure of the person has ended the launch.
    """
    rows = await tx.rows(
        f"""
        SELECT {evidence_queries.JOINED_COLUMNS}, {columns_of(Launch, "l")},
               {attempt_queries.JOINED_COLUMNS}, a.cmi
        FROM launches l
        JOIN learning_heads h ON h.tenant_id = l.tenant_id AND h.enrollment_id = l.enrollment_id
        JOIN attempts a ON a.tenant_id = l.tenant_id AND a.id = l.attempt_id
        JOIN all_enrollments e ON e.tenant_id = l.tenant_id AND e.id = l.enrollment_id
        WHERE l.tenant_id = :tenant AND l.id = :launch_id AND l.fingerprint <> ''
        FOR NO KEY UPDATE OF h, l, a
        """,  # noqa: S608
        launch_id=launch_id,
    )
    if not rows:
        raise NotFound("launch_not_found")
    (head,), (launch,) = structs_of(LogHead, rows, "h"), structs_of(Launch, rows, "l")
    (attempt,) = structs_of(Attempt, rows, "a")
    return LockedLaunch(head, launch, attempt, rows[0]["cmi"])


async def list_modules(tx: Tx, course_id: UUID) -> list[Module]:
    return await tx.list(
        Module,
        f"""
        SELECT {columns_of(Module)} FROM modules
        WHERE tenant_id = :tenant AND course_id = :course_id ORDER BY position
        """,  # noqa: S608
        course_id=course_id,
    )


async def insert_launch(
    tx: Tx, attempt: Attempt, fingerprint: bytes, client: LaunchClient, *, review: bool
) -> UUID:
    """Inserts a launch that supersedes earlier launches of its module; returns its id."""
    launch_id: UUID = await tx.value(
        """
        INSERT INTO launches (tenant_id, number, enrollment_id, attempt_id, fingerprint, review, beat_at,
                              seen_at, source, agent, session_id, started_at)
        SELECT :tenant, COALESCE(max(number), 0) + 1, :enrollment_id, :attempt_id, :fingerprint, :review,
               :now, :now, :source, :agent, :session_id, :now
        FROM launches WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id
        RETURNING id
        """,
        enrollment_id=attempt.enrollment_id,
        attempt_id=attempt.id,
        fingerprint=fingerprint,
        review=review,
        source=client.source,
        agent=client.agent,
        session_id=client.session_id,
    )
    await tx.execute(
        """
        UPDATE launches SET superseded_by = :launch_id
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id AND superseded_by IS NULL
          AND id <> :launch_id AND attempt_id IN (
              SELECT id FROM attempts WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id
                AND module_id = :module_id)
        """,
        launch_id=launch_id,
        enrollment_id=attempt.enrollment_id,
        module_id=attempt.module_id,
    )
    return launch_id


async def lock_against_erasure(tx: Tx, launch_id: UUID) -> bool:
    """Makes an erasure wait for this transaction; returns False if the launch does not exist anymore."""
    return bool(
        await tx.value(
            """
            SELECT true FROM launches
            WHERE tenant_id = :tenant AND id = :launch_id AND fingerprint <> '' FOR SHARE
            """,
            launch_id=launch_id,
        )
    )


async def get_launch(tx: Tx, launch_id: UUID) -> tuple[Launch, Attempt]:
    """Returns an existing launch with its attempt."""
    rows = await tx.rows(
        f"""
        SELECT {columns_of(Launch, "l")}, {attempt_queries.JOINED_COLUMNS}
        FROM launches l JOIN attempts a ON a.tenant_id = l.tenant_id AND a.id = l.attempt_id
        WHERE l.tenant_id = :tenant AND l.id = :launch_id
        """,  # noqa: S608
        launch_id=launch_id,
    )
    return structs_of(Launch, rows, "l")[0], structs_of(Attempt, rows, "a")[0]


async def note_heartbeat(tx: Tx, launch: Launch) -> None:
    """Records a heartbeat that adds no study time."""
    await tx.execute(
        "UPDATE launches SET beat_at = :now, seen_at = :now WHERE tenant_id = :tenant AND id = :launch_id",
        launch_id=launch.id,
    )


def credit_heartbeat(locked: LockedLaunch, seconds: float, days: StudyDays) -> list[Change]:
    """Credits `seconds` to the launch, to its module and on the person's clock, which must be locked.

    `days` are the person's days of study with these seconds.
    """
    head, launch, attempt = locked[:3]
    return [
        Change(
            """
            UPDATE learner_clocks SET launch_id = :launch_id, credited_until = GREATEST(credited_until, :now),
                study_day = :study_day, study_seconds = :study_seconds, streak_day = :streak_day,
                streak = :streak
            WHERE tenant_id = :tenant AND user_id = :user_id
            """,
            {"user_id": head.user_id, "launch_id": launch.id, **structs.asdict(days)},
        ),
        Change(
            """
            UPDATE module_progress SET credited_seconds = credited_seconds + :seconds
            WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id AND module_id = :module_id
            """,
            {"seconds": seconds, "enrollment_id": attempt.enrollment_id, "module_id": attempt.module_id},
        ),
        Change(
            """
            UPDATE launches SET beat_at = :now, seen_at = :now,
                                credited_seconds = credited_seconds + :seconds
            WHERE tenant_id = :tenant AND id = :launch_id
            """,
            {"seconds": seconds, "launch_id": launch.id},
        ),
    ]


def credit_offline_time(locked: LockedLaunch, seconds: float, until: datetime) -> list[Change]:
    """Credits time without a connection. It does not keep the launch alive."""
    head, launch, attempt = locked[:3]
    return [
        Change(
            """
            INSERT INTO learner_clocks (tenant_id, user_id, launch_id, credited_until)
            VALUES (:tenant, :user_id, :launch_id, :until)
            ON CONFLICT (tenant_id, user_id)
            DO UPDATE SET credited_until = GREATEST(learner_clocks.credited_until, excluded.credited_until)
            """,
            {"user_id": head.user_id, "launch_id": launch.id, "until": until},
        ),
        Change(
            """
            UPDATE module_progress SET credited_seconds = credited_seconds + :seconds
            WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id AND module_id = :module_id
            """,
            {"seconds": seconds, "enrollment_id": attempt.enrollment_id, "module_id": attempt.module_id},
        ),
    ]


async def note_offline_time(tx: Tx, launch: Launch, reported: float, credited: float) -> None:
    await tx.execute(
        """
        UPDATE launches SET offline_seconds = GREATEST(offline_seconds, :reported),
                            credited_seconds = credited_seconds + :credited
        WHERE tenant_id = :tenant AND id = :launch_id
        """,
        launch_id=launch.id,
        reported=reported,
        credited=credited,
    )


async def insert_trace(tx: Tx, launch_id: UUID, calls: Sequence[Any]) -> bool:
    """Returns False if the trace is full."""
    added = await tx.execute(
        """
        INSERT INTO launch_traces (tenant_id, launch_id, number, calls, at)
        SELECT :tenant, :launch_id, count(*) + 1, :calls, :now FROM launch_traces
        WHERE tenant_id = :tenant AND launch_id = :launch_id HAVING count(*) < 200
        ON CONFLICT DO NOTHING
        """,
        launch_id=launch_id,
        calls=list(calls),
    )
    return added == 1


async def is_launched_by(tx: Tx, user_id: UUID, launch_id: UUID) -> bool:
    """Tells whether this person made the launch and no erasure has ended it."""
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
    """Returns the current title of a launch's module."""
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


async def list_opened_packages(
    tx: Tx, user_id: UUID, module_ids: Sequence[UUID], limit: int
) -> list[str | None]:
    """Returns the digests of the packages that a person has opened in these modules, the latest first.

    None stands for modules without a package. A browser may hold work at the host of each package.
    """
    rows = await tx.rows(
        """
        SELECT p.sha256 FROM (
            SELECT a.package_id, max(a.started_at) AS at FROM all_enrollments e
            JOIN attempts a ON a.tenant_id = e.tenant_id AND a.enrollment_id = e.id
            WHERE e.tenant_id = :tenant AND e.user_id = :user_id AND a.module_id = ANY(:module_ids)
            GROUP BY a.package_id ORDER BY at DESC LIMIT :limit) AS opened
        LEFT JOIN packages p ON p.tenant_id = :tenant AND p.id = opened.package_id
        ORDER BY opened.at DESC
        """,
        user_id=user_id,
        module_ids=list(module_ids),
        limit=limit,
    )
    return [row["sha256"] for row in rows]


async def find_current_package(tx: Tx, module_id: UUID) -> str | None:
    """Returns the digest of the package that a module shows now."""
    sha256: str | None = await tx.value(
        """
        SELECT p.sha256 FROM modules m
        JOIN packages p ON p.tenant_id = m.tenant_id AND p.id = (m.content ->> 'package_id')::uuid
        WHERE m.tenant_id = :tenant AND m.id = :module_id AND m.type IN ('SCORM', 'CMI5')
        """,
        module_id=module_id,
    )
    return sha256


async def find_context(tx: Tx, launch_id: UUID) -> LaunchContext | None:
    return await tx.find(
        LaunchContext,
        """
        SELECT l.id AS launch_id, a.id AS attempt_id, a.package_id, p.sha256, false AS preview,
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


async def find_sequencing_state(tx: Tx, enrollment_id: UUID, package_id: UUID) -> str | None:
    """Returns the runtime's state of the package's activities, as JSON."""
    state: str | None = await tx.value(
        """
        SELECT state FROM sequencing_states
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id AND package_id = :package_id
        """,
        enrollment_id=enrollment_id,
        package_id=package_id,
    )
    return state


async def lock_clock(tx: Tx, user_id: UUID) -> LearnerClock | None:
    """Locks a person's clock, so that only one launch at a time earns time."""
    rows = await tx.rows(
        f"""
        SELECT launch_id, credited_until, studied_until, time_zone, {columns_of(StudyDays)}
        FROM learner_clocks WHERE tenant_id = :tenant AND user_id = :user_id FOR UPDATE
        """,  # noqa: S608
        user_id=user_id,
    )
    if not rows:
        return None
    row = rows[0]
    return LearnerClock(
        row["launch_id"],
        datetime.fromisoformat(row["credited_until"]),
        datetime.fromisoformat(row["studied_until"]) if row["studied_until"] else None,
        row["time_zone"] or DEFAULT_TIME_ZONE,
        structs_of(StudyDays, rows)[0],
    )


async def get_time_zone(tx: Tx) -> str:
    """Returns the name of the company's time zone."""
    name: str | None = await tx.value("SELECT time_zone FROM tenant_settings WHERE tenant_id = :tenant")
    return name or DEFAULT_TIME_ZONE


def credit_until_now(user_id: UUID, launch_id: UUID, time_zone: str) -> Change:
    """Notes that the person's time is credited until now, by this new launch."""
    return Change(
        """
        INSERT INTO learner_clocks (tenant_id, user_id, launch_id, credited_until, time_zone)
        VALUES (:tenant, :user_id, :launch_id, :now, :time_zone)
        ON CONFLICT (tenant_id, user_id)
        DO UPDATE SET launch_id = excluded.launch_id, time_zone = excluded.time_zone,
                      credited_until = GREATEST(learner_clocks.credited_until, excluded.credited_until)
        """,
        {"user_id": user_id, "launch_id": launch_id, "time_zone": time_zone},
    )


async def set_studied_until(tx: Tx, user_id: UUID, until: datetime) -> None:
    """Changes a clock that this transaction has locked."""
    await tx.execute(
        """
        UPDATE learner_clocks SET studied_until = :until
        WHERE tenant_id = :tenant AND user_id = :user_id
        """,
        user_id=user_id,
        until=until,
    )


async def count_people(tx: Tx, earliest: datetime, first: datetime, after: datetime) -> int:
    """Counts the people with a launch that was in use between `first` and `after`. `earliest` is when such a
    launch can have begun.
    """
    count: int = await tx.value(
        """
        SELECT count(DISTINCT e.user_id) FROM launches l
        JOIN all_enrollments e ON e.tenant_id = l.tenant_id AND e.id = l.enrollment_id
        WHERE l.tenant_id = :tenant AND e.tenant_id = :tenant
          AND l.started_at >= :earliest AND l.started_at < :after
          AND (l.started_at >= :first OR l.seen_at >= :first)
        """,
        earliest=earliest,
        first=first,
        after=after,
    )
    return count
