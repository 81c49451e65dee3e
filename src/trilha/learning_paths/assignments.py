"""The SQL of who is on a path: how they come onto it, and how far they are."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx, columns_of
from trilha.core.web.pagination import Order, Page, fetch_page
from trilha.enrollments.schema import BulkError
from trilha.learning_paths.schema import Assignment, Follower, FollowQuery, PathCounts, PathProblem, Where
from trilha.users import search as people
from trilha.users.reach import EVERYONE, Reach
from trilha.users.schema import PeopleQuery

# So many people or fewer are looked up by their ids; of more, the path is walked.
_FEW = 2000
MOST_COUNTED = 500


async def insert(tx: Tx, path_id: UUID, user_ids: Sequence[UUID], due_at: datetime | None) -> list[UUID]:
    """Who was not on the path before; ids of nobody are passed over."""
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
    """Those of these people, until the transaction ends."""
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
    """Somebody's best enrollment in a course: one that was completed and still counts, or an open one."""

    user_id: UUID
    course_id: UUID
    completed: bool


async def list_places(tx: Tx, user_ids: Sequence[UUID], course_ids: Sequence[UUID]) -> list[Place]:
    return await tx.list(
        Place,
        """
        SELECT user_id, course_id, bool_or(status = 'COMPLETED') AS completed FROM enrollments
        WHERE tenant_id = :tenant AND user_id = ANY(:user_ids) AND course_id = ANY(:course_ids)
          AND (CASE status WHEN 'COMPLETED' THEN valid_until IS NULL OR valid_until > :now
                           ELSE current AND (expires_at IS NULL OR expires_at > :now) END)
        GROUP BY user_id, course_id
        """,
        user_ids=user_ids,
        course_ids=course_ids,
    )


async def complete(tx: Tx, path_id: UUID, user_ids: Sequence[UUID]) -> list[UUID]:
    """For whom it was the first time."""
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
    tx: Tx, path_id: UUID, user_ids: Sequence[UUID], found: Sequence[BulkError]
) -> None:
    """What is in these people's way, and nothing else."""
    await tx.execute(
        """
        DELETE FROM learning_path_problems
        WHERE tenant_id = :tenant AND path_id = :path_id AND user_id = ANY(:user_ids)
        """,
        path_id=path_id,
        user_ids=user_ids,
    )
    if found:
        await tx.execute(
            """
            INSERT INTO learning_path_problems (tenant_id, path_id, user_id, course_id, code, at)
            SELECT :tenant, :path_id, problem.*, :now
            FROM unnest(:users::uuid[], :courses::uuid[], :codes::text[]) AS problem
            """,
            path_id=path_id,
            users=[each.user_id for each in found],
            courses=[each.course_id for each in found],
            codes=[each.code for each in found],
        )


async def delete(tx: Tx, path_id: UUID, user_id: UUID) -> bool:
    """False where the person was not on the path."""
    sql = """
        DELETE FROM learning_path_assignments
        WHERE tenant_id = :tenant AND path_id = :path_id AND user_id = :user_id"""
    return bool(await tx.execute(sql, path_id=path_id, user_id=user_id))


_COMPLETED = """
    SELECT count(*) FROM learning_path_courses AS part
    WHERE part.tenant_id = :tenant AND part.path_id = :path_id AND EXISTS (
        SELECT FROM enrollments AS e
        WHERE e.tenant_id = :tenant AND e.user_id = place.user_id AND e.course_id = part.course_id
          AND e.status = 'COMPLETED')
"""
_PROBLEMS = """
    SELECT {what} FROM learning_path_problems AS problem
    WHERE problem.tenant_id = :tenant AND problem.path_id = :path_id AND problem.user_id = place.user_id
"""
_OVERDUE = "place.completed_at IS NULL AND place.due_at <= :now"
_SHOWN = {
    "open": "place.completed_at IS NULL",
    "completed": "place.completed_at IS NOT NULL",
    "overdue": _OVERDUE,
    "problems": f"EXISTS ({_PROBLEMS.format(what='true')} OFFSET 0)",
}
_THESE = "place.user_id = ANY(:people)"
_PERSON = """
    SELECT FROM users AS person
    WHERE person.tenant_id = :tenant AND person.id = place.user_id AND {people} OFFSET 0"""
# Those of few are put in order before people are looked up.
_OF_FEW = """(
    SELECT * FROM learning_path_assignments
    WHERE tenant_id = :tenant AND path_id = :path_id AND user_id = ANY({ids})
    ORDER BY assigned_at DESC, user_id DESC OFFSET 0)"""
_WITH_PROBLEMS = _OF_FEW.format(
    ids="""ARRAY(
        SELECT user_id FROM learning_path_problems WHERE tenant_id = :tenant AND path_id = :path_id)"""
)
_FIRST_OVERDUE = f"""
    SELECT user_id FROM learning_path_assignments AS place
    WHERE tenant_id = :tenant AND path_id = :path_id AND {_OVERDUE} LIMIT :most"""  # noqa: S608
# So written, the day that was set is asked of each place, and never looked for: the path is walked.
_ASKED_OVERDUE = "COALESCE(place.completed_at IS NULL AND place.due_at <= :now, false)"
# The path is walked in its order, and people looked up for one after the other until a page is full.
_FOLLOWERS = """
    SELECT place.user_id AS id, place.user_id, person.name, person.email, place.assigned_at, place.due_at,
           place.completed_at, {overdue} AS overdue
    FROM {places} AS place
    CROSS JOIN LATERAL (
        SELECT person.name, person.email FROM users AS person
        WHERE person.tenant_id = :tenant AND person.id = place.user_id AND {people} OFFSET 0) AS person
    WHERE place.tenant_id = :tenant AND place.path_id = :path_id
"""


