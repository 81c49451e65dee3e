"""GET /v1/users by the identifiers that companies use, and POST /v1/users/search."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from conftest import CPF, World
from trilha.app import PERSONAL_DATA
from trilha.core.lists import narrowing
from trilha.core.types import Name
from trilha.people.business_units import actions as business_units
from trilha.people.business_units.schema import NewBusinessUnit

# Rare values are found in another way than common ones. Both give the same result, with any page size.
some_are_few = pytest.mark.parametrize("few", [0, 3, 500])


@pytest.fixture
def _few(monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    monkeypatch.setattr(narrowing, "MAX_IDS", few)


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
        ("q=%CC%81", []),  # an empty search does not match everyone
        ("q=prado&status=suspended", []),
        ("q=prado&status=active&limit=5", ["ana", "bia"]),
    ):
        assert await found(world, query) == [people[name] for name in expected], query


async def test_q_without_anything_to_look_for_has_an_end(world: World, people: dict[str, str]) -> None:
    page = (await world.http.get("/v1/users?q=%CC%81")).json()
    assert (page["data"], page["has_more"]) == ([], False)


async def test_q_does_not_find_a_cpf(world: World) -> None:
    """It would be in logs of addresses."""
    await world.user(cpf=CPF)
    assert await found(world, f"q={CPF}") == []


@pytest.mark.parametrize("few", [0, 500])
@pytest.mark.usefixtures("_few")
async def test_q_goes_with_updated_since(world: World, people: dict[str, str]) -> None:
    world.clock.move(seconds=1)
    since = world.clock.now.isoformat().replace("+00:00", "Z")
    for name in ("bia", "ana"):
        await world.http.patch(f"/v1/users/{people[name]}", json={"department": "RH"})
        world.clock.move(seconds=1)
    assert await found(world, f"q=prado&updated_since={since}") == [people["bia"], people["ana"]]


@some_are_few
@pytest.mark.usefixtures("_few")
async def test_who_is_found_by_name_comes_before_who_is_found_otherwise(world: World) -> None:
    async def user(key: str, name: str, number: str | None = None) -> str:
        made = await world.user(name=name, email=f"{key}@example.com", employee_number=number)
        return str(made["id"])

    zoe = await user("maria.z", "Zoé Maria Lima")
    recepcao = await user("maria", "Recepção")
    depot = await user("marcos", "Depósito Sul", "mar-7")
    mara = await user("x1", "Mara Alves")
    maria = await user("maria.b", "Maria Mariana Braga")
    other = await user("y", "João Marítimo")
    await user("z", "Ana Souza")
    for query, expected in (
        # One of the last two matches by number and address, and counts once: by the first of them.
        ("q=mar", [other, mara, maria, zoe, depot, recepcao]),
        ("q=mari", [other, maria, zoe, recepcao]),
        ("q=maria", [maria, zoe, recepcao]),
        ("q=maria lima", [zoe]),
        ("q=lim mar", [zoe]),
        ("q=mar dep", [depot]),
        ("q=mar sul", [depot]),
        ("q=rece mar", [recepcao]),
        ("q=braga maria.", [maria]),
        ("q=mar mari", [other, maria, zoe, recepcao]),
        ("q=mar m", [other, mara, maria, zoe, depot, recepcao]),
        ("q=(mar", []),
        ("q=mar [a", []),
        ("q=maria example", []),
        ("q=maria@", [recepcao]),
        ("q=mar-7", [depot]),
        ("q=mar&status=active", [other, mara, maria, zoe, depot, recepcao]),
        ("q=mar&department=RH", []),
    ):
        assert await found(world, query) == expected, query
        seen, cursor = [], ""
        while True:
            page = (await world.http.get(f"/v1/users?{query}&limit=1{cursor}")).json()
            seen += [each["id"] for each in page["data"]]
            if not page["has_more"]:
                break
            cursor = f"&cursor={page['next_cursor']}"
        assert seen == expected, query


@some_are_few
@pytest.mark.usefixtures("_few")
async def test_a_page_goes_on_where_there_were_few_and_are_many(
    world: World, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    """Each page may be found in a different way."""
    made = [
        (await world.user(name=name, email=f"{key}@prado.example"))["id"]
        for key, name in (("a", "Ana Prado"), ("b", "Bia Prado"), ("prado1", "Caio"), ("prado2", "Davi"))
    ]
    seen, cursor = [], ""
    for way in (few, 500 - few, few, 500 - few):
        monkeypatch.setattr(narrowing, "MAX_IDS", way)
        page = (await world.http.get(f"/v1/users?q=prado&status=ACTIVE&limit=1{cursor}")).json()
        seen += [each["id"] for each in page["data"]]
        cursor = f"&cursor={page['next_cursor']}"
    assert seen == made


@some_are_few
@pytest.mark.usefixtures("_few")
@pytest.mark.parametrize(
    "filters",
    ["q=prado", "q=prado&status=ACTIVE", "q=prado ana", "department=RH", "q=p&department=RH", "q=a"],
)
async def test_pages_meet_everybody_once(world: World, filters: str) -> None:
    made = [(await world.user(name=f"Ana Prado {n % 3}", department="RH"))["id"] for n in range(7)]
    if filters.startswith("q=p&"):
        made = []  # a single letter matches the start of the whole name
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
        await PERSONAL_DATA.erase(tx, UUID(user["id"]))
    assert (await world.http.post("/v1/users/search", json={"cpf": CPF})).json()["data"] == []


async def test_search_refuses_what_is_no_cpf(world: World) -> None:
    for body, field, code in (({"cpf": "1"}, "cpf", "invalid_cpf"), ({}, "cpf", "required")):
        error = (await world.http.post("/v1/users/search", json=body)).json()["error"]
        assert (error["field"], error["code"]) == (field, code)
