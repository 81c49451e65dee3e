"""Business units: the tree stays a tree, managers, and the people within their reach."""

import asyncio
from uuid import UUID

import asyncpg
import pytest

from conftest import World
from trilha.core.errors import Conflict, NotFound
from trilha.core.lists import fetch_page
from trilha.core.types import Name
from trilha.people.business_units import actions, queries
from trilha.people.business_units.schema import BusinessUnit, BusinessUnitPatch, Code, NewBusinessUnit
from trilha.people.users.lists import PEOPLE
from trilha.people.users.reach import EVERYONE, Reach
from trilha.people.users.schema import PeopleQuery
from trilha.training.courses.queries import get as get_course

NOBODY = UUID("1b4e28ba-2fa1-41d2-883f-0016d3cca427")


async def unit(world: World, name: str, parent: BusinessUnit | None = None, **options: str) -> BusinessUnit:
    new = NewBusinessUnit(
        name=Name(name),
        parent_id=parent and parent.id,
        code=Code(options["code"]) if "code" in options else None,
    )
    async with world.tx() as tx:
        return await actions.create(tx, new)


async def names(world: World) -> list[str]:
    async with world.tx() as tx:
        return ["/".join(each.path) for each in await queries.list_tree(tx)]


async def test_a_tree_is_listed_renamed_moved_and_emptied(world: World) -> None:
    top = await unit(world, "Matriz")
    south = await unit(world, "Sul", top)
    shop = await unit(world, "Água Verde", south, code="AV")
    await unit(world, "Norte", top)
    assert await names(world) == ["Matriz", "Matriz/Norte", "Matriz/Sul", "Matriz/Sul/Água Verde"]
    async with world.tx() as tx:
        await actions.update(tx, south.id, BusinessUnitPatch(name=Name("Sudeste"), code=Code("S")))
        await actions.move(tx, shop.id, None)
    assert await names(world) == ["Água Verde", "Matriz", "Matriz/Norte", "Matriz/Sudeste"]
    async with world.tx() as tx:
        await actions.delete(tx, south.id)
        told = await tx.rows(
            "SELECT action FROM audit_records WHERE tenant_id = :tenant AND action LIKE 'b%'"
        )
    assert len(await names(world)) == 3
    assert [row["action"].partition(".")[2] for row in told].count("created") == 4
    assert {row["action"].partition(".")[2] for row in told} == {"created", "updated", "moved", "deleted"}


async def test_units_are_shown_with_their_own_people_and_managers(world: World) -> None:
    top = await unit(world, "Matriz")
    south = await unit(world, "Sul", top)
    for name in ("Ana", "Bia"):
        await world.user(name=name, business_unit_id=str(south.id))
    manager = await world.user(name="Caio", role="gestor")
    async with world.tx() as tx:
        await actions.set_managers(tx, top.id, [UUID(manager["id"])])
        listed = await queries.with_people(tx, await queries.list_tree(tx))
        assert [(each.name, each.people, each.managers) for each in listed] == [
            ("Matriz", 0, ["Caio"]),
            ("Sul", 2, []),
        ]
        assert await queries.with_people(tx, []) == []


async def test_a_manager_has_their_units_and_all_below_them(world: World) -> None:
    top = await unit(world, "Matriz")
    south = await unit(world, "Sul", top)
    await unit(world, "Loja", await unit(world, "Curitiba", south))
    await unit(world, "Norte", top)
    manager = UUID((await world.user(role="gestor"))["id"])
    async with world.tx() as tx:
        assert await queries.list_tree(tx, manager) == []
        await actions.set_managers(tx, south.id, [manager])
        paths = ["/".join(each.path) for each in await queries.list_tree(tx, manager)]
    assert paths == ["Matriz/Sul", "Matriz/Sul/Curitiba", "Matriz/Sul/Curitiba/Loja"]


async def test_no_unit_comes_below_itself(world: World) -> None:
    top = await unit(world, "A")
    middle = await unit(world, "B", top)
    bottom = await unit(world, "C", middle)
    for below in (top, middle, bottom):
        with pytest.raises(Conflict, match="business_unit_below_itself"):
            async with world.tx() as tx:
                await actions.move(tx, top.id, below.id)
    with pytest.raises(NotFound):
        async with world.tx() as tx:
            await actions.move(tx, bottom.id, NOBODY)
    assert await names(world) == ["A", "A/B", "A/B/C"]


