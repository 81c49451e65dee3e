"""/admin/requirements: preview, create, see who is late, remind."""

from typing import Any
from uuid import UUID

import pytest

from conftest import World
from training.requirements.settling import by_title, require, settle
from trilha.platform.bulk_actions.jobs import BEGIN_HELD
from trilha.web.panel.bulk.jobs import run_next
from web.panel.bulk.offices import run_of
from web.panel.signing_in import send, signed_in

PATH = "/admin/requirements"


async def test_from_the_form_to_a_reminder(world: World) -> None:
    admin = await signed_in(world, "admin")
    ana = await world.user(name="Ana Lima", job_title="Eletricista II")
    await world.user(name="Rui Reis", job_title="Pedreiro")
    course = str(await world.course(title="NR-35"))
    form = {"title": "NR-35", "course_id": course, "job_title": "Eletricista", "due_days": "30"}
    form |= {"renew_months": "24", "window_days": "60"}
    preview = await send(admin, f"{PATH}/new", **form, step="preview")
    assert "Ana Lima" in preview.text
    assert "Rui Reis" not in preview.text
    assert (await world.http.get("/v1/requirements")).json()["data"] == []
    answer = await send(admin, f"{PATH}/new", **form, step="save")
    assert answer.status_code == 303
    await settle(world)
    page = (await admin.get(answer.headers["location"])).text
    assert "Ana Lima" in page
    assert "Rui Reis" not in page
    asked = await admin.get(f"{PATH}/remind", params={"id": ana["id"]})
    assert asked.text.count('name="id"') == 1
    assert "Remind Ana Lima" in asked.text
    reminded = await send(admin, f"{PATH}/remind", id=ana["id"], step="send", text="Até sexta!")
    assert reminded.headers["location"] == f"{PATH}/matrix"
    again = await send(admin, f"{PATH}/remind", id=ana["id"], step="send", page="overview")
    assert again.headers["location"] == "/admin"
    assert "Ana Lima was reminded today already" in (await admin.get("/admin")).text
    kinds = [data["kind"] for _, data in await world.events("reminder.sent")]
    assert kinds == ["manual"]
    assert "NR-35" in (await admin.get(PATH)).text


async def test_it_is_changed_turned_off_and_deleted(world: World) -> None:
    admin = await signed_in(world, "admin")
    requirement = await require(world, rule={"all": [{"field": "role", "op": "eq", "value": "learner"}]})
    address = f"{PATH}/{requirement['id']}"
    assert 'value="NR-35"' in (await admin.get(f"{address}/edit")).text
    form = {"title": "Novo", "course_id": requirement["course_id"], "due_days": "5", "window_days": "30"}
    assert (await send(admin, f"{address}/edit", **form, step="save")).status_code == 303
    read = (await world.http.get(f"/v1/requirements/{requirement['id']}")).json()["data"]
    assert (read["title"], read["due_days"], read["window_days"], read["rule"]) == (
        "Novo",
        5,
        30,
        {"all": []},
    )
    await send(admin, f"{address}/switch")
    read = (await world.http.get(f"/v1/requirements/{requirement['id']}")).json()["data"]
    assert read["active"] is False
    await send(admin, f"{address}/delete")
    assert (await world.http.get(f"/v1/requirements/{requirement['id']}")).status_code == 404


async def test_a_rule_that_the_form_cannot_write_is_not_lost(world: World) -> None:
    admin = await signed_in(world, "admin")
    requirement = await require(world, rule={"not": by_title("Aprendiz")})
    page = (await admin.get(f"{PATH}/{requirement['id']}/edit")).text
    assert "API" in page
    assert "Aprendiz" in (await admin.get(f"{PATH}/{requirement['id']}")).text


@pytest.mark.parametrize(
    "wrong", [{"course_id": ""}, {"due_days": ""}, {"due_on": "2030-01-01"}, {"title": ""}]
)
async def test_a_wrong_form_is_shown_again(world: World, wrong: dict[str, Any]) -> None:
    admin = await signed_in(world, "admin")
    form = {"title": "A", "course_id": str(await world.course()), "due_days": "1", "window_days": "60"}
    answer = await send(admin, f"{PATH}/new", **(form | wrong), step="save")
    assert answer.status_code == 422
    assert (await world.http.get("/v1/requirements")).json()["data"] == []


async def test_a_manager_sees_their_people_alone(world: World) -> None:
    manager = await signed_in(world, "gestor")
    await world.user(name="Ana Lima")
    requirement = await require(world)
    page = await manager.get(f"{PATH}/{requirement['id']}")
    assert page.status_code == 200
    assert "Ana Lima" not in page.text
    assert (await manager.get(f"{PATH}/new")).status_code == 403
    assert UUID(requirement["id"])


async def test_many_are_reminded_unless_it_is_undone(world: World) -> None:
    admin = await signed_in(world, "admin")
    people = [await world.user() for _ in range(3)]
    requirement = await require(world)
    form = {"all": "true", "requirement": requirement["id"], "step": "send", "text": "Vamos?"}
    answer = await send(admin, f"{PATH}/remind", **form)
    run = run_of(answer)
    assert "are reminded in one minute" in (await admin.get(f"/admin/bulk-actions/{run}")).text
    world.clock.move(seconds=60)
    await work(world)
    assert await reminded(world) == []
    await send(admin, f"/admin/bulk-actions/{run}/undo")
    assert "Undone: 4." in (await admin.get(f"/admin/bulk-actions/{run}")).text
    world.clock.move(seconds=60)
    await work(world)
    assert await reminded(world) == []
    run = run_of(await send(admin, f"{PATH}/remind", **form))
    world.clock.move(seconds=80)
    late = await send(admin, f"/admin/bulk-actions/{run}/undo")
    assert late.headers["location"] == f"/admin/bulk-actions/{run}"
    await work(world)
    # The administrator is concerned as well.
    assert set(await reminded(world)) >= {each["id"] for each in people}
    assert len(await reminded(world)) == 4
    assert "4 people were reminded." in (await admin.get(f"/admin/bulk-actions/{run}")).text
    again = run_of(await send(admin, f"{PATH}/remind", **form))
    world.clock.move(seconds=80)
    await work(world)
    assert len(await reminded(world)) == 4
    page = (await admin.get(f"/admin/bulk-actions/{again}")).text
    assert "Reminded within 24 hours, or not active" in page


async def work(world: World) -> None:
    """Lets the worker do what bulk actions have left to do."""
    await BEGIN_HELD.run_in(world.database, world.tenant.id)
    while await run_next(world.database, world.tenant.id):
        pass


async def reminded(world: World) -> list[str]:
    events = await world.events("reminder.sent")
    return [data["user_id"] for _, data in events if data["kind"] == "manual"]
