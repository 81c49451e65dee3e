"""The numbered cases of provider requests: Okta in its order, and Entra with its dialects."""

from typing import Any
from uuid import uuid4

import pytest

from access.scim.providers import ENT, LIST, SCIM, USER, Provider, U, a_user, check_error, op
from conftest import World
from trilha.people.users import actions as users
from trilha.people.users.schema import NewUser

OKTA: dict[str, Any] = {
    "schemas": [USER],
    "userName": "a@example.com",
    "name": {"givenName": "A", "familyName": "B"},
    "emails": [{"primary": True, "value": "a@example.com", "type": "work"}],
    "displayName": "A B",
    "locale": "en-US",
    "externalId": "00u1",
    "groups": [],
    "password": "1mz050nq",
    "active": True,
}


async def status(world: World, id: str) -> str:
    return str((await world.http.get(f"/v1/users/{id}")).json()["data"]["status"])


async def read(provider: Provider, id: str) -> dict[str, Any]:
    answer = await provider.get(f"{U}/{id}")
    assert answer.status_code == 200
    told: dict[str, Any] = answer.json()
    return told


async def test_12_okta_reads_one(provider: Provider, world: World) -> None:
    await world.user(email="ana@example.com", name="Ana Maria Lima")
    told = (await provider.get(U, count=1, startIndex=1)).json()
    assert (told["itemsPerPage"], told["startIndex"], told["totalResults"]) == (1, 1, 1)
    (user,) = told["Resources"]
    assert (user["userName"], user["active"]) == ("ana@example.com", True)
    assert user["name"] == {"formatted": "Ana Maria Lima", "givenName": "Ana", "familyName": "Maria Lima"}
    assert user["emails"][0]["value"] == "ana@example.com"


async def test_13_14_okta_tests_the_connection(provider: Provider) -> None:
    answer = await provider.get(U, startIndex=1, count=2)
    assert answer.status_code == 200
    told = answer.json()
    assert (told["schemas"], told["totalResults"], told["Resources"]) == ([LIST], 0, [])


async def test_15_16_nobody(provider: Provider) -> None:
    answer = await provider.filtered('userName eq "nobody@example.com"', startIndex=1, count=100)
    assert (answer.status_code, answer.json()["totalResults"]) == (200, 0)
    check_error(await provider.get(f"{U}/010101001010101011001010101011"), 404)


async def test_17_to_21_okta_creates(provider: Provider, world: World) -> None:
    answer = await provider.post(OKTA, headers={"content-type": "application/json"})
    assert answer.status_code == 201
    assert answer.headers["content-type"] == SCIM
    made = answer.json()
    assert answer.headers["location"] == made["meta"]["location"]
    assert "1mz050nq" not in answer.text
    assert (made["id"], made["externalId"], made["displayName"]) == (made["id"], "00u1", "A B")
    check_error(await provider.post(OKTA), 409, "uniqueness")
    check_error(await provider.post(OKTA | {"userName": "A@EXAMPLE.COM"}), 409, "uniqueness")
    check_error(
        await provider.post(OKTA | {"userName": "z@example.com", "emails": []}), 409, "uniqueness"
    )  # the externalId
    assert await provider.found('userName eq "A@Example.com"') == [made["id"]]
    assert await read(provider, made["id"]) == made
    data = (await world.http.get(f"/v1/users/{made['id']}")).json()["data"]
    assert (data["email"], data["name"], data["role"]) == ("a@example.com", "A B", "learner")
    async with world.tx() as tx:
        hashed = await tx.value("SELECT password_hash FROM users WHERE tenant_id = :tenant")
    assert hashed is None


async def test_22_to_25_okta_replaces(provider: Provider, world: World) -> None:
    made = (await provider.post(OKTA)).json()
    id = made["id"]
    whole = made | {
        "groups": [],
        "password": "x",
        "name": {"givenName": "A", "familyName": "C", "middleName": ""},
        "displayName": "A C",
    }
    answer = await provider.put(id, whole)
    assert (answer.status_code, answer.json()["name"]["familyName"]) == (200, "C")
    assert (await world.http.get(f"/v1/users/{id}")).json()["data"]["name"] == "A C"
    await provider.patch(id, op("replace", value={"active": False}))
    without = {name: value for name, value in OKTA.items() if name != "active"}
    answer = await provider.put(id, without)
    assert (answer.status_code, answer.json()["active"], await status(world, id)) == (200, False, "SUSPENDED")
    check_error(await provider.put(str(uuid4()), OKTA), 404)
    other = await provider.user()
    answer = await provider.put(other["id"], a_user(id=id))
    assert (answer.status_code, answer.json()["id"]) == (200, other["id"])


