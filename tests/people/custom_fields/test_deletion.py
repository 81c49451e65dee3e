"""Custom fields are deleted with their values, unless a rule uses them; their number holds at once."""

import asyncio
from uuid import UUID

import pytest

from conftest import World
from people.custom_fields.test_custom_fields import field, patch
from training.requirements.settling import require
from trilha.core.errors import ApiError, Conflict, NotFound
from trilha.people.custom_fields import actions, queries
from trilha.people.custom_fields.schema import MAX_FIELDS
from trilha.people.users import field_removal
from trilha.training.requirements.field_deletion import delete_field, list_uses


async def delete(world: World, key: str) -> None:
    async with world.tx() as tx:
        await delete_field(tx, key)


async def stored(world: World, user_id: str) -> tuple[dict[str, object], str | None]:
    """Returns the values as they are read, and the personal ones in clear."""
    async with world.tx() as tx:
        (row,) = await tx.rows(
            "SELECT id, custom_fields, custom_fields_sealed FROM users "
            "WHERE tenant_id = :tenant AND id = :id",
            id=UUID(user_id),
        )
        sealed = row["custom_fields_sealed"]
        opened = sealed and tx.keyring.open(sealed, tx.tenant_id, "users", row["id"], "custom_fields")
    return row["custom_fields"], opened


async def test_a_field_goes_with_everybodys_values(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(field_removal, "_TOGETHER", 2)
    for key in ("pis", "rg"):
        await field(world, key, personal=True)
    await field(world, "area")
    users = [await world.user(custom_fields={"pis": "1", "rg": "2", "area": "Sul"}) for _ in range(3)]
    alone = await world.user(custom_fields={"pis": "3"})
    await delete(world, "pis")
    for user in users:
        assert await stored(world, user["id"]) == ({"rg": "***", "area": "Sul"}, '{"rg":"2"}')
    assert await stored(world, alone["id"]) == ({}, None)
    await delete(world, "area")
    assert await stored(world, users[0]["id"]) == ({"rg": "***"}, '{"rg":"2"}')
    (problem,) = await patch(world, users[0]["id"], area="Sul")
    assert problem["code"] == "unknown_custom_field"
    async with world.tx() as tx:
        rows = await tx.rows(
            "SELECT id FROM audit_records "
            "WHERE tenant_id = :tenant AND action = 'custom_field.deleted' ORDER BY created_at, id"
        )
    assert len(rows) == 2


async def test_a_field_in_a_rule_stays(world: World) -> None:
    await field(world, "area")
    await field(world, "level", "number")
    rule = {"all": [{"not": {"field": "custom_fields.area", "op": "eq", "value": "Sul"}}]}
    requirement = await require(world, rule=rule)
    with pytest.raises(Conflict, match="custom_field_in_use") as refused:
        await delete(world, "area")
    assert refused.value.detail == {"requirements": [requirement["title"]]}
    await delete(world, "level")
    await world.http.delete(f"/v1/requirements/{requirement['id']}")
    await delete(world, "area")
    with pytest.raises(NotFound, match="custom_field_not_found"):
        await delete(world, "area")


async def test_a_rule_is_not_stored_while_its_field_is_deleted(world: World) -> None:
    await field(world, "area")
    rule = {"field": "custom_fields.area", "op": "eq", "value": "Sul"}
    course = str(await world.course())
    body = {"title": "NR-35", "rule": rule, "course_id": course, "due_days": 30}
    async with world.tx() as tx:
        await delete_field(tx, "area")
        creation = asyncio.ensure_future(world.http.post("/v1/requirements", json=body))
        await asyncio.wait([creation], timeout=0.3)
    answer = await creation
    assert answer.status_code == 400, answer.text


async def test_another_company_keeps_its_field(world: World, stranger: World) -> None:
    for each in (world, stranger):
        await field(each, "area")
    user = await stranger.user(custom_fields={"area": "Sul"})
    await delete(world, "area")
    assert (await stored(stranger, user["id"]))[0] == {"area": "Sul"}
    async with world.tx() as tx:
        assert await list_uses(tx, "area") == []
        assert await queries.find(tx, "area") is None


async def test_many_at_once_stay_below_the_maximum(world: World) -> None:
    async def create(number: int) -> bool:
        try:
            await field(world, f"area_{number}")
        except Conflict as refused:
            return refused.code != "too_many_custom_fields"
        return True

    for number in range(MAX_FIELDS - 2):
        await field(world, f"old_{number}")
    created = await asyncio.gather(*(create(number) for number in range(6)))
    assert sum(created) == 2


async def test_a_change_has_no_more_choices_than_a_new_field(world: World) -> None:
    await field(world, "shift", "choice", choices=[f"Turno {number}" for number in range(150)])
    async with world.tx() as tx:
        with pytest.raises(ApiError, match="too_long"):
            await actions.change(tx, "shift", "Turno", [f"Outro {number}" for number in range(51)])
