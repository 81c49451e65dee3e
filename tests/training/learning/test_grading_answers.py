"""Essays and the grades that people give: points, rubrics, corrections, and what they change."""

from uuid import uuid4

import pytest

from conftest import World
from training.learning.quiz_takers import ESSAY, RIGHT_OR_NOT, quiz_learner
from trilha.core.errors import Invalid
from trilha.training.learning import erasure
from trilha.training.learning.evidence import verification
from trilha.training.learning.grading import rules
from trilha.training.learning.grading.schema import NewGrade
from trilha.training.quizzes.grading import compute_grade, compute_points, grade_by_rubric
from trilha.training.quizzes.schema import Criterion, Question

RUBRIC = [{"text": "Clareza", "points": 6}, {"text": "Exemplos", "points": 2}]


def question(**members: object) -> Question:
    return Question(id=uuid4(), kind="essay", text="?", **members)  # type: ignore[arg-type]


@pytest.mark.parametrize(("grade", "weight", "points"), [(0, 4, 0), (75, 2, 1.5), (33.3, 3, 0.999)])
def test_a_grade_is_a_share_of_the_weight(grade: float, weight: float, points: float) -> None:
    assert compute_points(grade, weight) == points
    assert compute_grade(points, weight) == grade


def test_a_rubric_is_added_up_to_a_hundred() -> None:
    rubric = [Criterion(text="a", points=6), Criterion(text="b", points=2)]
    assert grade_by_rubric(rubric, [6, 2]) == 100
    assert grade_by_rubric(rubric, [3, 2]) == 62.5
    assert grade_by_rubric(rubric, [0, 0]) == 0


@pytest.mark.parametrize(
    ("new", "fields"),
    [
        (NewGrade(), ["grade"]),
        (NewGrade(grade=-1), ["grade"]),
        (NewGrade(grade=100.1), ["grade"]),
        (NewGrade(grade=float("nan")), ["grade"]),
    ],
)
def test_what_is_no_grade_is_refused(new: NewGrade, fields: list[str]) -> None:
    with pytest.raises(Invalid) as refused:
        rules.decide_grade(question(), new)
    assert [each.field for each in refused.value.detail] == fields


@pytest.mark.parametrize(
    ("criteria", "fields"),
    [((), ["criteria-0", "criteria-1"]), ((6.5, 2), ["criteria-0"]), ((1, -1), ["criteria-1"])],
)
def test_every_criterion_has_its_points(criteria: tuple[float, ...], fields: list[str]) -> None:
    asked = question(rubric=[Criterion(text="a", points=6), Criterion(text="b", points=2)])
    with pytest.raises(Invalid) as refused:
        rules.decide_grade(asked, NewGrade(grade=50, criteria=criteria))
    assert [each.field for each in refused.value.detail] == fields


async def test_an_essay_awaits_its_grade(world: World) -> None:
    ana = await quiz_learner(world, RIGHT_OR_NOT, ESSAY, pass_mark=60)
    quiz = await ana.take()
    await quiz.send(essay="  Primeira linha.\nSegunda linha.  ")
    assert (await quiz.shown()).questions[1].response == "Primeira linha.\nSegunda linha."
    await quiz.send(true_false=True, hand_in=True)
    shown = await quiz.shown()
    assert (shown.state, shown.questions[1].result) == ("AWAITING", "awaiting")
    assert await ana.events() == ["assessment.attempted"]
    assert await ana.grade(50, "Bom começo.")
    shown = await quiz.shown()
    assert (shown.score, shown.points, shown.total_points) == (60, 3, 5)
    assert (shown.questions[1].comment, shown.questions[1].result) == ("Bom começo.", "part")
    told = (await ana.answers())["data"][1]
    assert (told["type"], told["response"]) == ("long-fill-in", "Primeira linha.\nSegunda linha.")


async def test_an_essay_has_a_limit(world: World) -> None:
    ana = await quiz_learner(world, {**ESSAY, "longest_characters": 50})
    quiz = await ana.take()
    id = str(await quiz.question("essay"))
    assert (await quiz.send(essay="a" * 51)).problems == {id: "too_long"}
    assert (await quiz.send(essay="a" * 50)).problems == {}


async def test_a_correction_upwards_completes_the_course(world: World) -> None:
    ana = await quiz_learner(world, ESSAY, pass_mark=60)
    quiz = await ana.take()
    await quiz.send(essay="x", hand_in=True)
    await ana.grade(50)
    assert (await ana.read())["status"] == "IN_PROGRESS"
    with pytest.raises(Invalid):
        await ana.grade(80)
    corrected = await ana.grade_by(NewGrade(grade=80, reason="Faltou somar."))
    assert (corrected.decided, corrected.corrected) == (True, True)
    assert ((await ana.read())["status"], (await ana.read())["score"]) == ("COMPLETED", 80)
    assert await ana.events() == ["assessment.attempted", "assessment.failed", "assessment.passed"]
    async with world.tx() as tx:
        assert (await verification.verify(tx, ana.id)).problem == ""


