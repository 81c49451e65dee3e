"""Forged progress in a regulated course: it is completed only when the server has measured all of it."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

import media_files
from conftest import World
from training.learning.forgers import Forger, Script, forger, sit
from training.learning.learners import Learner, learner
from training.learning.quiz_takers import NUMBER, RIGHT_OR_NOT, quiz_learner
from training.learning.students import article, document, student, video
from trilha.cli.course_files import CourseFiles
from trilha.core.credentials import SYSTEM
from trilha.core.errors import Invalid
from trilha.settings import Settings
from trilha.training.courses import actions as courses
from trilha.training.courses.schema import CoursePatch, Regulation
from trilha.training.learning.evidence import verification
from web.panel.authoring import stored, upload
from web.panel.signing_in import browser_of, made
from web.panel.training_pages import browsing

TEN = {"minimum_workload_minutes": 10}
ALL = {"minimum_workload_minutes": 10, "minimum_score": 70, "sequential": True}


async def mallory(world: World, *minutes: int, **regulation: Any) -> Forger:
    """Enrolls a signed-in person in a regulated course with one module of each of these lengths."""
    user = await made(world)
    taken = await learner(world, *minutes, regulation=regulation or ALL, user_id=str(user.id))
    return await forger(taken, user)


async def is_proven(who: Forger) -> None:
    """Checks that the log is intact, with what was reported and what was counted."""
    async with who.world.tx() as tx:
        assert (await verification.verify(tx, who.learner.id)).problem == ""


async def launches(who: Forger) -> int:
    async with who.world.tx() as tx:
        count: int = await tx.value(
            "SELECT count(*) FROM launches WHERE tenant_id = :tenant AND enrollment_id = :id",
            id=who.learner.id,
        )
        return count


async def test_what_a_console_says_completes_nothing_before_its_time(world: World) -> None:
    who = await mallory(world, 10, 10)
    first = await who.open()
    assert not (await first.passed())["completed"]
    assert await who.missing() == ["modules", "workload", "score"]
    second = await who.open(1)
    assert not (await second.passed())["completed"]
    assert (await who.learner.read())["progress"] == 100
    assert (await who.missing(), await who.status()) == (["workload", "score"], "IN_PROGRESS")
    # Repeating the report hours later gives no time either.
    world.clock.move(minutes=9)
    assert not (await second.passed())["completed"]
    assert await who.seconds() == 0
    done = await sit(world, 600 - 45, second)
    assert (any(done), await who.missing()) == (False, ["workload", "score"])
    # Time in one module does not count in the other.
    assert await sit(world, 60, second) == [False, False]
    assert await who.missing() == ["score"]
    assert await sit(world, 60, await who.open()) == [False, True]
    assert (await who.status(), await who.missing()) == ("COMPLETED", [])
    await is_proven(who)


async def test_time_without_the_score_completes_nothing(world: World) -> None:
    who = await mallory(world, 10)
    script = await who.open()
    for said in ("", "100%", "1e400", "NaN", "Infinity", {"raw": "100"}, ["100"], None, True):
        core = {"lesson_status": "completed", "score": {"raw": said}}
        assert (await script.tell("commit", cmi={"core": core}))["result"]
    await script.passed(69.99)
    assert not any(await sit(world, 900, script))
    assert (await who.missing(), await who.status()) == (["score"], "IN_PROGRESS")
    again = await who.open()
    assert (await again.passed(70))["completed"]
    assert await who.status() == "COMPLETED"
    await is_proven(who)


@pytest.mark.parametrize(("minutes", "seconds"), [(10, 60), (5, 30), (60, 360)])
async def test_a_score_without_time_in_its_module_is_none(world: World, minutes: int, seconds: int) -> None:
    """One commit from a console, in a course that requires a score and no time in the module."""
    who = await mallory(world, minutes, minimum_score=70)
    script = await who.open()
    assert not (await script.passed())["completed"]
    assert (await who.status(), await who.missing()) == ("IN_PROGRESS", ["score"])
    (score,) = await who.unmet()
    assert (score.actual, score.modules, score.seconds) == (100, (who.learner.modules[0],), seconds)
    # Waiting, repeating the report and hidden time do not count.
    world.clock.move(minutes=9)
    await script.beat(visible=False)
    assert not (await script.passed())["completed"]
    assert not (await (await who.open()).passed())["completed"]
    assert await who.unmet() == [score]
    again = await who.open()
    done = await sit(world, seconds, again)
    assert done == [False] * (seconds // 30 - 1) + [True]
    assert (await who.status(), await who.missing()) == ("COMPLETED", [])
    await is_proven(who)


async def test_time_in_one_module_makes_no_score_of_another(world: World) -> None:
    """Leaving a module early does not hide its low score either."""
    who = await mallory(world, 10, 10, minimum_score=70)
    honest = await who.open()
    await sit(world, 300, honest)
    await honest.passed(90)
    assert not (await (await who.open(1)).passed(80))["completed"]
    (score,) = await who.unmet()
    assert (score.actual, score.modules) == (85, (who.learner.modules[1],))
    world.clock.move(seconds=45)
    assert not any(await sit(world, 300, honest))
    assert await who.missing() == ["score"]


async def test_whoever_looks_sees_what_a_score_waits_for(world: World) -> None:
    who = await mallory(world, 10, minimum_score=70)
    script = await who.open()
    await script.passed()
    await sit(world, 30, script)
    page = await who.session.get(f"/learn/enrollments/{who.learner.id}")
    assert "The score counts after 1 more min of study in M0" in page.text
    assert "Your score will count after" in page.text
    boss = await browser_of(world, await made(world, role="admin"))
    page = await boss.get(f"/admin/enrollments/{who.learner.id}")
    assert "The score counts after 1 more min of study in M0" in page.text


async def test_a_course_that_asks_for_no_score_waits_for_none(world: World) -> None:
    """A course without a minimum score relies on the package's status."""
    user = await made(world)
    who = await forger(await learner(world, 10, user_id=str(user.id)), user)
    assert (await (await who.open()).passed())["completed"]


