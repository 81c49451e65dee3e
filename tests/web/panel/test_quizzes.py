"""/admin/courses/{course_id}/modules/{module_id}/quiz"""

import re
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest

from conftest import World
from training.learning.quiz_takers import CHOICE, NUMBER, RIGHT_OR_NOT, VOICE, add_quiz
from trilha.training.courses import module_queries
from trilha.training.quizzes import queries
from trilha.training.quizzes.schema import Question, Quiz
from web.panel.training_pages import browsing, flash, id_of, send, teach


async def quiz_of(world: World, course: UUID, module: UUID) -> Quiz:
    async with world.tx() as tx:
        found = (await module_queries.get(tx, course, module)).quiz_id
        assert found
        return await queries.get(tx, found)


async def questions_of(world: World, course: UUID, module: UUID) -> list[Question]:
    quiz = await quiz_of(world, course, module)
    async with world.tx() as tx:
        return await queries.list_questions(tx, quiz.id)


async def quiz_page(world: World, *questions: dict[str, Any], **settings: Any) -> tuple[UUID, UUID, str]:
    course = await world.course(publish=False)
    module = await add_quiz(world, course, *questions, **settings)
    return course, module, f"/admin/courses/{course}/modules/{module}/quiz"


async def test_a_quiz_is_made_and_asks_something(world: World) -> None:
    admin = await browsing(world)
    course = await world.course(publish=False)
    made = await send(
        admin,
        f"/admin/courses/{course}/modules/new/quiz",
        title="Prova",
        duration_minutes="20",
        required="true",
        pass_mark="62,5",
        attempts="3",
        feedback="answers",
    )
    assert flash(made) == "The quiz was added. Now add its questions."
    address = made.headers["location"]
    module = UUID(address.split("/")[-2])
    quiz = await quiz_of(world, course, module)
    assert (quiz.pass_mark, quiz.attempts, quiz.feedback) == (62.5, 3, "answers")
    assert (quiz.shuffle_questions, quiz.shuffle_choices) == (False, False)
    assert "No question yet" in (await admin.get(address)).text
    added = await send(
        admin,
        f"{address}/questions/new/single",
        text="De que cor é o sinal?",
        weight="2",
        choice_text=["Verde", "", "Azul"],
        choice_id=["", "", ""],
        right="2",
        pool="A",
    )
    assert flash(added) == "The question was added."
    (question,) = await questions_of(world, course, module)
    assert [(each.text, each.right) for each in question.choices] == [("Verde", False), ("Azul", True)]
    assert (question.weight, question.pool) == (2, "A")
    page = (await admin.get(address)).text
    assert "De que cor é o sinal?" in page
    types = [type for type, _ in await world.events()]
    assert types.count("course.updated") == 2


@pytest.mark.parametrize(
    ("kind", "fields", "stored"),
    [
        ("true_false", {"right": "false"}, {"right": False}),
        ("numeric", {"value": "1.234,5", "tolerance": "0,5"}, {"value": 1234.5, "tolerance": 0.5}),
        (
            "fill_in",
            {"accepted": "freio\r\n\r\n breque ", "overlook": ["case", "spaces"]},
            {"accepted": ["freio", "breque"], "ignore_case": True, "ignore_accents": False},
        ),
        ("voice", {"longest_seconds": "60"}, {"longest_seconds": 60}),
        (
            "multiple",
            {"choice_text": ["a", "b", "c"], "right": ["0", "2"]},
            {"kind": "multiple"},
        ),
    ],
)
async def test_each_kind_is_written(
    world: World, kind: str, fields: dict[str, Any], stored: dict[str, Any]
) -> None:
    admin = await browsing(world)
    course, module, address = await quiz_page(world)
    assert (await admin.get(f"{address}/questions/new/{kind}")).status_code == 200
    await send(admin, f"{address}/questions/new/{kind}", text="Pergunta", **fields)
    (question,) = await questions_of(world, course, module)
    assert {name: getattr(question, name) for name in stored} == stored
    assert (await admin.get(f"{address}/questions/{question.id}/preview")).status_code == 200
    page = (await admin.get(f"{address}/questions/{question.id}")).text
    assert "Pergunta" in page
    saved = await send(admin, f"{address}/questions/{question.id}", text="Outra", **fields)
    assert flash(saved) == "The question was saved."
    assert (await questions_of(world, course, module))[0].text == "Outra"


