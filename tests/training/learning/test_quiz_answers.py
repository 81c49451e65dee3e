"""Answers to quizzes against the database: the stored answers, their grades, and the events."""

import asyncio
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from conftest import World
from training.learning.learners import learner
from training.learning.quiz_takers import CHOICE, NUMBER, RIGHT_OR_NOT, VOICE, WEBM, quiz_learner
from trilha.core.errors import BadRequest, Conflict, Invalid, NotFound
from trilha.core.file_store import FileStore, open_file_store
from trilha.core.types import to_json
from trilha.training.courses import quiz_actions
from trilha.training.learning import erasure
from trilha.training.learning.commits import actions as commits
from trilha.training.learning.evidence import verification
from trilha.training.learning.quizzes.actions import apply_answers, read_answers
from trilha.training.learning.quizzes.rules import read_latency
from trilha.training.learning.voice_answers import queries as voice_queries
from trilha.training.learning.voice_answers import recordings
from trilha.training.learning.voice_answers.jobs import RemoveRecordings
from trilha.training.quizzes.schema import QuizPatch


@pytest.fixture
def files(tmp_path: Path) -> FileStore:
    return open_file_store(None, tmp_path)


async def test_a_quiz_from_its_first_answer_to_its_end(world: World) -> None:
    ana = await quiz_learner(world, RIGHT_OR_NOT, NUMBER, CHOICE, pass_mark=60)
    quiz = await ana.take()
    world.clock.move(seconds=60)
    kept = await quiz.send(true_false=True)
    assert (kept.outcome, kept.completed, kept.problems) == ("APPLIED", False, {})
    assert (await ana.read())["progress"] == pytest.approx(33.33)
    await quiz.send(numeric=" 2,75 ")
    assert (await quiz.send(single=await quiz.choice("Azul"))).outcome == "APPLIED"
    assert (await ana.read())["progress"] == 99
    assert await ana.events() == []
    done = await quiz.send(hand_in=True)
    assert (done.outcome, done.completed) == ("APPLIED", True)
    after = await ana.read()
    assert (after["status"], after["score"], after["progress"]) == ("COMPLETED", 66.67, 100)
    assert await ana.events() == ["assessment.attempted", "assessment.passed"]
    told = (await ana.answers())["data"]
    assert [(each["type"], each["response"], each["correct_response"], each["result"]) for each in told] == [
        ("true-false", "true", "true", "correct"),
        ("numeric", "2,75", "2–3", "correct"),
        ("choice", "Azul", "Verde", "incorrect"),
    ]
    assert [each["latency_seconds"] for each in told] == [4, 4, 4]
    assert told[2]["description"] == "De que cor?"
    async with world.tx() as tx:
        assert (await verification.verify(tx, ana.id)).problem == ""


async def test_it_goes_on_where_it_was_left(world: World) -> None:
    ana = await quiz_learner(world, RIGHT_OR_NOT, NUMBER, shuffle_questions=True)
    first = await ana.take()
    asked = [each.id for each in (await first.shown()).questions]
    await first.send(numeric="7")
    again = await (await ana.take()).shown()
    assert [each.id for each in again.questions] == asked
    assert (again.attempt, again.state) == (1, "OPEN")
    assert {each.kind: each.response for each in again.questions} == {"true_false": None, "numeric": "7"}


async def test_an_answer_may_be_changed_and_taken_back(world: World) -> None:
    ana = await quiz_learner(world, RIGHT_OR_NOT, NUMBER)
    quiz = await ana.take()
    await quiz.send(true_false=False, numeric="2")
    await quiz.send(true_false=True, numeric="")
    assert [each.response for each in (await quiz.shown()).questions] == [True, None]


async def test_what_is_no_answer_is_told_and_not_kept(world: World) -> None:
    ana = await quiz_learner(world, RIGHT_OR_NOT, NUMBER)
    quiz = await ana.take()
    stranger = str(uuid4())
    number = str(await quiz.question("numeric"))
    kept = await quiz.send_raw(
        {
            "answers": {
                number: {"response": "dois e meio"},
                str(await quiz.question("true_false")): {"response": True, "latency": "soon"},
                stranger: {"response": "x"},
                "no id": {"response": "x"},
            }
        }
    )
    assert kept.outcome == "APPLIED"
    assert kept.problems == {
        number: "invalid_number",
        stranger: "invalid_value",
        "no id": "invalid_value",
    }
    assert [each.response for each in (await quiz.shown()).questions] == [True, None]