async def test_a_commit_that_is_replayed_or_edited_is_no_other(world: World) -> None:
    who = await mallory(world, 10, 10)
    script = await who.open()
    said = script.numbered({"cmi": {"core": {"lesson_status": "passed", "score": {"raw": "100"}}}})
    assert (await script.send("commit", said)).json()["outcome"] == "APPLIED"
    edited = said | {"cmi": {"core": {"lesson_status": "passed", "total_time": "9999:00:00"}}}
    for body, outcome in ((said, "REPEATED"), (edited, "CONFLICTING")):
        answers = await asyncio.gather(*(script.send("commit", body) for _ in range(5)))
        assert {each.json()["outcome"] for each in answers} == {outcome}
    # Values with which a script might deceive the server.
    claims = {"credited": 9999, "credited_seconds": 9999, "completed": True, "workload": 9999, "met": True}
    forged = {"status": "COMPLETED", "progress": 100, "enrollment_id": str(who.learner.id), **claims}
    last = await script.tell("commit", cmi={"core": {"total_time": "9999:00:00", **claims}}, **forged)
    assert (last["outcome"], last["completed"]) == ("APPLIED", False)
    first = said | {"launch": {"sequence": 2**52, "final": True, "sent_at": -(10**12), **claims}}
    assert (await script.send("commit", first)).json()["completed"] is False
    assert (await script.send("commit", said)).json()["outcome"] == "STALE"
    assert (await who.seconds(), await who.missing()) == (0, ["modules", "workload", "score"])
    await is_proven(who)


async def test_what_a_colleague_sent_is_no_time_of_ones_own(world: World) -> None:
    """A script sends everything that an honest colleague's browser sent, under another launch."""
    user, other = await made(world), await made(world)
    ana = await learner(world, 10, regulation=ALL, user_id=str(user.id))
    honest = await forger(ana, user)
    copy = Learner(
        world,
        await world.enrollment(course_id=(await ana.read())["course_id"], user_id=str(other.id)),
        ana.modules,
    )
    who = await forger(copy, other)
    sent: list[tuple[str, dict[str, Any]]] = []
    script = await honest.open()
    for minute in range(20):
        await sit(world, 30, script)
        body = script.numbered(
            {"cmi": {"core": {"lesson_status": "incomplete", "lesson_location": str(minute)}}}
        )
        await script.send("commit", body)
        sent += [("heartbeat", {"visible": True}), ("commit", body)]
    assert (await script.passed(90))["completed"]
    forged = await who.open()
    for kind, body in sent:
        assert (await forged.send(kind, body)).json()["completed"] is False
    forged.sequence = script.sequence
    assert not (await forged.passed(90))["completed"]
    assert (await who.seconds(), await who.missing()) == (0, ["workload", "score"])
    assert (await honest.status(), await who.status()) == ("COMPLETED", "IN_PROGRESS")
    # A token belongs to its launch: hers does not help theirs.
    world.clock.move(seconds=30)
    await script.beat()
    assert await who.seconds() == 0


