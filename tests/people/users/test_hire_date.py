"""The hire date of a user: sent, changed, cleared, imported and erased."""

from pathlib import Path

import pytest

from conftest import World
from people.people_import.test_import import done
from people.users.test_put_users import counts, put
from web.panel.signing_in import send, signed_in

HIRED = "2021-03-01"


async def read(world: World, user_id: str) -> object:
    return (await world.http.get(f"/v1/users/{user_id}")).json()["data"]["hire_date"]


async def test_it_is_set_changed_and_cleared(world: World) -> None:
    user = await world.user(hire_date=HIRED)
    assert user["hire_date"] == HIRED
    path = f"/v1/users/{user['id']}"
    assert (await world.http.patch(path, json={"hire_date": HIRED})).json()["data"] == user
    changed = await world.http.patch(path, json={"hire_date": "2020-02-29"})
    assert changed.json()["data"]["hire_date"] == "2020-02-29"
    assert (await world.http.patch(path, json={"hire_date": None})).json()["data"]["hire_date"] is None
    assert [data["changed"] for _, data in await world.events("user.updated")] == [["hire_date"]] * 2


async def test_a_user_without_one(world: World) -> None:
    assert (await world.user())["hire_date"] is None


@pytest.mark.parametrize("value", ["2021-02-29", "01/03/2021", "20210301", "1899-12-31", "2200-01-01", ""])
async def test_a_wrong_one_is_refused(world: World, value: str) -> None:
    user = await world.user(hire_date=HIRED)
    answer = await world.http.patch(f"/v1/users/{user['id']}", json={"hire_date": value})
    (problem,) = answer.json()["error"]["detail"]
    assert (answer.status_code, problem["field"], problem["code"]) == (400, "hire_date", "invalid_date")
    assert await read(world, user["id"]) == HIRED


async def test_in_bulk(world: World) -> None:
    new = {"email": "ana@example.com", "name": "Ana"}
    assert counts(await put(world, new | {"hire_date": HIRED})) == (1, 0, 0, 0)
    assert counts(await put(world, new | {"hire_date": HIRED})) == (0, 0, 1, 0)
    assert counts(await put(world, new)) == (0, 0, 1, 0)
    result = await put(world, new | {"hire_date": None})
    assert counts(result) == (0, 1, 0, 0)
    assert await read(world, result["user_ids"][0]) is None
    (error,) = (await put(world, new | {"hire_date": "yesterday"}))["errors"]
    assert (error["field"], error["code"]) == ("hire_date", "invalid_date")


async def test_on_the_pages_of_a_person(world: World) -> None:
    admin = await signed_in(world, "admin")
    user = await world.user(name="Ana Lima", email="ana@example.com", hire_date=HIRED)
    path = f"/admin/people/{user['id']}"
    assert f'value="{HIRED}"' in (await admin.get(f"{path}/edit")).text
    form = {"name": "Ana Lima", "email": "ana@example.com"}
    assert (await send(admin, f"{path}/edit", **form, hire_date="2019-08-05")).status_code == 303
    assert await read(world, user["id"]) == "2019-08-05"
    assert "Aug 5, 2019" in (await admin.get(path)).text
    refused = await send(admin, f"{path}/edit", **form, hire_date="2019-02-30")
    assert refused.status_code == 422
    assert "Enter a date" in refused.text


@pytest.mark.parametrize("cell", ["01/03/2021", "1/3/2021", "2021-03-01", "2021-03-01 00:00:00"])
async def test_from_a_file(world: World, tmp_path: Path, cell: str) -> None:
    raw = f"email;nome;Data de admissão\nana@example.com;Ana;{cell}\n".encode()
    _, problems = await done(world, tmp_path, raw)
    assert problems == []
    (ana,) = (await world.http.get("/v1/users?email=ana@example.com")).json()["data"]
    assert ana["hire_date"] == HIRED


async def test_a_file_with_a_wrong_one(world: World, tmp_path: Path) -> None:
    finished, problems = await done(
        world, tmp_path, b"email;nome;hire date\nana@example.com;Ana;32/01/2021\n"
    )
    assert finished.refused == 1
    assert [(problem.column, problem.code) for problem in problems] == [("hire date", "invalid_date")]
