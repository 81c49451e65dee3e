"""Unusual study behavior: the rules, and the flags that the worker sets."""

import json
import random
from typing import Any
from uuid import UUID

import pytest

from conftest import World
from training.learning.learners import Learner, Player, learner
from trilha.app import PERSONAL_DATA
from trilha.core.types import to_json
from trilha.training.learning.review_flags import actions as reviews
from trilha.training.learning.review_flags import queries as review_queries
from trilha.training.learning.review_flags import rules as review_rules
from trilha.training.learning.review_flags.jobs import CHECK_ENROLLMENTS
from trilha.training.learning.review_flags.schema import Observation, TimeClaim

NOTHING: dict[str, Any] = {
    "score": 80.0,
    "answers": 3,
    "others_answer": True,
    "seconds": 600.0,
    "others": [600.0] * 10,
    "alike": 0,
    "claims": [TimeClaim(600, 600)],
}


@pytest.mark.parametrize(
    ("members", "kinds"),
    [
        ({}, []),
        ({"answers": 0}, ["NO_ANSWERS"]),
        ({"answers": 0, "others_answer": False}, []),
        ({"answers": 0, "score": None}, []),
        ({"seconds": 29.0}, ["TOO_FAST"]),
        ({"seconds": 30.0}, []),
        ({"seconds": 0.0, "others": [600.0] * 9}, []),
        ({"seconds": 0.0, "others": [119.0] * 10}, []),
        ({"seconds": None}, []),
        ({"alike": 1}, ["SAME_STATE"]),
        ({"alike": 4}, ["SAME_STATE"]),
        ({"alike": 5}, []),
        ({"claims": [TimeClaim(690.1, 600), TimeClaim(10, 10)]}, ["CLAIMED_TIME"]),
        ({"claims": [TimeClaim(690, 600)]}, []),
        ({"claims": []}, []),
    ],
)
def test_what_is_a_sign(members: dict[str, Any], kinds: list[str]) -> None:
    assert [each.kind for each in review_rules.find_flags(Observation(**NOTHING | members))] == kinds


def test_a_sign_says_what_it_rests_on() -> None:
    (flag,) = review_rules.find_flags(
        Observation(**NOTHING | {"seconds": 12.0, "others": [400.0] * 5 + [600.0] * 6})
    )
    assert flag.detail == {"seconds": 12, "median_seconds": 600, "others": 11}
    (flag,) = review_rules.find_flags(
        Observation(**NOTHING | {"claims": [TimeClaim(900, 60), TimeClaim(5000, 4500)]})
    )
    assert flag.detail == {"said_seconds": 900, "launch_seconds": 60}


@pytest.mark.parametrize("cmi", ["", "[]", "{}", '{"suspend_data": 3}', to_json({"suspend_data": "x" * 199})])
def test_a_short_state_or_none_has_no_hash(cmi: str | bytes) -> None:
    assert review_rules.hash_state(cmi if isinstance(cmi, str) else cmi.decode()) is None


def test_a_long_state_has_one_of_its_own() -> None:
    one, other = [to_json({"suspend_data": each * 200, "x": each}).decode() for each in "ab"]
    assert review_rules.hash_state(one)
    assert review_rules.hash_state(one) != review_rules.hash_state(other)


async def check(world: World) -> None:
    while await CHECK_ENROLLMENTS.run_in(world.database, world.tenant.id):
        pass


async def kinds(world: World, of: Learner) -> list[str]:
    """Returns the kinds of open flags."""
    await check(world)
    async with world.tx() as tx:
        found = await review_queries.list_flags(tx, of.id)
    return [each.kind for each in found if each.dismissed_at is None]


async def another(world: World, first: Learner) -> Learner:
    """Enrolls another person in the same course."""
    async with world.tx() as tx:
        course = await tx.value(
            "SELECT course_id FROM enrollments WHERE tenant_id = :tenant AND id = :id", id=first.id
        )
    return Learner(world, await world.enrollment(course_id=course), first.modules)


def answered(*answers: str) -> dict[str, Any]:
    return {
        str(n): {"id": f"q{n}", "type": "choice", "student_response": each, "result": "correct"}
        for n, each in enumerate(answers)
    }


async def pass_with(player: Player, *answers: str, state: str = "", **core: Any) -> None:
    core = {"lesson_status": "passed", "score": {"raw": "90", "min": "0", "max": "100"}} | core
    await player.commit(core=core, suspend_data=state, interactions=answered(*answers), final=True)


def own_state() -> str:
    return "".join(random.choices("abcdef", k=400))


async def test_a_score_without_answers_where_others_have_them(world: World) -> None:
    first = await learner(world)
    await pass_with(await first.launch())
    # Nobody has answers, because the module may report no questions.
    assert await kinds(world, first) == []
    second = await another(world, first)
    await pass_with(await second.launch(), "a", "b")
    assert await kinds(world, second) == []
    third = await another(world, first)
    await pass_with(await third.launch())
    assert await kinds(world, third) == ["NO_ANSWERS"]
    assert (await third.read())["status"] == "COMPLETED"


