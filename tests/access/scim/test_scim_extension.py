"""Our own extension of SCIM users: the hire date and the company's custom fields."""

from typing import Any
from uuid import UUID

import httpx2
import pytest

from access.scim.providers import ENT, USER, Provider, U, a_user, check_error, op
from conftest import World
from people.custom_fields.test_custom_fields import field
from trilha.access.scim import urns
from trilha.people.users import actions as users
from trilha.people.users.schema import NewUser

OWN = urns.TRILHA
CUSTOM = f"{OWN}:customFields"


@pytest.fixture(autouse=True)
async def with_fields(world: World) -> None:
    await field(world, "cost_center")
    await field(world, "pis", personal=True)
    await field(world, "level", "number")
    await field(world, "since", "date")
    await field(world, "shift", "choice", choices=["Dia", "Noite"])


async def open_values(world: World) -> str | None:
    async with world.tx() as tx:
        (row,) = await tx.rows("SELECT id, custom_fields_sealed FROM users WHERE tenant_id = :tenant")
        sealed = row["custom_fields_sealed"]
        return sealed and tx.keyring.open(sealed, tx.tenant_id, "users", row["id"], "custom_fields")


def own(answer: httpx2.Response) -> Any:
    assert answer.is_success, answer.text
    return answer.json().get(OWN)


async def test_created_with_values(provider: Provider, world: World) -> None:
    extension = {
        "hireDate": "2021-03-01T00:00:00Z",
        "customFields": {"cost_center": "4200", "pis": "120.1", "level": "2.5", "SHIFT": "Dia"},
    }
    user = await provider.user(**{OWN: extension})
    shown = {"cost_center": "4200", "pis": "***", "level": 2.5, "shift": "Dia"}
    assert user[OWN] == {"hireDate": "2021-03-01", "customFields": shown}
    assert user["schemas"] == [USER, OWN]
    assert await open_values(world) == '{"pis":"120.1"}'
    stored = (await world.http.get(f"/v1/users/{user['id']}")).json()["data"]
    assert (stored["hire_date"], stored["custom_fields"]) == ("2021-03-01", shown)
    assert own(await provider.get(f"{U}/{user['id']}")) == user[OWN]
    answer = await provider.get(f"{U}/{user['id']}", attributes=f"{OWN}:hireDate")
    assert own(answer) == {"hireDate": "2021-03-01"}


async def test_a_put_changes_what_it_names(provider: Provider, world: World) -> None:
    user = await provider.user(**{OWN: {"hireDate": "2021-03-01", "customFields": {"pis": "1", "level": 2}}})
    names = {"userName": user["userName"]}
    without = await provider.put(user["id"], a_user(**names))
    assert own(without) == user[OWN]
    masked = {"customFields": {"pis": "***", "level": 3}}
    changed = await provider.put(user["id"], a_user(**names, **{OWN: masked}))
    assert own(changed) == {"hireDate": "2021-03-01", "customFields": {"pis": "***", "level": 3}}
    assert await open_values(world) == '{"pis":"1"}'
    cleared = {"hireDate": None, "customFields": {"pis": "", "level": None}}
    assert own(await provider.put(user["id"], a_user(**names, **{OWN: cleared}))) is None
    assert await open_values(world) is None


@pytest.mark.parametrize(
    ("operations", "hire_date", "custom"),
    [
        ([op("replace", f"{OWN}:hireDate", "2022-01-02")], "2022-01-02", {"pis": "***", "level": 2}),
        ([op("remove", f"{OWN}:hireDate")], None, {"pis": "***", "level": 2}),
        ([op("add", f"{CUSTOM}.since", "2020-02-03")], "2021-03-01",
         {"since": "2020-02-03", "pis": "***", "level": 2}),
        ([op("Replace", f"{OWN}.customFields.level", "4")], "2021-03-01", {"pis": "***", "level": 4}),
        ([op("remove", f"{CUSTOM}.pis")], "2021-03-01", {"level": 2}),
        ([op("remove", CUSTOM)], "2021-03-01", None),
        ([op("remove", OWN)], None, None),
        ([op("replace", CUSTOM, {"level": 9})], "2021-03-01", {"pis": "***", "level": 9}),
        ([op("add", OWN, {"hireDate": "2022-01-02"})], "2022-01-02", {"pis": "***", "level": 2}),
        (
            [op("replace", None, {f"{CUSTOM}.level": 1, "title": "Chefe", "hireDate": "2022-01-02"})],
            *("2022-01-02", {"pis": "***", "level": 1}),
        ),
        ([op("add", None, {OWN: {"customFields": {"since": "2020-02-03T10:00:00Z"}}})], "2021-03-01",
         {"since": "2020-02-03", "pis": "***", "level": 2}),
        ([op("remove", CUSTOM), op("add", f"{CUSTOM}.level", 5)], "2021-03-01", {"level": 5}),
    ],
)  # fmt: skip
async def test_a_patch(
    provider: Provider, operations: list[Any], hire_date: str | None, custom: dict[str, Any] | None
) -> None:
    user = await provider.user(**{OWN: {"hireDate": "2021-03-01", "customFields": {"pis": "1", "level": 2}}})
    parts = {"hireDate": hire_date, "customFields": custom}
    expected = {name: value for name, value in parts.items() if value}
    patched = await provider.patch(user["id"], *operations)
    assert own(patched) == (expected or None)
    assert patched.json()["name"] == user["name"]