@pytest.mark.parametrize("feedback", ["never", "result", "answers"])
async def test_right_answers_are_shown_when_they_may_be(world: World, feedback: str) -> None:
    asked = [{**RIGHT_OR_NOT, "feedback": "É lei."}, NUMBER, {**CHOICE, "feedback": "Sempre."}]
    ana = await quiz_learner(world, *asked, feedback=feedback)
    quiz = await ana.take()
    before = to_json(await quiz.shown()).decode()
    assert "É lei" not in before
    for name in ("right_answer", "points", "score", "passed"):
        assert f'"{name}":true' not in before
    assert all(not each.right_answer and each.points is None for each in (await quiz.shown()).questions)
    await quiz.send(hand_in=True, true_false=True, numeric="9")
    after = await quiz.shown()
    told = [(each.result, each.right_answer, each.feedback) for each in after.questions]
    assert (after.score, after.passed, after.state) == (33.33, False, "GRADED")
    expected: dict[str, list[tuple[str, str, str]]] = {
        "never": [("", "", "")] * 3,
        "result": [("right", "", "É lei."), ("wrong", "", ""), ("wrong", "", "Sempre.")],
        "answers": [("right", "true", "É lei."), ("wrong", "2–3", ""), ("wrong", "Verde", "Sempre.")],
    }
    assert told == expected[feedback]


async def test_an_attempt_is_handed_in_once(world: World) -> None:
    ana = await quiz_learner(world, RIGHT_OR_NOT)
    quiz = await ana.take()
    await quiz.send(hand_in=True, true_false=False)
    late = await quiz.send(true_false=True, hand_in=True)
    assert late.outcome == "CLOSED"
    assert (await quiz.shown()).score == 0
    assert await ana.events() == ["assessment.attempted", "assessment.failed"]


async def test_two_tabs_hand_in_at_the_same_time(world: World) -> None:
    ana = await quiz_learner(world, RIGHT_OR_NOT, NUMBER)
    one, two = await ana.take(), await ana.take()
    done = await asyncio.gather(
        one.send(hand_in=True, true_false=True, numeric="2"),
        two.send(hand_in=True, true_false=False, numeric="2"),
    )
    outcomes = sorted(each.outcome for each in done)
    assert outcomes in (["APPLIED", "CLOSED"], ["APPLIED", "SUPERSEDED"])
    assert (await ana.events()).count("assessment.attempted") == 1
    assert (await ana.read())["score"] == (100 if done[0].outcome == "APPLIED" else 50)


async def test_the_same_hand_in_sent_twice_counts_once(world: World) -> None:
    ana = await quiz_learner(world, RIGHT_OR_NOT)
    quiz = await ana.take()
    body = {
        "answers": {str(await quiz.question("true_false")): {"response": True}},
        "hand_in": True,
    }
    done = await asyncio.gather(*(quiz.send_raw(body, sequence=1) for _ in range(4)))
    assert sorted(each.outcome for each in done) == ["APPLIED", "REPEATED", "REPEATED", "REPEATED"]
    assert await ana.events() == ["assessment.attempted", "assessment.passed"]
    assert (await quiz.send(true_false=False, sequence=1)).outcome == "CONFLICTING"