async def test_a_correction_downwards_before_the_completion(world: World) -> None:
    ana = await quiz_learner(world, ESSAY, pass_mark=60, regulation={"minimum_workload_minutes": 60})
    quiz = await ana.take()
    await quiz.send(essay="x", hand_in=True)
    await ana.grade(90)
    assert (await ana.read())["score"] == 90
    before = await _xp(world)
    await ana.grade(20, reason="Copiado.")
    after = await ana.read()
    assert (after["score"], after["progress"], after["status"]) == (20, 100, "IN_PROGRESS")
    assert await ana.events() == ["assessment.attempted", "assessment.passed", "assessment.failed"]
    assert await _modules_completed(world) == 0
    assert await _xp(world) == before - 10
    await ana.grade(90, reason="Não era copiado.")
    assert (await _modules_completed(world), await _xp(world)) == (1, before)


async def test_the_best_attempt_still_counts_after_a_correction(world: World) -> None:
    ana = await quiz_learner(world, ESSAY, pass_mark=60, regulation={"minimum_workload_minutes": 60})
    quiz = await ana.take()
    await quiz.send(essay="x", hand_in=True)
    await ana.grade(90)
    await quiz.send(again=True)
    world.clock.move(seconds=1)
    await quiz.send(essay="y", hand_in=True)
    await ana.grade(70, which=1)
    await ana.grade(10, which=0, reason="Copiado.")
    assert ((await ana.read())["score"], await _modules_completed(world)) == (70, 1)


async def test_a_completed_enrollment_stays_completed(world: World) -> None:
    ana = await quiz_learner(world, ESSAY, pass_mark=60)
    quiz = await ana.take()
    await quiz.send(essay="x", hand_in=True)
    await ana.grade(90)
    before = await ana.read()
    await ana.grade(0, reason="Em branco.")
    after = await ana.read()
    for name in ("status", "score", "progress", "completed_at"):
        assert after[name] == before[name]
    assert (await quiz.shown()).score == 0
    assert await _modules_completed(world) == 1


async def test_the_newest_corrections_are_kept(world: World) -> None:
    ana = await quiz_learner(world, ESSAY)
    quiz = await ana.take()
    await quiz.send(essay="x", hand_in=True)
    await ana.grade(0)
    for n in range(1, 23):
        await ana.grade(n, reason=f"{n}")
    async with world.tx() as tx:
        kept = await tx.value("SELECT corrections FROM quiz_answers WHERE tenant_id = :tenant")
    assert [each["reason"] for each in kept] == [str(n) for n in range(3, 23)]


async def test_what_an_erased_person_wrote_is_gone(world: World) -> None:
    ana = await quiz_learner(world, ESSAY)
    quiz = await ana.take()
    await quiz.send(essay="Meu nome é Ana.", hand_in=True)
    await ana.grade(50)
    await ana.grade(60, reason="Pedido da Ana.")
    async with world.tx() as tx:
        await erasure.erase_person(tx, ana.user_id)
        rows = await tx.rows(
            """
            SELECT q.response::text || q.corrections::text || i.response || i.raw_response AS kept
            FROM quiz_answers q
            JOIN interactions i ON i.tenant_id = q.tenant_id AND i.attempt_id = q.attempt_id
            WHERE q.tenant_id = :tenant
            """
        )
    assert len(rows) == 1
    assert "Ana" not in rows[0]["kept"]


async def _xp(world: World) -> int:
    async with world.tx() as tx:
        return int(await tx.value("SELECT max(xp) FROM users WHERE tenant_id = :tenant"))


async def _modules_completed(world: World) -> int:
    async with world.tx() as tx:
        return int(
            await tx.value(
                """
                SELECT count(*) FROM module_progress
                WHERE tenant_id = :tenant AND completed_at IS NOT NULL
                """
            )
        )


async def test_every_grade_is_told(world: World) -> None:
    ana = await quiz_learner(world, ESSAY, pass_mark=60)
    quiz = await ana.take()
    await quiz.send(essay="x", hand_in=True)
    await ana.grade(10)
    assert await _told_of(world) == 1
    await ana.grade(20, reason="Faltou somar.")
    assert (await _told_of(world), (await ana.told()).count("reminder.sent")) == (1, 2)


async def _told_of(world: World) -> int:
    async with world.tx() as tx:
        return int(
            await tx.value(
                "SELECT count(*) FROM reminders WHERE tenant_id = :tenant AND kind = 'quiz_graded'"
            )
        )
