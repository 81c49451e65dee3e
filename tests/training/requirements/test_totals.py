"""Figures by unit, today and on an earlier day."""

import random
from datetime import datetime
from uuid import UUID

from conftest import World
from training.requirements.settling import by_title, require, settle
from trilha.core.types import Name
from trilha.people.business_units import actions as units
from trilha.people.business_units.schema import NewBusinessUnit
from trilha.training.requirements import totals
from trilha.training.requirements.matrix import LATEST


async def count(world: World, unit: UUID, requirement: UUID, at: datetime | None = None) -> totals.Totals:
    async with world.tx() as tx:
        counts = await totals.count_below(tx, [unit], [requirement], at)
    return counts.get((unit, requirement), totals.NOBODY)


async def count_history(world: World, requirement: UUID, at: datetime) -> int:
    """Counts from the whole history to whom the requirement applied."""
    async with world.tx() as tx:
        people: int = await tx.value(
            f"SELECT count(*) FROM ({LATEST}) AS latest "
            "WHERE state IS NOT NULL AND requirement_id = :requirement",
            at=at,
            requirement=requirement,
        )
    return people


async def test_an_earlier_day_is_as_it_was(world: World) -> None:
    chance = random.Random(7)
    async with world.tx() as tx:
        top = (await units.create(tx, NewBusinessUnit(name=Name("Fábrica")))).id
        below = (await units.create(tx, NewBusinessUnit(name=Name("Linha"), parent_id=top))).id
    people = [
        (await world.user(job_title="Eletricista", business_unit_id=str(chance.choice([top, below]))))["id"]
        for _ in range(8)
    ]
    requirement = UUID((await require(world, rule=by_title("Eletricista"), due_days=20))["id"])
    seen = []
    for _ in range(6):
        world.clock.move(days=7)
        for person in chance.sample(people, 3):
            title = chance.choice(["Eletricista", "Pedreiro"])
            await world.http.patch(f"/v1/users/{person}", json={"job_title": title})
        await settle(world)
        world.clock.move(minutes=1)
        seen.append((world.clock.now, await count(world, top, requirement)))
    assert len({each for _, each in seen}) > 2
    for at, before in seen:
        assert await count(world, top, requirement, at) == before
        assert await count_history(world, requirement, at) == before.people
    assert (await count(world, below, requirement)).people < seen[-1][1].people
