"""/admin/voice-answers"""

from pathlib import Path
from typing import Any, Literal
from uuid import UUID, uuid4

import httpx2
import pytest

from conftest import World
from training.learning.quiz_takers import RIGHT_OR_NOT, VOICE, WEBM, QuizLearner, quiz_learner
from trilha.core.file_store import FileStore, open_file_store
from trilha.core.lists import fetch_page
from trilha.settings import Settings
from trilha.training.learning.voice_answers.lists import VOICE_ANSWERS, VoiceQuery
from web.panel.training_pages import actions_on_record, browsing, flash, id_of, rows, send, teach

ADDRESS = "/admin/voice-answers"


@pytest.fixture
def files(settings: Settings) -> FileStore:
    """Returns the files of the application."""
    return open_file_store(settings.files_url, Path(settings.data_dir) / "files")


async def answered(world: World, files: FileStore) -> tuple[QuizLearner, UUID]:
    """Creates a person whose voice answer waits for grading. Returns the answer's id."""
    ana = await quiz_learner(world, RIGHT_OR_NOT, VOICE, pass_mark=60)
    quiz = await ana.take()
    await quiz.speak(files)
    recorded = (await quiz.shown()).questions[1].response
    await quiz.send(hand_in=True, true_false=True)
    return ana, UUID(str(recorded))


async def test_an_answer_is_heard_and_graded(world: World, files: FileStore) -> None:
    admin = await browsing(world)
    assert "Nothing to grade" in (await admin.get(ADDRESS)).text
    ana, answer = await answered(world, files)
    page = (await admin.get(ADDRESS)).text
    assert rows(page) == ["Diga como foi."]
    assert "Ana Lima" in page
    shown = await admin.get(f"{ADDRESS}/{answer}")
    assert "media-src 'self'" in shown.headers["content-security-policy"]
    heard = await admin.get(f"{ADDRESS}/{answer}/recording", headers={"range": "bytes=0-3"})
    assert (heard.status_code, heard.content) == (206, WEBM[:4])
    assert heard.headers["content-type"] == "audio/webm"
    for points, told in (
        ("", "Fill in"),
        ("três", "Enter a number, such as"),
        ("2,5", "Enter points from 0"),
    ):
        refused = await send(admin, f"{ADDRESS}/{answer}", points=points)
        assert (refused.status_code, told in refused.text) == (422, True)
        # The recording is played on this page, too.
        policies = [each.headers["content-security-policy"] for each in (refused, shown)]
        assert policies[0] == policies[1]
    results = f"/admin/enrollments/{ana.id}/results"
    assert (await admin.get(results)).text.count("Awaiting grading") == 2  # the attempt, and the answer
    graded = await send(admin, f"{ADDRESS}/{answer}", points="1,5", comment="Bem dito.")
    assert "Awaiting grading" not in (await admin.get(results)).text
    assert flash(graded) == "The answer was graded, and with it the attempt."
    assert graded.headers["location"].partition("?")[0] == ADDRESS
    assert (await ana.read())["score"] == 83.33
    assert "voice_answer.graded" in await actions_on_record(world)
    assert rows((await admin.get(ADDRESS)).text) == []
    done = (await admin.get(f"{ADDRESS}?state=graded")).text
    assert (rows(done), "1.5 of 2" in done) == (["Diga como foi."], True)
    again = await send(admin, f"{ADDRESS}/{answer}", points="2")
    assert (again.status_code, "graded already" in again.text) == (422, True)


async def test_after_a_grade_comes_the_next_answer(world: World, files: FileStore) -> None:
    admin = await browsing(world)
    _, first = await answered(world, files)
    world.clock.move(seconds=5)
    _, second = await answered(world, files)
    graded = await send(admin, f"{ADDRESS}/{first}", points="2")
    assert graded.headers["location"] == f"{ADDRESS}/{second}"


async def test_answers_are_filtered_by_course(world: World, files: FileStore) -> None:
    admin = await browsing(world)
    ana, _ = await answered(world, files)
    await answered(world, files)
    assert len(rows((await admin.get(ADDRESS)).text)) == 2
    assert len(rows((await admin.get(f"{ADDRESS}?course={ana.course_id}")).text)) == 1
    other = await world.course()
    assert "No results for" in (await admin.get(f"{ADDRESS}?course={other}")).text


@pytest.mark.parametrize("course", [None, uuid4()], ids=["all", "of a course"])
@pytest.mark.parametrize(("state", "column"), [("awaiting", "awaits_since"), ("graded", "graded_at")])
async def test_an_index_has_the_order(
    world: World, state: Literal["awaiting", "graded"], column: str, course: UUID | None
) -> None:
    asked: list[Any] = []
    async with world.tx() as tx:
        with tx._connection.query_logger(asked.append):
            await fetch_page(tx, VOICE_ANSWERS, VoiceQuery(state=state, course=course))
        # With so few rows, any plan is fast. The test checks that this plan is possible.
        await tx._connection.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")
        places = next(each for each in asked if "quiz_answers" in each.query)
        lines = await tx._connection.fetch(f"EXPLAIN {places.query}", *places.args)
    plan = "\n".join(each[0] for each in lines)
    of = "course_id_" if course else ""
    assert f"quiz_answers_tenant_id_{of}{column}_recording_id_idx" in plan
    assert "Sort" not in plan


async def seen(client: httpx2.AsyncClient, answer: UUID) -> list[int]:
    addresses = (ADDRESS, f"{ADDRESS}/{answer}", f"{ADDRESS}/{answer}/recording")
    return [(await client.get(each)).status_code for each in addresses]


async def test_who_may_hear(world: World, files: FileStore) -> None:
    ana, answer = await answered(world, files)
    assert await seen(await browsing(world), answer) == [200, 200, 200]
    assert await seen(await browsing(world, "gestor"), answer) == [403, 403, 403]
    assert await seen(await browsing(world, "learner"), answer) == [403, 403, 403]
    teacher = await browsing(world, "instrutor")
    assert await seen(teacher, answer) == [200, 404, 404]
    assert rows((await teacher.get(ADDRESS)).text) == []
    assert (await send(teacher, f"{ADDRESS}/{answer}", points="1")).status_code == 404
    await teach(world, ana.course_id, await id_of(world, "instrutor"))
    assert await seen(teacher, answer) == [200, 200, 200]
    assert flash(await send(teacher, f"{ADDRESS}/{answer}", points="1"))
    assert await seen(await browsing(world), uuid4()) == [200, 404, 404]


async def test_what_is_not_handed_in_is_nobodys_to_hear(world: World, files: FileStore) -> None:
    ana = await quiz_learner(world, VOICE)
    quiz = await ana.take()
    await quiz.speak(files)
    recorded = UUID(str((await quiz.shown()).questions[0].response))
    admin = await browsing(world)
    assert await seen(admin, recorded) == [200, 404, 404]
    assert (await send(admin, f"{ADDRESS}/{recorded}", points="1")).status_code == 404
