"""PUT /v1/users/bulk"""

import asyncio
import json
from typing import Any
from uuid import UUID, uuid4

import pytest

from conftest import CNH, CPF, PHONE, World
from trilha.app import PERSONAL_DATA
from trilha.core.credentials import Scope

LICENCE = {"numero": CNH, "categoria": "AB", "validade": "2099-01-31", "ear": True}
DOCUMENTS: dict[str, Any] = {"cpf": CPF, "phone": PHONE, "birth_date": "1990-05-17", "cnh": LICENCE}
OTHER_CPF = "111.444.777-35"


async def put(world: World, *users: Any, **more: Any) -> dict[str, Any]:
    answer = await world.http.put("/v1/users/bulk", json={"users": list(users)} | more)
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


def counts(result: dict[str, Any]) -> tuple[int, ...]:
    return tuple(result[name] for name in ("created", "updated", "unchanged", "failed"))


def errors(result: dict[str, Any]) -> list[tuple[int, str | None, str]]:
    return [(each["index"], each["field"], each["code"]) for each in result["errors"]]


async def user(world: World, id: str) -> dict[str, Any]:
    data: dict[str, Any] = (await world.http.get(f"/v1/users/{id}")).json()["data"]
    return data


def person(number: int, **members: Any) -> dict[str, Any]:
    named = {"email": f"p{number}@example.com", "name": f"P {number}", "employee_number": str(number)}
    return named | members


async def test_creates_changes_and_leaves(world: World) -> None:
    first = await put(world, person(1, **DOCUMENTS), person(2), person(3))
    assert (counts(first), first["errors"]) == ((3, 0, 0, 0), [])
    again = await put(world, person(1, **DOCUMENTS), person(2, department="RH"), person(4))
    assert counts(again) == (1, 1, 1, 0)
    assert again["user_ids"][:2] == first["user_ids"][:2]
    made = await user(world, first["user_ids"][0])
    assert (made["cpf"], made["cnh"]["numero"]) == ("***.***.***-25", "*********09")
    assert (await user(world, first["user_ids"][1]))["department"] == "RH"
    assert [type for type, _ in await world.events() if type.startswith("user.")] == ["user.created"] * 3 + [
        "user.updated",
        "user.created",
    ]


async def test_matches_by_number_then_by_address(world: World) -> None:
    ana = await world.user(email="ana@example.com", employee_number="1")
    bia = await world.user(email="bia@example.com")
    result = await put(
        world,
        {"employee_number": "1", "email": "ana.lima@example.com"},
        {"employee_number": "2", "email": "BIA@example.com", "job_title": None},
    )
    assert counts(result) == (0, 2, 0, 0)
    assert result["user_ids"] == [ana["id"], bia["id"]]
    assert (await user(world, ana["id"]))["email"] == "ana.lima@example.com"
    assert (await user(world, bia["id"]))["employee_number"] == "2"
    async with world.tx() as tx:
        letters = await tx.rows("SELECT kind, to_email FROM mail_messages WHERE tenant_id = :tenant")
    assert [tuple(each.values()) for each in letters] == [("email_changed", "ana@example.com")]


async def test_left_out_stays_and_null_clears(world: World) -> None:
    ana = await world.user(email="ana@example.com", department="RH", job_title="A", **DOCUMENTS)
    await put(world, {"email": "ana@example.com", "department": None, "phone": None})
    changed = await user(world, ana["id"])
    assert (changed["department"], changed["phone"]) == (None, None)
    assert (changed["job_title"], changed["cpf"], changed["cnh"]) == ("A", ana["cpf"], ana["cnh"])
    assert await world.events("user.updated") == [
        ("user.updated", {"user_id": ana["id"], "changed": ["department", "phone"]})
    ]


async def test_a_wrong_item_fails_alone(world: World) -> None:
    await world.user(email="owner@example.com", cpf=OTHER_CPF)
    owner = (await world.http.get("/v1/users?email=owner@example.com")).json()["data"][0]["id"]
    result = await put(
        world,
        person(1),
        person(2, cpf="1"),
        person(3, email="no address", shoe_size=41),
        person(4, business_unit_id=str(uuid4())),
        person(5, cpf=OTHER_CPF),
        person(6, role="admin"),
        person(7, birth_date="2020-01-01"),
        {"name": "Nobody"},
        {"employee_number": "9", "name": "Without an address"},
        person(10, name="a\0b"),
        person(11, password="short"),
        person(12),
        person(13, password="mudar123"),
        person(14, password=f"{world.tenant.slug}1"),
    )
    assert counts(result) == (2, 0, 0, 12)
    assert errors(result) == [
        (1, "cpf", "invalid_cpf"),
        (2, "email", "invalid_email"),
        (3, "business_unit_id", "unknown_business_unit"),
        (4, "cpf", "cpf_exists"),
        (5, "role", "role_not_allowed"),
        (6, "birth_date", "underage"),
        (7, "email", "required"),
        (8, "email", "required"),
        (9, "name", "invalid_text"),
        (10, "password", "too_short"),
        (12, "password", "password_common"),
        (13, "password", "password_is_name"),
    ]
    assert result["errors"][3]["detail"] == {"existing_user_id": owner}
    assert [id is None for id in result["user_ids"]] == [False, *[True] * 10, False, True, True]


async def test_items_about_the_same_person(world: World) -> None:
    result = await put(
        world,
        person(1, cpf=CPF),
        person(1),
        person(2, email="p1@example.com"),
        person(1, email="other@example.com"),
        person(3, cpf=CPF),
    )
    assert counts(result) == (1, 0, 0, 4)
    assert errors(result) == [
        *((index, None, "duplicate_item") for index in (1, 2, 3)),
        (4, "cpf", "cpf_exists"),
    ]


