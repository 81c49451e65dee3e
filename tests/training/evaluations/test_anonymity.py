"""Results of evaluations show nobody's own answer, whatever is asked, answered and erased in between."""

import asyncio
import random
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

import pytest

from conftest import World
from people.personal_data.test_erase import PERSONAL_DATA
from training.requirements.settling import complete
from trilha.core.errors import Conflict, NotFound
from trilha.training.evaluations import actions, queries, rules
from trilha.training.evaluations.rules import Answer, build_nps, build_scale
from trilha.training.evaluations.schema import Reaction

_PEOPLE = 24
_STEPS = 120
_PERIODS = (None, timedelta(days=91), timedelta(days=365))


class Company:
    """Learners who have completed one course, and everything that was ever seen of their evaluations."""

    def __init__(self, world: World, course: UUID, enrollments: Sequence[tuple[UUID, UUID]]) -> None:
        self.world = world
        self.course = course
        self.enrollments = list(enrollments)  # each with its person
        self.people: dict[UUID, UUID] = {}  # by evaluation
        self.views: list[frozenset[UUID]] = []

    async def answer(self, enrollment: UUID, person: UUID, reaction: Reaction) -> None:
        async with self.world.tx() as tx:
            try:
                await actions.evaluate(tx, person, enrollment, reaction)
            except (Conflict, NotFound):
                return
        await self._note_people()

    async def _note_people(self) -> None:
        async with self.world.tx() as tx:
            rows = await tx.rows(
                "SELECT id, user_id FROM course_evaluations "
                "WHERE tenant_id = :tenant AND user_id IS NOT NULL AND kind = 'REACTION'"
            )
        self.people |= {row["id"]: row["user_id"] for row in rows}

    async def count_as(self, enrollment: UUID, person: UUID) -> None:
        """Lets an answer be that of another person, as if they had taken the course twice."""
        async with self.world.tx() as tx:
            await tx.execute(
                "UPDATE course_evaluations SET user_id = :person "
                "WHERE tenant_id = :tenant AND enrollment_id = :id AND batch_id IS NULL",
                id=enrollment,
                person=person,
            )
        await self._note_people()

    async def erase(self, person: UUID) -> None:
        async with self.world.tx() as tx:
            await PERSONAL_DATA.erase(tx, person)

    async def look(self) -> None:
        """Reads the results of each period, and checks that they are those of the published answers."""
        for period in _PERIODS:
            since = self.world.clock.now - period if period else None
            async with self.world.tx() as tx:
                results = await queries.get_results(tx, self.course, since)
                rows = await tx.rows(
                    """
                    SELECT e.id, e.nps, e.clarity FROM course_evaluations e
                    JOIN course_evaluation_batches b ON b.tenant_id = :tenant AND b.id = e.batch_id
                    WHERE e.tenant_id = :tenant AND e.kind = 'REACTION'
                      AND (CAST(:since AS timestamptz) IS NULL OR b.published_at >= :since)
                    """,
                    since=since,
                )
            assert results.rating_count == len(rows)
            assert results.nps == build_nps([sum(row["nps"] == n for row in rows) for n in range(11)])
            counts = [sum(row["clarity"] == n for row in rows) for n in range(1, 6)]
            assert results.scales.get("clarity") == build_scale(counts)
            self.views.append(frozenset(row["id"] for row in rows))

    def check(self) -> None:
        """No view, and no difference of two views, is of one to four people."""
        views = {frozenset[UUID](), *self.views}
        for one in views:
            for other in views:
                people = {self.people[id] for id in one - other}
                assert not 0 < len(people) < 5


async def found(world: World) -> Company:
    course = await world.course()
    enrollments = []
    for _ in range(_PEOPLE):
        enrollment = await world.enrollment(course_id=course)
        await complete(world, enrollment["id"])
        enrollments.append((UUID(enrollment["id"]), UUID(enrollment["user_id"])))
    return Company(world, course, enrollments)


def react(chance: random.Random) -> Reaction:
    grades = [chance.randint(1, 5) for _ in range(5)]
    return Reaction(
        **dict(zip(rules.QUESTIONS, grades, strict=True)),
        nps=chance.randint(0, 10),
        text=chance.choice([None, "Bom", "Longo demais"]),
    )


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_no_two_results_differ_by_fewer_than_five_people(world: World, seed: int) -> None:
    chance = random.Random(seed)
    company = await found(world)
    for _ in range(_STEPS):
        enrollment, person = chance.choice(company.enrollments)
        match chance.choice(["answer"] * 6 + ["twice", "wait", "erase"]):
            case "answer":
                await company.answer(enrollment, person, react(chance))
            case "twice":
                await company.count_as(enrollment, chance.choice(company.enrollments)[1])
            case "wait":
                world.clock.move(days=chance.choice([1, 8, 60]))
            case "erase":
                await company.erase(person)
        await company.look()
    assert max(map(len, company.views)) >= 10, "the test sees nothing"
    company.check()


async def test_a_published_answer_changes_no_more(world: World) -> None:
    company = await found(world)
    chance = random.Random(4)
    for enrollment, person in company.enrollments[:5]:
        await company.answer(enrollment, person, react(chance))
    async with world.tx() as tx:
        before = await queries.get_results(tx, company.course)
        with pytest.raises(Conflict, match="evaluation_final"):
            await actions.evaluate(tx, company.enrollments[0][1], company.enrollments[0][0], react(chance))
    assert before.rating_count == 5
    event = {"course_id": str(company.course), "rating_count": 5, "nps": before.nps and before.nps.score}
    assert [data for _, data in await world.events("course.rated")] == [event]
    await company.erase(company.enrollments[0][1])
    async with world.tx() as tx:
        assert await queries.get_results(tx, company.course) == before


async def test_people_who_change_their_answers_at_once_wait_for_each_other(world: World) -> None:
    company = await found(world)
    chance = random.Random(5)
    four = company.enrollments[:4]
    for enrollment, person in four:
        await company.answer(enrollment, person, react(chance))

    async def change(enrollment: UUID, person: UUID) -> None:
        async with world.tx() as tx:
            await actions.evaluate(tx, person, enrollment, react(chance))

    for _ in range(3):
        await asyncio.gather(*(change(*each) for each in four))


async def test_an_unpublished_answer_changes_for_seven_days(world: World) -> None:
    company = await found(world)
    (enrollment, person), chance = company.enrollments[0], random.Random(5)
    await company.answer(enrollment, person, react(chance))
    world.clock.move(days=6)
    async with world.tx() as tx:
        await actions.evaluate(tx, person, enrollment, react(chance))
    world.clock.move(days=2)
    async with world.tx() as tx:
        with pytest.raises(Conflict):
            await actions.evaluate(tx, person, enrollment, react(chance))
        assert (await queries.get_results(tx, company.course)).rating_count == 0


def test_five_answers_of_four_people_are_not_published() -> None:
    people = [UUID(int=n) for n in (1, 2, 3, 4, 4)]
    answers = [Answer(UUID(int=10 + n), person) for n, person in enumerate(people)]
    assert not rules.may_publish(answers)
    assert rules.may_publish([*answers, Answer(UUID(int=20), UUID(int=5))])


def test_the_figures() -> None:
    nps = build_nps([1, 0, 0, 0, 0, 0, 1, 1, 1, 2, 4])
    assert nps is not None
    assert (nps.score, nps.promoters, nps.passives, nps.detractors) == (40, 6, 2, 2)
    scale = build_scale([1, 0, 0, 0, 2])
    assert scale is not None
    assert (scale.answers, scale.average) == (3, 3.67)
    assert build_scale([0] * 5) is None
