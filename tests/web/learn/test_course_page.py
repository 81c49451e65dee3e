"""/learn/enrollments/{id} and its results: what is done, what is missing, and how to continue."""

import html
import re
from typing import Any

import pytest
from httpx2 import AsyncClient

from conftest import World
from training.learning.learners import Learner, learner
from training.learning.quiz_takers import ESSAY, NUMBER, RIGHT_OR_NOT, VOICE, quiz_learner
from training.learning.students import Student, article, student, video
from trilha.core.file_store import open_file_store
from trilha.settings import Settings
from trilha.training.learning.attempts.answer_texts import read_answer
from web.learn.signing_in import signed_in
from web.panel.training_pages import browsing


async def of(world: World, ana: Learner) -> AsyncClient:
    user = (await world.http.get(f"/v1/users/{ana.user_id}")).json()["data"]
    return await signed_in(world, user["email"])


async def words(client: AsyncClient, address: str) -> str:
    """Returns the text of a page without its tags."""
    answer = await client.get(address)
    assert answer.status_code == 200, answer.text
    main = answer.text.partition("<main")[2].partition("</main>")[0]
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", main)).split())


async def links(client: AsyncClient, address: str) -> list[str]:
    return re.findall(r'href="(/learn/[^"]*)"', (await client.get(address)).text.partition("<main")[2])


async def test_what_is_done_and_what_is_missing(world: World) -> None:
    asked = {"minimum_workload_minutes": 30, "minimum_score": 70, "sequential": True}
    ana = await student(
        world,
        await video(world, 60, title="Film"),
        article(100) | {"title": "Text"},
        article(100) | {"title": "More", "required": False},
        regulation=asked,
    )
    client, here = await of(world, ana), f"/learn/enrollments/{ana.id}"
    begun = await words(client, here)
    for said in (
        "Start",
        "0 of 2 completed",
        "0 of 30 min",
        "No score yet; the minimum is 70.0",
    ):
        assert said in begun
    assert "Complete first: Film" in begun
    assert f"{here}/modules/{ana.modules[0]}" in await links(client, here)
    assert f"{here}/modules/{ana.modules[1]}" not in await links(client, here)

    player = await ana.open()
    world.clock.move(seconds=15)
    await player.tell(ranges=[[0, 30]], position=30, length=60)
    halfway = await words(client, here)
    assert "Continue Film" in halfway
    assert "Modules 3 modules" in halfway
    assert "Film Video · 10 min 50%" in halfway
    world.clock.move(seconds=15)
    await player.tell(ranges=[[0, 60]], position=60, length=60)
    after = await words(client, here)
    assert "Continue Text" in after
    assert "Film Video · 10 min Completed" in after
    assert "1 of 2 completed" in after
    assert f"{here}/modules/{ana.modules[1]}" in await links(client, here)
    assert "Next: Text" in await words(client, "/learn")
    assert f"{here}/modules/{ana.modules[1]}" in await links(client, "/learn")


async def test_time_that_is_missing_is_told(world: World) -> None:
    ana = await student(world, article(10), regulation={"minimum_workload_minutes": 30})
    player = await ana.open()
    await player.watch(120)
    await player.tell(seconds=60, furthest=1, position=1)
    client, here = await of(world, ana), f"/learn/enrollments/{ana.id}"
    said = await words(client, here)
    assert "You completed all modules The course requires more study time." in said
    assert "2 of 30 min" in said
    assert "Continue M0" in said
    assert "You completed all modules. See what is still missing." in await words(client, "/learn")


async def test_a_completed_course_is_open_for_review(world: World) -> None:
    ana = await student(world, article(10))
    player = await ana.open()
    world.clock.move(seconds=60)
    assert (await player.tell(seconds=60, furthest=1, position=1)).completed
    client, here = await of(world, ana), f"/learn/enrollments/{ana.id}"
    said = await words(client, here)
    assert "You completed this course" in said
    assert "1 (110 XP)" in said
    assert "Continue" not in said
    assert f"{here}/modules/{ana.modules[0]}" in await links(client, here)
    assert "Level 1 110 of 500 XP" in await words(client, "/learn?show=completed")


async def test_an_expired_course_opens_nothing(world: World) -> None:
    ana = await student(world, article(10), expires_at="2099-01-01T00:00:00Z")
    async with world.tx() as tx:
        await tx.execute(
            "UPDATE all_enrollments SET expires_at = :now WHERE tenant_id = :tenant AND id = :id", id=ana.id
        )
    client, here = await of(world, ana), f"/learn/enrollments/{ana.id}"
    assert not [each for each in await links(client, here) if "/modules/" in each]


ANSWERS: dict[str, Any] = {
    "0": {
        "id": "Which_one",
        "type": "choice",
        "student_response": "a",
        "result": "wrong",
        "correct_responses": {"0": {"pattern": "zebra"}},
    },
    "1": {"id": "Again", "type": "true-false", "student_response": "t", "result": "correct"},
}


async def answered(world: World) -> Learner:
    ana = await learner(world)
    player = await ana.launch()
    core = {"lesson_status": "failed", "score": {"raw": "40"}}
    await player.commit(final=True, core=core, interactions=ANSWERS)
    return ana


async def test_results_have_ones_own_answers_and_not_the_right_ones(world: World) -> None:
    ana = await answered(world)
    client = await of(world, ana)
    said = await words(client, f"/learn/enrollments/{ana.id}/results")
    assert "Which one Wrong Your answer A" in said
    assert "Again Correct Your answer True" in said
    assert re.search(r"Attempt 1 .*Not passed 100% 40%", said)
    assert "zebra" not in said


