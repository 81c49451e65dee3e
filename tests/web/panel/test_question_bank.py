"""/admin/questions, and what quizzes take from the bank."""

import re
from uuid import UUID

import httpx2
import pytest

from conftest import World
from training.learning.quiz_takers import CHOICE, QuizLearner, add_quiz
from trilha.core.web.parsing import convert
from trilha.training.learning.quizzes import offline
from trilha.training.question_bank import actions, figures, queries
from trilha.training.quizzes import queries as quizzes
from trilha.training.quizzes.schema import NewQuestion
from web.panel.signing_in import browser_of, made
from web.panel.test_quizzes import questions_of, quiz_of, quiz_page
from web.panel.training_pages import browsing, flash, send, teach

PATH = "/admin/questions"
GIFT = "$CATEGORY: nr-35/básico\n\nPare no vermelho. {T}\n\nDe que cor? {=Verde ~Azul}\n\nPar {=a->b}\n"
RED = {"kind": "true_false", "text": "Pare no vermelho.", "right": True}


async def banked(
    world: World, *texts: str, tags: tuple[str, ...] = ("nr-35",), author: UUID | None = None
) -> list[UUID]:
    async with world.tx() as tx:
        new = [convert(NewQuestion, RED | {"text": text}, tx.today) for text in texts]
        return await actions.add(tx, [(each, tags) for each in new], author)


async def uploaded(world: World, browser: httpx2.AsyncClient, content: str, name: str = "a.gift") -> str:
    answer = await send(browser, f"{PATH}/import", files={"file": (name, content.encode())})
    if answer.status_code == 422:
        return str(answer.text)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


async def test_questions_are_imported_after_a_look_at_them(world: World) -> None:
    admin = await browsing(world)
    preview = await uploaded(world, admin, GIFT)
    page = (await admin.get(preview)).text
    assert "Import 2 questions" in page
    assert "Matching questions are not supported." in page
    done = await send(admin, preview, tags="final")
    assert flash(done) == "Questions imported: 2. In the bank already: 0. With problems: 1."
    page = (await admin.get(PATH)).text
    assert "De que cor?" in page
    assert "básico" in page
    assert "De que cor?" not in (await admin.get(f"{PATH}?kind=true_false")).text
    assert "De que cor?" in (await admin.get(f"{PATH}?tag=final&q=cor")).text
    assert (await admin.get(preview)).status_code == 404
    again = await uploaded(world, admin, GIFT)
    assert "All questions of the file are in the bank already." not in (await admin.get(again)).text
    assert "There is nothing to import" in (await admin.get(again)).text


async def test_a_file_is_shown_only_to_the_person_who_sent_it(world: World) -> None:
    author, other = await browsing(world, "instrutor"), await browsing(world)
    preview = await uploaded(world, author, GIFT)
    assert (await other.get(preview)).status_code == 404
    assert (await send(other, preview, tags="")).status_code == 404
    assert "Import 2 questions" in (await author.get(preview)).text


async def test_a_file_that_is_none_is_refused(world: World) -> None:
    admin = await browsing(world)
    assert "No questions were found." in await uploaded(world, admin, "Nothing at all", "a.txt")
    assert "No questions were found." in await uploaded(world, admin, "<!DOCTYPE a><quiz/>", "a.xml")


@pytest.mark.parametrize("form", ["gift", "xml", "csv"])
async def test_an_export_is_imported_again(world: World, form: str) -> None:
    await banked(world, "Um?", "Dois?")
    admin = await browsing(world)
    assert "/export/gift" in (await admin.get(f"{PATH}/export")).text
    content = (await admin.get(f"{PATH}/export/{form}")).text
    preview = (await admin.get(await uploaded(world, admin, content, f"a.{form}"))).text
    assert preview.count("In the bank already") == 3


