"""A search with thousands of matches returns all of them, once and in order, like a small one."""

from typing import Any
from uuid import UUID

import pytest
from msgspec import structs

from conftest import World
from trilha.core.database import Tx
from trilha.core.lists import Count, count, fetch_nonempty_page, fetch_page, list_ids, narrowing, walking
from trilha.core.types import Name
from trilha.people.business_units import actions as units
from trilha.people.business_units import queries as units_read
from trilha.people.business_units.schema import NewBusinessUnit
from trilha.people.learning_groups import actions as groups
from trilha.people.learning_groups.schema import NewLearningGroup
from trilha.people.users.lists import PEOPLE
from trilha.people.users.reach import EVERYONE, Reach
from trilha.people.users.schema import PeopleQuery
from trilha.training.courses import actions as courses
from trilha.training.enrollments.lists import ENROLLMENT_ROWS
from trilha.training.enrollments.schema import EnrollmentSearch
from web.panel.signing_in import signed_in, user_id

WHOLE = 3_100  # more than are looked up by id, and more than are examined at a time
SHORT = 10


class Company:
    """A unit of `many` people called Maria, all enrolled in `course`. Zoé is enrolled too, and belongs to no
    unit.
    """

    world: World
    many: int
    course: UUID
    gestor: Reach
    instrutor: Reach
    other_instrutor: Reach