async def test_an_administrator_sees_criteria_modules_and_the_right_answers(world: World) -> None:
    ana = await answered(world)
    admin = await browsing(world)
    said = await words(admin, f"/admin/enrollments/{ana.id}")
    assert "0 of 1 completed" in said
    assert re.search(r"M0 Interactive Not passed 100% 40\.0 1", said)
    results = await words(admin, f"/admin/enrollments/{ana.id}/results")
    assert "Right answer zebra" in results


async def test_more_answers_than_a_page_holds(world: World) -> None:
    ana = await learner(world)
    player = await ana.launch()
    many = {str(n): ANSWERS["1"] | {"id": f"question{n}"} for n in range(103)}
    await player.commit(core={}, interactions=many)
    client, here = await of(world, ana), f"/learn/enrollments/{ana.id}/results"
    first = (await client.get(here)).text
    more = re.search(r'href="(\?cursor=[^"]+)"', first)
    assert more
    rest = await words(client, here + more[1])
    assert [f"question{n} " in rest for n in (99, 100, 102)] == [False, True, True]
    assert "Show more answers" not in rest


async def test_answers_are_written_as_people_read_them(world: World, settings: Settings) -> None:
    ana = await quiz_learner(world, RIGHT_OR_NOT, NUMBER, VOICE, feedback="answers")
    quiz = await ana.take()
    await quiz.speak(open_file_store(settings.files_url, settings.data_dir / "files"))
    await quiz.send(hand_in=True, true_false=False, numeric="2.75")
    await ana.grade(80, "Fale mais alto.")
    client, here = await of(world, ana), f"/learn/enrollments/{ana.id}/results"
    client.cookies.set("trilha_locale", "pt-BR")
    said = await words(client, here)
    assert "Sua resposta Falso Resposta correta Verdadeiro" in said
    assert "Sua resposta 2,75 Resposta correta 2–3" in said
    assert "Sua resposta Gravação de voz Comentário do instrutor Fale mais alto." in said
    assert "1,6 de 2 pontos" in said
    assert "2,6 de 4 (65%)" in said
    for raw in ("false", "true", "0.80", "2.75", "voice recording"):
        assert raw not in said


async def test_a_comment_is_shown_where_results_are_not(world: World) -> None:
    ana = await quiz_learner(world, RIGHT_OR_NOT, ESSAY, feedback="never")
    quiz = await ana.take()
    await quiz.send(hand_in=True, true_false=True, essay="Foi assim.")
    await ana.grade(50, "Conte mais.")
    said = await words(await of(world, ana), f"/learn/enrollments/{ana.id}/results")
    assert "Escreva como foi. Your answer Foi assim. Instructor's comment Conte mais." in said
    assert "Pare no vermelho." not in said


@pytest.mark.parametrize(
    ("type", "text", "read"),
    [
        ("choice", "b", "B"),
        ("choice", "urn:pkg:freio_motor, c", "freio motor, C"),
        ("matching", "a → 1, b → 2", "A → 1, B → 2"),
        ("fill-in", "a_b", "a_b"),
        ("choice", "", ""),
    ],
)
def test_identifiers_of_packages_become_words(type: str, text: str, read: str) -> None:
    assert read_answer(type, text) == read


async def test_results_before_there_are_any(world: World) -> None:
    ana = await student(world, article(10))
    assert "No results yet" in await words(await of(world, ana), f"/learn/enrollments/{ana.id}/results")
    assert "No results yet" in await words(await browsing(world), f"/admin/enrollments/{ana.id}/results")


async def test_results_are_ones_own(world: World, stranger: World) -> None:
    ana, other = await student(world, article(10)), await student(stranger, article(10))
    colleague = await student(world, article(10))
    client, admin = await of(world, ana), await browsing(world)
    for each in (colleague, other):
        assert (await client.get(f"/learn/enrollments/{each.id}/results")).status_code == 404
    assert (await admin.get(f"/admin/enrollments/{other.id}/results")).status_code == 404
    assert (
        await (await browsing(world, "instrutor")).get(f"/admin/enrollments/{ana.id}/results")
    ).status_code == 404


async def test_ugly_titles_are_shown_as_text(world: World) -> None:
    title = '<img src=x onerror="alert(1)">' + "ç" * 100
    ana: Student = await student(world, article(10) | {"title": title})
    client = await of(world, ana)
    for address in (f"/learn/enrollments/{ana.id}", "/learn"):
        page = (await client.get(address)).text
        assert "&lt;img src=x" in page
        assert "<img src=x" not in page


@pytest.mark.parametrize(
    ("feedback", "said"), [("never", []), ("result", ["Correct"]), ("answers", ["Correct", "Right answer"])]
)
async def test_a_quizs_authors_say_what_is_told_of_answers(
    world: World, feedback: str, said: list[str]
) -> None:
    ana = await quiz_learner(world, feedback=feedback, pass_mark=0)
    taker = await ana.take()
    client, here = await of(world, ana), f"/learn/enrollments/{ana.id}/results"
    await taker.send(true_false=True, hand_in=True)
    shown = await words(client, here)
    assert [each for each in ("Correct", "Right answer") if f" {each} " in f" {shown} "] == said
    assert ("Your answer" in shown) is bool(said)
