"""/admin/xapi-pipes and /admin/settings/statements."""

import re
from uuid import UUID

import httpx2

from conftest import World
from trilha.training.platform_statements import queries as statements
from trilha.training.xapi_pipes import queries
from trilha.training.xapi_pipes.schema import SendResult
from web.panel.signing_in import send, signed_in

PATH = "/admin/xapi-pipes"
FORM = {
    "name": "LRS <b>",
    "url": "https://lrs.example.com/xapi/",
    "username": "trilha",
    "password": "s3cret-s3cret",
    "version": "2.0.0",
    "verbs": " http://adlnet.gov/expapi/verbs/completed \r\n\r\nhttp://adlnet.gov/expapi/verbs/passed",
    "activity_prefix": "",
    "begin": "start",
}


async def create(admin: httpx2.AsyncClient, **changes: str) -> UUID:
    answer = await send(admin, f"{PATH}/new", **FORM | changes)
    assert answer.status_code == 303, answer.text
    found = re.fullmatch(rf"{PATH}/([0-9a-f-]{{36}})", answer.headers["location"])
    assert found is not None
    return UUID(found[1])


async def test_create_show_and_change(world: World) -> None:
    admin = await signed_in(world)
    assert "No pipes yet" in (await admin.get(PATH)).text
    pipe_id = await create(admin)
    page = (await admin.get(f"{PATH}/{pipe_id}")).text
    assert "The pipe was created." in page
    assert "LRS &lt;b&gt;" in page
    assert "https://lrs.example.com/xapi" in page
    assert "s3cret" not in page
    form = (await admin.get(f"{PATH}/{pipe_id}/edit")).text
    assert "s3cret" not in form
    assert "completed\nhttp://adlnet.gov/expapi/verbs/passed" in form.replace("\r", "")
    changes = FORM | {"name": "Analytics", "password": "", "version": "1.0.3", "verbs": ""}
    answer = await send(admin, f"{PATH}/{pipe_id}/edit", **changes)
    assert answer.headers["location"] == f"{PATH}/{pipe_id}"
    async with world.tx() as tx:
        pipe = await queries.get(tx, pipe_id)
    assert (pipe.name, pipe.version, pipe.verbs) == ("Analytics", "1.0.3", [])
    listed = (await admin.get(PATH)).text
    assert "Analytics" in listed


async def test_refused_forms_say_why_and_forget_the_password(world: World) -> None:
    admin = await signed_in(world)
    answer = await send(admin, f"{PATH}/new", **FORM | {"url": "https://10.0.0.1/", "verbs": "passed"})
    assert answer.status_code == 422
    assert "Use an address on the public internet" in answer.text
    assert "s3cret" not in answer.text
    answer = await send(admin, f"{PATH}/new", **FORM | {"verbs": "passed"})
    assert "Enter complete addresses (IRIs)" in answer.text
    answer = await send(admin, f"{PATH}/new", **FORM | {"password": ""})
    assert (answer.status_code, "Fill in this field." in answer.text) == (422, True)
    answer = await send(admin, f"{PATH}/new", **FORM | {"version": "3"})
    assert answer.status_code == 422
    pipe_id = await create(admin)
    answer = await send(
        admin, f"{PATH}/{pipe_id}/edit", **FORM | {"url": "https://evil.example.com/", "password": ""}
    )
    assert answer.status_code == 422  # the password of another server is asked again


async def test_turning_off_and_on_and_deleting(world: World) -> None:
    admin = await signed_in(world)
    pipe_id = await create(admin)
    assert "goes on where it stopped" in (await admin.get(f"{PATH}/{pipe_id}/pause")).text
    assert (await send(admin, f"{PATH}/{pipe_id}/pause")).status_code == 303
    page = (await admin.get(f"{PATH}/{pipe_id}")).text
    assert "Turn on pipe" in page
    await send(admin, f"{PATH}/{pipe_id}/resume")
    assert "The pipe is on again." in (await admin.get(f"{PATH}/{pipe_id}")).text
    answer = await send(admin, f"{PATH}/{pipe_id}/delete")
    assert answer.headers["location"] == PATH
    assert (await admin.get(f"{PATH}/{pipe_id}")).status_code == 404


async def test_failures_are_shown(world: World) -> None:
    admin = await signed_in(world)
    pipe_id = await create(admin)

    async def fail(*, pauses: bool) -> str:
        async with world.tx() as tx:
            pipe = await queries.renew(tx, pipe_id, world.clock() - world.clock())
            assert pipe is not None
            result = SendResult(http_status=401)
            assert await queries.note_failure(tx, pipe, result, tx.now, pauses=pauses)
        return (await admin.get(f"{PATH}/{pipe_id}")).text

    page = await fail(pauses=False)
    assert "The receiver refused the user name or the password." in page
    assert "1 attempt failed." in page
    assert "Paused because it failed for three days" in await fail(pauses=True)
    assert "Paused after failures" in (await admin.get(PATH)).text


async def test_who_may(world: World) -> None:
    for role in ("gestor", "instrutor", "learner"):
        person = await signed_in(world, role=role)
        assert (await person.get(PATH)).status_code == 403
        assert (await person.get("/admin/settings/statements")).status_code == 403


async def test_statements_of_the_platform_are_turned_on_and_off(world: World) -> None:
    admin = await signed_in(world)
    path = "/admin/settings/statements"
    assert "On since" not in (await admin.get(path)).text
    assert (await send(admin, path, recorded="true")).headers["location"] == path
    page = (await admin.get(path)).text
    assert "On since" in page
    assert "The settings were saved." in page
    await send(admin, path)
    async with world.tx() as tx:
        assert await statements.find_settings(tx) is None
