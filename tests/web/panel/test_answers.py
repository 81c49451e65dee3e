"""/admin/answers"""

from pathlib import Path
from typing import Any, Literal
from uuid import UUID, uuid4

import httpx2
import pytest

from conftest import World
from training.learning.quiz_takers import ESSAY, RIGHT_OR_NOT, VOICE, WEBM, QuizLearner, quiz_learner
from trilha.core.file_store import FileStore, open_file_store
from trilha.core.lists import fetch_page
from trilha.settings import Settings
from trilha.training.learning.grading.lists import ANSWERS
from trilha.training.learning.grading.schema import AnswerQuery
from web.panel.training_pages import actions_on_record, browsing, flash, id_of, rows, send, teach

ADDRESS = "/admin/answers"


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
    for grade, told in (
        ("", "Fill in"),
        ("três", "Enter a number, such as"),
        ("100,5", "Enter a number within"),
    ):
        refused = await send(admin, f"{ADDRESS}/{answer}", grade=grade)
        assert (refused.status_code, told in refused.text) == (422, True)
        # The recording is played on this page, too.
        policies = [each.headers["content-security-policy"] for each in (refused, shown)]
        assert policies[0] == policies[1]
    results = f"/admin/enrollments/{ana.id}/results"
    assert (await admin.get(results)).text.count("Awaiting grading") == 2  # the attempt, and the answer
    graded = await send(admin, f"{ADDRESS}/{answer}", grade="75", comment="Bem dito.")
    assert "Awaiting grading" not in (await admin.get(results)).text
    assert flash(graded) == "The answer was graded, and with it the attempt. The learner is notified."
    assert graded.headers["location"].partition("?")[0] == ADDRESS
    assert (await ana.read())["score"] == 83.33
    assert "answer.graded" in await actions_on_record(world)
    assert rows((await admin.get(ADDRESS)).text) == []
    done = (await admin.get(f"{ADDRESS}?state=graded")).text
    assert (rows(done), ">75<" in done) == (["Diga como foi."], True)
    again = await send(admin, f"{ADDRESS}/{answer}", grade="100")
    assert (again.status_code, 'id="reason-error"' in again.text) == (422, True)


async def test_a_grade_is_corrected_with_a_reason(world: World, files: FileStore) -> None:
    admin = await browsing(world)
    ana, answer = await answered(world, files)
    await send(admin, f"{ADDRESS}/{answer}", grade="75")
    page = (await admin.get(f"{ADDRESS}/{answer}")).text
    assert "the certificate stay as they are" in page  # the grade has completed the course
    corrected = await send(admin, f"{ADDRESS}/{answer}", grade="50", reason="Ouvi de novo.")
    assert flash(corrected) == "The grade was corrected. The learner is notified."
    page = (await admin.get(f"{ADDRESS}/{answer}")).text
    assert "50 out of 100" in page
    assert "The grade was 75" in page
    assert "Ouvi de novo." in page
    assert "answer.grade_corrected" in await actions_on_record(world)
    assert (await ana.read())["status"] == "COMPLETED"


async def test_an_essay_is_graded_by_its_rubric(world: World) -> None:
    rubric = [{"text": "Clareza", "points": 6}, {"text": "Exemplos", "points": 4}]
    ana = await quiz_learner(world, {**ESSAY, "rubric": rubric}, pass_mark=50)
    quiz = await ana.take()
    await quiz.send(hand_in=True, essay="O andaime caiu.\nNinguém se feriu.")
    (answer,) = await ana.answer_ids()
    admin = await browsing(world)
    page = (await admin.get(f"{ADDRESS}/{answer}")).text
    assert "O andaime caiu.\nNinguém se feriu." in page
    assert "6 words" in page
    assert (await admin.get(f"{ADDRESS}/{answer}/recording")).status_code == 404
    refused = await send(admin, f"{ADDRESS}/{answer}", criteria=["7", ""])
    assert (refused.status_code, 'id="criteria-1-error"' in refused.text) == (422, True)
    refused = await send(admin, f"{ADDRESS}/{answer}", criteria=["7", "2"])
    assert (refused.status_code, 'id="criteria-0-error"' in refused.text) == (422, True)
    assert flash(await send(admin, f"{ADDRESS}/{answer}", criteria=["4,5", "1"]))
    page = (await admin.get(f"{ADDRESS}/{answer}")).text
    assert "55 out of 100" in page
    assert "4.5 of 6" in page
    assert (await ana.read())["score"] == 55


