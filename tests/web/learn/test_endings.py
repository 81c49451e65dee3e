"""How a module ended, as /learn/enrollments/{id}/modules/{module_id}/done tells it at any time."""

import re

from conftest import World
from training.learning.learners import Learner, learner
from training.learning.quiz_takers import RIGHT_OR_NOT, VOICE, quiz_learner
from training.learning.students import Student, article, student, video
from trilha.settings import Settings
from web.learn.test_course_page import of, words

READ = {"seconds": 60, "furthest": 1, "position": 1}


def done(ana: Learner, module: int = 0) -> str:
    return f"/learn/enrollments/{ana.id}/modules/{ana.modules[module]}/done"


async def read(ana: Student, module: int = 0) -> None:
    player = await ana.open(module)
    ana.world.clock.move(seconds=60)
    await player.tell(**READ)


async def primary(ana: Learner, address: str) -> list[tuple[str, str]]:
    """Returns the address and the words of the page's primary buttons."""
    text = (await (await of(ana.world, ana)).get(address)).text
    found = re.findall(r'<a class="btn btn--primary" href="([^"]*)"[^>]*>(.*?)</a>', text, re.DOTALL)
    return [(href, " ".join(re.sub("<[^>]*>", " ", label).split())) for href, label in found]


async def test_a_completed_module_says_what_it_brought_and_what_comes_next(world: World) -> None:
    ana = await student(world, article(10) | {"title": "One"}, article(10) | {"title": "Two"})
    await read(ana)
    client = await of(world, ana)
    said = await words(client, done(ana))
    for expected in (
        "Module completed",
        "One Article · Completed on",
        "Course progress 0% → 50%",
        "+10 XP",
        "1 day in a row",
        "Up next Two Article · 10 min",
        "1 of 2 completed",
    ):
        assert expected in said
    assert "reached" not in said
    assert "certificate" not in said.lower()
    assert await words(client, done(ana)) == said
    following = f"/learn/enrollments/{ana.id}/modules/{ana.modules[1]}"
    assert await primary(ana, done(ana)) == [(following, "Continue")]


async def test_what_was_earned_stays_as_it_was_when_more_is_done(world: World) -> None:
    ana = await student(world, *(article(10) for _ in range(3)))
    await read(ana, 0)
    await read(ana, 1)
    client = await of(world, ana)
    assert "0% → 33% · now 66%" in await words(client, done(ana, 0))
    assert "33% → 66%" in await words(client, done(ana, 1))
    world.clock.move(days=1)
    later = await words(await of(world, ana), done(ana, 0))
    assert "+10 XP" in later
    assert "in a row" not in later


async def test_a_module_that_was_left_says_what_is_saved(world: World) -> None:
    ana = await student(world, await video(world, 60, title="Film"), article(10))
    player = await ana.open()
    world.clock.move(seconds=15)
    await player.tell(ranges=[[0, 30]], position=30, length=60)
    said = await words(await of(world, ana), done(ana))
    assert "Module not completed yet" in said
    assert "Saved so far Progress in the module 50%" in said
    assert "XP" not in said
    assert "→" in said
    assert await primary(ana, done(ana)) == [(done(ana).removesuffix("/done"), "Continue this module")]


async def test_a_module_that_was_never_opened_has_nothing_to_celebrate(world: World) -> None:
    ana = await student(world, article(10), article(10), regulation={"sequential": True})
    client = await of(world, ana)
    assert "Module not started" in (said := await words(client, done(ana)))
    assert "XP" not in said
    assert "Complete first: M0" in await words(client, done(ana, 1))
    assert await primary(ana, done(ana, 1)) == [(done(ana).removesuffix("/done"), "Continue")]


async def test_a_failed_quiz_is_tried_again_as_often_as_allowed(world: World) -> None:
    ana = await quiz_learner(world, RIGHT_OR_NOT, attempts=2)
    taker = await ana.take()
    await taker.send(true_false=False, hand_in=True)
    said = await words(await of(world, ana), done(ana))
    assert "Not passed yet" in said
    assert "You scored 0.0 in this attempt." in said
    assert "You have 1 attempt left." in said
    assert "XP" not in said
    assert await primary(ana, done(ana)) == [(done(ana).removesuffix("/done"), "Try again")]
    await taker.send(again=True)
    assert "Your answers are saved, but the quiz was not submitted." in await words(
        await of(world, ana), done(ana)
    )
    await taker.send(true_false=False, hand_in=True)
    assert "You have no attempts left." in await words(await of(world, ana), done(ana))
    assert await primary(ana, done(ana)) == [(f"/learn/enrollments/{ana.id}", "Back to the course")]


