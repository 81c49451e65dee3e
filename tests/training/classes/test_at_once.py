"""Attendance, check-ins, registrations, the worker and erasures at the same time: nobody waits for each other
in a circle, and the end is right.
"""

import asyncio
from uuid import UUID

from conftest import World
from training.classes.classes import offer
from trilha.app import PERSONAL_DATA
from trilha.training.classes.jobs import JUDGE_PRESENCE
from trilha.training.enrollments import actions as enrollments


async def test_lists_of_two_instructors_and_the_worker(world: World) -> None:
    classes = await offer(world)
    made = await classes.create(classes.session(-30, 1), classes.session(-6, 1))
    one, two = (each["id"] for each in made["sessions"])
    users = [(await world.user())["id"] for _ in range(8)]
    for each in users:
        await classes.register(made, each)

    async def judge() -> None:
        for _ in range(6):
            await JUDGE_PRESENCE.run_in(world.database, world.tenant.id)

    async def move_away_and_back() -> None:
        for hours in (-7, -6):
            answer = await world.http.patch(f"/v1/sessions/{two}", json=classes.session(hours, 1))
            assert answer.status_code == 200, answer.text

    await asyncio.gather(
        *(classes.attend(one, {each: 60}) for each in users[:4]),
        classes.attend(one, dict.fromkeys(reversed(users[4:]), 60)),
        classes.attend(two, dict.fromkeys(users, 60)),
        judge(),
        judge(),
        move_away_and_back(),
    )
    await classes.judge()
    done = (await world.http.get("/v1/enrollments?status=completed")).json()["data"]
    assert len(done) == 8
    assert len(await world.events("attendance.recorded")) == 16
    assert len(await world.events("enrollment.completed")) == 8


async def test_nobody_gets_a_place_by_an_enrollment_that_is_being_cancelled(world: World) -> None:
    classes = await offer(world)
    made = await classes.create()
    user = (await world.user())["id"]
    old = await world.enrollment(course_id=classes.course_id, user_id=user)
    async with world.tx() as tx:
        await enrollments.cancel(tx, UUID(old["id"]))
        registering = asyncio.create_task(classes.register(made, user))
        await asyncio.sleep(0.5)
        assert not registering.done()
    registration = await registering
    assert registration["enrollment_id"] != old["id"]
    assert (await classes.enrollment(registration))["status"] == "NOT_STARTED"


async def test_cancellations_of_enrollments_and_erasures(world: World) -> None:
    classes = await offer(world)
    made = [await classes.create(classes.session(hours), maximum_people=4) for hours in (30, 60)]
    users = [(await world.user())["id"] for _ in range(10)]
    places = [[await classes.register(each, user) for user in users] for each in made]

    async def erase(user_id: str) -> None:
        async with world.tx() as tx:
            await PERSONAL_DATA.erase(tx, UUID(user_id))

    async def judge() -> None:
        for _ in range(5):
            await JUDGE_PRESENCE.run_in(world.database, world.tenant.id)

    await asyncio.gather(
        erase(users[0]),
        erase(users[9]),
        *(classes.unregister(each) for each in (places[0][1], places[1][1], places[0][8])),
        *(world.http.delete(f"/v1/enrollments/{places[0][number]['enrollment_id']}") for number in (2, 7)),
        judge(),
        judge(),
        *(classes.post(f"classes/{each['id']}/registrations/bulk", user_ids=users[3:7]) for each in made),
    )
    await classes.judge()
    for each in made:
        registered = await classes.list_registrations(each, status="REGISTERED")
        waiting = await classes.list_registrations(each, status="WAITLISTED")
        assert len(registered) == 4
        assert {row["user_id"] for row in registered} >= {users[3]}
        assert [row["position"] for row in waiting] == list(range(1, len(waiting) + 1))
        read = await classes.read(each)
        assert (read["registered"], read["waitlisted"]) == (4, len(waiting))
        gone = {row["user_id"] for row in (*registered, *waiting)} & {users[0], users[2], users[7], users[9]}
        assert gone == set()