async def test_26_to_31_okta_deactivates(provider: Provider, world: World) -> None:
    made = (await provider.post(OKTA)).json()
    id = made["id"]
    async with world.tx() as tx:
        epoch = await tx.value("SELECT session_epoch FROM users WHERE tenant_id = :tenant")
    for _ in range(2):  # the second request changes nothing
        answer = await provider.patch(id, op("replace", value={"active": False}))
        assert (answer.status_code, answer.json()["active"]) == (200, False)
    async with world.tx() as tx:
        after = await tx.value("SELECT session_epoch FROM users WHERE tenant_id = :tenant")
    assert (await status(world, id), after) == ("SUSPENDED", epoch + 1)  # every session has ended
    assert (await read(provider, id))["active"] is False
    assert await provider.found('userName eq "a@example.com"') == [id]
    answer = await provider.patch(id, op("replace", value={"active": True}))
    assert (answer.status_code, answer.json()["id"], await status(world, id)) == (200, id, "ACTIVE")
    answer = await provider.patch(id, op("replace", value={"password": "x"}))
    assert (answer.status_code, answer.json()["meta"]["version"]) == (
        200,
        (await read(provider, id))["meta"]["version"],
    )
    await provider.patch(id, op("replace", value={"active": False}))
    again = await provider.post(OKTA)
    assert (again.status_code, again.json()["id"], again.json()["active"]) == (201, id, True)
    assert await provider.events() == ["user.created", *["user.suspended", "user.reactivated"] * 2]
    # Without the same externalId, it is another person's name.
    await provider.patch(id, op("replace", value={"active": False}))
    check_error(await provider.post(OKTA | {"externalId": "other"}), 409, "uniqueness")


async def test_32_entra_tests_the_connection(provider: Provider) -> None:
    answer = await provider.filtered(f'userName eq "{uuid4()}"')
    assert (answer.status_code, answer.json()["Resources"]) == (200, [])


ENTRA: dict[str, Any] = {
    "schemas": [USER, ENT],
    "externalId": "entra1",
    "userName": "e@example.com",
    "active": True,
    "displayName": "Eva Reis",
    "emails": [{"primary": True, "type": "work", "value": "e@example.com"}],
    "meta": {"resourceType": "User"},
    "name": {"formatted": "Eva Reis", "familyName": "Reis", "givenName": "Eva"},
    "roles": [],
}


@pytest.mark.parametrize(
    ("number", "more", "expected"),
    [
        (33, {}, {"externalId": "entra1"}),
        (
            34,
            {"addresses": None, "phoneNumbers": None, "title": None, "department": None, "manager": None},
            {"displayName": "Eva Reis"},
        ),
        (35, {"active": "True"}, {"active": True}),
        (35, {"active": "False"}, {"active": False}),
        (37, {ENT: {"manager": "123456"}}, {ENT: {"manager": {"value": "123456"}}}),
        (38, {ENT: {"manager": {"value": "abc"}}}, {ENT: {"manager": {"value": "abc"}}}),
        (
            39,
            {
                "schemas": [
                    USER,
                    "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/User",
                    "urn:scim:schemas:core:1.0",
                ]
            },
            {"schemas": [USER]},
        ),
        (40, {"emails": {"value": "e@example.com"}}, {"emails": [{"value": "e@example.com"}]}),
    ],
)
async def test_33_to_40_entra_creates(
    provider: Provider, number: int, more: dict[str, Any], expected: dict[str, Any]
) -> None:
    answer = await provider.post(ENTRA | more)
    assert answer.status_code == 201, answer.text
    told = answer.json()
    assert {name: told[name] for name in expected} == expected
    assert await read(provider, told["id"]) == told


async def test_36_names_in_capitals(provider: Provider) -> None:
    body = {
        "Schemas": [USER],
        "UserName": "e@example.com",
        "Active": True,
        "Emails": [{"Primary": "True", "Value": "e@example.com", "Type": "work"}],
    }
    answer = await provider.post(body)
    assert answer.status_code == 201, answer.text
    assert answer.json()["emails"] == [{"value": "e@example.com", "type": "work", "primary": True}]


