"""A person's data export has their custom fields, requirements and reminders."""

from uuid import UUID

import msgspec
import pytest

from conftest import World
from people.custom_fields.test_custom_fields import field
from people.personal_data.test_export import SCHEMA, exported
from training.reminders.test_reminders import work
from training.requirements.settling import require, settle
from trilha.app import PERSONAL_DATA
from trilha.training.reminders import personal_data_export as reminder_export
from trilha.training.requirements import actions as requirements


async def test_it_has_custom_fields_requirements_and_reminders(world: World) -> None:
    await field(world, "area")
    await field(world, "pis", personal=True)
    await field(world, "empty")
    user = await world.user(custom_fields={"area": "Sul", "pis": "120.1"})
    other = await world.user(custom_fields={"area": "Norte"})
    requirement = await require(world)
    async with world.tx() as tx:
        await requirements.excuse(tx, UUID(requirement["id"]), UUID(user["id"]), "Licença médica", None)
        await requirements.excuse(tx, UUID(requirement["id"]), UUID(other["id"]), "Férias", None)
    await settle(world)
    await world.enrollment(user_id=user["id"])
    await work(world)
    text = await exported(world, user["id"])
    value = msgspec.json.decode(text)
    assert list(SCHEMA.iter_errors(value)) == []
    assert value["custom_fields"] == [
        {"key": "area", "name": "Area", "type": "text", "personal": False, "value": "Sul"},
        {"key": "pis", "name": "Pis", "type": "text", "personal": True, "value": "***"},
    ]
    assert b"120.1" not in text
    (held,) = value["requirements"]
    assert (held["title"], held["state"], held["excuse_reason"]) == ("NR-35", "EXCUSED", "Licença médica")
    assert held["excused_until"] is None
    assert {each["kind"] for each in value["reminders"]} == {"assigned"}
    assert all(each["channels"] == ["mail"] for each in value["reminders"])
    assert "Segurança" in {each["course"] for each in value["reminders"]}
    async with world.tx() as tx:
        await PERSONAL_DATA.erase(tx, UUID(user["id"]))
    value = msgspec.json.decode(await exported(world, user["id"]))
    assert value["custom_fields"] == []
    assert [each["excuse_reason"] for each in value["requirements"]] in ([], [None])


async def test_many_reminders_are_all_exported(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reminder_export, "_PAGE_SIZE", 2)
    user = await world.user()
    for _ in range(5):
        await world.enrollment(user_id=user["id"])
    await work(world)
    value = msgspec.json.decode(await exported(world, user["id"]))
    assert len({each["id"] for each in value["reminders"]}) == 5
