"""Modules are removed and completion criteria change while people take the course."""

from uuid import UUID

import pytest

from conftest import World
from training.learning.learners import Learner, learner
from trilha.core.database import Tx
from trilha.core.errors import ApiError
from trilha.training.courses import actions as courses
from trilha.training.courses import module_actions
from trilha.training.courses.schema import CoursePatch, ModulePatch, Regulation
from trilha.training.learning.completion import changed_courses
from trilha.training.learning.completion.jobs import REASSESS_CHANGED_COURSES
from trilha.training.learning.evidence import verification
from trilha.training.learning.launches import heartbeats


async def course_of(ana: Learner) -> UUID:
    return UUID((await ana.read())["course_id"])


async def remove(world: World, ana: Learner, module: int) -> None:
    course_id = await course_of(ana)
    async with world.tx() as tx:
        await module_actions.remove(tx, course_id, ana.modules[module])


async def look(world: World) -> int:
    """Runs the worker until nothing is left."""
    done = 0
    while some := await REASSESS_CHANGED_COURSES.run_in(world.database, world.tenant.id):
        done += some
    return done


async def begun(tx: Tx) -> int:
    count: int = await tx.value("SELECT count(*) FROM attempts WHERE tenant_id = :tenant")
    return count


async def test_a_begun_module_is_removed_and_what_was_done_stays(world: World) -> None:
    ana = await learner(world, 10, 30)
    player = await ana.launch()
    await player.commit(
        core={"lesson_status": "passed", "score": {"raw": "80"}},
        interactions=[{"id": "q1", "type": "choice", "student_response": "a", "result": "wrong"}],
    )
    await ana.launch(1)
    course_id = await course_of(ana)
    await remove(world, ana, 0)
    listed = (await world.http.get(f"/v1/courses/{course_id}/modules")).json()["data"]
    assert [(each["position"], each["title"]) for each in listed] == [(1, "M1")]
    assert (await ana.answers())["data"] == []
    with pytest.raises(ApiError) as error:
        await ana.launch(0)
    assert error.value.code == "module_not_found"
    # An open tab still sends its reports, and they are logged.
    assert (await player.status("passed", final=True)).outcome == "APPLIED"
    async with world.tx() as tx:
        assert await begun(tx) == 2
        assert (await verification.verify(tx, ana.id)).problem == ""
    async with world.tx() as tx:
        copied = await courses.duplicate(tx, course_id)
    listed = (await world.http.get(f"/v1/courses/{copied.id}/modules")).json()["data"]
    assert [each["title"] for each in listed] == ["M1"]


async def test_who_has_done_all_that_is_left_is_done(world: World) -> None:
    ana = await learner(world, 10, 30)
    player = await ana.launch()
    await player.status("passed", final=True, score={"raw": "80"})
    bruno = await learner(world, 5)
    await bruno.launch()
    assert (await ana.read())["progress"] == 25
    await remove(world, ana, 1)
    assert (await ana.read())["status"] == "IN_PROGRESS"
    assert await look(world) == 1
    after = await ana.read()
    assert (after["status"], after["progress"], after["score"]) == ("COMPLETED", 100, 80)
    assert (await ana.told()).count("enrollment.completed") == 1
    assert (await bruno.read())["status"] == "IN_PROGRESS"
    async with world.tx() as tx:
        assert (await verification.verify(tx, ana.id)).problem == ""
    assert await look(world) == 0


async def test_progress_counts_what_is_left_and_never_goes_down(world: World) -> None:
    ana = await learner(world, 10, 10, 20)
    await (await ana.launch(0)).status("passed", final=True)
    assert (await ana.read())["progress"] == 25
    await remove(world, ana, 2)
    await look(world)
    assert (await ana.read())["progress"] == 50
    await remove(world, ana, 0)
    await look(world)
    after = await ana.read()
    assert (after["progress"], after["status"]) == (50, "IN_PROGRESS")
    await (await ana.launch(1)).status("passed", final=True)
    assert (await ana.read())["status"] == "COMPLETED"


async def test_demands_that_are_lowered_are_met_by_who_has_done_enough(world: World) -> None:
    ana = await learner(world, 10, 30, regulation={"minimum_score": 90})
    for module, minutes in enumerate((10, 30)):
        player = await ana.launch(module)
        await player.watch(minutes * 15)
        await player.status("passed", final=True, score={"raw": "80"})
    assert (await ana.read())["status"] == "IN_PROGRESS"
    course_id = await course_of(ana)
    asked = Regulation(kind="other", minimum_score=80, required_profile_fields=[])
    async with world.tx() as tx:
        await courses.change(tx, course_id, CoursePatch(regulation=asked))
    await look(world)
    assert (await ana.read())["status"] == "COMPLETED"


async def test_a_module_that_is_required_no_longer_is_not_waited_for(world: World) -> None:
    ana = await learner(world, 10, 30)
    await (await ana.launch()).status("passed", final=True)
    course_id = await course_of(ana)
    async with world.tx() as tx:
        await module_actions.change(tx, course_id, ana.modules[1], ModulePatch(required=False))
    await look(world)
    assert (await ana.read())["status"] == "COMPLETED"


async def test_many_people_are_looked_at_some_at_a_time(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changed_courses, "_BATCH", 2)
    ana = await learner(world, 10, 30)
    course_id = await course_of(ana)
    everybody = [ana]
    for _ in range(4):
        enrollment = await world.enrollment(course_id=course_id)
        everybody.append(Learner(world, enrollment, ana.modules))
    for each in everybody:
        await (await each.launch()).status("passed", final=True)
    await remove(world, ana, 1)
    assert await look(world) == 5
    assert {(await each.read())["status"] for each in everybody} == {"COMPLETED"}


async def test_a_change_on_the_way_begins_anew(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changed_courses, "_BATCH", 1)
    ana = await learner(world, 10, 10, 10)
    course_id = await course_of(ana)
    bruno = Learner(world, await world.enrollment(course_id=course_id), ana.modules)
    for each in (ana, bruno):
        await (await each.launch()).status("passed", final=True)
    await remove(world, ana, 1)
    async with world.tx() as tx:
        assert await changed_courses.reassess_next(tx) == 1
    await remove(world, ana, 2)
    await look(world)
    assert {(await each.read())["status"] for each in (ana, bruno)} == {"COMPLETED"}


async def test_the_launch_of_another_tab_is_not_taken_over(world: World) -> None:
    """A removed module supersedes no launch: open launches continue."""
    ana = await learner(world, 10, 30)
    first = await ana.launch()
    await remove(world, ana, 0)
    assert not (await first.beat()).superseded
    async with world.tx() as tx:
        assert await heartbeats.record_trace(tx, first.launched.launch_id, [{"api": "LMSInitialize"}])