@pytest.mark.parametrize(
    ("kind", "fields", "told"),
    [
        ("single", {}, ["Question: This text is too short", "Choices: Fill in this field"]),
        ("single", {"text": "?", "choice_text": ["a", "b"]}, ["Choices: Mark one choice"]),
        (
            "single",
            {"text": "?", "choice_text": ["a", "b"], "right": ["0", "1"]},
            ["Choices: Mark one choice"],
        ),
        ("multiple", {"text": "?", "choice_text": ["a", "b"]}, ["Choices: Mark at least one"]),
        (
            "multiple",
            {"text": "?", "choice_text": ["a", "A "], "right": "0"},
            ["Choice 2: Write each"],
        ),
        ("true_false", {"text": "?"}, ["The sentence is: Fill in"]),
        ("numeric", {"text": "?"}, ["Right number: Fill in"]),
        ("numeric", {"text": "?", "value": "um"}, ["Right number: Enter a number, such as 2,5"]),
        ("numeric", {"text": "?", "value": "1", "tolerance": "-1"}, ["Tolerance: Enter a number within"]),
        ("fill_in", {"text": "?", "accepted": "\r\n"}, ["Accepted answers: Fill in"]),
        (
            "voice",
            {"text": "?", "longest_seconds": "1"},
            ["Longest answer, in seconds: Enter a"],
        ),
        ("voice", {"text": "?", "weight": "0"}, ["Weight: Enter a number within"]),
    ],
)
async def test_what_is_wrong_is_told_by_its_field(
    world: World, kind: str, fields: dict[str, Any], told: list[str]
) -> None:
    admin = await browsing(world)
    course, module, address = await quiz_page(world)
    refused = await send(admin, f"{address}/questions/new/{kind}", **fields)
    assert refused.status_code == 422
    summary = re.sub(r"<[^>]+>", "", refused.text.partition('class="summary"')[2].partition("</ul>")[0])
    for each in told:
        assert each in summary
    for each in fields.get("choice_text", ()):
        assert f'value="{each.strip()}"' in refused.text
    assert not await questions_of(world, course, module)


async def test_without_scripts_a_button_asks_for_more_choices(world: World) -> None:
    admin = await browsing(world)
    course, module, address = await quiz_page(world)
    fields = {"text": "Qual?", "choice_text": ["a", "b", "c", "d"], "right": "1", "step": "more"}
    more = await send(admin, f"{address}/questions/new/single", **fields)
    assert more.status_code == 200
    assert more.text.count('name="choice_text"') == 7
    assert "Qual?" in more.text
    assert re.search(r'value="1" checked', more.text)
    assert not await questions_of(world, course, module)


async def test_choices_keep_their_ids_when_they_are_changed(world: World) -> None:
    admin = await browsing(world)
    course, module, address = await quiz_page(world, CHOICE)
    (before,) = await questions_of(world, course, module)
    green, blue = (each.id for each in before.choices)
    await send(
        admin,
        f"{address}/questions/{before.id}",
        text="De que cor?",
        choice_text=["Azul claro", "Verde", "Roxo"],
        choice_id=[blue, green, "forged"],
        right="1",
    )
    (after,) = await questions_of(world, course, module)
    assert [each.id for each in after.choices][:2] == [blue, green]
    assert after.choices[2].id not in ("forged", blue, green)