async def test_a_patch_of_several_schemas(provider: Provider) -> None:
    user = await provider.user()
    patched = await provider.patch(
        user["id"],
        op("replace", "title", "Chefe"),
        op("add", f"{CUSTOM}.level", 1),
        op("add", f"{ENT}:department", "TI"),
    )
    told = patched.json()
    assert (told["title"], told[ENT], told[OWN]) == (
        "Chefe",
        {"department": "TI"},
        {"customFields": {"level": 1}},
    )
    assert told["schemas"] == [USER, ENT, OWN]


async def test_a_personal_value_is_changed_and_the_log_says_so(provider: Provider, world: World) -> None:
    user = await provider.user(**{OWN: {"customFields": {"pis": "1", "level": 2}}})
    for _ in range(2):
        patched = await provider.patch(user["id"], op("replace", f"{CUSTOM}.pis", "2"))
        assert own(patched) == user[OWN]
    assert patched.json()["meta"]["version"] != user["meta"]["version"]
    assert await open_values(world) == '{"pis":"2"}'
    ((_, data),) = await world.events("user.updated")
    assert data["changed"] == ["custom_fields"]


@pytest.mark.parametrize(
    ("path", "value", "scim_type", "part"),
    [
        (f"{CUSTOM}.nothing", "x", "invalidValue", "custom_fields.nothing"),
        (f"{CUSTOM}.level", "many", "invalidValue", "custom_fields.level"),
        (f"{CUSTOM}.shift", "Tarde", "invalidValue", "custom_fields.shift"),
        (f"{CUSTOM}.cost_center", ["x"], "invalidValue", "custom_fields.cost_center"),
        (CUSTOM, "x", "invalidValue", "customFields"),
        (f"{OWN}:hireDate", "01/03/2021", "invalidValue", "hireDate"),
        (f"{OWN}:hireDate", 3, "invalidValue", "hireDate"),
        (f"{OWN}:salary", "1", "invalidPath", "path"),
        (f'{CUSTOM}[value eq "x"]', "1", "invalidPath", "path"),
    ],
)
async def test_wrong_values_are_refused(
    provider: Provider, path: str, value: Any, scim_type: str, part: str
) -> None:
    user = await provider.user()
    answer = await provider.patch(user["id"], op("replace", "title", "Chefe"), op("add", path, value))
    check_error(answer, 400, scim_type)
    assert part in answer.json()["detail"]
    assert (await provider.get(f"{U}/{user['id']}")).json() == user
    if path.startswith(f"{CUSTOM}."):
        extension = {"customFields": {path.removeprefix(f"{CUSTOM}."): value}}
        check_error(await provider.post(a_user(**{OWN: extension})), 400, "invalidValue")


async def test_the_schema_has_the_fields_of_the_tenant(provider: Provider, other_provider: Provider) -> None:
    schema = (await provider.get(f"/scim/v2/Schemas/{OWN}")).json()
    custom = next(each for each in schema["attributes"] if each["name"] == "customFields")
    parts = {each["name"]: each for each in custom["subAttributes"]}
    assert list(parts) == ["cost_center", "pis", "level", "since", "shift"]
    assert [each["type"] for each in parts.values()] == ["string", "string", "decimal", "string", "string"]
    assert parts["shift"]["canonicalValues"] == ["Dia", "Noite"]
    assert "***" in parts["pis"]["description"]
    schema = (await other_provider.get(f"/scim/v2/Schemas/{OWN}")).json()
    assert [each["name"] for each in schema["attributes"]] == ["hireDate"]
    wrong = a_user(**{OWN: {"customFields": {"cost_center": "x"}}})
    check_error(await other_provider.post(wrong), 400, "invalidValue")


async def test_administrators_show_nothing(provider: Provider, world: World) -> None:
    async with world.tx() as tx:
        new = NewUser(email="root@example.com", name="Rute", custom_fields={"cost_center": "1"})  # type: ignore[arg-type]
        admin = await users.create(tx, new, None, role="admin")
    assert OWN not in (await provider.get(f"{U}/{admin.id}")).json()
    check_error(await provider.patch(str(admin.id), op("add", f"{CUSTOM}.cost_center", "2")), 403)


async def test_nothing_of_an_erased_person_returns(provider: Provider, world: World) -> None:
    user = await provider.user(**{OWN: {"customFields": {"pis": "1"}}})
    async with world.tx() as tx:
        await users.erase(tx, UUID(user["id"]))
    check_error(await provider.get(f"{U}/{user['id']}"), 404)
    assert await open_values(world) is None