async def test_answers_that_come_after_the_status_take_the_sign_back(world: World) -> None:
    first = await learner(world)
    await pass_with(await first.launch(), "a")
    second = await another(world, first)
    player = await second.launch()
    score = {"raw": "90", "min": "0", "max": "100"}
    await player.status("passed", score=score)
    assert await kinds(world, second) == ["NO_ANSWERS"]
    core = {"lesson_status": "passed", "score": score}
    await player.commit(core=core, interactions=answered("a"), final=True)
    assert await kinds(world, second) == []


async def test_far_under_the_time_of_ten_others(world: World) -> None:
    first = await learner(world)
    people = [first, *[await another(world, first) for _ in range(10)]]
    for each in people[:10]:
        player = await each.launch()
        await player.watch(600)
        await player.status("completed", final=True)
        await check(world)
    quick = await people[10].launch()
    world.clock.move(seconds=5)
    await quick.status("completed", final=True)
    assert await kinds(world, people[10]) == ["TOO_FAST"]
    assert await kinds(world, people[9]) == []


async def test_the_state_of_somebody_else(world: World) -> None:
    first = await learner(world)
    second, third = await another(world, first), await another(world, first)
    state = own_state()
    for each, kept in ((first, state), (second, own_state()), (third, state)):
        await pass_with(await each.launch(), state=kept)
        await check(world)
    assert [await kinds(world, each) for each in (first, second, third)] == [
        ["SAME_STATE"],
        [],
        ["SAME_STATE"],
    ]


async def test_a_state_that_many_come_to_is_no_sign(world: World) -> None:
    first = await learner(world)
    people = [first, *[await another(world, first) for _ in range(6)]]
    for each in people:
        await pass_with(await each.launch(), state="done " * 100)
        await check(world)
    assert [await kinds(world, each) for each in people] == [[]] * 7


async def test_more_time_than_has_passed(world: World) -> None:
    first = await learner(world)
    player = await first.launch()
    world.clock.move(seconds=60)
    await player.status("completed", session_time="01:00:00.0", final=True)
    assert await kinds(world, first) == ["CLAIMED_TIME"]
    again = await another(world, first)
    player = await again.launch()
    world.clock.move(seconds=60)
    await player.status("completed", session_time="00:01:20.0", final=True)
    assert await kinds(world, again) == []


async def test_who_dismisses_it_says_why_and_it_does_not_come_back(world: World) -> None:
    first = await learner(world)
    player = await first.launch()
    await player.status("completed", session_time="02:00:00.0")
    assert await kinds(world, first) == ["CLAIMED_TIME"]
    admin = UUID((await world.user(name="Helena"))["id"])
    async with world.tx() as tx:
        await reviews.dismiss_flag(tx, first.id, first.modules[0], "CLAIMED_TIME", admin, "Known package")
    await player.status("completed", session_time="03:00:00.0", final=True)
    assert await kinds(world, first) == []
    async with world.tx() as tx:
        (flag,) = await review_queries.list_flags(tx, first.id)
    assert (flag.dismissed_by, flag.reason) == ("Helena", "Known package")


async def test_of_an_erased_person_no_reason_tells(world: World) -> None:
    first = await learner(world)
    await (await first.launch()).status("completed", session_time="02:00:00.0", final=True)
    await check(world)
    admin = UUID((await world.user(name="Helena"))["id"])
    async with world.tx() as tx:
        await reviews.dismiss_flag(tx, first.id, first.modules[0], "CLAIMED_TIME", admin, "Ana was away")
        await PERSONAL_DATA.erase(tx, first.user_id)
        (flag,) = await review_queries.list_flags(tx, first.id)
    assert flag.reason == "[erased]"


async def test_a_look_reads_no_more_where_there_is_more(world: World) -> None:
    """The statement that compares answers reads a bounded number of other people's rows."""
    first = await learner(world)
    await pass_with(await first.launch(), "a", state=own_state())
    await check(world)
    async with world.tx() as tx:
        await tx.execute(
            """
            WITH places AS (
                INSERT INTO enrollments (tenant_id, user_id, course_id, status, current, created_at,
                                         updated_at)
                SELECT tenant_id, user_id, course_id, 'EXPIRED', NULL, :now, :now
                FROM enrollments, generate_series(1, 5000) WHERE tenant_id = :tenant AND id = :id
                RETURNING id)
            INSERT INTO module_observations (tenant_id, enrollment_id, module_id, user_id, answers, seconds,
                                             state_hash, observed_at)
            SELECT :tenant, id, :module, gen_random_uuid(), 2, 100, sha256(id::text::bytea), :now FROM places
            """,
            id=first.id,
            module=first.modules[0],
        )
        text, values = tx._bind(
            "EXPLAIN (ANALYZE, FORMAT JSON) " + review_queries._COMPARISONS,
            {"enrollments": [first.id], "max_others": 200, "max_alike": 5},
        )
        (plan,) = json.loads(await tx._connection.fetchval(text, *values))
    read = _rows_of(plan["Plan"])
    assert 200 <= read < 2000


def _rows_of(plan: dict[str, Any]) -> float:
    """Returns the number of rows of all scans."""
    own = plan["Actual Rows"] * plan["Actual Loops"] if "Relation Name" in plan else 0
    own += plan.get("Rows Removed by Filter", 0)
    return own + sum(_rows_of(each) for each in plan.get("Plans", ()))