async def test_questions_are_put_in_order_and_removed(world: World) -> None:
    admin = await browsing(world)
    course, module, address = await quiz_page(world, RIGHT_OR_NOT, NUMBER, CHOICE)
    first, second, third = await questions_of(world, course, module)
    await send(admin, f"{address}/questions/{third.id}/move", position="3", move="up")
    await send(admin, f"{address}/questions/{first.id}/move", position="3")
    order = [each.id for each in await questions_of(world, course, module)]
    assert order == [third.id, second.id, first.id]
    asked = await admin.get(f"{address}/questions/{second.id}/remove")
    assert "Attempts that already include it keep it" in asked.text
    assert flash(await send(admin, f"{address}/questions/{second.id}/remove")) == "The question was removed."
    assert [each.id for each in await questions_of(world, course, module)] == [third.id, first.id]


async def test_settings_say_what_is_drawn(world: World) -> None:
    admin = await browsing(world)
    pooled = [{**RIGHT_OR_NOT, "pool": pool} for pool in ("A", "A", "A", "B")]
    course, module, address = await quiz_page(world, *pooled, draws={"A": 1})
    page = (await admin.get(address)).text
    assert "1 question is drawn from the pool A." in page
    form = (await admin.get(f"{address}/settings")).text
    assert "of 3 questions" in form
    saved = await send(
        admin,
        f"{address}/settings",
        pass_mark="0",
        feedback="never",
        shuffle_questions="true",
        pool=["A", "B", "Z"],
        draw=["2", "", "1"],
    )
    assert flash(saved) == "The settings of the quiz were saved."
    quiz = await quiz_of(world, course, module)
    assert (quiz.draws, quiz.attempts, quiz.pass_mark, quiz.shuffle_questions) == ({"A": 2}, None, 0, True)
    refused = await send(
        admin, f"{address}/settings", pass_mark="101", feedback="never", pool=["A", "B"], draw=["2", "x"]
    )
    assert refused.status_code == 422
    assert "Pass mark: Enter a number within the limits." in re.sub(r"<[^>]+>", "", refused.text)
    refused = await send(
        admin, f"{address}/settings", pass_mark="10", feedback="never", pool=["A", "B"], draw=["2", "x"]
    )
    assert "B: Enter a number within the limits." in re.sub(r"<[^>]+>", "", refused.text)


def pages(address: str, question: UUID) -> list[str]:
    return [
        address,
        f"{address}/settings",
        f"{address}/questions/new/voice",
        f"{address}/questions/{question}",
        f"{address}/questions/{question}/preview",
        f"{address}/questions/{question}/remove",
    ]


async def statuses(client: httpx2.AsyncClient, addresses: list[str]) -> set[int]:
    return {(await client.get(each)).status_code for each in addresses}


async def test_who_may_write_a_quiz(world: World) -> None:
    course, module, address = await quiz_page(world, VOICE)
    (question,) = await questions_of(world, course, module)
    every = pages(address, question.id)
    assert await statuses(await browsing(world), every) == {200}
    assert await statuses(await browsing(world, "gestor"), every) == {403}
    assert await statuses(await browsing(world, "learner"), every) == {403}
    teacher = await browsing(world, "instrutor")
    assert await statuses(teacher, every) == {404}
    moved = await send(teacher, f"{address}/questions/{question.id}/remove")
    assert moved.status_code == 404
    await teach(world, course, await id_of(world, "instrutor"))
    assert await statuses(teacher, every) == {200}


async def test_what_is_not_there_is_not_found(world: World) -> None:
    admin = await browsing(world)
    course, module, address = await quiz_page(world, VOICE)
    _, _, other = await quiz_page(world, VOICE)
    (question,) = await questions_of(world, course, module)
    async with world.tx() as tx:
        article = (await module_queries.list_all(tx, course))[0].id
    for each in (
        f"{other}/questions/{question.id}",
        f"{address}/questions/{uuid4()}",
        f"{address}/questions/new/drawing",
        f"/admin/courses/{course}/modules/{article}/quiz",
        f"/admin/courses/{course}/modules/{uuid4()}/quiz",
    ):
        assert (await admin.get(each)).status_code == 404