async def test_attempts_are_limited_on_the_server(world: World) -> None:
    ana = await quiz_learner(world, RIGHT_OR_NOT, attempts=2)
    quiz = await ana.take()
    assert (await quiz.send(again=True)).outcome == "CLOSED"  # this attempt is not submitted
    await quiz.send(hand_in=True, true_false=False)
    shown = await quiz.shown()
    assert (shown.attempts_left, shown.may_begin_again) == (1, True)
    assert (await quiz.send(again=True)).outcome == "APPLIED"
    assert ((await quiz.shown()).attempt, (await quiz.shown()).state) == (2, "OPEN")
    await quiz.send(hand_in=True, true_false=False)
    assert ((await quiz.shown()).attempts_left, (await quiz.shown()).may_begin_again) == (0, False)
    assert (await quiz.send(again=True)).outcome == "CLOSED"
    reopened = await ana.take()
    assert ((await reopened.shown()).attempt, (await reopened.shown()).state) == (2, "GRADED")
    # A person who is stuck may continue with another attempt.
    async with world.tx() as tx:
        await quiz_actions.change(tx, ana.course_id, ana.modules[0], QuizPatch(attempts=3))
    assert (await reopened.send(again=True)).outcome == "APPLIED"
    assert (await reopened.send(hand_in=True, true_false=True)).completed
    assert (await reopened.send(again=True)).outcome == "CLOSED"  # the course is completed
    assert (await ana.read())["score"] == 100


async def test_two_tabs_begin_one_next_attempt(world: World) -> None:
    ana = await quiz_learner(world, RIGHT_OR_NOT, attempts=2)
    one = await ana.take()
    await one.send(hand_in=True, true_false=False)
    two = await ana.take()
    done = await asyncio.gather(one.send(again=True), two.send(again=True))
    assert "APPLIED" in [each.outcome for each in done]
    async with world.tx() as tx:
        numbers = await tx.rows("SELECT number FROM attempts WHERE tenant_id = :tenant ORDER BY number")
    assert [each["number"] for each in numbers] == [1, 2]


async def test_the_best_attempt_counts(world: World) -> None:
    ana = await quiz_learner(
        world, RIGHT_OR_NOT, NUMBER, pass_mark=50, regulation={"minimum_workload_minutes": 60}
    )
    quiz = await ana.take()
    await quiz.send(hand_in=True, true_false=True, numeric="2")
    await quiz.send(again=True)
    await quiz.send(hand_in=True)
    after = await ana.read()
    assert (after["score"], after["progress"], after["status"]) == (100, 100, "IN_PROGRESS")


@pytest.mark.parametrize(
    "forged",
    [
        {"score": 100, "passed": True, "hand_in": True},
        {"answers": {}, "hand_in": True, "points": {"x": 9}, "state": "GRADED"},
        {"cmi": {"core": {"lesson_status": "passed", "score": {"raw": "100"}}}, "hand_in": True},
    ],
)
async def test_a_forged_score_is_no_score(world: World, forged: dict[str, Any]) -> None:
    ana = await quiz_learner(world, RIGHT_OR_NOT)
    quiz = await ana.take()
    await quiz.send_raw(forged)
    assert ((await quiz.shown()).score, (await quiz.shown()).passed) == (0, False)
    assert (await ana.read())["status"] == "IN_PROGRESS"


async def test_a_quiz_takes_no_commit_and_content_no_answers(world: World) -> None:
    ana = await quiz_learner(world)
    quiz = await ana.take()
    body = {"cmi": {"core": {"lesson_status": "passed"}}, "launch": {"sequence": 1, "final": True}}
    with pytest.raises(NotFound):
        async with world.tx() as tx:
            await commits.apply_commit(tx, quiz.launched.launch_id, commits.read_commit(to_json(body)))
    bia = await learner(world)
    player = await bia.launch()
    raw = to_json({"answers": {}, "launch": {"sequence": 1}})
    with pytest.raises(NotFound):
        async with world.tx() as tx:
            await apply_answers(tx, player.launched.launch_id, read_answers(raw))


