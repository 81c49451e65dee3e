"""The SQL of assignments: how people came onto a path, and their progress."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx, columns_of
from trilha.core.lists import count as count_rows
from trilha.people.users.reach import Reach
from trilha.training.enrollments.schema import BulkError
from trilha.training.learning_paths.lists import followers
from trilha.training.learning_paths.schema import Assignment, FollowQuery, PathCounts, PathProblem


async def insert(tx: Tx, path_id: UUID, user_ids: Sequence[UUID], due_at: datetime | None) -> list[UUID]:
    """Inserts assignments for people who have none; ignores unknown ids. Returns the new ones."""
    rows = await tx.rows(
        """
        INSERT INTO learning_path_assignments (tenant_id, path_id, user_id, assigned_at, due_at)
        SELECT :tenant, :path_id, id, :now, :due_at FROM users
        WHERE tenant_id = :tenant AND id = ANY(:user_ids) AND erased_at IS NULL ORDER BY id FOR KEY SHARE
        ON CONFLICT (tenant_id, path_id, user_id) DO NOTHING RETURNING user_id
        """,
        path_id=path_id,
        user_ids=user_ids,
        due_at=due_at,
    )
    return [row["user_id"] for row in rows]


async def lock(tx: Tx, path_id: UUID, user_ids: Sequence[UUID]) -> list[Assignment]:
    """Locks these people's assignments until the transaction ends."""
    return await tx.list(
        Assignment,
        f"""
        SELECT {columns_of(Assignment)} FROM learning_path_assignments
        WHERE tenant_id = :tenant AND path_id = :path_id AND user_id = ANY(:user_ids)
        ORDER BY user_id FOR NO KEY UPDATE
        """,  # noqa: S608
        path_id=path_id,
        user_ids=user_ids,
    )


class Place(Struct, frozen=True):
    """A person's best enrollment in a course: a valid completion, or an open enrollment."""

    user_id: UUID
    course_id: UUID
    completed: bool


async def list_places(tx: Tx, user_ids: Sequence[UUID], course_ids: Sequence[UUID]) -> list[Place]:
    return await tx.list(
        Place,
        """
        SELECT user_id, course_id, bool_or(status = 'COMPLETED') AS completed FROM enrollments
        WHERE tenant_id = :tenant AND user_id = ANY(:user_ids) AND course_id = ANY(:course_ids)
          AND (CASE WHEN status = 'COMPLETED' THEN valid_until IS NULL OR valid_until > :now
                           ELSE current AND (expires_at IS NULL OR expires_at > :now) END)
        GROUP BY user_id, course_id
        """,
        user_ids=user_ids,
        course_ids=course_ids,
    )


async def complete(tx: Tx, path_id: UUID, user_ids: Sequence[UUID]) -> list[UUID]:
    """Returns the people who completed the path for the first time."""
    rows = await tx.rows(
        """
        UPDATE learning_path_assignments SET completed_at = :now
        WHERE tenant_id = :tenant AND path_id = :path_id AND user_id = ANY(:user_ids)
          AND completed_at IS NULL RETURNING user_id
        """,
        path_id=path_id,
        user_ids=user_ids,
    )
    return [row["user_id"] for row in rows]


async def replace_problems(
    tx: Tx, path_id: UUID, user_ids: Sequence[UUID], problems: Sequence[BulkError]
) -> None:
    """Replaces the stored problems of these people."""
    await tx.execute(
        """
        DELETE FROM learning_path_problems
        WHERE tenant_id = :tenant AND path_id = :path_id AND user_id = ANY(:user_ids)
        """,
        path_id=path_id,
        user_ids=user_ids,
    )
    if problems:
        await tx.execute(
            """
            INSERT INTO learning_path_problems (tenant_id, path_id, user_id, course_id, code, at)
            SELECT :tenant, :path_id, problem.*, :now
            FROM unnest(:users::uuid[], :courses::uuid[], :codes::text[]) AS problem
            RETURNING tenant_id
            """,
            path_id=path_id,
            users=[each.user_id for each in problems],
            courses=[each.course_id for each in problems],
            codes=[each.code for each in problems],
        )


async def delete(tx: Tx, path_id: UUID, user_id: UUID) -> bool:
    """Returns False if the person was not on the path."""
    sql = """
        DELETE FROM learning_path_assignments
        WHERE tenant_id = :tenant AND path_id = :path_id AND user_id = :user_id"""
    return bool(await tx.execute(sql, path_id=path_id, user_id=user_id))


_IN_THE_WAY = """
    SELECT problem.user_id, problem.course_id, course.title AS course_title, problem.code
    FROM learning_path_problems AS problem
    JOIN learning_path_courses AS part ON part.tenant_id = problem.tenant_id
        AND part.path_id = problem.path_id AND part.course_id = problem.course_id
    JOIN courses AS course ON course.tenant_id = part.tenant_id AND course.id = part.course_id
    WHERE problem.tenant_id = :tenant AND problem.path_id = :path_id
"""


async def list_problems(tx: Tx, path_id: UUID, user_ids: Sequence[UUID]) -> list[PathProblem]:
    """Lists these people's problems, in the order of the path's courses."""
    select = f"{_IN_THE_WAY} AND problem.user_id = ANY(:user_ids) ORDER BY part.position"
    return await tx.list(PathProblem, select, path_id=path_id, user_ids=user_ids)


async def list_first_problems(tx: Tx, path_id: UUID, limit: int = 200) -> list[PathProblem]:
    """Lists the problems of everybody on the path, by person, up to a limit."""
    select = f"{_IN_THE_WAY} ORDER BY problem.user_id, part.position LIMIT :limit"
    return await tx.list(PathProblem, select, path_id=path_id, limit=limit)


async def count(tx: Tx, path_id: UUID, reach: Reach) -> PathCounts:
    """Counts the assigned people within reach."""
    people = followers(path_id)
    counted = {
        "people": FollowQuery(),
        "completed": FollowQuery(show="completed"),
        "overdue": FollowQuery(show="overdue"),
        "with_problems": FollowQuery(show="problems"),
    }
    return PathCounts(**{name: await count_rows(tx, people, query, reach) for name, query in counted.items()})
