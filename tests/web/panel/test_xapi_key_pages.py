"""/admin/xapi-keys"""

import re
from typing import Any

import httpx2
import pytest

from conftest import World
from training.xapi.clients import statement
from trilha.core.lists import list_rows
from trilha.platform.audit.lists import RECORDS
from trilha.platform.audit.schema import AuditQuery
from web.panel.signing_in import send, signed_in

LIST = "/admin/xapi-keys"
NEW = f"{LIST}/new"


async def create_key(client: httpx2.AsyncClient, **fields: object) -> str:
    """Creates a key with both scopes, unless others are named. Returns its address."""
    answer = await send(client, NEW, **{"name": "Simulator", "scopes": ["xapi:read", "xapi:write"]} | fields)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].removesuffix("/secret")


def find_value(page: str, id: str) -> str:
    found = re.search(rf'id="{id}" value="([^"]+)"', page)
    assert found, page
    return found[1]


async def test_a_key_is_made_and_shown_once(world: World) -> None:
    client = await signed_in(world)
    assert "No xAPI keys yet" in (await client.get(LIST)).text
    address = await create_key(client)
    page = await client.get(f"{address}/secret")
    assert page.headers["cache-control"] == "no-store"
    key, secret = find_value(page.text, "key"), find_value(page.text, "secret")
    program = world.client()
    program.auth = (key, secret)
    program.headers["x-experience-api-version"] = "2.0.0"
    assert (await program.post("/xapi/statements", json=statement())).status_code == 200
    again = await client.get(f"{address}/secret")
    assert secret not in again.text
    assert "The secret was already shown" in again.text
    for shown in (await client.get(address), await client.get(LIST)):
        assert key in shown.text
        assert secret not in shown.text
    async with world.tx() as tx:
        actions = [each.action for each in await list_rows(tx, RECORDS, AuditQuery(action="xapi."))]
    assert actions == ["xapi.key_created"]


async def test_a_key_has_only_its_scopes(world: World) -> None:
    client = await signed_in(world)
    address = await create_key(client, scopes=["xapi:read"])
    page = (await client.get(f"{address}/secret")).text
    program = world.client()
    program.auth = (find_value(page, "key"), find_value(page, "secret"))
    program.headers["x-experience-api-version"] = "2.0.0"
    assert (await program.get("/xapi/statements")).status_code == 200
    assert (await program.post("/xapi/statements", json=statement())).status_code == 403


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"name": ""}, "Name: Fill in this field."),
        ({"scopes": []}, "What it may do: Choose one of the options."),
        ({"scopes": ["users:read"]}, "Choose one of the options."),
        ({"name": "a" * 121}, "too long"),
    ],
)
async def test_a_form_that_is_refused_is_shown_again(
    world: World, fields: dict[str, object], told: str
) -> None:
    client = await signed_in(world)
    page = await send(client, NEW, **{"name": "Simulator", "scopes": ["xapi:read"]} | fields)
    assert page.status_code == 422
    assert told in page.text
    assert "No xAPI keys yet" in (await client.get(LIST)).text


async def test_revoking(world: World) -> None:
    client = await signed_in(world)
    address = await create_key(client, name="<b>Old</b>")
    page = (await client.get(f"{address}/secret")).text
    assert "<b>Old" not in page
    assert "This cannot be undone" in (await client.get(f"{address}/revoke")).text
    answer = await send(client, f"{address}/revoke")
    assert answer.headers["location"] == LIST
    assert "was revoked." in (await client.get(LIST)).text
    program = world.client()
    program.auth = (find_value(page, "key"), find_value(page, "secret"))
    program.headers["x-experience-api-version"] = "2.0.0"
    assert (await program.get("/xapi/statements")).status_code == 401
    await send(client, f"{address}/revoke")
    assert "This key has already been revoked." in (await client.get(address)).text


async def test_searching_and_filtering(world: World) -> None:
    client = await signed_in(world)
    for name in ("Zeta", "Alfa"):
        world.clock.move(seconds=1)
        await create_key(client, name=name)
    world.clock.move(seconds=1)
    await send(client, f"{await create_key(client, name='Gone 100%')}/revoke")

    async def list_names(query: str) -> list[str]:
        page = (await client.get(f"{LIST}?{query}")).text
        return re.findall(r'class="table__link" href="[^"]+">([^<]+)<', page)

    assert await list_names("") == ["Gone 100%", "Alfa", "Zeta"]
    assert await list_names("sort=name") == ["Alfa", "Gone 100%", "Zeta"]
    assert await list_names("q=100%25") == ["Gone 100%"]
    assert await list_names("state=live&q=z") == ["Zeta"]
    assert await list_names("state=revoked") == ["Gone 100%"]
    assert (await client.get(f"{LIST}?state=odd")).status_code == 400


@pytest.mark.parametrize("role", ["gestor", "instrutor", "learner"])
async def test_only_administrators_manage_keys(world: World, role: Any) -> None:
    admin = await signed_in(world)
    address = await create_key(admin)
    client = await signed_in(world, role)
    for path in (LIST, NEW, address, f"{address}/secret", f"{address}/revoke"):
        assert (await client.get(path)).status_code == 403
    assert (await send(client, f"{address}/revoke")).status_code == 403
    assert (await send(client, NEW, name="A", scopes=["xapi:read"])).status_code == 403


async def test_keys_of_another_tenant_are_not_there(world: World, stranger: World) -> None:
    address = await create_key(await signed_in(world))
    client = await signed_in(stranger)
    assert "Simulator</" not in (await client.get(LIST)).text
    for path in (address, f"{address}/secret", f"{address}/revoke"):
        assert (await client.get(path)).status_code == 404
    assert (await send(client, f"{address}/revoke")).status_code == 404
