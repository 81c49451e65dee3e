"""SCORM packages in the player, from their launch to the result in the API."""

import pytest
from playwright.async_api import FrameLocator, expect

from browser.flows import Visit, Visits, enter_as
from conftest import World
from trilha.people.users.schema import User
from trilha.settings import Settings
from web.panel.signing_in import made
from web.player.contents import sco, sequenced
from web.player.playing import Enrolled, enrolled, taught


async def opened(visits: Visits, learner: Enrolled, user: User, size: str = "desktop") -> Visit:
    visit = await enter_as(learner.world, visits, user, size)
    await visit.go(learner.path())
    return visit


def content(visit: Visit) -> FrameLocator:
    return visit.page.frame_locator("#content").frame_locator("#sco")


@pytest.mark.parametrize("version", ["1.2", "2004"])
async def test_a_package_is_played_left_and_gone_on_with(
    world: World, settings: Settings, visits: Visits, version: str
) -> None:
    user = await made(world, "learner")
    learner = await enrolled(world, await taught(world, settings, sco(version)), user)
    visit = await opened(visits, learner, user)
    inside = content(visit)
    await expect(inside.locator("#said")).to_have_text("ab-initio|")
    await expect(visit.page.locator("#saved")).to_have_attribute("data-state", "saved")
    await inside.get_by_role("button", name="answer").click()
    await expect(visit.page.locator("#saved")).to_have_attribute("data-state", "unsaved")
    await inside.get_by_role("button", name="commit").click()
    await expect(visit.page.locator("#saved")).to_have_attribute("data-state", "saved")
    await visit.page.locator("[data-exit]").click()
    await visit.is_at(f"/learn/enrollments/{learner.id}")
    await visit.go(learner.path())
    await expect(inside.locator("#said")).to_have_text("resume|page 2")
    await inside.get_by_role("button", name="pass").click()
    await visit.page.locator("[data-exit]").click()
    await visit.is_at(f"/learn/enrollments/{learner.id}")
    (attempt,) = await learner.attempts()
    assert (attempt["completion"], attempt["success"], attempt["score"]) == ("completed", "passed", 90)
    (answer,) = await learner.answers()
    assert (answer["response"], answer["result"]) == ("a", "correct")
    assert (await learner.read())["status"] == "COMPLETED"


async def test_one_goes_from_a_module_to_the_next_and_back(
    world: World, settings: Settings, visits: Visits, axe: str
) -> None:
    """The open module ends first, as on the way back to the course."""
    user = await made(world, "learner")
    learner = await enrolled(world, await taught(world, settings, sequenced()), user)
    visit = await opened(visits, learner, user, "phone")
    await content(visit).get_by_role("button", name="pass").click()
    await expect(visit.page.get_by_role("link", name="Módulo anterior")).to_have_count(0)
    await visit.is_usable(axe)
    await visit.page.get_by_role("link", name="Próximo módulo: Lesson").click()
    await visit.is_at(learner.path(1))
    assert (await learner.attempts())[0]["completion"] == "completed"
    await content(visit).locator("#said").wait_for()
    await visit.page.get_by_role("link", name="Próximo módulo: End").click()
    await visit.is_at(learner.path(2))
    await content(visit).locator("#said").wait_for()
    await expect(visit.page.get_by_role("link", name="Próximo módulo")).to_have_count(0)
    await visit.page.get_by_role("link", name="Módulo anterior: Lesson").click()
    await visit.is_at(learner.path(1))


@pytest.mark.parametrize(("does", "next"), [("pass", 2), ("fail", 1)], ids=["skips", "goes-on"])
async def test_rules_lead_from_one_part_to_another(
    world: World, settings: Settings, visits: Visits, does: str, next: int
) -> None:
    user = await made(world, "learner")
    learner = await enrolled(world, await taught(world, settings, sequenced()), user)
    visit = await opened(visits, learner, user)
    inside = content(visit)
    await inside.get_by_role("button", name=does).click()
    await inside.get_by_role("button", name="next").click()
    await visit.is_at(learner.path(next))
    await expect(inside.locator("#said")).to_have_text("ab-initio|")
    # The rules use the state of the previous launch: they continue from there.
    await inside.get_by_role("button", name="pass").click()
    await inside.get_by_role("button", name="next").click()
    await visit.is_at(learner.path(2) if next == 1 else f"{learner.path(2)}/done")


@pytest.mark.parametrize(("lenient", "error"), [(False, "403"), (True, "0")], ids=["strict", "lenient"])
async def test_what_was_never_set(
    world: World, settings: Settings, visits: Visits, lenient: bool, error: str
) -> None:
    user = await made(world, "learner")
    course = await taught(world, settings, sco("2004"))
    async with world.tx() as tx:
        await tx.execute(
            "UPDATE all_modules SET content = content || :more WHERE tenant_id = :tenant AND course_id = :id",
            more={"lenient_get": lenient},
            id=course.course_id,
        )
    visit = await opened(visits, await enrolled(world, course, user), user)
    inside = content(visit)
    await expect(inside.locator("#said")).to_have_text("ab-initio|")
    read = (
        "() => { parent.API_1484_11.GetValue('cmi.suspend_data'); return parent.API_1484_11.GetLastError() }"
    )
    assert await inside.locator("body").evaluate(read) == error


@pytest.mark.parametrize(
    ("version", "read"),
    [
        ("1.2", "API.LMSGetValue('cmi.core.student_name')"),
        ("2004", "API_1484_11.GetValue('cmi.learner_name')"),
    ],
)
async def test_the_trace_does_not_tell_who_it_was(
    world: World, settings: Settings, visits: Visits, version: str, read: str
) -> None:
    user = await made(world, "learner")
    learner = await enrolled(world, await taught(world, settings, sco(version)), user)
    visit = await opened(visits, learner, user)
    inside = content(visit)
    await expect(inside.locator("#said")).to_have_text("ab-initio|")
    assert "," in await inside.locator("body").evaluate(f"() => parent.{read}")
    await visit.page.locator("[data-exit]").click()
    await visit.is_at(f"/learn/enrollments/{learner.id}")
    told = [each["result"] for each in await learner.calls() if each["element"].endswith("_name")]
    assert told == ["***"]
