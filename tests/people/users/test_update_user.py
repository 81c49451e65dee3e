"""PATCH /v1/users/{id}"""

from typing import Any

import pytest

from conftest import CNH, CPF, PHONE, World

LICENCE = {"numero": CNH, "categoria": "AB", "validade": "2099-01-31", "ear": True}
WHOLE: dict[str, Any] = {
    "name": "Ana Lima",
    "department": "RH",
    "job_title": "Analista",
    "business_unit_id": "1b4e28ba-2fa1-41d2-883f-0016d3cca427",
    "employee_number": "0042",
    "cpf": CPF,
    "phone": PHONE,
    "birth_date": "1990-05-17",
    "cnh": LICENCE,
}
MASKED = {
    "cpf": "***.***.***-25",
    "phone": "(**) *****-**21",
    "birth_date": "****-**-**",
    "cnh": LICENCE | {"numero": "*********09"},
}


@pytest.fixture(autouse=True)
async def _unit(world: World) -> None:
    async with world.tx() as tx:
        await tx.execute(
            """
            INSERT INTO business_units (tenant_id, id, name, created_at, updated_at)
            VALUES (:tenant, :unit, 'RH', :now, :now)
            """,
            unit=WHOLE["business_unit_id"],
        )


async def test_changes_what_is_sent_and_nothing_else(world: World) -> None:
    user = await world.user(department="RH", job_title="Analista")
    world.clock.move(seconds=1)
    answer = await world.http.patch(f"/v1/users/{user['id']}", json={"name": " Ana Maria ", "cpf": CPF})
    assert answer.status_code == 200
    changed = answer.json()["data"]
    assert changed["updated_at"] > user["updated_at"]
    assert changed == user | {
        "name": "Ana Maria",
        "cpf": "***.***.***-25",
        "updated_at": changed["updated_at"],
    }
    assert (await world.http.get(f"/v1/users/{user['id']}")).json() == {"data": changed}
    assert await world.events("user.updated") == [
        ("user.updated", {"user_id": user["id"], "changed": ["name", "cpf"]})
    ]


@pytest.mark.parametrize("member", list(WHOLE))
async def test_takes_every_member_and_no_change_is_no_event(world: World, member: str) -> None:
    user = await world.user(name="Bia")
    address = f"/v1/users/{user['id']}"
    changed = (await world.http.patch(address, json={member: WHOLE[member]})).json()["data"]
    assert changed[member] == MASKED.get(member, WHOLE[member])
    world.clock.move(seconds=1)
    again = (await world.http.patch(address, json={member: WHOLE[member]})).json()["data"]
    assert again == changed
    assert len(await world.events("user.updated")) == 1


@pytest.mark.parametrize("member", [name for name in WHOLE if name != "name"])
async def test_null_clears_once(world: World, member: str) -> None:
    user = await world.user(**WHOLE)
    address = f"/v1/users/{user['id']}"
    for _ in range(2):
        answer = await world.http.patch(address, json={member: None})
        assert answer.json()["data"][member] is None
    assert await world.events("user.updated") == [
        ("user.updated", {"user_id": user["id"], "changed": [member]})
    ]
    if member in MASKED:
        async with world.tx() as tx:
            (row,) = await tx.rows(f"SELECT {member}_sealed AS sealed FROM users WHERE tenant_id = :tenant")
        assert row["sealed"] is None


async def test_a_name_cannot_be_cleared(world: World) -> None:
    user = await world.user()
    answer = await world.http.patch(f"/v1/users/{user['id']}", json={"name": None})
    assert answer.status_code == 400
    assert answer.json()["error"]["field"] == "name"


@pytest.mark.parametrize(
    ("members", "is_change"),
    [
        ({"cpf": "52998224725"}, False),
        ({"phone": "11987654321"}, False),
        ({"cpf": "111.444.777-35"}, True),
        # Masked, these look as before.
        ({"phone": "+55 21 98765-4321"}, True),
        ({"birth_date": "1990-05-18"}, True),
        ({"cnh": LICENCE | {"ear": False}}, True),
        ({"cnh": LICENCE | {"validade": "2098-01-31"}}, True),
        ({"cnh": LICENCE | {"categoria": "B"}}, True),
        ({"name": "  Ana Lima "}, False),
    ],
)
async def test_documents_are_compared_not_their_masks(
    world: World, members: dict[str, Any], is_change: bool
) -> None:
    user = await world.user(**WHOLE)
    assert (await world.http.patch(f"/v1/users/{user['id']}", json=members)).status_code == 200
    assert bool(await world.events("user.updated")) is is_change


async def test_an_empty_patch_changes_nothing(world: World) -> None:
    user = await world.user()
    world.clock.move(seconds=1)
    assert (await world.http.patch(f"/v1/users/{user['id']}", json={})).json() == {"data": user}
    assert await world.events("user.updated") == []


@pytest.mark.parametrize(
    ("members", "field", "code"),
    [
        ({"email": "new.example.com"}, "email", "invalid_email"),
        ({"email": None}, "email", "invalid_type"),
        ({"role": "gestor"}, "role", "unknown_field"),
        ({"status": "ACTIVE"}, "status", "unknown_field"),
        ({"password": "correct horse"}, "password", "unknown_field"),
        ({"xp": 9000}, "xp", "unknown_field"),
        ({"name": ""}, "name", "too_short"),
        ({"department": "x" * 201}, "department", "too_long"),
        ({"business_unit_id": "7"}, "business_unit_id", "invalid_uuid"),
        ({"cpf": "***.***.***-25"}, "cpf", "invalid_cpf"),
        ({"birth_date": "****-**-**"}, "birth_date", "invalid_birth_date"),
        ({"cnh": LICENCE | {"validade": "2001-01-31"}}, "cnh.validade", "cnh_expired"),
        ({"cnh": LICENCE | {"numero": CNH[::-1]}}, "cnh.numero", "invalid_cnh_number"),
        ({"cnh": {"numero": CNH}}, "cnh.categoria", "required"),
        ({"cnh": LICENCE | {"uf": "SP"}}, "cnh.uf", "unknown_field"),
        ({"birth_date": "2020-01-01"}, "birth_date", "underage"),
    ],
)
async def test_names_what_is_wrong_and_changes_nothing(
    world: World, members: dict[str, Any], field: str, code: str
) -> None:
    user = await world.user()
    answer = await world.http.patch(f"/v1/users/{user['id']}", json={"job_title": "New"} | members)
    error = answer.json()["error"]
    assert (answer.status_code, error["field"], error["code"]) == (400, field, code)
    assert (await world.http.get(f"/v1/users/{user['id']}")).json() == {"data": user}


@pytest.mark.parametrize("id", ["1b4e28ba-2fa1-41d2-883f-0016d3cca427", "7"])
async def test_a_user_that_is_not_there(world: World, id: str) -> None:
    answer = await world.http.patch(f"/v1/users/{id}", json={"name": "Ana"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "user_not_found")
