"""Every kind of module leads to the page that says how it ended, and from there to what comes next."""

from playwright.async_api import FrameLocator, expect

from browser.flows import Visit, Visits, enter_as
from browser.test_playing_scorm import content
from browser.test_taking_quizzes import hand_in, is_saved, ready, taking
from conftest import World
from training.learning.quiz_takers import RIGHT_OR_NOT
from trilha.settings import Settings
from web.panel.signing_in import made
from web.player.contents import sco, sequenced
from web.player.materials import article
from web.player.materials import taking as studying
from web.player.playing import Enrolled, enrolled, taught


async def playing(
    world: World, settings: Settings, visits: Visits, package: bytes
) -> tuple[Enrolled, Visit, FrameLocator]:
    user = await made(world, "learner")
    learner = await enrolled(world, await taught(world, settings, package), user)
    visit = await enter_as(world, visits, user, "desktop")
    await visit.go(learner.path())
    inside = content(visit)
    await expect(inside.locator("#said")).to_have_text("ab-initio|")
    return learner, visit, inside


async def says(visit: Visit, title: str) -> None:
    await expect(visit.page.get_by_role("heading", level=1)).to_have_text(title)


async def test_a_package_that_ends_leads_to_its_end(
    world: World, settings: Settings, visits: Visits, axe: str
) -> None:
    learner, visit, inside = await playing(world, settings, visits, sco("2004"))
    await inside.get_by_role("button", name="answer").click()
    await inside.get_by_role("button", name="finish").click()
    await visit.is_at(f"{learner.path()}/done")
    await says(visit, "Módulo ainda não concluído")
    await visit.page.get_by_role("link", name="Continuar este módulo").click()
    await visit.is_at(learner.path())
    await expect(inside.locator("#said")).to_have_text("resume|page 2")
    await inside.get_by_role("button", name="pass").click()
    await inside.get_by_role("button", name="finish").click()
    await visit.is_at(f"{learner.path()}/done")
    await says(visit, "Curso concluído")
    await visit.is_usable(axe)
    await visit.page.reload()
    await says(visit, "Curso concluído")
    # Back does not open the module again.
    await visit.page.go_back()
    assert not visit.page.url.endswith(learner.path())


async def test_content_that_goes_on_after_its_end_is_not_left_without_its_last_call(
    world: World, settings: Settings, visits: Visits
) -> None:
    more = """
    acts.finish = () => { setAll(elements.pass); api[terminate](""); last(api.LMSGetLastError()); };
    """
    learner, visit, inside = await playing(world, settings, visits, sco("1.2", more))
    await inside.get_by_role("button", name="finish").click()
    await expect(inside.locator("#last")).to_have_text("0")
    await visit.is_at(f"{learner.path()}/done")
    await says(visit, "Curso concluído")


async def test_the_last_part_of_a_sequence_ends_and_the_others_go_on(
    world: World, settings: Settings, visits: Visits
) -> None:
    learner, visit, inside = await playing(world, settings, visits, sequenced())
    # Ends without a request to go on: the learner decides.
    await inside.get_by_role("button", name="fail").click()
    await inside.get_by_role("button", name="finish").click()
    await visit.is_at(f"{learner.path()}/done")
    await says(visit, "Ainda sem aprovação")
    await visit.page.get_by_role("link", name="Tentar de novo").click()
    await visit.is_at(learner.path())
    await expect(inside.locator("#said")).to_have_text("ab-initio|")
    await inside.get_by_role("button", name="pass").click()
    await inside.get_by_role("button", name="next").click()
    await visit.is_at(learner.path(2))
    await expect(inside.locator("#said")).to_have_text("ab-initio|")
    await inside.get_by_role("button", name="pass").click()
    await inside.get_by_role("button", name="next").click()
    await visit.is_at(f"{learner.path(2)}/done")
    await says(visit, "Módulo concluído")
    await visit.page.get_by_role("link", name="Continuar").click()
    await visit.is_at(learner.path(1))
    await expect(inside.locator("#said")).to_be_visible()


