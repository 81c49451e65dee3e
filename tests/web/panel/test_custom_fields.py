"""Custom fields in the panel: their settings, the form and the page of a person, and the filter of people."""

from typing import Any

import httpx2
import pytest

from conftest import World
from people.custom_fields.test_custom_fields import field
from people.custom_fields.test_deletion import stored
from training.requirements.settling import require
from trilha.people.custom_fields import queries
from trilha.people.custom_fields.schema import CustomField
from web.panel.signing_in import made, send, signed_in
from web.panel.test_people import names

SETTINGS = "/admin/settings/custom-fields"
NEW = "/admin/settings/new-custom-field"


async def fields_of(world: World) -> list[CustomField]:
    async with world.tx() as tx:
        return await queries.list_fields(tx)


async def test_fields_are_created_changed_and_deleted(world: World) -> None:
    admin = await signed_in(world)
    assert "No custom fields yet" in (await admin.get(SETTINGS)).text
    new = {"name": "Turno", "key": "shift", "type": "choice", "choices": "Dia\r\n\r\n Noite "}
    assert (await send(admin, NEW, **new)).headers["location"] == SETTINGS
    page = (await admin.get(SETTINGS)).text
    assert "Dia · Noite" in page
    assert "List of choices" in page
    changed = await send(admin, f"{SETTINGS}/shift", name="Turno de trabalho", choices="Tarde")
    assert changed.status_code == 303
    (shift,) = await fields_of(world)
    assert (shift.name, shift.choices) == ("Turno de trabalho", ["Dia", "Noite", "Tarde"])
    question = await admin.get(f"{SETTINGS}/shift/delete")
    assert "Delete the field Turno de trabalho?" in question.text
    assert (await send(admin, f"{SETTINGS}/shift/delete")).headers["location"] == SETTINGS
    assert await fields_of(world) == []
    assert (await admin.get(f"{SETTINGS}/shift")).status_code == 404


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"key": "Turno"}, "Use up to 40 lower-case letters"),
        ({"key": "area"}, "Another field already has this key"),
        ({"name": ""}, "Fill in this field"),
        ({"type": "choice"}, "Enter choices for a list of choices"),
        ({"choices": "Dia"}, "Enter choices for a list of choices"),
    ],
)
async def test_a_wrong_field_is_refused(world: World, values: dict[str, str], sentence: str) -> None:
    await field(world, "area")
    admin = await signed_in(world)
    answer = await send(admin, NEW, **({"name": "Turno", "key": "shift", "type": "text"} | values))
    assert answer.status_code == 422
    assert sentence in answer.text
    assert len(await fields_of(world)) == 1


async def test_the_requirements_that_use_a_field_are_named(world: World) -> None:
    await field(world, "area")
    rule = {"field": "custom_fields.area", "op": "eq", "value": "Sul"}
    await require(world, rule=rule)
    admin = await signed_in(world)
    assert "cannot be deleted: NR-35" in (await admin.get(f"{SETTINGS}/area/delete")).text
    answer = await send(admin, f"{SETTINGS}/area/delete")
    assert answer.status_code == 422
    assert "Requirements use this field" in answer.text
    assert len(await fields_of(world)) == 1


async def test_only_administrators_see_the_settings(world: World, stranger: World) -> None:
    await field(world, "area")
    for role in ("gestor", "instrutor"):
        client = await signed_in(world, role)  # type: ignore[arg-type]
        for path in (SETTINGS, NEW, f"{SETTINGS}/area", f"{SETTINGS}/area/delete"):
            assert (await client.get(path)).status_code == 403
    other = await signed_in(stranger)
    assert (await other.get(f"{SETTINGS}/area")).status_code == 404
    assert (await other.get(f"{SETTINGS}/area/delete")).status_code == 404


@pytest.fixture
async def with_fields(world: World) -> None:
    await field(world, "area")
    await field(world, "pis", personal=True)
    await field(world, "level", "number")
    await field(world, "since", "date")
    await field(world, "shift", "choice", choices=["Dia", "Noite"])


async def save(admin: httpx2.AsyncClient, path: str, values: dict[str, str], **more: Any) -> httpx2.Response:
    form = {"name": "Ana Lima", "email": "ana.lima@example.com"} | more
    return await send(admin, path, **form, custom_key=list(values), custom_value=list(values.values()))


@pytest.mark.usefixtures("with_fields")
async def test_a_person_is_added_and_changed_with_values(world: World) -> None:
    admin = await signed_in(world)
    values = {"area": "Sul", "pis": "120.1", "level": "2,5", "since": "2020-01-31", "shift": "Dia"}
    answer = await save(admin, "/admin/people/new", values)
    assert answer.status_code == 303, answer.text
    path = answer.headers["location"]
    user_id = path.rpartition("/")[2]
    shown = {"area": "Sul", "pis": "***", "level": 2.5, "since": "2020-01-31", "shift": "Dia"}
    assert await stored(world, user_id) == (shown, '{"pis":"120.1"}')
    page = (await admin.get(path)).text
    for text in ("Other data", ">Sul</a>", "***", "2.5", ">Dia</a>"):
        assert text in page
    assert "120.1" not in page
    form = (await admin.get(f"{path}/edit")).text
    assert "120.1" not in form
    assert 'value="2020-01-31"' in form
    assert '<option value="Dia" selected>' in form
    await save(admin, f"{path}/edit", {"area": "", "pis": "", "level": "3", "since": "", "shift": "Noite"})
    assert await stored(world, user_id) == ({"pis": "***", "level": 3, "shift": "Noite"}, '{"pis":"120.1"}')
    await save(admin, f"{path}/edit", {"pis": ""}, forget_custom="pis")
    assert await stored(world, user_id) == ({"level": 3, "shift": "Noite"}, None)


@pytest.mark.usefixtures("with_fields")
async def test_wrong_values_stay_in_the_form(world: World) -> None:
    admin = await signed_in(world)
    user = await made(world)
    answer = await save(admin, f"/admin/people/{user.id}/edit", {"area": "Norte", "level": "muito"})
    assert answer.status_code == 422
    assert "Enter a number, without a thousands separator." in answer.text
    assert 'value="muito"' in answer.text
    assert 'value="Norte"' in answer.text
    assert 'href="#custom_fields.level"' in answer.text
    assert (await stored(world, str(user.id)))[0] == {}


@pytest.mark.usefixtures("with_fields")
async def test_people_are_filtered_by_a_value(world: World) -> None:
    admin = await signed_in(world)
    await made(world, name="Ana", custom_fields={"shift": "Dia", "area": "Sul: 1"})
    await made(world, name="Rui", custom_fields={"shift": "Noite", "pis": "1"})
    page = await admin.get("/admin/people", params={"custom": "shift:Dia"})
    assert names(page) == ["Ana"]
    assert "Shift: Dia" in page.text
    assert names(await admin.get("/admin/people", params={"custom": "area:Sul: 1"})) == ["Ana"]
    for value in ("shift", "shift:", "nada:Dia", "pis:1", ":"):
        assert names(await admin.get("/admin/people", params={"custom": value})) == []
