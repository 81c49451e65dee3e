"""Quizzes in the player: answered, left, continued, submitted, spoken, graded and retaken."""

import re
from typing import Any

from playwright.async_api import FrameLocator, expect

from browser.flows import Visit, Visits, enter_as
from conftest import World
from training.learning.quiz_takers import CHOICE, ESSAY, NUMBER, RIGHT_OR_NOT, QuizLearner, quiz_learner
from web.panel.signing_in import made


async def taking(
    world: World, visits: Visits, *questions: dict[str, Any], size: str = "desktop", **settings: Any
) -> tuple[QuizLearner, Visit]:
    user = await made(world, "learner")
    learner = await quiz_learner(world, *questions, user_id=str(user.id), **settings)
    visit = await enter_as(world, visits, user, size)
    await visit.go(path(learner))
    return learner, visit


def path(learner: QuizLearner) -> str:
    return f"/learn/enrollments/{learner.id}/modules/{learner.modules[0]}"


async def ready(visit: Visit) -> FrameLocator:
    frame = visit.page.frame_locator("#content")
    await expect(frame.locator("#quiz[data-ready]")).to_be_attached()
    return frame


async def start_attempt(visit: Visit) -> FrameLocator:
    """Starts the time of a quiz. The page before it is ready too, so that this waits for its clock first."""
    frame = await ready(visit)
    await frame.locator("[data-start]").click()
    await expect(frame.locator("[role=timer]")).to_be_visible()
    return await ready(visit)


async def is_saved(visit: Visit) -> None:
    await expect(visit.page.locator("#saved")).to_have_attribute("data-state", "saved")


async def hand_in(frame: FrameLocator) -> None:
    await frame.locator("[data-hand-in]").click()
    await frame.locator("[data-confirm]").click()


async def test_a_quiz_is_answered_left_gone_on_with_and_handed_in(
    world: World, visits: Visits, axe: str
) -> None:
    learner, visit = await taking(
        world, visits, RIGHT_OR_NOT, NUMBER, CHOICE, pass_mark=60, shuffle_choices=False
    )
    frame = await ready(visit)
    await expect(frame.locator(".quiz__question:visible")).to_have_count(1)
    await frame.get_by_text("Verdadeiro").click()
    await is_saved(visit)
    await frame.locator("[data-step='1']").click()
    number = frame.locator(".asked__input")
    await number.fill("muitos")
    await expect(frame.get_by_text("Informe um número, como 2,5.")).to_be_visible()
    await number.fill("2,5")
    await expect(frame.get_by_text("Informe um número, como 2,5.")).to_be_hidden()
    await is_saved(visit)
    await visit.page.reload()
    frame = await ready(visit)
    # At the first unanswered question.
    await expect(frame.locator(".quiz__question:visible")).to_contain_text("De que cor?")
    await expect(frame.locator("[data-answered]")).to_have_count(2)
    await frame.locator("[data-hand-in]").click()
    await expect(frame.locator(".quiz__missing")).to_have_text("Questão 3")
    await frame.locator(".quiz__missing a").click()
    await expect(frame.locator("#confirm")).to_be_hidden()
    await frame.get_by_text("Azul").click()
    await frame.locator("[data-hand-in]").click()
    await expect(frame.locator("[data-missing]")).to_be_hidden()
    await frame.locator("[data-confirm]").click()
    await expect(frame.locator(".quiz__score")).to_have_text("2 de 3 (66,6%)")
    await expect(frame.locator(".quiz__verdict")).to_contain_text("Aprovado(a)")
    assert (await learner.read())["status"] == "COMPLETED"
    told = (await learner.answers())["data"]
    assert [each["result"] for each in told] == ["correct", "correct", "incorrect"]
    await visit.is_usable(axe)


