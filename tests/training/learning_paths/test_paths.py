"""Learning paths: their courses, the ways onto a path, and its end."""

import asyncio
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest

from conftest import World
from training.learning_paths.following import assign, complete, path, problems, taken, told, work
from trilha.core.errors import BusinessRule, NotFound
from trilha.core.types import Name
from trilha.people.business_units import actions as units
from trilha.people.learning_groups import actions as groups
from trilha.people.learning_groups.schema import NewLearningGroup
from trilha.training.enrollments import actions as enrollments
from trilha.training.learning_paths import actions, learner, rules
from trilha.training.learning_paths.jobs import GO_ON, ROLL_OUT
from trilha.training.learning_paths.schema import PathPatch
from web.panel.training_pages import actions_on_record, unit


async def person(world: World, **members: str) -> UUID:
    return UUID((await world.user(**members))["id"])


async def group(world: World, *members: UUID) -> UUID:
    async with world.tx() as tx:
        made = await groups.create(tx, NewLearningGroup(name=Name(uuid4().hex)))
        await groups.add_members(tx, made.id, members)
    return made.id


async def join(world: World, group_id: UUID, *people: UUID) -> None:
    async with world.tx() as tx:
        await groups.add_members(tx, group_id, people)
    await work(world)


def test_in_order_one_course_is_open_at_a_time() -> None:
    assert rules.open_courses("abc", {"a"}, in_order=True) == ["b"]
    assert rules.open_courses("abc", {"b"}, in_order=True) == ["a"]
    assert rules.open_courses("abc", {"b"}, in_order=False) == ["a", "c"]
    assert rules.open_courses("abc", {*"abc"}, in_order=True) == []


def test_a_path_without_courses_is_not_completed() -> None:
    assert not rules.is_completed([], set())
    assert rules.is_completed("ab", {*"abc"})
    assert not rules.is_completed("ab", {"a"})


async def test_a_path_needs_a_course_before_it_is_published(world: World) -> None:
    empty = await path(world, publish=False)
    async with world.tx() as tx:
        with pytest.raises(BusinessRule, match="learning_path_without_courses"):
            await actions.publish(tx, empty)
        with pytest.raises(BusinessRule, match="learning_path_not_published"):
            await actions.assign_people(tx, empty, [uuid4()])
        with pytest.raises(BusinessRule, match="learning_path_is_draft"):
            await actions.archive(tx, empty)
    with pytest.raises(NotFound, match="course_not_found"):
        async with world.tx() as tx:
            await actions.set_courses(tx, empty, [uuid4()])


async def test_paths_of_one_title_have_slugs_of_their_own(world: World) -> None:
    first, second = await path(world, publish=False), await path(world, publish=False)
    async with world.tx() as tx:
        slugs = [(await actions.queries.get(tx, each)).slug for each in (first, second)]
    assert slugs == ["motoristas-novos", "motoristas-novos-2"]


async def test_who_is_assigned_is_enrolled_in_all_of_it_with_its_deadline(world: World) -> None:
    courses = [await world.course() for _ in range(2)]
    path_id = await path(world, *courses, deadline_days=30)
    ana = await person(world)
    await assign(world, path_id, ana)
    assert {*await taken(world, ana)} == {*courses}
    listed = (await world.http.get(f"/v1/users/{ana}/enrollments")).json()["data"]
    (until,) = {each["expires_at"] for each in listed}
    assert datetime.fromisoformat(until) == world.clock.now + timedelta(days=30)
    assert await told(world) == [("learning_path.assigned", str(ana))]


async def test_the_same_assignment_twice_is_one(world: World) -> None:
    course = await world.course()
    path_id, ana = await path(world, course), await person(world)
    for _ in range(2):
        await assign(world, path_id, ana)
    assert await taken(world, ana) == [course]
    assert await told(world) == [("learning_path.assigned", str(ana))]


async def test_in_order_the_next_opens_when_the_one_before_is_completed(world: World) -> None:
    first, second = await world.course(), await world.course()
    path_id, ana = await path(world, first, second, in_order=True), await person(world)
    await assign(world, path_id, ana)
    assert await taken(world, ana) == [first]
    world.clock.move(minutes=1)
    await complete(world, ana, first)
    assert await taken(world, ana) == [first, second]
    assert await told(world) == [("learning_path.assigned", str(ana))]
    await complete(world, ana, second)
    assert await told(world) == [("learning_path.assigned", str(ana)), ("learning_path.completed", str(ana))]
    await work(world)
    assert len(await told(world)) == 2