async def test_41_to_43_entra_deactivates(provider: Provider, world: World) -> None:
    id = (await provider.post(ENTRA)).json()["id"]
    for value, expected in (("False", "SUSPENDED"), ("True", "ACTIVE")):
        assert (await provider.patch(id, op("Replace", "active", value))).status_code == 200
        assert await status(world, id) == expected
    check_error(await provider.patch(id, op("Replace", "active", "banana")), 400, "invalidValue")


async def test_44_45_entra_changes_addresses(provider: Provider, world: World) -> None:
    id = (await provider.post(ENTRA)).json()["id"]
    told = (await provider.patch(id, op("Replace", 'emails[type eq "work"].value', "new@example.com"))).json()
    assert told["emails"] == [{"value": "new@example.com", "type": "work", "primary": True}]
    assert told["userName"] == "e@example.com"
    data = (await world.http.get(f"/v1/users/{id}")).json()["data"]
    assert data["email"] == "new@example.com"
    answer = await provider.patch(id, op("Add", 'emails[type eq "home"].value', "home@example.com"))
    assert answer.status_code == 200
    assert {"value": "home@example.com", "type": "home"} in answer.json()["emails"]


@pytest.mark.parametrize(
    "operation",
    [
        op("Add", 'phoneNumbers[type eq "mobile"].value', "+5511987654321"),  # 46
        op("Replace", 'addresses[type eq "work"].formatted', "Rua 1"),  # 47
        op("Add", 'roles[primary eq "True"].value', "admin"),  # 58
        op("replace", value={"role": "admin", "roles": [{"value": "admin"}], "xp": 9000}),
    ],
    ids=["46", "47", "58", "more"],
)
async def test_46_47_58_what_is_not_kept(provider: Provider, world: World, operation: Any) -> None:
    made = (await provider.post(ENTRA)).json()
    answer = await provider.patch(made["id"], operation)
    assert (answer.status_code, answer.json()) == (200, made)
    data = (await world.http.get(f"/v1/users/{made['id']}")).json()["data"]
    assert (data["role"], data["phone"], data["xp"]) == ("learner", None, 0)


@pytest.mark.parametrize(
    "operation",
    [
        op("Replace", f"{ENT}:department", "D2"),  # 48
        op("Replace", f"{ENT}.department", "D2"),  # 49
        op("Replace", "department", "D2"),  # 50
        op("Add", value={ENT: {"department": "D2"}}),  # 52
        op("replace", value={f"{ENT}:department": "D2"}),  # 51
    ],
    ids=["48", "49", "50", "52", "51"],
)
async def test_48_to_52_the_extension(provider: Provider, world: World, operation: Any) -> None:
    id = (await provider.post(ENTRA)).json()["id"]
    answer = await provider.patch(id, operation)
    assert (answer.status_code, answer.json()[ENT]) == (200, {"department": "D2"}), answer.text
    assert (await world.http.get(f"/v1/users/{id}")).json()["data"]["department"] == "D2"


async def test_51_one_operation_of_paths(provider: Provider) -> None:
    id = (await provider.post(ENTRA)).json()["id"]
    value = {
        "displayName": "B",
        "name.givenName": "K",
        "name.familyName": "U",
        f"{ENT}:employeeNumber": "7",
    }
    told = (await provider.patch(id, op("replace", value=value))).json()
    assert (told["displayName"], told["name"]["givenName"], told["name"]["familyName"]) == ("B", "K", "U")
    assert told[ENT]["employeeNumber"] == "7"


async def test_53_54_the_manager(provider: Provider) -> None:
    id = (await provider.post(ENTRA)).json()["id"]
    boss = (await provider.user())["id"]
    for value in (boss, {"value": boss}, [{"$ref": f"../Users/{boss}", "value": boss}]):
        answer = await provider.patch(id, op("Add", f"{ENT}:manager", value))
        assert answer.status_code == 200, answer.text
        assert answer.json()[ENT] == {"manager": {"value": boss}}
        told = (await provider.patch(id, op("Remove", f"{ENT}:manager"))).json()
        assert not [name for name in told if name.startswith(ENT)]
        assert told["schemas"] == [USER]


async def test_55_56_many_operations(provider: Provider) -> None:
    id = (await provider.post(ENTRA | {"title": "Chefe"})).json()["id"]
    told = (await provider.patch(id, op("Remove", "title", None))).json()
    assert "title" not in told
    told = (
        await provider.patch(
            id,
            op("Replace", "displayName", "Eva R."),
            op("Replace", 'emails[type eq "work"].value', "eva@example.com"),
            op("Replace", "name.givenName", "Evita"),
            op("Replace", "name.familyName", "R."),
            op("Replace", "externalId", "entra2"),
            op("Replace", f"{ENT}:employeeNumber", "9"),
        )
    ).json()
    assert (told["displayName"], told["externalId"], told["emails"][0]["value"]) == (
        *("Eva R.", "entra2", "eva@example.com"),
    )
    assert told["name"] == {"formatted": "Eva Reis", "givenName": "Evita", "familyName": "R."}
    assert told[ENT] == {"employeeNumber": "9"}