async def test_no_right_answer_is_in_the_page_before_it_is_handed_in(world: World, visits: Visits) -> None:
    secret = {"kind": "fill_in", "text": "Capital?", "accepted": ["Xapuri"], "feedback": "Fica no Acre."}
    _, visit = await taking(world, visits, secret, feedback="answers")
    frame = await ready(visit)
    content = visit.page.frames[1]
    before = await content.content()
    assert "Xapuri" not in before
    assert "Acre" not in before
    await frame.locator(".asked__input").fill("Rio")
    await hand_in(frame)
    await expect(frame.locator(".quiz__question")).to_contain_text("Xapuri")
    await expect(frame.locator(".quiz__question")).to_contain_text("Fica no Acre.")


async def test_attempts_end_and_the_next_one_begins(world: World, visits: Visits) -> None:
    _, visit = await taking(world, visits, RIGHT_OR_NOT, attempts=2)
    frame = await ready(visit)
    await expect(frame.locator(".quiz__head")).to_contain_text("Tentativa 1 de 2")
    await frame.get_by_text("Falso").click()
    await hand_in(frame)
    await expect(frame.locator(".quiz__verdict")).to_contain_text("Você ainda tem 1 tentativa.")
    await frame.locator("[data-again]").click()
    frame = await ready(visit)
    await expect(frame.locator(".quiz__head")).to_contain_text("Tentativa 2 de 2")
    assert await frame.locator("input:checked").count() == 0
    await hand_in(frame)
    await expect(frame.locator(".quiz__verdict")).to_contain_text("Você não tem mais tentativas.")
    await expect(frame.locator("[data-again]")).to_have_count(0)


async def test_it_is_answered_by_keyboard_alone(world: World, visits: Visits) -> None:
    _, visit = await taking(world, visits, NUMBER, RIGHT_OR_NOT)
    frame = await ready(visit)
    keyboard = visit.page.keyboard
    await frame.locator(".asked__input").focus()
    await keyboard.type("2")
    await keyboard.press("Enter")
    await expect(frame.locator(".quiz__question:visible")).to_contain_text("Pare no vermelho.")
    await keyboard.press("Tab")
    await keyboard.press("Space")
    await expect(frame.locator("[data-answered]")).to_have_count(2)
    for _ in range(3):
        await keyboard.press("Tab")
        if await frame.locator("[data-hand-in]").evaluate("(each) => each === document.activeElement"):
            break
    await keyboard.press("Enter")
    await expect(frame.locator("[data-cancel]")).to_be_focused()
    await keyboard.press("Tab")
    await keyboard.press("Enter")
    await expect(frame.locator(".quiz__score")).to_contain_text("100")


async def test_all_questions_at_once_on_a_phone(world: World, visits: Visits, axe: str) -> None:
    _, visit = await taking(
        world,
        visits,
        *(RIGHT_OR_NOT, {**NUMBER, "text": "anticonstitucionalissimamente" * 9}),
        size="phone",
        presentation="all",
    )
    frame = await ready(visit)
    await visit.is_usable(axe)
    await expect(frame.locator(".quiz__question:visible")).to_have_count(2)
    wide = await visit.page.frames[1].evaluate("document.scrollingElement.scrollWidth - innerWidth")
    assert wide <= 0


async def test_without_a_connection_answers_are_kept_and_sent_later(world: World, visits: Visits) -> None:
    learner, visit = await taking(world, visits, RIGHT_OR_NOT, NUMBER)
    frame = await ready(visit)
    await visit.page.context.set_offline(True)
    await frame.get_by_text("Verdadeiro").click()
    await expect(visit.page.locator("#saved")).to_have_attribute("data-state", "unsaved")
    await visit.page.context.set_offline(False)
    await is_saved(visit)
    visit.said.clear()  # the browser's own message about the network
    assert (await learner.read())["progress"] == 50


async def test_another_tab_handed_it_in(world: World, visits: Visits) -> None:
    learner, visit = await taking(world, visits, RIGHT_OR_NOT, NUMBER)
    first = await ready(visit)
    other = await enter_as(world, visits, await _user(world, learner))
    await other.go(path(learner))
    second = await ready(other)
    await hand_in(second)
    await expect(second.locator(".quiz__score")).to_be_visible()
    await first.get_by_text("Verdadeiro").click()
    await expect(visit.page.locator(".player__told")).to_contain_text("em outro lugar")
    assert (await learner.read())["score"] == 0