async def test_what_was_completed_before_counts(world: World) -> None:
    first, second = await world.course(), await world.course()
    ana = await person(world)
    for course in (first, second):
        await world.enrollment(user_id=ana, course_id=course)
        await complete(world, ana, course)
    await assign(world, await path(world, first, second, in_order=True), ana)
    assert [type for type, _ in await told(world)] == ["learning_path.assigned", "learning_path.completed"]
    assert len(await taken(world, ana)) == 2


async def test_who_cannot_be_enrolled_is_told_by_course_and_goes_on_later(world: World) -> None:
    regulated = await world.course(regulation={"kind": "traffic", "required_profile_fields": ["cpf"]})
    free = await world.course()
    path_id = await path(world, regulated, free)
    ana, bia = await person(world), await person(world)
    await world.http.post(f"/v1/users/{bia}/suspend")
    await assign(world, path_id, ana, bia)
    assert {*await problems(world, path_id)} == {
        (ana, regulated, "regulatory_profile_missing"),
        (bia, regulated, "user_not_active"),
        (bia, free, "user_not_active"),
    }
    assert await taken(world, ana) == [free]
    await world.http.patch(f"/v1/users/{ana}", json={"cpf": "529.982.247-25"})
    await world.http.post(f"/v1/users/{bia}/reactivate")
    async with world.tx() as tx:
        await actions.try_again(tx, path_id)
    await work(world)
    assert [(who, code) for who, _, code in await problems(world, path_id)] == [
        (bia, "regulatory_profile_missing")
    ]
    assert len(await taken(world, ana)) == 2
    assert await taken(world, bia) == [free]


async def test_who_joins_a_group_later_is_assigned_and_who_leaves_keeps_it(world: World) -> None:
    course = await world.course()
    path_id, ana, bia, caio = await path(world, course), *[await person(world) for _ in range(3)]
    drivers = await group(world, ana)
    async with world.tx() as tx:
        assert await actions.assign_group(tx, path_id, drivers)
        assert not await actions.assign_group(tx, path_id, drivers)
    await work(world)
    assert await taken(world, ana) == [course]
    await join(world, drivers, bia)
    assert await taken(world, bia) == [course]
    async with world.tx() as tx:
        await groups.remove_members(tx, drivers, [ana])
    await work(world)
    assert await told(world) == [("learning_path.assigned", str(each)) for each in (ana, bia)]
    async with world.tx() as tx:
        (audience,) = await actions.queries.list_audiences(tx, path_id)
        await actions.remove_audience(tx, path_id, audience.id)
    await join(world, drivers, caio)
    assert await taken(world, caio) == []


async def test_who_comes_into_a_unit_or_one_below_is_assigned(world: World) -> None:
    course = await world.course()
    above = await unit(world, "Operação")
    below = await unit(world, "Pátio", above)
    elsewhere = await unit(world, "Garagem")
    path_id, ana = await path(world, course), await person(world, business_unit_id=str(below))
    async with world.tx() as tx:
        await actions.assign_unit(tx, path_id, above)
    await work(world)
    bia = await person(world, business_unit_id=str(below))
    caio = await person(world)
    dora = await person(world, business_unit_id=str(elsewhere))
    await world.http.patch(f"/v1/users/{caio}", json={"business_unit_id": str(above)})
    await work(world)
    assert [await taken(world, each) for each in (ana, bia, caio, dora)] == [[course], [course], [course], []]
    async with world.tx() as tx:
        await units.move(tx, elsewhere, above)
    await work(world)
    assert await taken(world, dora) == [course]


async def test_who_joins_while_it_is_archived_is_assigned_once_it_is_open_again(world: World) -> None:
    path_id, ana = await path(world, await world.course()), await person(world)
    drivers = await group(world)
    async with world.tx() as tx:
        await actions.assign_group(tx, path_id, drivers)
        await actions.archive(tx, path_id)
    await join(world, drivers, ana)
    assert await told(world) == []
    async with world.tx() as tx:
        await actions.publish(tx, path_id)
    await work(world)
    assert await told(world) == [("learning_path.assigned", str(ana))]