@pytest.mark.parametrize(
    ("raw", "error"),
    [
        (b"{", BadRequest),
        (b"[]", Invalid),
        (b'{"answers": []}', Invalid),
        (b'{"answers": 3, "launch": {"sequence": 1}}', Invalid),
        (b'{"answers": {}, "launch": {"sequence": 0}}', Invalid),
        (to_json({"answers": {str(n): {} for n in range(501)}, "launch": {"sequence": 1}}), Invalid),
    ],
)
def test_a_body_that_is_none_is_refused(raw: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        read_answers(raw)


async def test_who_has_begun_keeps_what_they_were_asked(world: World) -> None:
    ana = await quiz_learner(world, RIGHT_OR_NOT, pass_mark=100)
    quiz = await ana.take()
    question = await quiz.question("true_false")
    async with world.tx() as tx:
        await quiz_actions.remove_question(tx, ana.course_id, ana.modules[0], question)
        await quiz_actions.change(tx, ana.course_id, ana.modules[0], QuizPatch(pass_mark=0, feedback="never"))
    shown = await quiz.shown()
    assert [each.text for each in shown.questions] == ["Pare no vermelho."]
    assert (await quiz.send(hand_in=True, true_false=False)).outcome == "APPLIED"
    after = await quiz.shown()
    assert (after.score, after.passed, after.may_begin_again) == (0, False, False)


async def test_a_quiz_without_questions_does_not_open(world: World) -> None:
    ana = await quiz_learner(world)
    async with world.tx() as tx:
        await tx.execute("DELETE FROM questions WHERE tenant_id = :tenant")
    with pytest.raises(Conflict, match="module_without_content"):
        await ana.take()


async def test_what_is_late_is_not_kept(world: World) -> None:
    ana = await quiz_learner(world)
    quiz = await ana.take()
    world.clock.move(minutes=10, seconds=1)
    assert (await quiz.send(true_false=True, hand_in=True)).outcome == "EXPIRED"
    assert (await (await ana.take()).shown()).state == "OPEN"


async def test_a_voice_answer_awaits_whoever_grades_it(world: World, files: FileStore) -> None:
    ana = await quiz_learner(world, RIGHT_OR_NOT, VOICE, pass_mark=60)
    quiz = await ana.take()
    world.clock.move(seconds=30)
    assert (await quiz.speak(files)).outcome == "APPLIED"
    assert (await ana.read())["progress"] == 50
    assert await ana.events() == []
    done = await quiz.send(hand_in=True, true_false=True)
    assert (done.outcome, done.completed) == ("APPLIED", False)
    shown = await quiz.shown()
    assert (shown.state, shown.score, shown.may_begin_again) == ("AWAITING", None, False)
    assert [each.result for each in shown.questions] == ["right", "awaiting"]
    assert (await quiz.send(again=True)).outcome == "CLOSED"
    assert await ana.events() == ["voice_activity.completed", "assessment.attempted"]
    assert (await ana.read())["status"] == "IN_PROGRESS"
    assert [each["result"] for each in (await ana.answers())["data"]] == ["correct", "neutral"]
    assert await ana.grade(50, " Fale mais. ")
    shown = await quiz.shown()
    assert (shown.state, shown.score, shown.passed) == ("GRADED", 66.67, True)
    assert (shown.questions[1].comment, shown.questions[1].result) == ("Fale mais.", "part")
    assert (await ana.read())["status"] == "COMPLETED"
    assert await ana.events() == [
        "voice_activity.completed",
        "assessment.attempted",
        "assessment.passed",
    ]
    assert [each["result"] for each in (await ana.answers())["data"]] == ["correct", "0.50"]
    with pytest.raises(Invalid):
        await ana.grade(100)  # a correction needs a reason
    async with world.tx() as tx:
        assert (await verification.verify(tx, ana.id)).problem == ""


async def test_the_last_grade_decides(world: World, files: FileStore) -> None:
    ana = await quiz_learner(world, VOICE, {**VOICE, "text": "E depois?"}, pass_mark=75)
    quiz = await ana.take()
    for each in (await quiz.shown()).questions:
        world.clock.move(seconds=10)
        await quiz.speak(files, each.id)
    await quiz.send_raw({"hand_in": True})
    assert not await ana.grade(0)
    assert not await ana.grade(100)  # a better description of the same
    with pytest.raises(Invalid):
        await ana.grade(100.5, which=1)
    done = await asyncio.gather(*(ana.grade(50, which=1) for _ in range(3)), return_exceptions=True)
    assert [each for each in done if not isinstance(each, Invalid)] == [True]
    assert await ana.events() == [
        *["voice_activity.completed"] * 2,
        *("assessment.attempted", "assessment.passed"),
    ]
    assert ((await ana.read())["score"], (await ana.read())["status"]) == (75, "COMPLETED")


async def test_a_voice_question_that_is_left_out_awaits_nobody(world: World) -> None:
    ana = await quiz_learner(world, RIGHT_OR_NOT, VOICE)
    quiz = await ana.take()
    await quiz.send(hand_in=True, true_false=True)
    assert ((await quiz.shown()).state, (await quiz.shown()).score) == ("GRADED", 33.33)
    assert await ana.events() == ["assessment.attempted", "assessment.failed"]


async def test_a_recording_is_replaced_and_its_file_goes(world: World, files: FileStore) -> None:
    ana = await quiz_learner(world, VOICE)
    quiz = await ana.take()
    await quiz.speak(files)
    first = (await quiz.shown()).questions[0].response
    world.clock.move(seconds=1)
    await quiz.speak(files)
    second = (await quiz.shown()).questions[0].response
    keys = [recordings.build_key(world.tenant.id, UUID(str(each))) for each in (first, second)]
    assert [await files.exists(each) for each in keys] == [True, True]
    await RemoveRecordings(files).run_once(world.database)
    assert [await files.exists(each) for each in keys] == [False, True]
    await quiz.send(hand_in=True)
    assert (await quiz.speak(files)).outcome == "CLOSED"


async def test_who_is_erased_is_not_heard_any_more(world: World, files: FileStore) -> None:
    ana = await quiz_learner(world, VOICE)
    quiz = await ana.take()
    await quiz.speak(files)
    said = UUID(str((await quiz.shown()).questions[0].response))
    await quiz.send(hand_in=True)
    async with world.tx() as tx:
        await erasure.erase_person(tx, ana.user_id)
        assert await voice_queries.find_recording(tx, said) is None
    await RemoveRecordings(files).run_once(world.database)
    assert not await files.exists(recordings.build_key(world.tenant.id, said))


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "required"),
        (b"<html>" + b" " * 100, "unknown_recording"),
        (b"MZ" + b"\x00" * 100, "unknown_recording"),
        (WEBM + b"\x00" * recordings.MAX_BYTES, "recording_too_large"),
    ],
)
async def test_what_is_no_recording_is_not_kept(
    world: World, files: FileStore, content: bytes, code: str
) -> None:
    with pytest.raises(Invalid) as refused:
        await recordings.store_recording(files, world.tenant.id, content)
    assert refused.value.detail[0].code == code