async def list_page(tx: Tx, path_id: UUID, query: FollowQuery, reach: Reach) -> Page[Follower]:
    """Latest first; the people within reach."""
    where, of_people, params = await _of_people(tx, query, reach)
    places, shown, of_places = await _places(tx, path_id, query.show, of_few=_THESE in where)
    followers = _FOLLOWERS.format(places=places, people=of_people, overdue=_ASKED_OVERDUE)
    inner = " AND ".join([followers, shown, *where])
    select = f"""
        SELECT id, name, email, assigned_at, due_at, completed_at, overdue, ({_COMPLETED}) AS completed,
               ({_PROBLEMS.format(what="count(*)")}) AS problems
        FROM ({inner}) AS place WHERE true"""  # noqa: S608
    return await fetch_page(
        tx,
        Follower,
        select,
        query,
        route=f"learning_paths/{path_id}/{reach.role}/{reach.user_id}",
        order=Order("assigned_at", "DESC"),
        path_id=path_id,
        **params,
        **of_places,
    )


async def _places(
    tx: Tx, path_id: UUID, show: Where | None, *, of_few: bool
) -> tuple[str, str, Mapping[str, Any]]:
    """Where those that are shown are read from, what is asked of each, and the parameters. `of_few` says that
    they are looked up by their ids in any case."""
    if show == "problems" and not of_few:
        return _WITH_PROBLEMS, "true", {}
    if show == "overdue" and not of_few:
        rows = await tx.rows(_FIRST_OVERDUE, path_id=path_id, most=_FEW + 1)
        if len(rows) > _FEW:
            return "learning_path_assignments", _ASKED_OVERDUE, {}
        return _OF_FEW.format(ids=":overdue"), "true", {"overdue": [row["user_id"] for row in rows]}
    return "learning_path_assignments", _SHOWN[show] if show else "true", {}


async def _of_people(tx: Tx, query: FollowQuery, reach: Reach) -> tuple[list[str], str, Mapping[str, Any]]:
    """What holds for the assignment, what for the person, and the parameters."""
    typed = PeopleQuery(q=query.q)
    if query.q:
        ids = await people.find_ids(tx, typed, EVERYONE, _FEW + 1)
        if len(ids) <= _FEW:
            condition, params = reach.condition("person")
            return [_THESE], condition, {**params, "people": ids}
    # Of words it is the assignment that is asked: people without them are not read at all.
    where, named = people.words_of(typed, "place.user_id")
    within, these = reach, dict[str, Any]()
    if not reach.is_everyone:
        ids = await people.find_ids(tx, PeopleQuery(), reach, _FEW + 1)
        if len(ids) <= _FEW:
            within, these = EVERYONE, {"people": ids}
            where.append(_THESE)
    conditions, params = people.condition(tx, PeopleQuery() if named else typed, within)
    return where, " AND ".join(conditions) or "true", {**params, **named, **these}


_IN_THE_WAY = """
    SELECT problem.user_id, problem.course_id, course.title AS course_title, problem.code
    FROM learning_path_problems AS problem
    JOIN learning_path_courses AS part ON part.tenant_id = problem.tenant_id
        AND part.path_id = problem.path_id AND part.course_id = problem.course_id
    JOIN courses AS course ON course.tenant_id = part.tenant_id AND course.id = part.course_id
    WHERE problem.tenant_id = :tenant AND problem.path_id = :path_id
"""


async def list_problems(tx: Tx, path_id: UUID, user_ids: Sequence[UUID]) -> list[PathProblem]:
    """Of these people, in the order of the path's courses."""
    select = f"{_IN_THE_WAY} AND problem.user_id = ANY(:user_ids) ORDER BY part.position"
    return await tx.list(PathProblem, select, path_id=path_id, user_ids=user_ids)


async def list_first_problems(tx: Tx, path_id: UUID, most: int = 200) -> list[PathProblem]:
    """Of anybody on the path, by person."""
    select = f"{_IN_THE_WAY} ORDER BY problem.user_id, part.position LIMIT :most"
    return await tx.list(PathProblem, select, path_id=path_id, most=most)


async def count(tx: Tx, path_id: UUID, reach: Reach) -> PathCounts:
    """Each no further than MOST_COUNTED; of the people within reach."""
    where, of_people, params = await _of_people(tx, FollowQuery(), reach)
    if of_people != "true":
        where = [f"EXISTS ({_PERSON.format(people=of_people)})"]
    counted = {
        "people": ("user_id", "learning_path_assignments", "true"),
        "completed": ("user_id", "learning_path_assignments", _SHOWN["completed"]),
        "overdue": ("user_id", "learning_path_assignments", _OVERDUE),
        "with_problems": ("DISTINCT user_id", "learning_path_problems", "true"),
    }
    columns = ", ".join(
        f"""(SELECT count(*) FROM (
            SELECT {what} FROM {table} AS place
            WHERE {" AND ".join(["place.tenant_id = :tenant", "place.path_id = :path_id", which, *where])}
            LIMIT {MOST_COUNTED + 1}) AS found) AS {name}"""  # noqa: S608
        for name, (what, table, which) in counted.items()
    )
    found = await tx.find(PathCounts, f"SELECT {columns}", path_id=path_id, **params)
    assert found is not None
    return found