async def test_a_course_that_is_added_comes_to_those_on_the_path(world: World) -> None:
    first, second = await world.course(), await world.course()
    path_id, ana = await path(world, first), await person(world)
    await assign(world, path_id, ana)
    async with world.tx() as tx:
        await actions.set_courses(tx, path_id, [second, first])
    await work(world)
    assert {*await taken(world, ana)} == {first, second}
    await complete(world, ana, first)
    assert [type for type, _ in await told(world)] == ["learning_path.assigned"]
    async with world.tx() as tx:
        await actions.set_courses(tx, path_id, [first])
    await work(world)
    assert [type for type, _ in await told(world)] == ["learning_path.assigned", "learning_path.completed"]


async def test_who_is_taken_off_keeps_the_enrollments_and_completes_nothing(world: World) -> None:
    course = await world.course()
    path_id, ana = await path(world, course), await person(world)
    await assign(world, path_id, ana)
    async with world.tx() as tx:
        await actions.withdraw(tx, path_id, ana)
        with pytest.raises(NotFound):
            await actions.withdraw(tx, path_id, ana)
    await complete(world, ana, course)
    assert await taken(world, ana) == [course]
    assert [type for type, _ in await told(world)] == ["learning_path.assigned"]


async def test_many_are_taken_in_batches_on_one_record_each(world: World) -> None:
    path_id = await path(world, await world.course())
    async with world.tx() as tx:
        rows = await tx.rows(
            """
            INSERT INTO users (tenant_id, email, name, role, created_at, updated_at)
            SELECT :tenant, n || '@example.com', 'N', 'learner', :now, :now FROM generate_series(1, 450) AS n
            RETURNING id
            """
        )
    people = [row["id"] for row in rows]
    async with world.tx() as tx:
        await actions.assign_people(tx, path_id, people)
    done = []
    while await actions_left(world):
        async with world.tx() as tx:
            progress = await actions.rollouts.find_progress(tx, path_id)
        assert progress
        done.append(progress.done)
        await ROLL_OUT.run_in(world.database, world.tenant.id)
    assert done == [0, 200, 400]
    assert len(await told(world)) == 450
    assert (await actions_on_record(world)).count("learning_path.bulk_assigned") == 3


async def test_several_workers_do_nothing_twice(world: World) -> None:
    first, second = await world.course(), await world.course()
    people = [await person(world) for _ in range(12)]
    drivers = await group(world, *people)
    for each in people:
        await world.enrollment(user_id=each, course_id=first)
        await complete(world, each, first)
    path_id = await path(world, first, second, in_order=True)
    async with world.tx() as tx:
        await actions.assign_group(tx, path_id, drivers)
        await actions.assign_people(tx, path_id, people)
        await actions.try_again(tx, path_id)
    jobs = (ROLL_OUT, GO_ON, ROLL_OUT, GO_ON, ROLL_OUT)
    await asyncio.gather(*(each.run_in(world.database, world.tenant.id) for each in jobs))
    await work(world)
    assert sorted(await told(world)) == sorted(("learning_path.assigned", str(each)) for each in people)
    assert [len(await taken(world, each)) for each in people] == [2] * 12


async def actions_left(world: World) -> bool:
    async with world.tx() as tx:
        left = "SELECT count(*) FROM learning_path_rollouts WHERE tenant_id = :tenant AND finished_at IS NULL"
        return bool(await tx.value(left))


async def test_another_deadline_is_for_those_to_come(world: World) -> None:
    first, second = await world.course(), await world.course()
    path_id, ana = await path(world, first, second, in_order=True, deadline_days=5), await person(world)
    await assign(world, path_id, ana)
    async with world.tx() as tx:
        await actions.change(tx, path_id, PathPatch(deadline_days=50))
    await complete(world, ana, first)
    listed = (await world.http.get(f"/v1/users/{ana}/enrollments")).json()["data"]
    due = (world.clock.now + timedelta(days=5)).isoformat(timespec="milliseconds")[:23]
    assert {each["expires_at"][:23] for each in listed} == {due}


async def test_what_comes_next_is_what_was_begun_but_in_order_the_first_that_is_open(world: World) -> None:
    first, second = await world.course(title="Um"), await world.course(title="Dois")
    ana = await person(world)
    free = await path(world, first, second)
    ordered = await path(world, first, second, in_order=True)
    for path_id in (free, ordered):
        await assign(world, path_id, ana)
    async with world.tx() as tx:
        enrollment = await tx.value(
            "SELECT id FROM enrollments WHERE tenant_id = :tenant AND course_id = :course", course=second
        )
        await enrollments.start(tx, enrollment)
        shown = [(await learner.get(tx, ana, each)).next_course for each in (free, ordered)]
    assert shown == ["Dois", "Um"]