async def test_heartbeats_that_are_faster_than_the_clock_earn_the_clock(world: World) -> None:
    who = await mallory(world, 10)
    script = await who.open()
    await script.passed()
    claims = {"seconds": 9999, "credited": 9999, "at": "2000-01-01T00:00:00Z"}
    answers = await asyncio.gather(*(script.beat(**claims) for _ in range(15)))
    assert not any(each["completed"] for each in answers)
    assert await who.seconds() == 0
    for _ in range(30):
        world.clock.move(seconds=10)
        await asyncio.gather(script.beat(), script.beat())
    assert (await who.seconds(), await who.status()) == (300, "IN_PROGRESS")
    done = [each for each in await sit(world, 300, script) if each]
    assert (done, await who.seconds(), await who.status()) == ([True], 600, "COMPLETED")


async def test_time_that_nobody_told_of_is_not_claimed_afterwards(world: World) -> None:
    """Rare heartbeats that claim all the time in between: each earns at most the longest allowed gap."""
    who = await mallory(world, 10)
    script = await who.open()
    await script.passed()
    for _ in range(12):
        world.clock.move(minutes=9)
        assert not (await script.beat())["completed"]
    assert (await who.seconds(), await who.status()) == (12 * 45, "IN_PROGRESS")
    # Hidden time does not count, and the next visible heartbeat does not recover it.
    world.clock.move(seconds=40)
    await script.beat(visible=False)
    world.clock.move(seconds=5)
    await script.beat()
    assert await who.seconds() == 12 * 45 + 5
    await is_proven(who)


async def test_many_launches_at_once_earn_the_time_of_one(world: World) -> None:
    user = await made(world)
    minutes, demands = (10, 10, 10), {"minimum_workload_minutes": 10}
    taken = [await learner(world, *minutes, regulation=demands, user_id=str(user.id)) for _ in range(2)]
    both = [await forger(each, user) for each in taken]
    scripts = [await each.open(module) for each in both for module in range(3)]
    for script in scripts:
        await script.passed()
    assert not any(await sit(world, 570, *scripts))
    assert sum([await each.seconds() for each in both]) == 570
    assert [await each.status() for each in both] == ["IN_PROGRESS"] * 2
    # Switching between launches at every heartbeat: the total never exceeds the elapsed time.
    for n in range(18):
        world.clock.move(seconds=10)
        await asyncio.gather(*(each.beat() for each in scripts[n % 2 :: 2]))
    assert sum([await each.seconds() for each in both]) <= 750
    # Opening the module again at every heartbeat earns no more either.
    before = sum([await each.seconds() for each in both])
    for n in range(6):
        world.clock.move(seconds=10)
        opened = [await both[n % 2].open(), await both[1 - n % 2].open()]
        await asyncio.gather(*(each.beat() for each in opened))
    assert sum([await each.seconds() for each in both]) - before <= 60


async def test_a_locked_module_gives_no_launch_and_counts_nothing(world: World) -> None:
    who = await mallory(world, 10, 10)
    for _ in range(3):
        page = await who.page(1)
        assert (page.status_code, "/l/" in page.text) == (422, False)
    assert await launches(who) == 0
    first = await who.open()
    # The launch of one module does not count for another, whatever the report says.
    module = str(who.learner.modules[1])
    core = {"lesson_status": "incomplete"}
    await first.tell("commit", cmi={"core": core}, module_id=module, module=module, item="i2")
    await first.tell("commit", cmi={"core": core}, launch_id=module, attempt_id=module)
    assert (await who.page(1)).status_code == 422
    assert (await who.learner.read())["progress"] == 0
    await first.passed()
    second = await who.open(1)
    await second.passed()
    assert (await who.missing(), await who.status()) == (["workload", "score"], "IN_PROGRESS")
    await sit(world, 150, await who.open())
    world.clock.move(seconds=45)
    assert (await sit(world, 450, second))[-1]
    assert await who.status() == "COMPLETED"


async def test_a_module_that_was_locked_while_open_ends_no_course(world: World) -> None:
    who = await mallory(world, 10, 10, **TEN)
    last = await who.open(1)
    course = (await who.learner.read())["course_id"]
    async with world.tx() as tx:
        regulation = Regulation(kind="other", **ALL, required_profile_fields=[])
        await courses.change(tx, course, CoursePatch(regulation=regulation))
    await last.passed()
    assert not any(await sit(world, 600, last))
    assert (await who.missing(), await who.status()) == (["modules"], "IN_PROGRESS")
    first = await who.open()
    assert not (await first.passed())["completed"]
    world.clock.move(seconds=45)
    assert await sit(world, 60, first) == [False, True]