async def test_work_without_a_network_is_sent_before_its_end_is_shown(
    world: World, settings: Settings, visits: Visits
) -> None:
    learner, visit, inside = await playing(world, settings, visits, sco("1.2"))
    await visit.page.context.set_offline(True)
    await inside.get_by_role("button", name="pass").click()
    await inside.get_by_role("button", name="finish").click()
    await expect(visit.page.locator(".player__told")).to_contain_text("ainda não foi salv", timeout=15_000)
    assert visit.page.url.endswith(learner.path())
    await visit.page.context.set_offline(False)
    await is_saved(visit)
    visit.said.clear()  # the browser's own messages about the network
    await visit.go(f"{learner.path()}/done")
    await says(visit, "Curso concluído")


async def test_a_quiz_shows_its_result_and_then_its_end(world: World, visits: Visits, axe: str) -> None:
    learner, visit = await taking(world, visits, RIGHT_OR_NOT, attempts=2, size="phone")
    here = f"/learn/enrollments/{learner.id}/modules/{learner.modules[0]}"
    frame = await ready(visit)
    await frame.get_by_text("Falso").click()
    await hand_in(frame)
    await expect(frame.locator(".quiz__score")).to_contain_text("0")
    await frame.get_by_role("button", name="Continuar").click()
    await visit.is_at(f"{here}/done")
    await says(visit, "Ainda sem aprovação")
    await visit.is_usable(axe)
    await visit.page.get_by_role("link", name="Tentar de novo").click()
    await visit.is_at(here)
    await visit.page.frame_locator("#content").locator("[data-again]").click()
    frame = await ready(visit)
    await frame.get_by_text("Verdadeiro").click()
    await hand_in(frame)
    await expect(frame.locator(".quiz__score")).to_contain_text("100")
    await frame.get_by_role("button", name="Continuar").click()
    await visit.is_at(f"{here}/done")
    await says(visit, "Curso concluído")


async def test_an_article_that_was_not_read_to_its_end_says_so(world: World, visits: Visits) -> None:
    user = await made(world, "learner")
    ana = await studying(world, user, article("Uma frase curta. " * 400))
    visit = await enter_as(world, visits, user, "desktop")
    here = f"/learn/enrollments/{ana.id}/modules/{ana.modules[0]}"
    await visit.go(here)
    frame = visit.page.frame_locator("#content")
    await frame.get_by_role("button", name="Continuar").click()
    await visit.is_at(f"{here}/done")
    await says(visit, "Módulo ainda não concluído")
    await visit.page.get_by_role("link", name="Continuar este módulo").click()
    await visit.is_at(here)


async def test_a_portal_opens_a_module_and_gets_its_learner_back(
    world: World, visits: Visits, axe: str
) -> None:
    user = await made(world, "learner")
    ana = await studying(world, user, article("Uma frase curta. " * 400))
    visit = await visits("phone")
    portal = f"{visit.address}/accessibility"
    answer = await world.http.post(f"/v1/enrollments/{ana.id}/launch", json={"return_url": portal})
    fragment = answer.json()["data"]["url"].partition("/login/launch")[2]
    await visit.page.goto(f"{visit.address}/login/launch{fragment}")
    here = f"/learn/enrollments/{ana.id}/modules/{ana.modules[0]}"
    await visit.is_at(here)
    frame = visit.page.frame_locator("#content")
    await frame.get_by_role("button", name="Continuar").click()
    await visit.is_at(f"{here}/done")
    await says(visit, "Módulo ainda não concluído")
    await visit.is_usable(axe)
    await visit.page.get_by_role("link", name="Voltar para 127.0.0.1").click()
    await visit.is_at("/accessibility")
    await visit.page.goto(f"{visit.address}/login/launch")
    await expect(visit.page.get_by_role("alert")).to_contain_text("Este link venceu ou já foi usado.")
    await visit.page.goto(f"{visit.address}/login/launch{fragment}")
    await expect(visit.page.get_by_role("heading", level=1)).to_have_text("Este link não funciona mais")