async def test_an_address_of_somebody_else_is_not_taken_over(world: World) -> None:
    ana = await world.user(email="ana@example.com", employee_number="1")
    bia = await world.user(email="bia@example.com", employee_number="2")
    swap = [
        {"employee_number": "1", "email": "bia@example.com"},
        {"employee_number": "2", "email": "ana@example.com"},
    ]
    assert errors(await put(world, *swap)) == [(0, "email", "email_exists"), (1, "email", "email_exists")]
    same = [{"employee_number": number, "email": "new@example.com"} for number in ("1", "2")]
    assert errors(await put(world, *same)) == [(1, "email", "email_exists")]
    assert (await user(world, ana["id"]))["email"] == "new@example.com"
    assert (await user(world, bia["id"]))["email"] == "bia@example.com"


async def test_of_an_administrator_the_address_stays(world: World) -> None:
    admin = await world.user(email="admin@example.com", employee_number="1")
    await world.promote(admin["id"], "admin")
    result = await put(world, {"employee_number": "1", "email": "mine@example.com"})
    assert errors(result) == [(0, "email", "privileged_user")]
    assert counts(await put(world, {"employee_number": "1", "department": "TI"})) == (0, 1, 0, 0)


async def test_an_erased_person_is_not_changed(world: World) -> None:
    ana = await world.user(**DOCUMENTS, employee_number="1")
    async with world.tx() as tx:
        await PERSONAL_DATA.erase(tx, UUID(ana["id"]))
    result = await put(world, {"email": f"{ana['id']}@erased.invalid", "name": "Ana"}, person(1, cpf=CPF))
    assert errors(result) == [(0, None, "user_erased")]
    assert (counts(result), result["user_ids"][0]) == ((1, 0, 0, 1), None)


async def test_passwords_and_invitations_only_where_asked(world: World) -> None:
    result = await put(world, person(1), person(2, password="correct horse"))
    silent = await put(world, person(3), invite=False)
    async with world.tx() as tx:
        rows = await tx.rows(
            """
            SELECT id, password_hash IS NOT NULL AS password, invitation_due, must_change_password AS must
            FROM users WHERE tenant_id = :tenant
            """
        )
    kept = {str(row["id"]): (row["password"], row["invitation_due"], row["must"]) for row in rows}
    assert [kept[id] for id in (*result["user_ids"], *silent["user_ids"])] == [
        (False, True, False),
        (True, False, False),
        (False, False, False),
    ]


async def test_a_password_does_not_replace_one(world: World) -> None:
    await put(world, person(1, password="correct horse"))
    assert counts(await put(world, person(1, password="another horse"))) == (0, 0, 1, 0)
    login = {"tenant_slug": world.tenant.slug, "email": "p1@example.com"}
    for password, status in (("correct horse", 200), ("another horse", 401)):
        answer = await world.client().post("/api/auth/login", json=login | {"password": password})
        assert answer.status_code == status


async def test_takes_a_thousand_whole_people_and_no_more(world: World) -> None:
    whole = {"department": "Logística", "job_title": "Motorista", "phone": PHONE, "birth_date": "1990-05-17"}
    people = [person(number, **whole, cnh=LICENCE, role="learner") for number in range(1001)]
    assert len(json.dumps(people)) < 1 << 20
    assert counts(await put(world, *people[:1000])) == (1000, 0, 0, 0)
    assert counts(await put(world, *people[:1000])) == (0, 0, 1000, 0)
    answer = await world.http.put("/v1/users/bulk", json={"users": people})
    assert answer.json()["error"]["code"] == "too_long"
    for body in ({}, {"users": 1}, {"users": [1]}, {"users": [], "x": 1}):
        assert (await world.http.put("/v1/users/bulk", json=body)).status_code == 400
    assert counts(await put(world)) == (0, 0, 0, 0)


async def test_statements_do_not_grow_with_the_items(world: World, statements: list[str]) -> None:
    sizes = []
    for first, count in ((0, 2), (100, 60)):
        statements.clear()
        await put(world, *(person(first + number, **DOCUMENTS | {"cpf": None}) for number in range(count)))
        sizes.append(len(statements))
        statements.clear()
        await put(world, *(person(first + number, department=str(number % 7)) for number in range(count)))
        sizes.append(len(statements))
    assert sizes[:2] == sizes[2:]


async def test_two_at_once_make_each_person_once(world: World) -> None:
    people = [person(number, cpf=CPF if number == 0 else None) for number in range(40)]
    answers = await asyncio.gather(*(put(world, *people[::step]) for step in (1, -1, 1, -1)))
    assert sum(each["created"] for each in answers) == 40
    assert len((await world.http.get("/v1/users?limit=100")).json()["data"]) == 40
    assert len(await world.events("user.created")) == 40


async def test_needs_the_scope(world: World) -> None:
    client = world.client(await world.key(Scope.USERS_READ))
    answer = await client.put("/v1/users/bulk", json={"users": []})
    assert answer.json()["error"]["detail"] == {"required_scope": "users:write"}


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Returns the statements that are sent to PostgreSQL in tenants' transactions."""
    from trilha.core.database import Tx

    seen: list[str] = []
    bind = Tx._bind

    def noting(self: Tx, sql: str, params: dict[str, Any]) -> Any:
        seen.append(sql)
        return bind(self, sql, params)

    monkeypatch.setattr(Tx, "_bind", noting)
    return seen