async def test_two_moves_at_once_make_no_circle(world: World) -> None:
    for turn in range(10):
        one, two = await unit(world, f"A{turn}"), await unit(world, f"B{turn}")

        async def move(what: BusinessUnit, under: BusinessUnit) -> bool:
            async with world.tx() as tx:
                await actions.move(tx, what.id, under.id)
            return True

        came = await asyncio.gather(move(one, two), move(two, one), return_exceptions=True)
        assert sorted(str(each) for each in came) == ["True", "business_unit_below_itself"]
    assert len(await names(world)) == 20


async def test_a_unit_with_people_stays(world: World) -> None:
    full = await unit(world, "A")
    await world.user(business_unit_id=str(full.id))
    with pytest.raises(Conflict, match="business_unit_not_empty"):
        async with world.tx() as tx:
            await actions.delete(tx, full.id)


async def test_a_code_belongs_to_one_unit_of_a_tenant(world: World, stranger: World) -> None:
    await unit(world, "A", code="X")
    await unit(stranger, "A", code="X")
    other = await unit(world, "B")
    with pytest.raises(Conflict, match="business_unit_code_exists"):
        async with world.tx() as tx:
            await actions.update(tx, other.id, BusinessUnitPatch(code=Code("X")))


async def test_another_tenants_unit_is_none(world: World, stranger: World) -> None:
    theirs = await unit(stranger, "A")
    with pytest.raises(NotFound, match="business_unit_not_found"):
        async with world.tx() as tx:
            await actions.create(tx, NewBusinessUnit(name=Name("B"), parent_id=theirs.id))


async def reached(world: World, reach: Reach, **query: object) -> list[str]:
    async with world.tx() as tx:
        page = await fetch_page(tx, PEOPLE, PeopleQuery(**query), reach)  # type: ignore[arg-type]
        condition, params = reach.condition("u")
        rows = await tx.rows(
            f"SELECT name FROM users AS u WHERE tenant_id = :tenant AND {condition} ORDER BY name", **params
        )
    found = [person.name for person in page.data]
    assert query or found == [row["name"] for row in rows]
    return found


async def test_each_role_reaches_whom_it_should(world: World) -> None:
    top = await unit(world, "Matriz")
    shop = await unit(world, "Loja", top)
    other = await unit(world, "Outra")
    boss = UUID((await world.user(name="Boss", role="gestor"))["id"])
    teacher = UUID((await world.user(name="Teacher", role="instrutor"))["id"])
    await world.user(name="Ana", business_unit_id=str(top.id))
    bia = await world.user(name="Bia", business_unit_id=str(shop.id))
    await world.user(name="Caio", business_unit_id=str(other.id))
    async with world.tx() as tx:
        await actions.set_managers(tx, top.id, [boss])
    course = await world.course()
    await world.enrollment(user_id=bia["id"], course_id=course)
    async with world.tx() as tx:
        await get_course(tx, course)
        await tx.execute("INSERT INTO course_teachers VALUES (:tenant, :c, :u)", c=course, u=teacher)
    assert await reached(world, EVERYONE) == ["Ana", "Bia", "Boss", "Caio", "Teacher"]
    assert await reached(world, Reach("gestor", boss)) == ["Ana", "Bia"]
    assert await reached(world, Reach("instrutor", teacher)) == ["Bia"]
    assert await reached(world, Reach("learner", UUID(bia["id"]))) == ["Bia"]
    assert await reached(world, Reach("gestor", boss), q="bi") == ["Bia"]
    assert await reached(world, Reach("gestor", boss), q="cai") == []
    assert await reached(world, EVERYONE, unit=top.id) == ["Ana", "Bia"]
    # A person who is no longer a gestor manages nothing, even after becoming one again.
    await world.promote(boss, "learner")
    await world.promote(boss, "gestor")
    assert await reached(world, Reach("gestor", boss)) == []


async def test_the_database_refuses_a_unit_that_is_not_there(world: World) -> None:
    user = await world.user()
    with pytest.raises(asyncpg.ForeignKeyViolationError):
        async with world.tx() as tx:
            await tx.execute(
                "UPDATE users SET business_unit_id = :unit WHERE tenant_id = :tenant AND id = :id",
                unit=NOBODY,
                id=UUID(user["id"]),
            )
