"""Names and titles are displayed as stored: no character in them reverses the text around them."""

from pathlib import Path
from typing import Any

import pytest

from access.scim.providers import Provider, new_token
from conftest import World
from people.people_import.test_import import done
from trilha.core.types import InvalidValue, Title
from trilha.core.web.parsing import convert
from trilha.training.courses.schema import NewCourse
from trilha.training.learning_paths.schema import NewPath
from web.panel.signing_in import send, signed_in

OVERRIDES = [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C]
CONTROLS = [*range(1, 0x20), *range(0x7F, 0xA0), 0x2028, 0x2029]
EVIL = "Ana \u202egnp.exe"


@pytest.mark.parametrize("member", ["name", "department", "job_title", "employee_number"])
async def test_no_way_in_takes_them_by_api(world: World, member: str) -> None:
    user = await world.user()
    for character in map(chr, [*OVERRIDES, *CONTROLS]):
        body: dict[str, Any] = {"email": "x@example.com", "name": "X"} | {member: f"A{character}B"}
        for answer in (
            await world.http.post("/v1/users", json=body),
            await world.http.patch(f"/v1/users/{user['id']}", json={member: f"A{character}B"}),
        ):
            error = answer.json()["error"]
            assert (answer.status_code, error["code"], error["field"]) == (400, "invalid_text", member)


@pytest.mark.parametrize(
    "name", ["Zoë Ångström", "محمد علي", "שרה כהן", "नेहा", "O’Neil-Silva Jr.", "👩‍🚀 Ana"]
)
async def test_names_of_every_script_are_taken(world: World, name: str) -> None:
    assert (await world.user(name=name))["name"] == name


async def test_nor_by_scim_an_import_or_the_panel(world: World, tmp_path: Path) -> None:
    provider = Provider(world, await new_token(world))
    user = {"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": "x@example.com"}
    for members in (
        {"displayName": EVIL},
        {"name": {"formatted": EVIL}},
        {"title": EVIL, "displayName": "X"},
    ):
        answer = await provider.post(user | members)
        assert (answer.status_code, answer.json()["scimType"]) == (400, "invalidValue")
    raw = f"email,nome,cargo\na@example.com,{EVIL},\nb@example.com,Bia,{EVIL}\n".encode()
    _, problems = await done(world, tmp_path, raw)
    assert [each.code for each in problems] == ["invalid_text", "invalid_text"]
    admin = await signed_in(world)
    for fields in ({"name": EVIL}, {"name": "Ana", "department": EVIL}):
        form = {"email": "c@example.com", "role": "learner", "entry": "invitation"} | fields
        assert (await send(admin, "/admin/people/new", **form)).status_code == 422


async def test_nor_titles(world: World) -> None:
    async with world.tx() as tx:
        for kind, raw in (
            (NewCourse, {"title": EVIL, "slug": "a", "modules": []}),
            (NewCourse, {"title": "A", "slug": "a", "modules": [{"title": EVIL, "duration_minutes": 1}]}),
            (NewCourse, {"title": "A", "slug": "a", "category": EVIL, "modules": []}),
            (NewPath, {"title": EVIL}),
        ):
            with pytest.raises(Exception, match="invalid_text"):
                convert(kind, raw, tx.today)


def test_what_a_file_is_called_is_cleaned() -> None:
    assert Title.fit("NR-35\u202e aula\n2") == "NR-35 aula 2"
    assert Title.fit("\u202e") == "…"
    assert len(Title.fit("x" * 500)) == 200
    with pytest.raises(InvalidValue):
        Title.parse("")