async def test_57_another_user_name(provider: Provider) -> None:
    id = (await provider.post(ENTRA)).json()["id"]
    other = await provider.user()
    told = (await provider.patch(id, op("Replace", "userName", "new@example.com"))).json()
    assert told["userName"] == "new@example.com"
    taken = op("Replace", "userName", other["userName"].upper())
    check_error(await provider.patch(id, taken), 409, "uniqueness")
    check_error(await provider.patch(id, op("Replace", "userName", "")), 400, "invalidValue")
    check_error(await provider.patch(id, op("Remove", "active")), 400, "mutability")


async def test_59_to_61_entra_looks_for_them(provider: Provider) -> None:
    boss = (await provider.user())["id"]
    id = (await provider.post(ENTRA | {"externalId": "ext1", ENT: {"manager": boss}})).json()["id"]
    assert await provider.found('externalId eq "ext1"') == [id]
    assert await provider.found('externalId eq "EXT1"') == []
    check_error(await provider.filtered("externalId eq jyoung"), 400, "invalidFilter")
    assert await provider.found('emails[type eq "work"].value eq "E@example.com"') == [id]
    assert await provider.found('emails[type eq "home"].value eq "e@example.com"') == []
    assert await provider.found(f'id eq "{id}" and manager eq "{boss}"') == [id]
    assert await provider.found(f'id eq "{id}" and manager eq "{id}"') == []


async def test_people_made_elsewhere_are_linked_at_the_first_write(provider: Provider, world: World) -> None:
    made = await world.user(email="ana@example.com", name="Ana Lima", department="Frota")
    before = len(await world.events())
    told = (await provider.patch(made["id"], op("Replace", "externalId", "linked"))).json()
    assert (told["externalId"], told["userName"], told["displayName"]) == (
        "linked",
        "ana@example.com",
        "Ana Lima",
    )
    assert told[ENT] == {"department": "Frota"}
    assert len(await world.events()) == before  # nothing that users have has changed
    # A person who is renamed here has the new name in the provider's answers too.
    await world.http.patch(f"/v1/users/{made['id']}", json={"name": "Ana Reis"})
    assert (await read(provider, made["id"]))["name"]["formatted"] == "Ana Reis"
    assert await provider.found('name.familyName eq "reis" and externalId eq "linked"') == [made["id"]]


async def test_who_has_left_is_not_brought_back(provider: Provider, world: World) -> None:
    made = await provider.user()
    async with world.tx() as tx:
        await users.deactivate(tx, made["id"])
    assert (await read(provider, made["id"]))["active"] is False
    check_error(await provider.patch(made["id"], op("replace", "active", True)), 409)
    assert (await provider.patch(made["id"], op("replace", "title", "x"))).status_code == 200
    assert (await provider.delete(made["id"])).status_code == 204
    assert await status(world, made["id"]) == "INACTIVE"


async def test_nobody_gains_a_role(provider: Provider, world: World) -> None:
    sent = a_user(role="admin", userType="admin", roles=[{"value": "admin"}], entitlements=["admin"], cpf="1")
    made = (await provider.post(sent)).json()
    answer = await provider.put(made["id"], sent | {"userName": made["userName"]})
    assert answer.status_code == 200
    data = (await world.http.get(f"/v1/users/{made['id']}")).json()["data"]
    assert (data["role"], data["cpf"], data["xp"]) == ("learner", None, 0)
    async with world.tx() as tx:
        new = NewUser(email="gil@example.com", name="Gil", role="gestor")  # type: ignore[arg-type]
        gestor = await users.create(tx, new, None)
    taken = a_user(userName="x@example.com", emails=[{"value": "gil@example.com"}])
    check_error(await provider.post(taken), 409, "uniqueness")
    check_error(
        await provider.patch(made["id"], op("replace", "emails", [{"value": "GIL@example.com"}])),
        *(409, "uniqueness"),
    )
    assert (await provider.patch(str(gestor.id), op("replace", "title", "x"))).status_code == 200
    assert (await world.http.get(f"/v1/users/{gestor.id}")).json()["data"]["role"] == "gestor"
