"""The counters of a course equal its counted enrollments, whatever happened."""

import asyncio
import random
from datetime import timedelta
from typing import Any
from uuid import UUID

from conftest import World
from trilha.training.enrollments import actions
from trilha.training.enrollments.schema import NewEnrollment

COUNTED = """
    SELECT course_id, count(*), count(*) FILTER (WHERE status = 'NOT_STARTED'),
           count(*) FILTER (WHERE status = 'IN_PROGRESS'), count(*) FILTER (WHERE status = 'COMPLETED'),
           count(score), COALESCE(sum(score::numeric), 0), sum(progress::numeric)
    FROM enrollments WHERE tenant_id = :tenant GROUP BY course_id ORDER BY course_id
"""
KEPT = """
    SELECT course_id, sum(enrollments), sum(not_started), sum(in_progress), sum(completed), sum(scored),
           sum(score), sum(progress)
    FROM course_counters WHERE tenant_id = :tenant GROUP BY course_id ORDER BY course_id
"""


async def both(world: World) -> list[Any]:
    async with world.tx() as tx:
        kept, counted = [[tuple(row) for row in await tx.rows(sql)] for sql in (KEPT, COUNTED)]
    assert kept == counted
    return kept


async def happen(world: World, chance: random.Random, places: list[UUID]) -> None:
    """Performs a random operation on an enrollment. If it is not possible, nothing happens."""
    id = chance.choice(places)
    async with world.tx() as tx:
        match chance.randrange(8):
            case 0 | 1:
                await actions.start(tx, id)
            case 2 | 3 | 4:
                score = chance.choice([None, round(chance.uniform(0, 100), 3)])
                await actions.advance(tx, id, round(chance.uniform(0, 100), 3), score)
            case 5:
                await actions.complete(tx, id)
            case 6:
                await actions.expire_due(tx, limit=chance.randrange(1, 4))
            case 7:
                world.clock.move(minutes=1)


async def test_kept_through_any_history(world: World) -> None:
    chance = random.Random(7)
    courses = [await world.course() for _ in range(3)]
    people = [UUID((await world.user())["id"]) for _ in range(12)]
    places: list[UUID] = []
    for _ in range(4):
        items = [
            NewEnrollment(
                user_id=chance.choice(people),
                course_id=chance.choice(courses),
                expires_at=(world.clock.now + timedelta(minutes=chance.randrange(1, 60))).isoformat(),
            )
            for _ in range(20)
        ]
        async with world.tx() as tx:
            await actions.enroll_many(tx, items)
            places = [
                row["id"] for row in await tx.rows("SELECT id FROM enrollments WHERE tenant_id = :tenant")
            ]
        for _ in range(60):
            await happen(world, chance, places)
        await both(world)
    seen = await both(world)
    assert len(seen) == 3
    assert all(sum(course[column] for course in seen) for column in range(1, 8)), "not every state came up"


async def test_kept_while_many_write_at_once(world: World) -> None:
    courses = [await world.course() for _ in range(4)]
    people = [UUID((await world.user())["id"]) for _ in range(10)]

    async def enroll(person: UUID, order: list[UUID]) -> None:
        items = [NewEnrollment(user_id=person, course_id=course) for course in order]
        async with world.tx() as tx:
            await actions.enroll_many(tx, items)

    chance = random.Random(1)
    orders = [chance.sample(courses, len(courses)) for _ in people]
    await asyncio.gather(*map(enroll, people, orders))
    assert [course[1] for course in await both(world)] == [len(people)] * 4


async def test_what_is_rolled_back_is_not_counted(world: World) -> None:
    course = await world.course()
    user = UUID((await world.user())["id"])
    new = NewEnrollment(user_id=user, course_id=course)
    for _ in range(2):
        try:
            async with world.tx() as tx:
                await actions.enroll(tx, new)
                raise RuntimeError
        except RuntimeError:
            pass
    assert await both(world) == []
