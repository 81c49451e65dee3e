"""Where thousands are found, it is all of them, once and in order, as where few are."""

from typing import Any
from uuid import UUID

import pytest

from conftest import World
from panel.signing_in import signed_in, user_id
from trilha.business_units import actions as units
from trilha.business_units import queries as units_read
from trilha.business_units.schema import NewBusinessUnit
from trilha.core.types import Name
from trilha.courses import actions as courses
from trilha.enrollments import search
from trilha.enrollments.schema import EnrollmentSearch
from trilha.learning_groups import actions as groups
from trilha.learning_groups.schema import NewLearningGroup
from trilha.users import finding, sources
from trilha.users import search as people
from trilha.users.reach import EVERYONE, Reach
from trilha.users.schema import PeopleQuery

WHOLE = 3_100  # more than are looked up by their ids, as people and as learners
# How many are few, wherever a search goes another way for many.
BOUNDS = ((people, "_FEW_LEARNERS"), (people, "_MOST_FEW"), (search, "_FEW"), (finding, "_FEW"))
SHORT = 10


class Company:
    """A unit of `many` people called Maria, all in `course`; Zoé is in it, too, and in no unit."""

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
    for module, name in BOUNDS if made.many < WHOLE else ():
        monkeypatch.setattr(module, name, getattr(module, name) // SHORT)
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


async def found(company: Company, reach: Reach, **asked: Any) -> list[Any]:
    """All pages of the search."""
    rows: list[Any] = []
    cursor = None
    while True:
        async with company.world.tx() as tx:
            page = await search.search(tx, EnrollmentSearch(**asked, limit=100, cursor=cursor), reach)
        rows += page.data
        if (cursor := page.next_cursor) is None:
            return rows


@pytest.mark.parametrize("first", [0, 150, 100_000])
async def test_enrollments_of_many_people_are_each_found_once(
    company: Company, monkeypatch: pytest.MonkeyPatch, first: int
) -> None:
    monkeypatch.setattr(search, "_FIRST", first)
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


@pytest.mark.parametrize("few", [0, 10_000])
@pytest.mark.parametrize("sort", ["updated", "-updated"])
async def test_a_teacher_s_by_their_last_change(
    company: Company, monkeypatch: pytest.MonkeyPatch, few: int, sort: str
) -> None:
    monkeypatch.setattr(search, "_FEW_TAUGHT", few)
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
            found = await people.search_and_count(tx, query, company.instrutor)
            assert found.total == min(many, found.most + 1)
            assert len(await people.find_ids(tx, query, company.instrutor, 10_000)) == many
            assert (await people.search_and_count(tx, query, company.other_instrutor)).total == few
        page = await people.search(tx, PeopleQuery(sort="-name"), company.instrutor)
        assert page.data[0].name == "Zoé Prado"
        page = await people.search(tx, PeopleQuery(), company.other_instrutor)
        assert [each.name for each in page.data] == ["Zoé Prado"]


@pytest.mark.parametrize("typed", ["maria", "m"])
async def test_people_of_a_common_word_and_a_filter_are_each_found_once(company: Company, typed: str) -> None:
    for sort in ("name", "-name", "email"):
        rows: list[Any] = []
        cursor = None
        while True:
            asked = PeopleQuery(q=typed, status="ACTIVE", sort=sort, limit=100, cursor=cursor)  # type: ignore[arg-type]
            async with company.world.tx() as tx:
                page = await people.search(tx, asked, company.gestor)
            rows += page.data
            if (cursor := page.next_cursor) is None:
                break
        assert len({each.id for each in rows}) == len(rows) == company.many
        keys = [(getattr(each, "email" if sort == "email" else "name_key"), each.id) for each in rows]
        assert keys == sorted(keys, reverse=sort == "-name")


@pytest.mark.parametrize("kept", [0, sources._KEPT])
async def test_people_of_a_group_are_each_found_once(
    company: Company, monkeypatch: pytest.MonkeyPatch, kept: int
) -> None:
    monkeypatch.setattr(sources, "_KEPT", kept)
    many = company.many
    numbered = sum(str(number).startswith("17") for number in range(1, many + 1))
    async with company.world.tx() as tx:
        group = await groups.create(tx, NewLearningGroup(name=Name("Brigada")))
        everybody = await people.find_ids(tx, PeopleQuery(role="learner"), EVERYONE, 10_000)
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
            found = await people.find_ids(tx, query, reach, 10_000)
            assert len(found) == len(set(found)) == number
            last, walked = None, list[UUID]()
            while part := await people.find_ids_after(tx, query, reach, last, 100):
                walked += part
                last = part[-1]
            assert (set(walked), walked) == (set(found), sorted(walked))
            listed = await people.search_and_count(tx, query, reach)
            assert listed.total == min(number, listed.most + 1)
            assert len(listed.page.data) == min(number, listed.page.limit)


async def test_people_of_two_units_at_once_are_those_of_both(company: Company) -> None:
    async with company.world.tx() as tx:
        other = await units.create(tx, NewBusinessUnit(name=Name("Outra")))
        (own,) = [each for each in await units_read.list_tree(tx) if each.name == "Frota"]
        for unit, number in ((own.id, company.many), (other.id, 0)):
            assert len(await people.find_ids(tx, PeopleQuery(unit=unit), company.gestor, 10_000)) == number
