"""/admin/courses/{id}/languages: authors translate a course, and learners choose a language."""

import re
from uuid import UUID

import httpx2
import pytest

from conftest import World
from training.learning.quiz_takers import CHOICE, QuizLearner, add_quiz
from trilha.training.courses import queries, quiz_actions
from trilha.training.courses.lessons import queries as lessons
from trilha.training.courses.translations import queries as translations
from trilha.training.learning.quizzes.pages import get_quiz_view
from trilha.training.quizzes import queries as quizzes
from trilha.training.quizzes.schema import NewQuestion
from web.panel.authoring import modules
from web.panel.signing_in import browser_of, made
from web.panel.signing_in import send as send_as_learner
from web.panel.training_pages import browsing, flash, send

MODULES = [{"title": "Um", "duration_minutes": 1, "body": "# Olá"}, {"title": "Dois", "duration_minutes": 1}]


@pytest.fixture
async def admin(world: World) -> httpx2.AsyncClient:
    return await browsing(world, "admin")


@pytest.fixture
async def course_id(world: World) -> UUID:
    return await world.course(title="Direção", description="Sobre o curso", modules=MODULES)


async def test_an_author_adds_translates_and_removes_a_language(
    world: World, admin: httpx2.AsyncClient, course_id: UUID
) -> None:
    address = f"/admin/courses/{course_id}"
    added = await send(admin, f"{address}/languages", language="en")
    assert added.headers["location"] == f"{address}/languages/en"
    assert "0 of 5 texts translated" in (await admin.get(address)).text
    one, two = await modules(world, course_id)
    page = (await admin.get(f"{address}/languages/en")).text
    assert "Sobre o curso" in page
    assert page.count("Title not translated") == 2
    fields = {"title": "Driving", "module_id": [str(one.id), str(two.id)], "module_title": ["One", ""]}
    assert (await send(admin, f"{address}/languages/en", revision=0, **fields)).status_code == 303
    page = (await admin.get(f"{address}/languages/en")).text
    assert page.count("Title not translated") == 1
    assert "2 of 5" in page
    # The same form again: somebody else has changed the texts meanwhile.
    refused = await send(admin, f"{address}/languages/en", revision=0, **(fields | {"title": "Other"}))
    assert refused.status_code == 422
    assert "Somebody else changed these texts" in refused.text
    assert 'value="Other"' in refused.text
    assert "cannot be undone" not in refused.text
    again = await send(admin, f"{address}/languages", language="en")
    assert again.status_code == 422
    removed = await send(admin, f"{address}/languages/en/remove")
    assert flash(removed) == "English was removed from the course."
    assert removed.headers["location"] == address
    async with world.tx() as tx:
        assert (await queries.get(tx, course_id)).languages == ["pt-BR"]
    assert (await admin.get(f"{address}/languages/en")).status_code == 404
    assert (await admin.get(f"{address}/languages/fr")).status_code == 404


async def test_a_lesson_is_translated(world: World, admin: httpx2.AsyncClient, course_id: UUID) -> None:
    address = f"/admin/courses/{course_id}"
    await send(admin, f"{address}/languages", language="en")
    one, _ = await modules(world, course_id)
    lesson = f"{address}/languages/en/modules/{one.id}"
    page = (await admin.get(lesson)).text
    assert "This text is not translated yet" in page
    # The text in the course's language is no translation.
    await send(admin, lesson, title="One", body="# Olá")
    async with world.tx() as tx:
        assert await lessons.find_text(tx, one.id, "en") is None
    await send(admin, lesson, title="One", body="# Hello")
    async with world.tx() as tx:
        text = await lessons.find_text(tx, one.id, "en")
    assert text is not None
    assert text.body == "# Hello\n"
    own = f"{address}/modules/{one.id}"
    assert (await admin.get(f"{own}/lesson.md?language=en")).text == "# Hello\n"
    assert (await admin.get(f"{own}/lesson.md?language=es")).status_code == 404
    await send(admin, lesson, body="# Hi")
    assert f"{own}/versions/1?language=en" in (await admin.get(f"{own}/versions?language=en")).text
    compared = (await admin.get(f"{own}/versions/1?language=en")).text
    assert f"{own}/versions/1/restore?language=en" in compared
    await send(admin, f"{own}/versions/1/restore?language=en", base=2)
    async with world.tx() as tx:
        text = await lessons.find_text(tx, one.id, "en")
        assert text is not None
        assert (text.number, text.body) == (3, "# Hello\n")