async def test_a_voice_answer_waits_for_its_grade(world: World, settings: Settings) -> None:
    ana = await quiz_learner(world, VOICE)
    taker = await ana.take()
    await taker.speak(settings.open_files())
    await taker.send(hand_in=True)
    said = await words(await of(world, ana), done(ana))
    assert "Submitted for grading" in said
    assert "XP" not in said
    await ana.grade(100)
    graded = await words(await of(world, ana), done(ana))
    assert "Course completed" in graded
    assert "in a row" not in graded  # Grading is not the learner's day of study.


async def test_a_completed_course_leads_to_its_certificate(world: World) -> None:
    ana = await student(world, article(10))
    await read(ana)
    said = await words(await of(world, ana), done(ana))
    for expected in (
        "Evaluate the course",
        "Course completed",
        "0% → 100%",
        "+10 XP",
        "+100 XP for the course",
    ):
        assert expected in said
    assert "We are preparing your certificate" in said
    (button,) = await primary(ana, done(ana))
    assert button[0].startswith("/learn/certificates/")
    assert button[1] == "View certificate"


async def test_the_level_that_was_reached_is_told_once_and_where_it_was_reached(world: World) -> None:
    ana = await student(world, article(10), article(10), article(10))
    async with world.tx() as tx:
        await tx.execute("UPDATE users SET xp = 485 WHERE tenant_id = :tenant AND id = :id", id=ana.user_id)
    await read(ana, 0)
    await read(ana, 1)
    client = await of(world, ana)
    assert "reached" not in await words(client, done(ana, 0))
    assert "Level 2 reached" in await words(client, done(ana, 1))


async def test_missing_study_time_is_told(world: World) -> None:
    ana = await student(world, article(10), regulation={"minimum_workload_minutes": 30})
    await read(ana)
    said = await words(await of(world, ana), done(ana))
    assert "Module completed" in said
    assert "The course requires more study time." in said
    assert await primary(ana, done(ana)) == [(done(ana).removesuffix("/done"), "Open module again")]


async def test_an_expired_course_goes_nowhere(world: World) -> None:
    ana = await student(world, article(10), article(10), expires_at="2099-01-01T00:00:00Z")
    await read(ana)
    async with world.tx() as tx:
        await tx.execute(
            "UPDATE all_enrollments SET expires_at = :now WHERE tenant_id = :tenant AND id = :id", id=ana.id
        )
    assert "This course has expired" in await words(await of(world, ana), done(ana))
    assert await primary(ana, done(ana)) == [(f"/learn/enrollments/{ana.id}", "Back to the course")]


async def test_a_scorm_module_that_failed_and_one_that_was_left(world: World) -> None:
    ana = await learner(world, 10, 10)
    player = await ana.launch()
    await player.status("incomplete", final=True)
    assert "Module not completed yet" in await words(await of(world, ana), done(ana))
    player = await ana.launch(1)
    await player.status("failed", final=True, score={"raw": "40"})
    said = await words(await of(world, ana), done(ana, 1))
    assert "Not passed yet" in said
    assert "Score: 40.0" in said


async def test_the_end_is_only_the_learners(world: World) -> None:
    ana, bia = await student(world, article(10)), await student(world, article(10))
    assert (await (await of(world, bia)).get(done(ana))).status_code == 404
    client = await of(world, ana)
    elsewhere = f"/learn/enrollments/{ana.id}/modules/{bia.modules[0]}/done"
    assert (await client.get(elsewhere)).status_code == 404


async def test_days_in_a_row_are_counted_in_the_companys_time_zone(world: World) -> None:
    ana = await student(world, *(article(10) for _ in range(5)))
    for module, days in enumerate((1, 2, 3)):
        await read(ana, module)
        said = await words(await of(world, ana), done(ana, module))
        told = f"{days} day{'s' if days > 1 else ''} in a row"
        assert told in said
        assert told in await words(await of(world, ana), "/learn")
        world.clock.move(days=1)
        assert f"{told} · study today to keep going" in await words(await of(world, ana), "/learn")
    world.clock.move(days=1)  # A whole day without study breaks the streak.
    assert "in a row" not in await words(await of(world, ana), "/learn")
    await read(ana, 3)
    assert "1 day in a row" in await words(await of(world, ana), done(ana, 3))


async def test_five_minutes_of_study_make_a_day(world: World) -> None:
    ana = await student(world, article(10), article(10))
    player = await ana.open()
    await player.watch(270)
    async with world.tx() as tx:
        assert await tx.value("SELECT streak FROM learner_clocks WHERE tenant_id = :tenant") == 0
    await player.watch(30)
    async with world.tx() as tx:
        assert await tx.value("SELECT streak FROM learner_clocks WHERE tenant_id = :tenant") == 1
