"""The SQL of classes and their sessions."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from msgspec import Struct, structs

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.training.classes import lists
from trilha.training.classes.rules import build_room_key
from trilha.training.classes.schema import (
    ClassCreate,
    ClassSession,
    ListedClass,
    LockedClass,
    MeetingPlace,
    SessionPlan,
    TrainingClass,
)

_CLASS_COLUMNS = ", ".join(
    lists.CLASS_STATUS + " AS status" if name == "status" else f"row.{name}"
    for name in LockedClass.__struct_fields__
)
_SESSIONS = f"SELECT {lists.SESSIONS.select_columns} FROM class_sessions AS row WHERE row.tenant_id = :tenant"  # noqa: S608


class LockedUser(Struct, frozen=True):
    """A person who is not erased before the transaction ends."""

    id: UUID
    status: str


async def lock_users(tx: Tx, user_ids: Sequence[UUID]) -> dict[UUID, LockedUser]:
    """Keeps people from being erased, and returns those that exist. Lock them before the class."""
    users = await tx.list(
        LockedUser,
        """
        SELECT id, status FROM users WHERE tenant_id = :tenant AND id = ANY(:ids) ORDER BY id FOR KEY SHARE
        """,
        ids=list(user_ids),
    )
    return {user.id: user for user in users}


async def lock(tx: Tx, class_id: UUID) -> LockedClass:
    """Locks a class: all changes of it, its sessions, registrations and attendance wait for this transaction.
    Raises NotFound.
    """
    await tx.execute("SELECT FROM classes WHERE tenant_id = :tenant AND id = :id FOR UPDATE", id=class_id)
    # Read after taking the lock, so that we see the previous holder's writes.
    locked = await tx.find(
        LockedClass,
        f"SELECT {_CLASS_COLUMNS} FROM classes AS row WHERE row.tenant_id = :tenant AND row.id = :id",  # noqa: S608
        id=class_id,
    )
    if locked is None:
        raise NotFound("class_not_found")
    return locked


async def check_exists(tx: Tx, class_id: UUID) -> None:
    """Raises NotFound."""
    sql = "SELECT EXISTS (SELECT FROM classes WHERE tenant_id = :tenant AND id = :id)"
    if not await tx.value(sql, id=class_id):
        raise NotFound("class_not_found")


async def get(tx: Tx, class_id: UUID) -> TrainingClass:
    """Raises NotFound."""
    found = await tx.find(
        ListedClass,
        f"""
        SELECT {lists.CLASSES.select_columns} FROM classes AS row
        WHERE row.tenant_id = :tenant AND row.id = :id
        """,  # noqa: S608
        id=class_id,
    )
    if found is None:
        raise NotFound("class_not_found")
    (whole,) = await add_sessions(tx, [found])
    return whole


async def add_sessions(tx: Tx, classes: Sequence[ListedClass]) -> list[TrainingClass]:
    """Completes classes with their sessions."""
    by_class: dict[UUID, list[ClassSession]] = {each.id: [] for each in classes}
    sessions = (
        await tx.list(
            ClassSession,
            f"{_SESSIONS} AND row.class_id = ANY(:ids) ORDER BY row.starts_at, row.id",
            ids=list(by_class),
        )
        if classes
        else []
    )
    for session in sessions:
        by_class[session.class_id].append(session)
    return [TrainingClass(**structs.asdict(each), sessions=by_class[each.id]) for each in classes]


async def find_session(tx: Tx, session_id: UUID) -> ClassSession:
    """Raises NotFound."""
    session = await tx.find(ClassSession, f"{_SESSIONS} AND row.id = :id", id=session_id)
    if session is None:
        raise NotFound("class_session_not_found")
    return session


async def find_meeting_place(tx: Tx, session_id: UUID) -> MeetingPlace | None:
    return await tx.find(
        MeetingPlace,
        """
        SELECT c.title, s.starts_at, s.ends_at, s.room
        FROM class_sessions s JOIN classes c ON c.tenant_id = :tenant AND c.id = s.class_id
        WHERE s.tenant_id = :tenant AND s.id = :id
        """,
        id=session_id,
    )


async def find_time_zone(tx: Tx) -> str:
    """Returns the time zone of the company."""
    zone: str | None = await tx.value("SELECT time_zone FROM tenant_settings WHERE tenant_id = :tenant")
    return zone or "America/Sao_Paulo"


async def insert(tx: Tx, new: ClassCreate) -> UUID:
    id: UUID = await tx.value(
        """
        INSERT INTO classes (tenant_id, course_id, module_id, title, minimum_people, maximum_people,
                             waiting_list, project_version, created_at, updated_at)
        VALUES (:tenant, :course_id, :module_id, :title, :minimum_people, :maximum_people, :waiting_list,
                (SELECT max(number) FROM pedagogic_project_versions
                 WHERE tenant_id = :tenant AND course_id = :course_id),
                :now, :now)
        RETURNING id
        """,
        course_id=new.course_id,
        module_id=new.module_id,
        title=new.title,
        minimum_people=new.minimum_people,
        maximum_people=new.maximum_people,
        waiting_list=new.waiting_list,
    )
    return id


async def update(tx: Tx, class_id: UUID, values: Mapping[str, Any]) -> None:
    changes = "".join(f"{name} = :{name}, " for name in values)
    await tx.execute(
        f"UPDATE classes SET {changes}updated_at = :now WHERE tenant_id = :tenant AND id = :id",  # noqa: S608
        id=class_id,
        **values,
    )


async def cancel(tx: Tx, class_id: UUID, reason: str) -> None:
    """Cancels a class with all its sessions. A session that was cancelled before keeps its reason."""
    await update(tx, class_id, {"cancelled_at": tx.now, "cancel_reason": reason, "ends_at": None})
    await tx.execute(
        """
        UPDATE class_sessions SET cancelled_at = :now, cancel_reason = :reason, updated_at = :now
        WHERE tenant_id = :tenant AND class_id = :class_id AND cancelled_at IS NULL
        """,
        class_id=class_id,
        reason=reason,
    )


async def note_end(tx: Tx, class_id: UUID) -> None:
    """Stores when a class ends, after its sessions were changed."""
    ends_at = await tx.value(
        """
        SELECT max(ends_at) FROM class_sessions
        WHERE tenant_id = :tenant AND class_id = :class_id AND cancelled_at IS NULL
        """,
        class_id=class_id,
    )
    await update(tx, class_id, {"ends_at": ends_at})


async def count_sessions(tx: Tx, class_id: UUID) -> int:
    count: int = await tx.value(
        "SELECT count(*) FROM class_sessions WHERE tenant_id = :tenant AND class_id = :class_id",
        class_id=class_id,
    )
    return count


async def insert_sessions(
    tx: Tx, class_id: UUID, sessions: Sequence[SessionPlan], time_zone: str
) -> list[UUID]:
    """Inserts sessions; one without a time zone is in `time_zone`. Returns their ids in the given order."""
    ids: list[UUID] = []
    for each in sessions:
        id: UUID = await tx.value(
            """
            INSERT INTO class_sessions (tenant_id, class_id, starts_at, ends_at, time_zone, room, room_key,
                                        meeting_url, created_at, updated_at)
            VALUES (:tenant, :class_id, :starts_at, :ends_at, :time_zone, :room, :room_key, :meeting_url,
                    :now, :now)
            RETURNING id
            """,
            class_id=class_id,
            starts_at=each.starts_at,
            ends_at=each.ends_at,
            time_zone=each.time_zone or time_zone,
            room=each.room,
            room_key=build_room_key(each.room),
            meeting_url=each.meeting_url,
        )
        ids.append(id)
        await _insert_instructors(tx, id, each.instructor_ids)
    return ids


async def _insert_instructors(tx: Tx, session_id: UUID, user_ids: Sequence[UUID]) -> None:
    if user_ids:
        await tx.execute(
            """
            INSERT INTO class_instructors (tenant_id, session_id, user_id, number)
            SELECT :tenant, CAST(:session_id AS uuid), instructor.id, instructor.number
            FROM unnest(:ids::uuid[]) WITH ORDINALITY AS instructor (id, number)
            RETURNING tenant_id
            """,
            session_id=session_id,
            ids=list(user_ids),
        )


async def replace_instructors(tx: Tx, session_id: UUID, user_ids: Sequence[UUID]) -> None:
    await tx.execute(
        "DELETE FROM class_instructors WHERE tenant_id = :tenant AND session_id = :session_id",
        session_id=session_id,
    )
    await _insert_instructors(tx, session_id, user_ids)


async def update_session(tx: Tx, session_id: UUID, values: Mapping[str, Any], *, revises: bool) -> None:
    """`revises` says that the time, the place or the link changes, which invitations count."""
    changes = dict(values)
    if "room" in changes:
        changes["room_key"] = build_room_key(changes["room"])
    columns = "".join(f"{name} = :{name}, " for name in changes)
    await tx.execute(
        f"""
        UPDATE class_sessions
        SET {columns}revision = revision + CAST(:revisions AS integer), updated_at = :now
        WHERE tenant_id = :tenant AND id = :id
        """,  # noqa: S608
        id=session_id,
        revisions=int(revises),
        **changes,
    )


async def cancel_session(tx: Tx, session_id: UUID, reason: str) -> None:
    await tx.execute(
        """
        UPDATE class_sessions SET cancelled_at = :now, cancel_reason = :reason, updated_at = :now
        WHERE tenant_id = :tenant AND id = :id
        """,
        id=session_id,
        reason=reason,
    )


async def has_attendance(tx: Tx, session_id: UUID) -> bool:
    """Returns whether attendance in a session is recorded."""
    found: bool = await tx.value(
        "SELECT EXISTS (SELECT FROM class_attendance WHERE tenant_id = :tenant AND session_id = :session_id)",
        session_id=session_id,
    )
    return found