async def test_a_learner_takes_the_course_in_another_language(
    world: World, admin: httpx2.AsyncClient, course_id: UUID
) -> None:
    address = f"/admin/courses/{course_id}"
    await send(admin, f"{address}/languages", language="es")
    one, _ = await modules(world, course_id)
    fields = {"title": "Conducción", "module_id": str(one.id), "module_title": "Uno"}
    await send(admin, f"{address}/languages/es", **fields)
    await send(admin, f"{address}/languages/es/modules/{one.id}", title="Uno", body="# Hola")
    user = await made(world)
    ana = await browser_of(world, user)
    enrollment = await world.enrollment(user_id=str(user.id), course_id=course_id)
    here = f"/learn/enrollments/{enrollment['id']}"
    page = (await ana.get(here)).text
    assert '<h1 lang="pt-BR">Direção</h1>' in page
    chosen = await send_as_learner(ana, f"{here}/language", language="es")
    assert chosen.headers["location"] == here
    page = (await ana.get(here)).text
    assert '<h1 lang="es">Conducción</h1>' in page
    assert re.search(r'lang="es"><a href="[^"]+">Uno</a>', page)
    assert re.search(r'lang="pt-BR"><a href="[^"]+">Dois</a>', page)
    assert '<p class="prose lines" lang="pt-BR">Sobre o curso' in page
    assert 'lang="es">Conducción</a>' in (await ana.get("/learn")).text
    player = (await ana.get(f"{here}/modules/{one.id}")).text
    assert '<h1 class="playerbar__title" lang="es">Uno</h1>' in player
    assert (await send_as_learner(ana, f"{here}/language", language="en")).status_code == 400
    back = await send_as_learner(ana, f"{here}/language", language="pt-BR", module=str(one.id))
    assert back.headers["location"] == f"{here}/modules/{one.id}"
    assert '<h1 lang="pt-BR">Direção</h1>' in (await ana.get(here)).text


async def test_titles_follow_the_language_of_the_pages(
    world: World, admin: httpx2.AsyncClient, course_id: UUID
) -> None:
    await send(admin, f"/admin/courses/{course_id}/languages", language="en")
    await send(admin, f"/admin/courses/{course_id}/languages/en", title="Driving")
    async with world.tx() as tx:
        await tx.execute("UPDATE courses SET self_enrollment = 'OPEN' WHERE tenant_id = :tenant")
    user = await made(world)
    english, portuguese = await browser_of(world, user), await browser_of(world, user, "pt-BR")
    for search in ("", "?q=driving", "?q=direcao"):
        assert ">Driving</a>" in (await english.get(f"/learn/catalog{search}")).text
    assert ">Direção</a>" in (await portuguese.get("/learn/catalog")).text
    assert "Driving</h1>" in (await english.get(f"/learn/catalog/{course_id}")).text
    await world.enrollment(user_id=str(user.id), course_id=course_id)
    assert ">Driving</a>" in (await english.get("/learn")).text
    assert ">Direção</a>" in (await portuguese.get("/learn")).text


async def test_questions_are_translated_with_one_answer_key(world: World, admin: httpx2.AsyncClient) -> None:
    course_id = await world.course(title="Direção")
    quiz = await add_quiz(world, course_id, CHOICE)
    address = f"/admin/courses/{course_id}"
    await send(admin, f"{address}/languages", language="en")
    here = f"{address}/languages/en/modules/{quiz}/questions"
    page = (await admin.get(here)).text
    assert "Not translated" in page
    (link,) = set(re.findall(rf'href="({here}/[0-9a-f-]+)"', page))
    form = (await admin.get(link)).text
    choices = re.findall(r'name="choice_id" value="(\w+)"', form)
    fields = {"text": "Which color?", "choice_id": choices}
    assert (await send(admin, link, **fields, choice_text=["Green", ""])).status_code == 422
    saved = await send(admin, link, **fields, choice_text=["Green", "Blue"])
    assert saved.headers["location"] == here
    user = await made(world)
    enrollment = await world.enrollment(user_id=str(user.id), course_id=course_id)
    taker = await QuizLearner(world, enrollment, [quiz]).take()
    async with world.tx() as tx:
        shown = await get_quiz_view(tx, taker.launched.launch_id, "en")
        own = await get_quiz_view(tx, taker.launched.launch_id)
    assert (shown.questions[0].text, own.questions[0].text) == ("Which color?", "De que cor?")
    assert sorted(words for _, words in shown.questions[0].choices) == ["Blue", "Green"]
    assert [id for id, _ in shown.questions[0].choices] == [id for id, _ in own.questions[0].choices]
    # A changed question is asked in the course's language, and its translation is marked.
    async with world.tx() as tx:
        _, quiz_id = await quiz_actions.find_quiz(tx, course_id, quiz)
        (question,) = await quizzes.list_questions(tx, quiz_id)
        members = {name: getattr(question, name) for name in NewQuestion.__struct_fields__}
        changed = NewQuestion(**(members | {"text": "Qual cor?"}))
        await quiz_actions.change_question(tx, course_id, quiz, question.id, changed)
    assert "Changed since" in (await admin.get(here)).text
    async with world.tx() as tx:
        # The attempt has the old copy, of which the translation was made.
        assert (await get_quiz_view(tx, taker.launched.launch_id, "en")).questions[0].text == "Which color?"
        (progress,) = await translations.list_progress(tx, course_id)
    assert progress.translated == 0