async def test_a_time_limit_survives_a_reload_and_ends_the_attempt(
    world: World, visits: Visits, axe: str
) -> None:
    learner, visit = await taking(world, visits, RIGHT_OR_NOT, NUMBER, pass_mark=50, time_limit_minutes=10)
    frame = await ready(visit)
    await expect(frame.get_by_text("Você tem 10 minutos.")).to_be_visible()
    await expect(frame.locator(".quiz__question")).to_have_count(0)
    await visit.is_usable(axe)
    await frame.locator("[data-start]").click()
    await expect(frame.locator("[role=timer]")).to_contain_text(re.compile(r"^(10:00|9:5\d)$"))
    frame = await ready(visit)
    await frame.get_by_text("Verdadeiro").click()
    await is_saved(visit)
    world.clock.move(minutes=4, seconds=58)
    await visit.page.reload()
    frame = await ready(visit)
    # The page counts on from what the server says, and tells when five minutes are left.
    await expect(frame.locator("[data-told]")).to_have_text("Faltam 5 minutos.", timeout=10_000)
    await expect(frame.locator("[data-clock]")).to_have_attribute("data-state", "warn")
    await visit.is_usable(axe)
    world.clock.move(minutes=4)
    number = frame.locator(".asked__input")
    await number.fill("2,5")
    await is_saved(visit)
    await expect(frame.locator("[data-told]")).to_have_text("Falta 1 minuto.")
    world.clock.move(minutes=1)
    await number.fill("2,6")  # its answer says that the time is over
    await expect(frame.locator(".quiz__score")).to_contain_text("100")
    assert (await learner.read())["status"] == "COMPLETED"


async def test_a_page_opened_after_the_time_shows_what_was_saved(world: World, visits: Visits) -> None:
    learner, visit = await taking(world, visits, RIGHT_OR_NOT, NUMBER, time_limit_minutes=5)
    frame = await start_attempt(visit)
    await frame.get_by_text("Verdadeiro").click()
    await is_saved(visit)
    world.clock.move(minutes=6)
    await visit.page.reload()
    await expect(visit.page.frame_locator("#content").locator(".quiz__score")).to_contain_text("50")
    assert (await learner.read())["score"] == 50


async def test_a_page_left_behind_does_not_reload_for_ever(world: World, visits: Visits) -> None:
    learner, visit = await taking(world, visits, RIGHT_OR_NOT, time_limit_minutes=5)
    frame = await start_attempt(visit)
    await learner.take()  # on another device
    world.clock.move(minutes=5, seconds=5)
    await visit.page.frames[1].evaluate("setTimeout(() => location.reload())")
    await expect(frame.get_by_text("O tempo acabou")).to_be_visible()
    await visit.page.frames[1].evaluate("window.isSame = true")
    await visit.page.wait_for_timeout(1000)
    assert await visit.page.frames[1].evaluate("window.isSame") is True


async def test_an_essay_is_counted_and_kept(world: World, visits: Visits, axe: str) -> None:
    learner, visit = await taking(world, visits, ESSAY, size="phone")
    frame = await ready(visit)
    text = frame.locator("textarea")
    await text.fill("Uma linha.")
    await text.press("Enter")
    await text.press_sequentially("Outra linha aqui.")
    await expect(frame.locator("[data-count]")).to_have_text("5 palavras")
    await is_saved(visit)
    await visit.is_usable(axe)
    await visit.page.reload()
    frame = await ready(visit)
    await expect(frame.locator("textarea")).to_have_value("Uma linha.\nOutra linha aqui.")
    await hand_in(frame)
    await expect(frame.locator(".quiz__verdict")).to_contain_text("Aguardando correção")
    await learner.grade(80, "Boa resposta.")
    await visit.page.reload()
    frame = visit.page.frame_locator("#content")
    await expect(frame.locator(".quiz__score")).to_contain_text("80")
    await expect(frame.locator(".quiz__question")).to_contain_text("Boa resposta.")


async def _user(world: World, learner: QuizLearner) -> Any:
    from trilha.people.users import queries as users

    async with world.tx() as tx:
        return await users.get(tx, learner.user_id)
