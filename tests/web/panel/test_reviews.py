"""Review flags: listed, shown on the enrollment, and dismissed with a reason."""

from typing import Any
from uuid import UUID

import httpx2

from conftest import World
from training.learning.learners import Learner, learner
from trilha.training.learning.review_flags.jobs import CHECK_ENROLLMENTS
from web.panel.training_pages import actions_on_record, browsing, flash, id_of, rows, send, teach


async def claimed(world: World) -> Learner:
    """Creates a person whose module reports two hours in a launch that has just begun."""
    somebody = await learner(world)
    await (await somebody.launch()).status("completed", session_time="02:00:00.0", final=True)
    while await CHECK_ENROLLMENTS.run_in(world.database, world.tenant.id):
        pass
    return somebody


def address(of: Learner) -> str:
    return f"/admin/enrollments/{of.id}/flags/{of.modules[0]}/CLAIMED_TIME/dismiss"


async def shown(client: httpx2.AsyncClient, of: Learner) -> str:
    text: str = (await client.get(f"/admin/enrollments/{of.id}")).text
    return text


async def test_a_sign_is_listed_shown_and_dismissed(world: World) -> None:
    admin = await browsing(world)
    usual, unusual = await learner(world), await claimed(world)
    await (await usual.launch()).status("completed", final=True)
    assert len(rows((await admin.get("/admin/enrollments")).text)) == 2
    assert len(rows((await admin.get("/admin/enrollments?status=to_review")).text)) == 1
    page = await shown(admin, unusual)
    assert "More time reported than has passed" in page
    assert "a session of 120 min in" in page
    assert "Needs review" not in await shown(admin, usual)
    for nothing in ("", "  "):
        assert (await send(admin, address(unusual), reason=nothing)).status_code == 422
    assert "a session of 120 min in" in (await admin.get(address(unusual))).text


async def test_a_reason_is_kept_with_the_name(world: World) -> None:
    admin = await browsing(world)
    unusual = await claimed(world)
    told = await send(admin, address(unusual), reason="The package counts in hours.")
    assert "dismissed" in flash(told)
    page = await shown(admin, unusual)
    assert "The package counts in hours." in page
    assert "Needs review" not in page
    assert rows((await admin.get("/admin/enrollments?status=to_review")).text) == []
    assert (await send(admin, address(unusual), reason="Again.")).status_code == 404
    assert "review_flag.dismissed" in await actions_on_record(world)
    assert (await unusual.read())["status"] == "COMPLETED"


async def test_an_instructor_sees_it_and_cannot_dismiss_it(world: World) -> None:
    unusual = await claimed(world)
    teacher = await browsing(world, "instrutor")
    course: Any = (await unusual.read())["course_id"]
    await teach(world, UUID(course), await id_of(world, "instrutor"))
    page = await shown(teacher, unusual)
    assert "More time reported than has passed" in page
    assert "/dismiss" not in page
    assert (await teacher.get(address(unusual))).status_code == 403
    assert (await send(teacher, address(unusual), reason="Mine.")).status_code == 403
