"""Holders get each notice about their certificates once."""

import asyncio
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from conftest import Clock, World
from training.certificates.holders import completed, in_transaction, reissue, revoke, row
from trilha.app import PERSONAL_DATA
from trilha.core.database import Tx
from trilha.people.users import actions as users
from trilha.training.certificates import jobs, notices
from trilha.training.courses import actions as courses

ADDRESS = "https://learn.example.com"
JOB = jobs.tell(ADDRESS)


@pytest.fixture
def clock(clock: Clock) -> Clock:
    """Moves the clock far back, so that this test's notices are due before those of all other tests."""
    clock.move(days=-7300)
    return clock


async def work(world: World) -> int:
    """Runs the worker until nothing is due."""
    done = 0
    while world.tenant.id in await JOB.due_tenants(world.database, start=world.tenant.id):
        done += await JOB.run_in(world.database, world.tenant.id)
    return done


async def mails(world: World) -> list[str]:
    async with world.tx() as tx:
        rows = await tx.rows(
            "SELECT kind FROM mail_messages WHERE tenant_id = :tenant ORDER BY created_at, kind"
        )
    return [row["kind"] for row in rows]


async def to(world: World, at: Any, **later: float) -> None:
    world.clock.now = datetime.fromisoformat(str(at))
    world.clock.move(**later)


async def test_of_one_without_an_end_that_it_was_issued(world: World) -> None:
    id = await completed(world)
    assert await work(world) == 1
    assert await mails(world) == ["certificate_issued"]
    kept = await row(world, id)
    assert (kept["notice"], kept["notice_due_at"]) == (None, None)
    world.clock.move(days=3650)
    assert await work(world) == 0


async def test_thirty_days_before_the_end_and_at_the_end(world: World) -> None:
    id = await completed(world, certificate_validity_months=12)
    await work(world)
    kept = await row(world, id)
    await to(world, kept["expires_at"], days=-30, milliseconds=-1)
    assert await work(world) == 0
    assert await world.events("certificate.expiring") == []
    world.clock.move(milliseconds=1)
    assert await work(world) == 1
    ((_, event),) = await world.events("certificate.expiring")
    assert event == {
        "certificate_id": str(id),
        "enrollment_id": str(kept["enrollment_id"]),
        "user_id": str(kept["user_id"]),
        "course_id": str(kept["course_id"]),
        "expires_at": kept["expires_at"],
    }
    world.clock.move(days=29)
    assert await work(world) == 0
    await to(world, kept["expires_at"])
    assert await work(world) == 1
    assert await mails(world) == ["certificate_issued", "certificate_expired"]
    assert [data["kind"] for _, data in await world.events("reminder.sent")] == ["certificate_expiring"]
    world.clock.move(days=100)
    assert await work(world) == 0
    assert len(await world.events("certificate.expiring")) == 1
    # The API's representation has not changed.
    assert (await row(world, id))["updated_at"] == kept["updated_at"]


async def test_one_that_is_valid_for_less_than_thirty_days_is_told_at_once(world: World) -> None:
    world.clock.now = datetime.fromisoformat("2006-02-01T12:00:00Z")
    await completed(world, certificate_validity_months=1)
    assert await work(world) == 2
    assert len(await world.events("certificate.expiring")) == 1


async def test_after_a_long_pause_only_the_end_is_told(world: World) -> None:
    await completed(world, certificate_validity_months=1)
    world.clock.move(days=40)
    assert await work(world) == 3
    assert await world.events("certificate.expiring") == []
    assert await mails(world) == ["certificate_expired", "certificate_issued"]


@pytest.mark.parametrize("act", ["revoke", "reissue", "erase"])
async def test_of_what_is_no_more_nothing_is_told(world: World, act: str) -> None:
    enrollment = await world.enrollment(course_id=await world.course(certificate_validity_months=2))
    id = await completed(world, enrollment=enrollment)
    await work(world)
    if act == "revoke":
        await revoke(world, id)
    elif act == "reissue":
        await reissue(world, id)
    else:
        async with world.tx() as tx:
            await PERSONAL_DATA.erase(tx, UUID(enrollment["user_id"]))
    world.clock.move(days=32)
    await work(world)
    about = [data["certificate_id"] for _, data in await world.events("certificate.expiring")]
    assert str(id) not in about
    assert len(about) == (act == "reissue")


async def test_who_is_away_is_not_written_to(world: World) -> None:
    enrollment = await world.enrollment(course_id=await world.course(certificate_validity_months=2))
    await completed(world, enrollment=enrollment)
    async with world.tx() as tx:
        await users.suspend(tx, UUID(enrollment["user_id"]))
    world.clock.move(days=70)
    await work(world)
    assert await mails(world) == []


async def test_nobody_is_asked_to_take_a_course_that_is_not_open(world: World) -> None:
    course = await world.course(certificate_validity_months=2)
    await completed(world, enrollment=await world.enrollment(course_id=course))
    async with world.tx() as tx:
        await courses.archive(tx, course)
    world.clock.move(days=70)
    await work(world)
    assert await mails(world) == ["certificate_issued"]


async def test_nor_one_that_they_take_already(world: World) -> None:
    course = await world.course(certificate_validity_months=2)
    enrollment = await world.enrollment(course_id=course)
    await completed(world, enrollment=enrollment)
    world.clock.move(days=70)
    await world.enrollment(course_id=course, user_id=enrollment["user_id"])
    await work(world)
    assert await mails(world) == ["certificate_issued"]


async def test_workers_beside_each_other_tell_once(world: World) -> None:
    course = await world.course(certificate_validity_months=12)
    for _ in range(12):
        await completed(world, enrollment=await world.enrollment(course_id=course))
    await asyncio.gather(*(JOB.run_in(world.database, world.tenant.id) for _ in range(4)))
    await work(world)
    assert await mails(world) == ["certificate_issued"] * 12


async def test_a_turn_is_bounded(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notices, "_BATCH", 2)
    for _ in range(3):
        await completed(world)
    tell = partial(notices.tell_due, address=ADDRESS)

    async def turn() -> int:
        async with world.tx() as tx:
            return await tell(tx)

    assert [await turn() for _ in range(3)] == [2, 1, 0]


async def test_what_is_undone_is_told_again(world: World) -> None:
    await completed(world)

    async def fail(tx: Tx) -> None:
        await notices.tell_due(tx, address=ADDRESS)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await in_transaction(world, fail)
    assert await work(world) == 1
    assert await mails(world) == ["certificate_issued"]
