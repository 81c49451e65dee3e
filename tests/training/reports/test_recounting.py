"""`trilha recount` makes counters equal what they count, whatever happened."""

import asyncio
import json
import random
from collections import Counter
from datetime import timedelta
from functools import partial
from pathlib import Path
from uuid import UUID

from click.testing import CliRunner

from conftest import World
from training.reports.happenings import Client
from trilha.cli import main
from trilha.training.reports import recounting
from trilha.training.reports.recounting import Difference


async def recount(world: World, *, mend: bool = False) -> list[Difference]:
    begin = partial(world.database.transaction, world.tenant.id, read_only=not mend)
    return [each async for each in recounting.recount(begin, mend=mend)]


async def spoil(world: World) -> None:
    """Changes the counters, as a manual statement would."""
    async with world.tx() as tx:
        await tx.execute(
            """UPDATE course_counters SET completed = completed + 3, progress = progress - 0.5,
                      certificates_issued = certificates_issued + 1 WHERE tenant_id = :tenant"""
        )
        await tx.execute("UPDATE course_completions SET completed = completed + 1 WHERE tenant_id = :tenant")
        await tx.execute(
            """UPDATE course_deadlines SET overdue = overdue + 2, expiring = expiring + 1
               WHERE tenant_id = :tenant"""
        )


async def happen(world: World, clients: int, operations: int, courses: list[UUID]) -> None:
    people = [UUID((await world.user())["id"]) for _ in range(20)]

    async def client(number: int) -> None:
        chance = random.Random(number)
        one = Client(world.tx, chance, people, courses)
        for _ in range(operations):
            await one.do(timedelta(minutes=chance.randrange(1, 5)))
            if chance.random() < 0.05:
                world.clock.move(minutes=1)

    await asyncio.gather(*map(client, range(clients)))


async def test_equal_at_every_moment_while_eight_clients_write(world: World) -> None:
    courses = [await world.course(certificate_validity_months=each) for each in (None, 12, 24)]
    writing = asyncio.create_task(happen(world, 8, 60, courses))
    looks = 0
    while not writing.done():
        assert await recount(world) == []
        looks += 1
        await asyncio.sleep(0)
    await writing
    assert looks > 3
    assert await recount(world) == []
    async with world.tx() as tx:
        (row,) = await tx.rows(
            """SELECT count(*) FILTER (WHERE status = 'EXPIRED') AS expired,
                      count(*) FILTER (WHERE status = 'COMPLETED') AS completed,
                      (SELECT count(*) FROM certificates WHERE tenant_id = :tenant) AS certificates
               FROM enrollments WHERE tenant_id = :tenant"""
        )
    assert all(row.values()), "not every state came up"


async def test_mended_beside_eight_clients_that_write_and_others_that_mend(world: World) -> None:
    courses = [await world.course(certificate_validity_months=each) for each in (None, 12, 24)]
    await happen(world, 2, 40, courses)
    await spoil(world)
    assert {each.counter for each in await recount(world)} == {
        *("completed", "progress", "certificates_issued", "overdue", "expiring")
    }
    writing = asyncio.create_task(happen(world, 8, 25, courses))
    await asyncio.gather(*(recount(world, mend=True) for _ in range(4)), writing)
    assert await recount(world) == []


async def test_nothing_of_another_tenant_is_touched(world: World, stranger: World) -> None:
    for each in (world, stranger):
        await happen(each, 1, 30, [await each.course()])
    await spoil(stranger)
    assert await recount(world, mend=True) == []
    assert await recount(stranger)


async def test_the_command_says_what_differs_and_mends_it(
    world: World, database_url: str, tmp_path: Path
) -> None:
    course = await world.course()
    await world.enrollment(course_id=course)
    environment = {
        "TRILHA_DATABASE_URL": database_url,
        "TRILHA_MASTER_KEY": "6b" * 32,
        "TRILHA_DATA_DIR": str(tmp_path),
    }

    async def command(*arguments: str) -> tuple[int, str]:
        done = await asyncio.to_thread(
            CliRunner().invoke, main, ["recount", "--tenant", world.tenant.slug, *arguments], env=environment
        )
        return done.exit_code, done.stdout

    assert await command("--json") == (0, "[]\n")
    async with world.tx() as tx:
        await tx.execute("UPDATE course_counters SET not_started = 7 WHERE tenant_id = :tenant")
    code, printed = await command("--json")
    said = {
        "tenant": world.tenant.slug,
        "course_id": str(course),
        "counter": "not_started",
        "month": None,
        "kept": 7.0,
        "counted": 1.0,
        "mended": False,
    }
    assert (code, json.loads(printed)) == (1, [said])
    code, printed = await command("--mend", "--json")
    assert (code, json.loads(printed)) == (0, [said | {"mended": True}])
    assert await command("--json") == (0, "[]\n")


async def test_every_tenant_without_naming_one(world: World) -> None:
    """The command processes all tenants; this test checks that it processes every course, however many there
    are.
    """
    for _ in range(27):
        await world.enrollment(course_id=await world.course())
    async with world.tx() as tx:
        await tx.execute("UPDATE course_counters SET enrollments = 0 WHERE tenant_id = :tenant")
    found = Counter(each.counter for each in await recount(world))
    assert found == {"enrollments": 27}
