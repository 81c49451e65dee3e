"""Simulated years of renewable courses: nobody who completes in the window has an uncovered day, nobody is
enrolled twice in a cycle, and the evidence of every cycle remains.
"""

import random
from collections import defaultdict
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any
from uuid import UUID

import pytest

from conftest import World
from training.requirements.settling import EVERYBODY, settle
from trilha.training.certificates import actions as certificates
from trilha.training.enrollments import actions as enrollments

COURSES = ((12, 60), (6, 30), (24, 90))  # the months until a renewal, and the days of its window
DAYS = 5  # of a step


@pytest.mark.parametrize(
    ("people", "days"),
    [
        pytest.param(6, 500, id="short"),
        pytest.param(500, 3 * 366, id="long", marks=[pytest.mark.long, pytest.mark.timeout(5400)]),
    ],
)
async def test_years(world: World, people: int, days: int) -> None:
    chance = random.Random(7)
    users = [(await world.user(name=f"P{number}"))["id"] for number in range(people)]
    late = set(users[::10])  # these take their time
    for months, window in COURSES:
        body = {
            "title": f"{months}",
            "rule": EVERYBODY,
            "course_id": str(await world.course(certificate_validity_months=months)),
            "due_days": 20,
            "renew_months": months,
            "window_days": window,
        }
        assert (await world.http.post("/v1/requirements", json=body)).status_code == 201
    begun = world.clock.now
    while world.clock.now < begun + timedelta(days=days):
        await settle(world)
        for enrollment in await _list_open(world):
            patience = 0.02 if str(enrollment["user_id"]) in late else 0.4
            last_days = (datetime.fromisoformat(enrollment["due_at"]) - world.clock.now).days <= DAYS
            if chance.random() < patience or (last_days and str(enrollment["user_id"]) not in late):
                await _complete(world, enrollment["id"])
        world.clock.move(days=DAYS)
    await settle(world)
    cycles = await _check_cycles(world, {UUID(each) for each in users} - {UUID(each) for each in late})
    print(f"{people} people, {days} days, {cycles} completed cycles", flush=True)
    assert cycles > people * len(COURSES)


async def _list_open(world: World) -> list[Any]:
    async with world.tx() as tx:
        return list(
            await tx.rows(
                "SELECT id, user_id, due_at FROM enrollments "
                "WHERE tenant_id = :tenant AND status <> 'COMPLETED' ORDER BY user_id, id"
            )
        )


async def _complete(world: World, enrollment_id: UUID) -> None:
    async with world.tx() as tx:
        await enrollments.start(tx, enrollment_id)
        completed = await enrollments.complete(tx, enrollment_id)
        assert completed is not None
        await certificates.issue(tx, completed, None)


async def _check_cycles(world: World, diligent: set[UUID]) -> int:
    """Returns the number of completed cycles."""
    async with world.tx() as tx:
        rows = await tx.rows(
            """
            SELECT e.user_id, e.course_id, e.status, e.created_at, e.completed_at, c.expires_at, c.issued_at,
                   (SELECT count(*) FROM certificates AS own
                    WHERE own.tenant_id = :tenant AND own.enrollment_id = e.id) AS certificates
            FROM enrollments AS e
            LEFT JOIN certificates AS c ON c.tenant_id = :tenant AND c.enrollment_id = e.id
            WHERE e.tenant_id = :tenant ORDER BY e.created_at
            """
        )
    cycles: defaultdict[tuple[UUID, UUID], list[Any]] = defaultdict(list)
    for row in rows:
        cycles[row["user_id"], row["course_id"]].append(row)
    for (user_id, _), own in cycles.items():
        done = [row for row in own if row["status"] == "COMPLETED"]
        assert len(own) - len(done) <= 1, "somebody is enrolled twice"
        for row in done:
            assert row["certificates"] == 1
        for before, after in pairwise(own):
            assert before["completed_at"] <= after["created_at"], "a cycle began before the last one ended"
        for before, after in pairwise(done):
            assert after["expires_at"] > before["expires_at"]
            if user_id in diligent:
                assert after["completed_at"] <= before["expires_at"], "a day was not covered"
    return sum(row["status"] == "COMPLETED" for row in rows)
