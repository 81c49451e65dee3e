"""GET /v1/users by what companies know people by, and POST /v1/users/search."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from conftest import CPF, World
from trilha.business_units import actions as business_units
from trilha.business_units.schema import NewBusinessUnit
from trilha.core.types import Name
from trilha.personal_data.actions import erase


async def found(world: World, query: str) -> list[str]:
    answer = await world.http.get(f"/v1/users?{query}")
    assert answer.status_code == 200, answer.text
    return [user["id"] for user in answer.json()["data"]]


async def test_filters_by_what_a_company_knows(world: World) -> None:
    async with world.tx() as tx:
        unit = await business_units.create(tx, NewBusinessUnit(name=Name("Sul")))
    ana = (await world.user(employee_number="A1", department="RH", business_unit_id=str(unit.id)))["id"]
    world.clock.move(seconds=1)
    since = world.clock.now.isoformat().replace("+00:00", "Z")
    bia = (await world.user(employee_number="A10", department="RH"))["id"]
    for query, expected in (
        ("employee_number=A1", [ana]),
        ("employee_number=a1", []),
        ("department=RH", [bia, ana]),
        ("department=rh", []),
        (f"business_unit_id={unit.id}", [ana]),
        (f"business_unit_id={uuid4()}", []),
        (f"created_since={since}", [bia]),
        (f"created_since={since}&department=RH", [bia]),
        ("department=RH&employee_number=A1&status=active&role=LEARNER", [ana]),
    ):
        assert await found(world, query) == expected, query


@pytest.fixture
async def people(world: World) -> dict[str, str]:
    names = {"ana": "Ana Lúcia Prado", "bia": "Beatriz Prado", "caio": "Caio Anacleto"}
    made = [(await world.user(name=name, email=f"{key}@prado.example"))["id"] for key, name in names.items()]
    return dict(zip(names, made, strict=True))


async def test_q_finds_by_name_and_address(world: World, people: dict[str, str]) -> None:
    for query, expected in (
        ("q=prado", ["ana", "bia"]),
        ("q=PRADO lucia", ["ana"]),
        ("q=ana", ["ana", "caio"]),
        ("q=caio@prado", ["caio"]),
        ("q=b", ["bia"]),
        ("q=nobody", []),
        ("q=%CC%81", []),  # nothing that could be looked for is not everybody
        ("q=prado&status=suspended", []),
        ("q=prado&status=active&limit=5", ["ana", "bia"]),
    ):
        assert await found(world, query) == [people[name] for name in expected], query


async def test_q_does_not_find_a_cpf(world: World) -> None:
    """It would stand in logs of addresses."""
    await world.user(cpf=CPF)
    assert await found(world, f"q={CPF}") == []


async def test_q_goes_with_updated_since(world: World, people: dict[str, str]) -> None:
    world.clock.move(seconds=1)
    since = world.clock.now.isoformat().replace("+00:00", "Z")
    for name in ("bia", "ana"):
        await world.http.patch(f"/v1/users/{people[name]}", json={"department": "RH"})
        world.clock.move(seconds=1)
    assert await found(world, f"q=prado&updated_since={since}") == [people["bia"], people["ana"]]


@pytest.mark.parametrize("filters", ["q=prado", "q=prado&status=ACTIVE", "department=RH"])
async def test_pages_meet_everybody_once(world: World, filters: str) -> None:
    made = [(await world.user(name=f"Ana Prado {n % 3}", department="RH"))["id"] for n in range(7)]
    seen: list[str] = []
    cursor = ""
    while True:
        page: dict[str, Any] = (await world.http.get(f"/v1/users?{filters}&limit=2{cursor}")).json()
        seen += [user["id"] for user in page["data"]]
        if not page["has_more"]:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert sorted(seen) == sorted(made)


async def test_search_finds_whose_cpf_it_is(world: World, stranger: World) -> None:
    user = await world.user(cpf=CPF)
    await stranger.user(cpf=CPF)
    for form in (CPF, "52998224725"):
        answer = await world.http.post("/v1/users/search", json={"cpf": form})
        assert answer.json() == {"data": [user], "next_cursor": None, "has_more": False, "limit": 100}
    async with world.tx() as tx:
        await erase(tx, UUID(user["id"]))
    assert (await world.http.post("/v1/users/search", json={"cpf": CPF})).json()["data"] == []


async def test_search_refuses_what_is_no_cpf(world: World) -> None:
    for body, field, code in (({"cpf": "1"}, "cpf", "invalid_cpf"), ({}, "cpf", "required")):
        error = (await world.http.post("/v1/users/search", json=body)).json()["error"]
        assert (error["field"], error["code"]) == (field, code)