@pytest.fixture(params=[WHOLE // SHORT, pytest.param(WHOLE, marks=pytest.mark.long)])
async def company(world: World, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Company:
    made = Company()
    made.world = world
    made.many = request.param
    if made.many < WHOLE:
        monkeypatch.setattr(narrowing, "MAX_IDS", narrowing.MAX_IDS // SHORT)
        monkeypatch.setattr(narrowing, "MAX_ROWS", narrowing.MAX_ROWS // SHORT)
        monkeypatch.setattr(walking, "MAX_EXAMINED", walking.MAX_EXAMINED // SHORT)
    made.gestor, made.instrutor, made.other_instrutor = [
        Reach(role, user_id(await signed_in(world, role))) for role in ("gestor", "instrutor", "instrutor")
    ]
    made.course, other = await world.course(), await world.course()
    zoe = await world.user(name="Zoé Prado")
    for course in (made.course, other):
        await world.enrollment(user_id=zoe["id"], course_id=str(course))
    async with world.tx() as tx:
        unit = await units.create(tx, NewBusinessUnit(name=Name("Frota")))
        await units.set_managers(tx, unit.id, [made.gestor.user_id])
        await courses.set_teachers(tx, made.course, [made.instrutor.user_id])
        await courses.set_teachers(tx, other, [made.other_instrutor.user_id])
        await tx.execute(
            """
            WITH person AS (
                INSERT INTO users (tenant_id, email, name, role, business_unit_id, created_at, updated_at)
                SELECT :tenant, 'p' || n || '@example.com', 'Maria ' || n, 'learner', :unit, :now, :now
                FROM generate_series(1, CAST(:many AS int)) AS n RETURNING id)
            INSERT INTO enrollments (tenant_id, user_id, course_id, created_at, updated_at)
            SELECT :tenant, id, :course, :now, :now FROM person
            """,
            unit=unit.id,
            many=made.many,
            course=made.course,
        )
    return made


async def find_ids(tx: Tx, query: PeopleQuery, reach: Reach) -> list[UUID]:
    """Finds the ids in parts, as they are enrolled."""
    ids: list[UUID] = []
    while True:
        part, after = await list_ids(tx, PEOPLE, query, reach, limit=100)
        ids += part
        if after is None:
            return ids
        query = structs.replace(query, cursor=after)


async def found(company: Company, reach: Reach, **asked: Any) -> list[Any]:
    """Returns all pages of the search."""
    rows: list[Any] = []
    cursor = None
    while True:
        async with company.world.tx() as tx:
            page = await fetch_page(
                tx, ENROLLMENT_ROWS, EnrollmentSearch(**asked, limit=100, cursor=cursor), reach
            )
        rows += page.data
        if (cursor := page.next_cursor) is None:
            return rows


async def test_enrollments_of_many_people_are_each_found_once(company: Company) -> None:
    many = company.many
    for reach in (EVERYONE, company.gestor, company.instrutor):
        rows = await found(company, reach, q="maria")
        assert len(rows) == len({each.id for each in rows}) == many
        keys = [(each.created_at, each.id) for each in rows]
        assert keys == sorted(keys, reverse=True)
        assert len(await found(company, reach, q="m", sort="created")) == many
        assert len(await found(company, reach, q="maria", sort="-updated", status="open")) == many
        assert len(await found(company, reach, q="529.982.247-25")) == 0
    assert len(await found(company, company.gestor)) == many
    assert len(await found(company, company.instrutor)) == many + 1
    assert len(await found(company, EVERYONE, sort="updated", status="not_started")) == many + 2
    assert [each.user_name for each in await found(company, company.other_instrutor)] == ["Zoé Prado"]
    assert await found(company, company.other_instrutor, q="maria") == []
    assert await found(company, company.gestor, q="prado") == []


@pytest.mark.parametrize("sort", ["updated", "-updated"])
async def test_a_teacher_s_by_their_last_change(company: Company, sort: str) -> None:
    rows = await found(company, company.instrutor, sort=sort)
    keys = [(each.updated_at, each.id) for each in rows]
    assert keys == sorted(keys, reverse=sort == "-updated")
    assert len(set(keys)) == company.many + 1
    assert len(await found(company, company.instrutor, sort=sort, q="maria")) == company.many
    assert len(await found(company, company.other_instrutor, sort=sort)) == 1
    assert len(await found(company, company.instrutor, sort=sort, user=rows[0].user_id)) == 1


async def test_one_course_is_searched_within_reach(company: Company) -> None:
    many = company.many
    asked: list[dict[str, Any]] = [
        {"course": company.course},
        {"course": company.course, "q": "maria", "sort": "updated"},
        {"course": company.course, "q": "prado"},
    ]
    reaches = (EVERYONE, company.gestor, company.instrutor, company.other_instrutor)
    assert [len(await found(company, reach, **one)) for reach in reaches for one in asked] == [
        *(many + 1, many, 1),
        *(many, many, 0),
        *(many + 1, many, 1),
        *(0, 0, 0),
    ]


async def test_learners_are_found_whether_they_are_many_or_few(company: Company) -> None:
    numbered = sum(str(number).startswith("17") for number in range(1, company.many + 1))
    async with company.world.tx() as tx:
        for query, many, few in (
            (PeopleQuery(), company.many + 1, 1),
            (PeopleQuery(q="maria"), company.many, 0),
            (PeopleQuery(q="maria 17"), numbered, 0),
            (PeopleQuery(q="prado zo"), 1, 1),
            (PeopleQuery(q="z"), 1, 1),
            (PeopleQuery(q="z", sort="email"), 1, 1),
            (PeopleQuery(q="m", sort="-created"), company.many, 0),
            (PeopleQuery(q="z", status="INACTIVE"), 0, 0),
        ):
            counted = await count(tx, PEOPLE, query, company.instrutor)
            assert counted.total == many if counted.exact else counted.total < many
            assert len(await find_ids(tx, query, company.instrutor)) == many
            assert await count(tx, PEOPLE, query, company.other_instrutor) == Count(few)
        page = await fetch_nonempty_page(tx, PEOPLE, PeopleQuery(sort="-name"), company.instrutor)
        assert page.data[0].name == "Zoé Prado"
        page = await fetch_page(tx, PEOPLE, PeopleQuery(), company.other_instrutor)
        assert [each.name for each in page.data] == ["Zoé Prado"]


@pytest.mark.parametrize("typed", ["maria", "m"])
async def test_people_of_a_common_word_and_a_filter_are_each_found_once(company: Company, typed: str) -> None:
    for sort in ("name", "-name", "email"):
        rows: list[Any] = []
        cursor = None
        while True:
            asked = PeopleQuery(q=typed, status="ACTIVE", sort=sort, limit=100, cursor=cursor)  # type: ignore[arg-type]
            async with company.world.tx() as tx:
                page = await fetch_page(tx, PEOPLE, asked, company.gestor)
            rows += page.data
            if (cursor := page.next_cursor) is None:
                break
        assert len({each.id for each in rows}) == len(rows) == company.many
        keys = [(getattr(each, "email" if sort == "email" else "name_key"), each.id) for each in rows]
        assert keys == sorted(keys, reverse=sort == "-name")


async def test_people_of_a_group_are_each_found_once(company: Company) -> None:
    many = company.many
    numbered = sum(str(number).startswith("17") for number in range(1, many + 1))
    async with company.world.tx() as tx:
        group = await groups.create(tx, NewLearningGroup(name=Name("Brigada")))
        everybody = await find_ids(tx, PeopleQuery(role="learner"), EVERYONE)
        await groups.add_members(tx, group.id, everybody)
        for reach, asked, number in (
            (EVERYONE, {}, many + 1),
            (EVERYONE, {"q": "maria"}, many),
            (EVERYONE, {"q": "zo prado"}, 1),
            (EVERYONE, {"status": "INACTIVE"}, 0),
            (company.gestor, {}, many),
            (company.gestor, {"q": "maria"}, many),
            (company.gestor, {"q": "zo prado"}, 0),
            (company.gestor, {"q": "z"}, 0),
            (company.instrutor, {}, many + 1),
            *((reach, {"q": "maria", "sort": "-created"}, many) for reach in (EVERYONE, company.gestor)),
            *((reach, {"q": "m", "sort": "-email"}, many) for reach in (EVERYONE, company.gestor)),
            (company.gestor, {"q": "z", "sort": "created"}, 0),
            (EVERYONE, {"q": "z", "sort": "created"}, 1),
            *((reach, {"q": "maria 17", "sort": "email"}, numbered) for reach in (EVERYONE, company.gestor)),
        ):
            query = PeopleQuery(group=group.id, **asked)
            found = await find_ids(tx, query, reach)
            assert len(found) == len(set(found)) == number
            counted = await count(tx, PEOPLE, query, reach)
            assert counted.total == number if counted.exact else counted.total <= number


async def test_people_of_two_units_at_once_are_those_of_both(company: Company) -> None:
    async with company.world.tx() as tx:
        other = await units.create(tx, NewBusinessUnit(name=Name("Outra")))
        (own,) = [each for each in await units_read.list_tree(tx) if each.name == "Frota"]
        for unit, number in ((own.id, company.many), (other.id, 0)):
            assert len(await find_ids(tx, PeopleQuery(unit=unit), company.gestor)) == number
