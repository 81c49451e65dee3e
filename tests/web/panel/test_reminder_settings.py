"""/admin/settings/reminders: when reminders are sent, which, and in which words."""

import pytest

from conftest import World
from training.reminders.test_reminders import work
from web.panel.signing_in import send, signed_in

PATH = "/admin/settings/reminders"


async def test_settings_are_saved(world: World) -> None:
    admin = await signed_in(world)
    assert (await admin.get(PATH)).status_code == 200
    form = {"quiet_from": "20:00", "quiet_until": "08:00", "working_days": ["1", "2"], "kinds": ["assigned"]}
    assert (await send(admin, PATH, **form)).status_code == 303
    settings = (await world.http.get("/v1/reminder-settings")).json()["data"]
    assert (settings["quiet_from"], settings["working_days"]) == ("20:00", [1, 2])
    assert [name for name, on in settings["kinds"].items() if on] == ["assigned"]
    assert (await send(admin, PATH, **(form | {"quiet_from": "25:00"}))).status_code == 422


async def test_own_text(world: World) -> None:
    admin = await signed_in(world)
    page = f"{PATH}/text?kind=assigned&locale=pt-BR"
    assert "Você tem um novo curso" in (await admin.get(page)).text
    form = {
        "kind": "assigned",
        "locale": "pt-BR",
        "subject": "Curso novo: {course}",
        "text": "Olá, {name}! Faça {course}{ate}.",
    }
    assert (await send(admin, page, **form)).status_code == 422
    form["text"] = "Olá, {name}! Faça {course}."
    preview = await send(admin, page, **form, step="preview")
    assert "Olá, Ana Lima! Faça NR-35 Trabalho em altura." in preview.text
    assert "Você tem um novo curso" in (await admin.get(page)).text
    assert (await send(admin, page, **form, step="save")).status_code == 303
    user = await world.user(name="Rui {course}")
    await world.enrollment(user_id=user["id"], course_id=await world.course(title="NR-10"))
    await work(world)
    async with world.tx() as tx:
        rows = await tx.rows(
            "SELECT id, content FROM mail_messages WHERE tenant_id = :tenant AND kind = 'reminders'"
        )
    opened = world.database.keyring.open(rows[0]["content"], world.tenant.id, "mail_messages", rows[0]["id"])
    assert "Olá, Rui {course}! Faça NR-10." in opened
    assert "Curso novo: NR-10" in opened
    assert (await send(admin, page.replace("text?", "text/reset?"))).status_code == 303
    assert "Você tem um novo curso" in (await admin.get(page)).text


@pytest.mark.parametrize("query", ["kind=nada&locale=en", "kind=digest&locale=en", "kind=due&locale=fr"])
async def test_texts_that_do_not_exist(world: World, query: str) -> None:
    admin = await signed_in(world)
    assert (await admin.get(f"{PATH}/text?{query}")).status_code in (400, 404, 422)
    answer = await send(admin, f"{PATH}/text?{query}", subject="A", text="B")
    assert answer.status_code in (400, 404, 422)
