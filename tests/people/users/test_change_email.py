"""PATCH /v1/users/{id} {"email"}: an integration changes the account's address."""

from typing import Any

from conftest import CPF, World
from contract.session_calls import PASSWORD, person


async def letters(world: World) -> list[tuple[str, str]]:
    async with world.tx() as tx:
        rows = await tx.rows("SELECT kind, to_email FROM mail_messages WHERE tenant_id = :tenant")
    return [(row["kind"], row["to_email"]) for row in rows]


async def test_the_new_address_is_the_users(world: World) -> None:
    user = await world.user(email="ana@example.com")
    answer = await world.http.patch(f"/v1/users/{user['id']}", json={"email": " Ana.Lima@Bücher.Example "})
    assert answer.json()["data"]["email"] == "ana.lima@xn--bcher-kva.example"
    assert await world.events("user.updated") == [
        ("user.updated", {"user_id": user["id"], "changed": ["email"]})
    ]
    assert await letters(world) == [("email_changed", "ana@example.com")]


async def test_the_same_address_is_no_change(world: World) -> None:
    user = await world.user(email="ana@example.com")
    await world.http.patch(f"/v1/users/{user['id']}", json={"email": "ANA@example.com"})
    assert await world.events("user.updated") == []
    assert await letters(world) == []


async def test_who_has_another_address_is_signed_out(world: World) -> None:
    one = await person(world)
    assert (await one.http.get("/api/auth/session")).status_code == 200
    (user,) = (await world.http.get(f"/v1/users?email={one.email}")).json()["data"]
    await world.http.patch(f"/v1/users/{user['id']}", json={"email": "new@example.com"})
    assert (await one.http.get("/api/auth/session")).status_code == 401
    login = {"tenant_slug": world.tenant.slug, "password": PASSWORD}
    for email, status in ((one.email, 401), ("new@example.com", 200)):
        answer = await world.client().post("/api/auth/login", json=login | {"email": email})
        assert answer.status_code == status


async def test_an_address_that_is_taken_changes_nothing(world: World) -> None:
    await world.user(email="ana@example.com")
    bia = await world.user(name="Bia")
    body = {"email": "ana@example.com", "name": "Other"}
    answer = await world.http.patch(f"/v1/users/{bia['id']}", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "email_exists")
    assert (await world.http.get(f"/v1/users/{bia['id']}")).json()["data"] == bia
    assert await letters(world) == []


async def test_an_administrators_is_not_an_integrations_to_change(world: World) -> None:
    user = await world.user()
    await world.promote(user["id"], "admin")
    address = f"/v1/users/{user['id']}"
    answer = await world.http.patch(address, json={"email": "mine@example.com"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "privileged_user")
    same = await world.http.patch(address, json={"email": user["email"], "department": "TI"})
    assert same.json()["data"]["department"] == "TI"


async def existing(answer: Any) -> tuple[int, str, object]:
    error = answer.json()["error"]
    return answer.status_code, error["code"], error["detail"]


async def test_whose_cpf_it_is_is_told(world: World) -> None:
    """When creating and changing, also with an Idempotency-Key, which uses another savepoint."""
    owner, bia = await world.user(cpf=CPF), await world.user(name="Bia")
    expected = (409, "cpf_exists", {"existing_user_id": owner["id"]})
    for headers in ({}, {"idempotency-key": "k"}):
        body = {"email": "x@example.com", "name": "X", "cpf": "52998224725"}
        assert await existing(await world.http.post("/v1/users", json=body, headers=headers)) == expected
    changes = {"cpf": CPF, "name": "Other"}
    assert await existing(await world.http.patch(f"/v1/users/{bia['id']}", json=changes)) == expected
    assert (await world.http.get(f"/v1/users/{bia['id']}")).json()["data"] == bia
    assert (await world.http.patch(f"/v1/users/{owner['id']}", json={"cpf": None})).status_code == 200
    assert (await world.http.patch(f"/v1/users/{bia['id']}", json={"cpf": CPF})).status_code == 200