CLAIMS: list[tuple[str, dict[str, Any]]] = [
    ("watched", {"ranges": [[0, 600]], "position": 600, "length": 600}),
    ("dwelled", {"pages": {str(n): 9999 for n in range(1, 31)}, "position": 30, "count": 30}),
    ("read", {"seconds": 99999, "furthest": 1, "position": 1}),
]


async def test_all_that_is_claimed_at_once_takes_its_time(world: World) -> None:
    """A script that reports everything at every opportunity is as fast as a person who watches and reads, and
    no faster.
    """
    user = await made(world)
    modules = [await video(world, 600), await document(world, 30), article(1800)]
    demands = {"minimum_workload_minutes": 10, "sequential": True}
    who = await forger(await student(world, *modules, user_id=str(user.id), regulation=demands), user)
    opened: list[Script] = []
    done: dict[str, int] = {}
    for second in range(0, 1200, 30):
        while len(opened) < 3 and (script := await who.try_open(len(opened))):
            opened.append(script)
        for script, (kind, claim) in zip(opened, CLAIMS, strict=False):
            answer = await script.tell(kind, **claim)
            if answer["progress"] == 100:
                done.setdefault(kind, second)
        await asyncio.gather(*(each.beat() for each in opened))
        if await who.status() == "COMPLETED":
            break
        world.clock.move(seconds=30)
    # 600 seconds at double speed, 30 pages of 2 seconds, and 1800 words of 0.1 second, one after another.
    assert done["watched"] >= 570 / 2
    assert done["dwelled"] >= done["watched"] + 60
    assert done["read"] >= done["dwelled"] + 180
    assert second >= 600
    assert await who.status() == "COMPLETED"
    await is_proven(who)


@pytest.mark.parametrize("right", [True, False])
async def test_answers_are_graded_and_wait_for_the_clock(world: World, right: bool) -> None:
    """All correct answers are sent at once, with an invented score."""
    demands = {"minimum_workload_minutes": 2, "minimum_score": 70}
    ana = await quiz_learner(world, RIGHT_OR_NOT, NUMBER, pass_mark=0, attempts=2, regulation=demands)
    quiz = await ana.take()
    ids = {each.kind: str(each.id) for each in (await quiz.shown()).questions}
    said = {"right": True, "points": 1, "result": "right", "score": 100, "weight": 99, "latency": -5}
    answers = {
        ids["true_false"]: {"response": True} | said,
        ids["numeric"]: {"response": "2" if right else "99"} | said,
        str(ana.modules[0]): {"response": "2"} | said,
    }
    forged = {"answers": answers, "hand_in": True, "score": 100, "passed": True, "completed": True}
    done = await quiz.send_raw(forged)
    assert (done.outcome, done.completed) == ("APPLIED", False)
    found = await ana.read()
    assert (found["status"], found["score"]) == ("IN_PROGRESS", 100 if right else 50)
    assert (await quiz.send_raw(forged | {"hand_in": True})).outcome == "CLOSED"
    for n in range(4):
        world.clock.move(seconds=30)
        assert (await quiz.beat()).completed == (right and n == 3)
    if not right:
        assert (await ana.read())["status"] == "IN_PROGRESS"
        await quiz.send(again=True)
        assert (await quiz.send(hand_in=True, true_false=True, numeric="2")).completed
    assert (await ana.read())["status"] == "COMPLETED"


@pytest.mark.parametrize("name", ["film.webm", "film.mp4"])
async def test_a_video_that_tells_no_length_is_not_taken(
    world: World, settings: Settings, tmp_path: Path, name: str
) -> None:
    """Otherwise its length would be the browser's claim: half a second, all of which was watched."""
    raw = media_files.webm(2, duration=False) if name == "film.webm" else media_files.mp4(0)
    course = await world.course(modules=[], publish=False)
    boss = await browsing(world)
    answer = await upload(boss, f"/admin/courses/{course}/modules/new/video", file=(name, raw, "video/webm"))
    assert (answer.status_code, "The duration of this video could not be read" in answer.text) == (422, True)
    (tmp_path / name).write_bytes(raw)
    files = CourseFiles(settings, world.database, world.tenant.id, SYSTEM)
    with pytest.raises(Invalid) as refused:
        await files.keep(tmp_path / name)
    assert refused.value.code == "video_without_length"
    assert not stored(settings, world)
