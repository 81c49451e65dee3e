"""Requests for a new due date."""

from datetime import timedelta

from conftest import World
from trilha.core.types import Timestamp
from trilha.training.enrollments.jobs import JOBS
from web.panel.signing_in import browser_of, made, send, signed_in

PATH = "/admin/enrollments/extensions"


async def expired(world: World, user_id: object) -> str:
    """Returns an enrollment that has expired."""
    ends = Timestamp.of(world.clock.now + timedelta(hours=1))
    enrollment = await world.enrollment(
        user_id=str(user_id), course_id=await world.course(title="NR-10"), expires_at=ends
    )
    world.clock.move(hours=2)
    for job in JOBS:
        await job.run_in(world.database, world.tenant.id)
    id: str = enrollment["id"]
    return id


async def test_a_learner_asks_and_the_manager_grants(world: World) -> None:
    user = await made(world, "learner", name="Ana Lima")
    id = await expired(world, user.id)
    learner, admin = await browser_of(world, user), await signed_in(world)
    page = f"/learn/enrollments/{id}"
    assert "Ask for a new due date" in (await learner.get(page)).text
    assert (await send(learner, f"{page}/extension", message="Estava de férias")).status_code == 303
    assert "Your manager will answer" in (await learner.get(page)).text
    assert (await send(learner, f"{page}/extension")).status_code == 409
    assert f'href="{PATH}"' in (await admin.get("/admin")).text
    listed = (await admin.get(PATH)).text
    assert all(each in listed for each in ("Ana Lima", "NR-10", "Estava de férias"))
    assert (await send(admin, f"/admin/enrollments/{id}/extension/grant", days=15)).status_code == 303
    read = (await world.http.get(f"/v1/enrollments/{id}")).json()["data"]
    assert read["status"] == "NOT_STARTED"
    left = Timestamp(read["expires_at"]).moment() - world.clock.now
    assert timedelta(days=15) <= left < timedelta(days=16)
    assert "Ana Lima" not in (await admin.get(PATH)).text
    assert (await send(admin, f"/admin/enrollments/{id}/extension/grant", days=15)).status_code == 404


async def test_a_refused_request_can_be_made_again(world: World) -> None:
    user = await made(world, "learner")
    id = await expired(world, user.id)
    learner, admin = await browser_of(world, user), await signed_in(world)
    page = f"/learn/enrollments/{id}"
    await send(learner, f"{page}/extension")
    assert (await send(admin, f"/admin/enrollments/{id}/extension/refuse")).status_code == 303
    assert "was refused" in (await learner.get(page)).text
    assert (await send(learner, f"{page}/extension")).status_code == 303
    assert (await send(admin, f"/admin/enrollments/{id}/extension/refuse")).status_code == 303


async def test_a_request_ends_with_its_enrollment(world: World) -> None:
    user = await made(world, "learner", name="Ana Lima")
    id = await expired(world, user.id)
    await send(await browser_of(world, user), f"/learn/enrollments/{id}/extension")
    admin = await signed_in(world)
    assert "Ana Lima" in (await admin.get(PATH)).text
    ends = Timestamp.of(world.clock.now + timedelta(days=90))
    await world.http.patch(f"/v1/enrollments/{id}", json={"expires_at": ends})
    assert "Ana Lima" not in (await admin.get(PATH)).text
    assert (await send(admin, f"/admin/enrollments/{id}/extension/grant", days=7)).status_code == 422


async def test_only_ones_own_and_only_expired(world: World) -> None:
    user = await made(world, "learner")
    open_one = await world.enrollment(user_id=str(user.id))
    id = await expired(world, (await world.user())["id"])
    learner = await browser_of(world, user)
    assert (await send(learner, f"/learn/enrollments/{id}/extension")).status_code == 404
    answer = await send(learner, f"/learn/enrollments/{open_one['id']}/extension")
    assert answer.status_code == 422


async def test_a_manager_answers_only_for_their_people(world: World) -> None:
    user = await made(world, "learner", name="Ana Lima")
    id = await expired(world, user.id)
    await send(await browser_of(world, user), f"/learn/enrollments/{id}/extension")
    manager = await signed_in(world, "gestor")
    assert "Ana Lima" not in (await manager.get(PATH)).text
    answer = await send(manager, f"/admin/enrollments/{id}/extension/grant", days=15)
    assert answer.status_code in (403, 404)
