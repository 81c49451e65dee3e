"""Packages of authoring tools and unusual ones in the player: found, started, saved, continued and completed.

Packages behave differently when they are opened. The learner's actions are performed through the runtime, as
the package's own scripts would.
"""

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Error, Frame, Page, expect

from browser.flows import Visit, Visits, enter_as
from conftest import FIXTURES, World
from trilha.settings import Settings
from web.panel.signing_in import made
from web.player.playing import Enrolled, enrolled, taught

SCORM = FIXTURES / "scorm"
# The generator's packages run on their own from start to end.
GENERATED = (
    *("good_12_single", "good_12_mastery", "good_12_multi_prereq", "good_2004_single"),
    *("good_2004_threshold_seq", "edge_nested_root", "edge_bom_utf16", "edge_case_mismatch"),
    *("edge_xmlbase_params", "edge_nfd_name", "edge_no_org"),
)
SHORT = ("good_12_single", "good_2004_single")
OF_TOOLS = (
    *("rustici_RuntimeBasicCalls_SCORM12", "rustici_RuntimeBasicCalls_SCORM20043rdEdition"),
    *("rustici_RuntimeMinimumCalls_SCORM12-mini", "rustici_singlescobasic"),
    *("rustici_singlescobasic_missingorg", "imscp_test_quiz", "svincent_template_SCORM2004_4th"),
)
pytestmark = pytest.mark.skipif(not SCORM.is_dir(), reason="The fixtures are not here.")
STATE = '{"page": 3, "said": "ação"}'
_API = "(window.API ?? window.API_1484_11)"


def long(names: tuple[str, ...]) -> list[Any]:
    return [pytest.param(each, marks=() if each in SHORT else pytest.mark.long) for each in names]


async def opened(world: World, visits: Visits, settings: Settings, path: Path) -> tuple[Visit, Enrolled]:
    user = await made(world, "learner")
    learner = await enrolled(world, await taught(world, settings, path), user)
    visit = await enter_as(world, visits, user)
    await visit.go(learner.path())
    return visit, learner


async def runtime(page: Page, true: str) -> Frame:
    """Waits until this is true of the runtime, and returns the frame around the content."""
    frame = await (await page.wait_for_selector("#content")).content_frame()  # type: ignore[union-attr]
    assert frame is not None
    await frame.wait_for_function(f"() => {_API}?.{true}")
    return frame


async def left(visit: Visit, learner: Enrolled) -> None:
    await visit.page.locator("[data-exit]").click()
    await visit.is_at(f"/learn/enrollments/{learner.id}")


@pytest.mark.parametrize("name", long(GENERATED))
async def test_what_runs_by_itself_is_completed_with_its_answers(
    world: World, visits: Visits, settings: Settings, name: str
) -> None:
    visit, learner = await opened(world, visits, settings, SCORM / "generated" / f"{name}.zip")
    frame = await runtime(visit.page, "isTerminated()")
    await expect(visit.page.locator("#saved")).to_have_attribute("data-state", "saved")
    await left(visit, learner)
    attempt = (await learner.attempts())[0]
    failed = name == "edge_xmlbase_params"  # set by its parameters
    assert (attempt["completion"], attempt["success"]) == ("completed", "failed" if failed else "passed")
    assert (attempt["score"], attempt["terminated"]) == (40 if failed else 85, True)
    first, second = await learner.answers()
    assert (first["interaction_id"], first["response"], first["correct_response"]) == ("q1", "a", "a")
    assert (first["result"], first["latency_seconds"], first["weighting"]) == ("correct", 7.5, 1)
    assert (second["response"], second["correct_response"], second["result"]) == (
        "false",
        "true",
        "incorrect",
    )
    if "2004" in name:
        assert first["description"] == "Qual EPI é obrigatório?"
    await visit.go(learner.path())
    frame = await runtime(visit.page, "isTerminated()")
    given = await frame.evaluate("JSON.parse(document.getElementById('launch').textContent).scorm.cmi")
    assert failed or given["suspend_data"].startswith("estado|ção|")
    calls = await learner.calls()
    assert {call["result"] for call in calls if call["name"] in ("LMSInitialize", "Initialize")} == {"true"}
    visit.said.clear()