async def test_only_a_voice_question_takes_a_recording(world: World, files: FileStore) -> None:
    ana = await quiz_learner(world, RIGHT_OR_NOT, VOICE)
    quiz = await ana.take()
    for question in (await quiz.question("true_false"), uuid4()):
        with pytest.raises(NotFound):
            await quiz.speak(files, question)


async def test_a_copy_of_a_course_asks_for_itself(world: World) -> None:
    ana = await quiz_learner(world, RIGHT_OR_NOT, attempts=3, draws={})
    from trilha.training.courses import actions as courses
    from trilha.training.courses import module_queries
    from trilha.training.quizzes import queries as quizzes

    async with world.tx() as tx:
        copied = await courses.duplicate(tx, ana.course_id, "Outra")
        module = (await module_queries.list_all(tx, copied.id))[0]
        original = (await module_queries.list_all(tx, ana.course_id))[0]
        assert module.quiz_id
        assert module.quiz_id != original.quiz_id
        assert (await quizzes.get(tx, module.quiz_id)).attempts == 3
        question = (await quizzes.list_questions(tx, module.quiz_id))[0]
        await quiz_actions.remove_question(tx, copied.id, module.id, question.id)
    assert len((await (await ana.take()).shown()).questions) == 1


@pytest.mark.parametrize(
    ("said", "counted"), [(2.345, 2.35), (10**400, 60.0), (-1, 0.0), (True, 0.0), ("9", 0.0)]
)
def test_how_long_a_question_was_looked_at_is_bounded(said: object, counted: float) -> None:
    assert read_latency(said, 60.0) == pytest.approx(counted, abs=0.011)
