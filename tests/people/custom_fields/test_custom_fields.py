"""Custom fields of people: sent, changed, cleared, in bulk, sealed and erased."""

from typing import Any
from uuid import UUID

import pytest

from conftest import World
from people.users.test_put_users import counts, put
from trilha.core.errors import Conflict, Invalid
from trilha.core.web.parsing import convert
from trilha.people.custom_fields import actions
from trilha.people.custom_fields.schema import NewCustomField
from trilha.people.users import actions as users


async def field(world: World, key: str, type: str = "text", **members: Any) -> None:
    raw = {"key": key, "name": key.title(), "type": type} | members
    async with world.tx() as tx:
        await actions.create(tx, convert(NewCustomField, raw, tx.today))


async def patch(world: World, user_id: str, **values: Any) -> Any:
    answer = await world.http.patch(f"/v1/users/{user_id}", json={"custom_fields": values})
    return answer.json()["data"]["custom_fields"] if answer.is_success else answer.json()["error"]["detail"]


async def test_only_named_keys_change(world: World) -> None:
    await field(world, "area")
    await field(world, "level", "number")
    user = await world.user(custom_fields={"area": "Norte", "level": 3})
    assert user["custom_fields"] == {"area": "Norte", "level": 3}
    assert await patch(world, user["id"], level=4.5) == {"area": "Norte", "level": 4.5}
    assert await patch(world, user["id"], level=4.5) == {"area": "Norte", "level": 4.5}
    assert await patch(world, user["id"], area=None, level=None) == {}
    events = await world.events("user.updated")
    assert [data["changed"] for _, data in events] == [["custom_fields"]] * 2


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("nada", "x", "unknown_custom_field"),
        ("area", 3, "invalid_type"),
        ("area", "", "too_short"),
        ("area", "x" * 201, "too_long"),
        ("area", "a\u0000", "invalid_text"),
        ("level", "3", "invalid_type"),
        ("level", True, "invalid_type"),
        ("level", 10**400, "out_of_range"),
        ("since", "2026-02-30", "invalid_date"),
        ("shift", "noite", "invalid_value"),
        ("area", ["x"], "invalid_type"),
    ],
)
async def test_a_wrong_value_is_refused(world: World, key: str, value: Any, code: str) -> None:
    await field(world, "area")
    await field(world, "level", "number")
    await field(world, "since", "date")
    await field(world, "shift", "choice", choices=["dia"])
    user = await world.user()
    (problem,) = await patch(world, user["id"], **{key: value})
    assert (problem["field"], problem["code"]) == (f"custom_fields.{key}", code)


async def test_a_personal_one_is_sealed_and_masked(world: World) -> None:
    await field(world, "pis", personal=True)
    await field(world, "area")
    user = await world.user(custom_fields={"pis": "120.123", "area": "Sul"})
    assert user["custom_fields"] == {"pis": "***", "area": "Sul"}
    assert await patch(world, user["id"], pis="120.123") == {"pis": "***", "area": "Sul"}
    assert await world.events("user.updated") == []
    assert await patch(world, user["id"], pis=None) == {"area": "Sul"}
    async with world.tx() as tx:
        row = await tx.rows("SELECT custom_fields_sealed FROM users WHERE tenant_id = :tenant")
        assert row[0]["custom_fields_sealed"] is None


async def test_in_bulk(world: World) -> None:
    await field(world, "area")
    new = {"email": "ana@example.com", "name": "Ana"}
    assert counts(await put(world, new | {"custom_fields": {"area": "Sul"}})) == (1, 0, 0, 0)
    assert counts(await put(world, new | {"custom_fields": {"area": "Sul"}})) == (0, 0, 1, 0)
    assert counts(await put(world, new | {"custom_fields": {"area": None}})) == (0, 1, 0, 0)
    for item in (new, {"email": "rui@example.com", "name": "Rui"}):
        (error,) = (await put(world, item | {"custom_fields": {"nada": "x"}}))["errors"]
        assert (error["field"], error["code"]) == ("custom_fields.nada", "unknown_custom_field")


async def test_erased_with_the_person(world: World) -> None:
    await field(world, "pis", personal=True)
    await field(world, "area")
    user = await world.user(custom_fields={"pis": "1", "area": "Sul"})
    async with world.tx() as tx:
        await users.erase(tx, UUID(user["id"]))
        (row,) = await tx.rows(
            "SELECT custom_fields, custom_fields_sealed FROM users WHERE tenant_id = :tenant"
        )
    assert (row["custom_fields"], row["custom_fields_sealed"]) == ({}, None)


async def test_fields_are_listed_in_their_order(world: World) -> None:
    await field(world, "b")
    await field(world, "a", "choice", choices=["x", "y"])
    listed = (await world.http.get("/v1/custom-fields")).json()["data"]
    assert [each["key"] for each in listed] == ["b", "a"]
    with pytest.raises(Conflict, match="custom_field_exists"):
        await field(world, "a")
    for members in ({"type": "choice"}, {"choices": ["x"]}, {"key": "Ab"}, {"type": "other"}):
        with pytest.raises(Invalid):
            await field(world, **({"key": "c"} | members))