@pytest.mark.long
@pytest.mark.parametrize("name", OF_TOOLS)
async def test_what_tools_made_is_begun_kept_and_completed(
    world: World, visits: Visits, settings: Settings, name: str
) -> None:
    visit, learner = await opened(world, visits, settings, SCORM / "packages" / f"{name}.zip")
    frame = await runtime(visit.page, "isInitialized()")
    set, commit = await _names(frame)
    await frame.evaluate(f"{_API}.{set}('cmi.suspend_data', '{STATE}')")
    await expect(visit.page.locator("#saved")).not_to_have_attribute("data-state", "saved")
    assert await frame.evaluate(f"{_API}.{commit}('')") == "true"
    await expect(visit.page.locator("#saved")).to_have_attribute("data-state", "saved")
    await visit.page.reload()
    frame = await runtime(visit.page, "isInitialized()")
    given = await frame.evaluate("JSON.parse(document.getElementById('launch').textContent).scorm.cmi")
    assert given["suspend_data"] == STATE
    status = "cmi.core.lesson_status" if set == "LMSSetValue" else "cmi.completion_status"
    assert await frame.evaluate(f"{_API}.{set}('{status}', 'completed')") == "true"
    if set == "SetValue":  # with a threshold in the manifest, the measure decides
        await frame.evaluate(f"{_API}.{set}('cmi.progress_measure', '1')")
    # Some packages report that they are incomplete when they are closed. Earlier commits stay.
    assert await frame.evaluate(f"{_API}.{commit}('')") == "true"
    await left(visit, learner)
    assert (await learner.attempts())[0]["completion"] == "completed"
    visit.said.clear()


async def _names(frame: Frame) -> tuple[str, str]:
    if await frame.evaluate("Boolean(window.API)"):
        return "LMSSetValue", "LMSCommit"
    return "SetValue", "Commit"


@pytest.mark.long
async def test_what_is_no_sco_is_done_once_it_is_shown(
    world: World, visits: Visits, settings: Settings
) -> None:
    visit, learner = await opened(world, visits, settings, SCORM / "generated" / "edge_not_scorm_imscp.zip")
    content = visit.page.frame_locator("#content").frame_locator("#sco")
    await expect(content.get_by_role("heading", name="asset")).to_be_visible()
    await left(visit, learner)
    assert (await learner.attempts())[0]["completion"] == "completed"


@pytest.mark.long
async def test_pages_of_a_cartridge_are_each_done_once_they_are_shown(
    world: World, visits: Visits, settings: Settings
) -> None:
    """A whole course of pages that know no runtime and look for one."""
    visit, learner = await opened(world, visits, settings, SCORM / "packages" / "imscp_eventos.zip")
    shown = []
    for module in range(len(learner.taught.modules)):
        await visit.go(learner.path(module))
        content = visit.page.frame_locator("#content").frame_locator("#sco")
        shown.append(await content.locator("#nodeTitle").text_content())
        await left(visit, learner)
    assert shown[:3] == [
        "Evento's Solutions, servicios integrales (ESSI)",
        "El origen del proyecto",
        "El salón de celebraciones",
    ]
    assert len(set(shown)) == 7
    assert {each["completion"] for each in await learner.attempts()} == {"completed"}
    found = await learner.read()
    assert (found["status"], found["progress"], found["score"]) == ("COMPLETED", 100, None)
    assert await learner.answers() == []
    visit.said.clear()


async def test_content_that_looks_around_it_finds_nothing_and_is_played(
    world: World, visits: Visits, settings: Settings
) -> None:
    user = await made(world, "learner")
    archive = SCORM / "packages" / "security_parent_dom_violation.zip"
    learner = await enrolled(world, await taught(world, settings, archive), user)
    visit = await enter_as(world, visits, user)
    logged: list[str] = []
    visit.page.on("console", lambda message: logged.append(message.text))
    await visit.go(learner.path())
    await runtime(visit.page, "isInitialized()")
    content = visit.page.frame_locator("#content").frame_locator("#sco")
    # It is inside a page of its own origin, which has nothing of the application.
    for above in ("parent.parent.document.body", "top.document.body", "top.localStorage"):
        with pytest.raises(Error, match="SecurityError"):
            await content.locator("body").evaluate(f"() => {above}")
    assert (await learner.attempts())[0]["completion"] == "incomplete"
    await content.get_by_role("button", name="Complete Lesson").click()
    await expect(visit.page.locator("#saved")).to_have_attribute("data-state", "saved")
    await left(visit, learner)
    attempt = (await learner.attempts())[0]
    assert (attempt["completion"], attempt["success"]) == ("completed", "passed")
    assert (attempt["score"], attempt["terminated"]) == (100, True)
    assert logged == ["Accessed parent body"]
    calls = [(each["name"], each["result"]) for each in await learner.calls()]
    assert calls[0] == ("Initialize", "true")
    assert calls[-1] == ("Terminate", "true")
