"""Waiving cmi5 modules on the page of an enrollment, and the steps of a launch of cmi5 content."""

import re
from uuid import uuid4

from conftest import World
from training.cmi5.contents import Learner, enroll
from trilha.settings import Settings
from web.panel.signing_in import send, signed_in


def build_address(learner: Learner, module: object = None) -> str:
    return f"/admin/enrollments/{learner.id}/modules/{module or learner.modules[0]}/waive"


async def test_waiving_a_module(world: World, stranger: World, settings: Settings) -> None:
    learner = await enroll(world, settings.address, "Completed")
    admin, address = await signed_in(world), build_address(learner)
    assert address in (await admin.get(f"/admin/enrollments/{learner.id}")).text
    assert "The module counts as completed" in (await admin.get(address)).text
    assert (await send(admin, address, reason="")).status_code == 422
    assert (await send(admin, address, reason="a" * 501)).status_code == 422
    assert await learner.status() == "NOT_STARTED"
    other = await signed_in(stranger)
    assert (await send(other, address, reason="Knows it")).status_code == 404
    for role in ("gestor", "instrutor"):
        answer = await send(await signed_in(world, role), address, reason="Knows it")
        assert answer.status_code in (403, 404)
    answer = await send(admin, address, reason="Knows it")
    assert answer.headers["location"] == f"/admin/enrollments/{learner.id}"
    assert await learner.status() == "COMPLETED"
    assert "waived" in await learner.list_verbs()
    assert address not in (await admin.get(f"/admin/enrollments/{learner.id}")).text
    assert (await send(admin, address, reason="Again")).status_code in (409, 422)
    assert (await admin.get(build_address(learner, uuid4()))).status_code == 404


async def test_the_steps_of_a_launch(world: World, settings: Settings) -> None:
    learner = await enroll(world, settings.address, "Completed")
    content = await learner.begin()
    assert (await content.state("bookmark", "PUT", json={"page": 3})).status_code == 204
    assert (await content.send("completed")).status_code == 200
    admin = await signed_in(world)
    listed = (await admin.get(f"/admin/enrollments/{learner.id}/launches")).text
    found = re.search(rf'href="(/admin/enrollments/{learner.id}/launches/[^"]+)"', listed)
    assert found, listed
    page = (await admin.get(found[1])).text
    for each in (
        "The learner opened the module",
        "The content fetched its token",
        "The content stored its state “bookmark”",
        "launched “M0”",
        "completed “M0”",
    ):
        assert each in page, each
    assert "LMS.LaunchData" not in page
    assert 'href="/admin/statements/' in page
