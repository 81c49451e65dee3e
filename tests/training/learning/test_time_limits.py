"""Time limits of quizzes: start, deadline and grace, and who closes an attempt whose time is over."""

import pytest

from conftest import World
from training.learning.quiz_takers import NUMBER, RIGHT_OR_NOT, VOICE, QuizLearner, quiz_learner
from trilha.core.file_store import open_file_store
from trilha.training.learning import erasure
from trilha.training.learning.evidence import verification
from trilha.training.learning.quizzes.jobs import CLOSE_ATTEMPTS


async def timed(world: World, minutes: int = 5, **settings: object) -> QuizLearner:
    return await quiz_learner(world, RIGHT_OR_NOT, NUMBER, time_limit_minutes=minutes, **settings)


async def close_due(world: World) -> int:
    """Runs the worker's job only in this tenant, because other tests may have left work for it."""
    if world.tenant.id not in await CLOSE_ATTEMPTS.due_tenants(world.database):
        return 0
    return await CLOSE_ATTEMPTS.run_in(world.database, world.tenant.id)


async def test_the_time_runs_from_the_start_of_the_attempt(world: World) -> None:
    ana = await timed(world)
    quiz = await ana.take()
    shown = await quiz.shown()
    assert (shown.phase, shown.questions, shown.question_count, shown.remaining_seconds) == (
        "start",
        [],
        2,
        None,
    )
    world.clock.move(minutes=5)  # before the start, no time runs
    assert (await quiz.send_raw({"answers": {}})).outcome == "CLOSED"
    started = await quiz.send(start=True)
    assert (started.outcome, started.remaining) == ("APPLIED", 300)
    world.clock.move(seconds=90)
    shown = await quiz.shown()
    assert (shown.phase, shown.remaining_seconds, len(shown.questions)) == ("questions", 210, 2)
    # Neither another start nor another device starts it again.
    assert (await quiz.send(start=True)).remaining == 210
    other = await ana.take()
    assert (await other.shown()).remaining_seconds == 210
    done = await other.send(true_false=True, numeric="2,5", hand_in=True)
    assert (done.completed, done.remaining) == (True, None)


async def test_what_was_sent_in_time_may_arrive_a_little_late(world: World) -> None:
    ana = await timed(world)
    quiz = await ana.take()
    await quiz.send(start=True)
    number = await quiz.question("numeric")
    world.clock.move(minutes=5, seconds=29)
    assert (await quiz.shown()).phase == "closing"
    body = {"answers": {str(number): {"response": "2,5"}}, "hand_in": True}
    assert (await quiz.send_raw(body)).outcome == "APPLIED"
    assert (await quiz.shown()).score == 50


async def test_after_the_grace_what_was_saved_counts(world: World) -> None:
    ana = await timed(world)
    quiz = await ana.take()
    await quiz.send(start=True)
    await quiz.send(true_false=True)
    number = await quiz.question("numeric")
    world.clock.move(minutes=5, seconds=31)
    late = await quiz.send_raw({"answers": {str(number): {"response": "2,5"}}, "hand_in": True})
    assert (late.outcome, late.remaining) == ("CLOSED", None)
    shown = await quiz.shown()
    assert (shown.phase, shown.score, shown.points, shown.total_points) == ("result", 50, 1, 2)
    assert await ana.events() == ["assessment.attempted", "assessment.failed"]
    async with world.tx() as tx:
        assert (await verification.verify(tx, ana.id)).problem == ""


async def test_the_worker_closes_what_nobody_hands_in(world: World) -> None:
    ana = await timed(world, pass_mark=50)
    quiz = await ana.take()
    await quiz.send(start=True)
    await quiz.send(true_false=True)
    world.clock.move(minutes=5, seconds=29)
    assert await close_due(world) == 0
    world.clock.move(seconds=2)
    assert await close_due(world) == 1
    assert await close_due(world) == 0
    assert ((await ana.read())["status"], (await ana.read())["score"]) == ("COMPLETED", 50)
    assert (await quiz.shown()).phase == "result"


async def test_the_worker_closes_the_quizzes_of_one_person_apart(world: World) -> None:
    ana = await timed(world)
    same = await quiz_learner(world, RIGHT_OR_NOT, time_limit_minutes=5, user_id=str(ana.user_id))
    bia = await timed(world)
    for each in (ana, same, bia):
        await (await each.take()).send(start=True)
    world.clock.move(minutes=6)
    assert [await close_due(world) for _ in range(3)] == [2, 1, 0]


async def test_an_expired_enrollment_is_not_closed(world: World) -> None:
    ana = await timed(world)
    quiz = await ana.take()
    await quiz.send(start=True)
    async with world.tx() as tx:
        await tx.execute(
            "UPDATE all_enrollments SET expires_at = :now WHERE tenant_id = :tenant AND id = :id", id=ana.id
        )
    world.clock.move(minutes=6)
    assert await close_due(world) == 1
    assert await close_due(world) == 0
    assert await ana.events() == []


async def test_the_next_attempt_has_a_time_of_its_own(world: World) -> None:
    ana = await timed(world, attempts=2)
    quiz = await ana.take()
    await quiz.send(start=True)
    world.clock.move(minutes=5, seconds=31)
    assert (await quiz.send(again=True)).outcome == "APPLIED"  # which closes the first one
    shown = await quiz.shown()
    assert (shown.phase, shown.attempt) == ("start", 2)
    assert (await quiz.send(start=True)).remaining == 300


async def test_no_recording_is_taken_after_the_time(world: World, tmp_path: object) -> None:
    files = open_file_store(None, tmp_path)  # type: ignore[arg-type]
    ana = await quiz_learner(world, VOICE, time_limit_minutes=1)
    quiz = await ana.take()
    await quiz.send(start=True)
    question = await quiz.question("voice")
    world.clock.move(seconds=89)
    assert (await quiz.speak(files, question)).outcome == "APPLIED"
    world.clock.move(seconds=2)
    assert (await quiz.speak(files, question)).outcome == "CLOSED"


async def test_an_erased_person_has_no_attempt_to_close(world: World) -> None:
    ana = await timed(world)
    await (await ana.take()).send(start=True)
    async with world.tx() as tx:
        await erasure.erase_person(tx, ana.user_id)
    world.clock.move(minutes=6)
    assert await close_due(world) == 0


@pytest.mark.parametrize("presentation", ["one", "all"])
async def test_an_attempt_keeps_its_presentation(world: World, presentation: str) -> None:
    ana = await quiz_learner(world, RIGHT_OR_NOT, presentation=presentation)
    assert (await (await ana.take()).shown()).presentation == presentation