async def test_the_address_in_older_mails_leads_on(world: World) -> None:
    led = await (await browsing(world)).get("/admin/voice-answers")
    assert (led.status_code, led.headers["location"]) == (303, ADDRESS)


async def test_an_answer_is_passed_over_within_a_course(world: World, files: FileStore) -> None:
    admin = await browsing(world)
    ana, first = await answered(world, files)
    world.clock.move(seconds=5)
    _, second = await answered(world, files)
    assert f'href="{ADDRESS}/{second}"' in (await admin.get(f"{ADDRESS}/{first}")).text
    assert f'href="{ADDRESS}/{first}"' in (await admin.get(f"{ADDRESS}/{second}")).text
    assert "Next answer" not in (await admin.get(f"{ADDRESS}/{first}?course={ana.course_id}")).text
    graded = await send(admin, f"{ADDRESS}/{first}", grade="10", course=str(ana.course_id))
    assert graded.headers["location"].startswith(f"{ADDRESS}?course={ana.course_id}")


async def test_after_a_grade_comes_the_next_answer(world: World, files: FileStore) -> None:
    admin = await browsing(world)
    _, first = await answered(world, files)
    world.clock.move(seconds=5)
    _, second = await answered(world, files)
    graded = await send(admin, f"{ADDRESS}/{first}", grade="100")
    assert graded.headers["location"] == f"{ADDRESS}/{second}"


async def test_nobody_grades_answers_of_a_canceled_enrollment(world: World, files: FileStore) -> None:
    admin = await browsing(world)
    ana, _ = await answered(world, files)
    world.clock.move(seconds=5)
    _, second = await answered(world, files)
    assert (await world.http.delete(f"/v1/enrollments/{ana.id}")).status_code == 204
    page = (await admin.get(f"{ADDRESS}/{second}")).text
    assert "1 answer is waiting to be graded." in page
    assert "Next answer" not in page
    assert f'href="{ADDRESS}"' in (await admin.get("/admin")).text
    graded = await send(admin, f"{ADDRESS}/{second}", grade="100")
    assert (await admin.get(graded.headers["location"])).status_code == 200


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
            await fetch_page(tx, ANSWERS, AnswerQuery(state=state, course=course))
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
    assert (await send(teacher, f"{ADDRESS}/{answer}", grade="1")).status_code == 404
    await teach(world, ana.course_id, await id_of(world, "instrutor"))
    assert await seen(teacher, answer) == [200, 200, 200]
    assert flash(await send(teacher, f"{ADDRESS}/{answer}", grade="1"))
    assert await seen(await browsing(world), uuid4()) == [200, 404, 404]


async def test_instructors_do_not_grade_themselves(world: World) -> None:
    teacher = await browsing(world, "instrutor")
    own = await id_of(world, "instrutor")
    rui = await quiz_learner(world, ESSAY, user_id=str(own))
    await teach(world, rui.course_id, own)
    await (await rui.take()).send(hand_in=True, essay="Fui muito bem.")
    async with world.tx() as tx:
        answer = await tx.value("SELECT recording_id FROM quiz_answers WHERE tenant_id = :tenant")
    address = f"{ADDRESS}/{answer}"
    for grade, others_grade in (("100", "40"), ("90", "50")):
        page = (await teacher.get(address)).text
        assert "Instructors do not grade their own answers." in page
        assert 'name="grade"' not in page
        refused = await send(teacher, address, grade=grade, reason="Fui melhor.")
        assert refused.status_code == 403
        assert flash(await send(await browsing(world), address, grade=others_grade, reason="Outra leitura."))


async def test_what_is_not_handed_in_is_nobodys_to_hear(world: World, files: FileStore) -> None:
    ana = await quiz_learner(world, VOICE)
    quiz = await ana.take()
    await quiz.speak(files)
    recorded = UUID(str((await quiz.shown()).questions[0].response))
    admin = await browsing(world)
    assert await seen(admin, recorded) == [200, 404, 404]
    assert (await send(admin, f"{ADDRESS}/{recorded}", grade="1")).status_code == 404