async def test_a_question_is_written_changed_and_archived(world: World) -> None:
    admin = await browsing(world)
    added = await send(admin, f"{PATH}/new/true_false", text="Sinal?", right="true", tags="NR-35, a")
    assert flash(added) == "The question was added to the bank."
    async with world.tx() as tx:
        (id,) = await tx.rows("SELECT id FROM bank_questions WHERE tenant_id = :tenant")
    await send(admin, f"{PATH}/{id[0]}", text="Outro sinal?", right="false", tags="b")
    async with world.tx() as tx:
        question = await queries.get(tx, id[0])
    assert (question.question.text, question.question.right, question.tags) == ("Outro sinal?", False, ["b"])
    await send(admin, f"{PATH}/{id[0]}/archive")
    assert "Outro sinal?" not in (await admin.get(PATH)).text
    assert "Outro sinal?" in (await admin.get(f"{PATH}?state=archived")).text


async def test_instructors_change_their_own_questions(world: World) -> None:
    teacher = await made(world, "instrutor", name="Rui Prado")
    (other,) = await banked(world, "De outro?")
    (own,) = await banked(world, "Minha?", author=teacher.id)
    browser = await browser_of(world, teacher)
    browser.cookies.set("trilha_locale", "en", domain="trilha.test", path="/")
    assert "Only its author and administrators" in (await browser.get(f"{PATH}/{other}")).text
    async with world.tx() as tx:
        assert await actions.set_archived(tx, [other, own], teacher.id, archived=True) == 1
    page = (await browser.get(f"{PATH}/{own}")).text
    assert "Save question" in page


async def test_selected_questions_are_tagged_and_added_to_a_quiz(world: World) -> None:
    course, module, address = await quiz_page(world, CHOICE)
    ids = await banked(world, "Um?", "Dois?")
    admin = await browsing(world)
    page = (await admin.get(f"{address}/bank")).text
    assert "Um?" in page
    added = await send(admin, f"{address}/bank", id=[str(each) for each in ids])
    assert flash(added) == "Questions added to the quiz: 2. Already there: 0."
    again = await send(admin, f"{address}/bank", id=[str(ids[0])])
    assert flash(again) == "Questions added to the quiz: 0. Already there: 1."
    assert [each.bank_question_id for each in await questions_of(world, course, module)] == [None, *ids]
    async with world.tx() as tx:
        assert await actions.tag_all(tx, ids, ["novo"], None) == 2
        assert (await queries.get(tx, ids[0])).tags == ["novo", "nr-35"]


async def test_a_copy_that_is_changed_is_no_copy_anymore(world: World) -> None:
    course, module, address = await quiz_page(world)
    (id,) = await banked(world, "Um?")
    async with world.tx() as tx:
        await actions.copy_to_quiz(tx, course, module, [id])
    (copy,) = await questions_of(world, course, module)
    admin = await browsing(world)
    await send(admin, f"{address}/questions/{copy.id}", text="Um?", right="true", weight="3")
    (copy,) = await questions_of(world, course, module)
    assert (copy.weight, copy.bank_question_id) == (3, id)
    await send(admin, f"{address}/questions/{copy.id}", text="Dois?", right="true")
    (copy,) = await questions_of(world, course, module)
    assert copy.bank_question_id is None
    saved = await send(admin, f"{address}/questions/{copy.id}/bank", tags="x")
    assert flash(saved) == "The question is in the bank now."
    (copy,) = await questions_of(world, course, module)
    assert copy.bank_question_id not in (None, id)


