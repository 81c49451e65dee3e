"""Learning paths, the people on them, and the worker."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from conftest import World
from trilha.core.web.parsing import convert
from trilha.training.enrollments import actions as enrollments
from trilha.training.learning_paths import actions
from trilha.training.learning_paths.jobs import GO_ON, ROLL_OUT
from trilha.training.learning_paths.schema import NewPath


async def path(world: World, *courses: UUID, publish: bool = True, **members: Any) -> UUID:
    async with world.tx() as tx:
        new = convert(NewPath, {"title": "Motoristas novos"} | members, tx.today)
        made = await actions.create(tx, new, courses)
        if publish:
            await actions.publish(tx, made.id)
    return made.id


async def work(world: World) -> None:
    """Runs the worker until nothing is left."""
    for job in (ROLL_OUT, GO_ON):
        while await job.run_in(world.database, world.tenant.id):
            pass


async def assign(world: World, path_id: UUID, *people: UUID) -> None:
    async with world.tx() as tx:
        await actions.assign_people(tx, path_id, people)
    await work(world)


async def complete(world: World, user_id: UUID, course_id: UUID) -> None:
    """Completes the course without a player."""
    async with world.tx() as tx:
        enrollment = await tx.value(
            """
            SELECT id FROM enrollments
            WHERE tenant_id = :tenant AND user_id = :user_id AND course_id = :course_id AND current
            """,
            user_id=user_id,
            course_id=course_id,
        )
        await enrollments.start(tx, enrollment)
        assert await enrollments.complete(tx, enrollment)
    await work(world)


async def taken(world: World, user_id: UUID) -> Sequence[UUID]:
    """Returns the courses of the person's enrollments, in the order of their creation."""
    async with world.tx() as tx:
        rows = await tx.rows(
            """
            SELECT course_id FROM enrollments WHERE tenant_id = :tenant AND user_id = :user_id
            ORDER BY created_at, id
            """,
            user_id=user_id,
        )
    return [row["course_id"] for row in rows]


async def problems(world: World, path_id: UUID) -> list[tuple[UUID, UUID, str]]:
    async with world.tx() as tx:
        rows = await tx.rows(
            """
            SELECT user_id, course_id, code FROM learning_path_problems
            WHERE tenant_id = :tenant AND path_id = :path_id ORDER BY user_id, course_id
            """,
            path_id=path_id,
        )
    return [(row["user_id"], row["course_id"], row["code"]) for row in rows]


async def told(world: World) -> list[tuple[str, str]]:
    """Returns the events about paths, with the person of each."""
    return [
        (type, data["user_id"]) for type, data in await world.events() if type.startswith("learning_path.")
    ]