async def test_an_attempt_draws_from_the_bank_by_tags_and_is_counted(world: World) -> None:
    course = await world.course()
    module = await add_quiz(world, course)
    quiz = await quiz_of(world, course, module)
    await banked(world, "Um?", "Dois?", "Três?", tags=("nr-35", "b"))
    await banked(world, "Nunca?", tags=("nr-35",))
    admin = await browsing(world)
    address = f"/admin/courses/{course}/modules/{module}/quiz"
    settings = {"pass_mark": "50", "feedback": "result", "presentation": "all"}
    refused = await send(admin, f"{address}/settings", **settings, bank_tags=["", "b"], bank_draw=["5", "x"])
    assert refused.status_code == 422
    await send(admin, f"{address}/settings", **settings, bank_tags=["NR-35, b", ""], bank_draw=["2", ""])
    assert "2 questions with the tag nr-35 + b" in (await admin.get(address)).text
    for draw in ("0", "501", "", "x"):
        assert (await send(admin, f"{address}/draws", tag="nr-35", draw=draw)).status_code == 422
    await send(admin, f"{address}/draws", tag="basico", draw="1")
    await send(admin, f"{address}/draws", tag="basico", draw="3")
    async with world.tx() as tx:
        rules = (await quizzes.get(tx, quiz.id)).bank_draws
    assert [(list(rule.tags), rule.count) for rule in rules] == [(["nr-35", "b"], 2), (["basico"], 3)]
    await send(admin, f"{address}/settings", **settings, bank_tags=["NR-35, b", ""], bank_draw=["2", ""])
    async with world.tx() as tx:
        assert (await quizzes.get(tx, quiz.id)).bank_draws[0].count == 2
        assert await offline.find_obstacle(tx, module) == "pool"
    enrollment = await world.enrollment(course_id=course)
    taker = await QuizLearner(world, enrollment, [module]).take()
    asked = (await taker.shown()).questions
    assert len(asked) == 2
    assert {each.text for each in asked} <= {"Um?", "Dois?", "Três?"}
    answers = {str(each.id): {"response": n == 0, "latency": 1} for n, each in enumerate(asked)}
    await taker.send_raw({"answers": answers, "hand_in": True, "again": False, "start": False})
    world.clock.move(hours=2)
    async with world.tx() as tx:
        assert await figures.measure_due(tx) == 4
    async with world.tx() as tx:
        measured = {each.id: each for each in await queries.list_by_ids(tx, [each.id for each in asked])}
        of_quiz = await figures.measure_quiz(tx, quiz.id, 2)
    assert [measured[each.id].figures.answers for each in asked] == [1, 1]
    assert [measured[each.id].figures.difficulty for each in asked] == [100, 0]
    assert measured[asked[0].id].figures.chosen == {"true": 1}
    assert {id: each.difficulty for id, each in of_quiz.items()} == {asked[0].id: 100, asked[1].id: 0}
    assert "Easy question" in (await (await browsing(world)).get(PATH)).text


async def test_a_question_is_added_and_changed_on_the_page_of_the_quiz(world: World) -> None:
    course, module, address = await quiz_page(world, CHOICE)
    admin = await browsing(world)
    htmx = {"HX-Request": "true"}
    form = await admin.get(f"{address}/questions/new/true_false", headers=htmx)
    assert 'id="editor"' in form.text
    assert "<!doctype" not in form.text
    token = re.search(r'name="csrf_token" value="([^"]+)"', form.text)
    assert token
    fields = {"csrf_token": token[1], "text": "", "weight": "1", "step": "save"}
    refused = await admin.post(f"{address}/questions/new/true_false", data=fields, headers=htmx)
    assert (refused.status_code, 'id="editor"' in refused.text) == (422, True)
    added = await admin.post(
        f"{address}/questions/new/true_false", data=fields | {"text": "Novo?", "right": "true"}, headers=htmx
    )
    assert added.status_code == 200
    assert 'id="announce"' in added.text
    (_, new) = await questions_of(world, course, module)
    assert re.search(rf'id="question-{new.id}"[^>]* autofocus', added.text)
    opened = await admin.get(f"{address}/questions/{new.id}", headers=htmx)
    assert 'id="editor"' in opened.text
    saved = await admin.post(
        f"{address}/questions/{new.id}", data=fields | {"text": "Outro?", "right": "true"}, headers=htmx
    )
    assert "Outro?" in saved.text


async def test_an_instructor_adds_only_to_quizzes_that_they_teach(world: World) -> None:
    course, module, address = await quiz_page(world, CHOICE)
    ids = await banked(world, "Um?")
    teacher = await made(world, "instrutor", name="Rui Prado")
    browser = await browser_of(world, teacher)
    assert (await browser.get(f"{address}/bank")).status_code == 404
    answer = await send(browser, f"{PATH}/selected/quiz", id=[str(ids[0])], module=str(module))
    assert answer.status_code == 404
    await teach(world, course, teacher.id)
    assert (await browser.get(f"{address}/bank")).status_code == 200
