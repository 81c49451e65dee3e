"""The pages of API keys."""

import re
from uuid import UUID

import httpx2
import pytest

from conftest import World
from trilha.web.panel.secrets.presets import PRESETS
from web.panel.signing_in import send, signed_in

NEW = "/admin/api-keys/new"


async def created(client: httpx2.AsyncClient, **fields: object) -> str:
    """Creates a key. Returns its address."""
    answer = await send(client, NEW, **{"name": "ERP", "scopes": ["users:read"]} | fields)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].removesuffix("/secret")


def secret_in(page: str) -> str:
    found = re.search(r'id="secret" value="([^"]+)"', page)
    assert found, page
    return found[1]


async def test_a_key_is_made_and_shown_once(world: World) -> None:
    client = await signed_in(world)
    assert "No API keys yet" not in (await client.get("/admin/api-keys")).text  # the world's own
    address = await created(client, networks="127.0.0.0/8")
    page = await client.get(f"{address}/secret")
    assert page.headers["cache-control"] == "no-store"
    key = secret_in(page.text)
    assert (await world.client(key).get("/v1/users")).status_code == 200
    assert (await world.client(key).get("/v1/courses")).status_code == 403
    again = await client.get(f"{address}/secret")
    assert key not in again.text
    assert "The secret was already shown" in again.text
    shown = (await client.get(address)).text
    assert "127.0.0.0/8" in shown
    assert key not in shown
    assert ("api_key.created", "ERP") in [(kind, data.get("name")) for kind, data in await world.events()]


@pytest.mark.parametrize("page", [NEW, "/admin/oauth-clients/new"])
async def test_a_preset_fills_in_the_form(world: World, page: str) -> None:
    client = await signed_in(world)
    plain = (await client.get(page)).text
    assert "checked" not in re.findall(r'<input[^>]*name="scopes"[^>]*>', plain)
    assert 'aria-current="true"' not in plain.partition('class="presets"')[2].partition("</nav>")[0]
    for name, preset in PRESETS.items():
        form = (await client.get(f"{page}?preset={name}")).text
        scopes = re.findall(r'name="scopes" value="([^"]+)" checked', form)
        assert sorted(scopes) == sorted(preset.scopes)
        assert f'href="{page}?preset={name}" aria-current="true"' in form
        assert f'value="{preset.label}"' in form
    assert "users:write" not in PRESETS["bi"].scopes
    assert all(scope.endswith(":read") for scope in PRESETS["bi"].scopes)
    assert (await client.get(f"{page}?preset=all")).status_code == 400
    # A refused form keeps what was chosen, and offers the presets again.
    refused = await send(client, page, name="", scopes=["courses:read"])
    assert re.findall(r'name="scopes" value="([^"]+)" checked', refused.text) == ["courses:read"]
    assert 'class="presets"' in refused.text


async def test_a_secret_is_shown_to_nobody_else_and_not_late(world: World) -> None:
    client, other = await signed_in(world), await signed_in(world)
    address = await created(client)
    other.cookies.set("trilha_shown_once", client.cookies["trilha_shown_once"], domain="trilha.test")
    assert "already shown" in (await other.get(f"{address}/secret")).text
    second = await created(client)
    world.clock.move(minutes=2)
    assert "already shown" in (await client.get(f"{second}/secret")).text


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"name": ""}, "Name: Fill in this field."),
        ({"scopes": []}, "What it may do: Choose one of the options."),
        ({"scopes": ["users:own"]}, "Choose one of the options."),
        ({"networks": "10.0.0.0/99"}, "Enter addresses or networks"),
        ({"expires_on": "2020-01-01"}, "Choose today or a later day."),
        ({"expires_on": "9999-12-31"}, "Enter a date"),
        ({"expires_on": "soon"}, "Enter a date"),
    ],
)
async def test_a_form_that_is_refused_is_shown_again(
    world: World, fields: dict[str, object], told: str
) -> None:
    client = await signed_in(world)
    before = await world.events("api_key.created")
    sent = {"name": "Payroll", "scopes": ["courses:read"]} | fields
    page = await send(client, NEW, **sent)
    assert page.status_code == 422
    assert told in page.text
    if sent["name"]:
        assert 'value="Payroll"' in page.text
    if sent["scopes"] == ["courses:read"]:
        assert re.search(r'value="courses:read" checked', page.text)
    assert await world.events("api_key.created") == before


async def test_the_last_day_is_one_of_the_tenants_calendar(world: World) -> None:
    client = await signed_in(world)
    day = world.clock.now.replace(year=world.clock.now.year + 1, month=3, day=31)
    address = await created(client, expires_on=f"{day:%Y-%m-%d}")
    async with world.tx() as tx:
        ends = await tx.value(
            "SELECT expires_at FROM api_keys WHERE tenant_id = :tenant AND id = :id",
            id=UUID(address.rpartition("/")[2]),
        )
    assert ends == f"{day:%Y}-04-01T02:59:59.000Z"
    assert f"Mar 31, {day.year}" in (await client.get("/admin/api-keys")).text


@pytest.mark.parametrize(("grace", "old"), [("24", 200), ("0", 401)])
async def test_rotating_with_grace(world: World, grace: str, old: int) -> None:
    client = await signed_in(world)
    address = await created(client)
    first = secret_in((await client.get(f"{address}/secret")).text)
    answer = await send(client, f"{address}/rotate", grace=grace)
    assert answer.headers["location"] == f"{address}/secret"
    second = secret_in((await client.get(f"{address}/secret")).text)
    assert second != first
    assert (await world.client(second).get("/v1/users")).status_code == 200
    assert (await world.client(first).get("/v1/users")).status_code == old
    shown = (await client.get(address)).text
    assert ("An earlier secret still works" in shown) == (grace == "24")


async def test_a_grace_has_an_end(world: World) -> None:
    client = await signed_in(world)
    address = await created(client)
    assert (await send(client, f"{address}/rotate", grace="169")).status_code == 422


async def test_revoking(world: World) -> None:
    client = await signed_in(world)
    address = await created(client)
    key = secret_in((await client.get(f"{address}/secret")).text)
    assert "This cannot be undone" in (await client.get(f"{address}/revoke")).text
    part = await client.get(f"{address}/revoke", headers={"hx-request": "true"})
    assert "<html" not in part.text
    answer = await send(client, f"{address}/revoke")
    assert answer.headers["location"] == "/admin/api-keys"
    assert "The key ERP was revoked." in (await client.get("/admin/api-keys")).text
    assert (await world.client(key).get("/v1/users")).status_code == 401
    for again in ("revoke", "rotate"):
        assert (await send(client, f"{address}/{again}")).headers["location"] == address
        assert "This key has already been revoked." in (await client.get(address)).text
    assert len(await world.events("api_key.revoked")) == 1


async def test_searching_filtering_and_sorting(world: World) -> None:
    client = await signed_in(world)
    for name in ("Zeta", "Alfa"):
        world.clock.move(seconds=1)
        await created(client, name=name)
    world.clock.move(seconds=1)
    gone = await created(client, name="Gone 100%")
    await send(client, f"{gone}/revoke")

    async def names(query: str) -> list[str]:
        page = (await client.get(f"/admin/api-keys?{query}")).text
        return re.findall(r'class="table__link" href="[^"]+">([^<]+)<', page)

    assert await names("") == ["Gone 100%", "Alfa", "Zeta", "Test"]
    assert await names("sort=name") == ["Alfa", "Gone 100%", "Test", "Zeta"]
    assert await names("q=ALF") == ["Alfa"]
    assert await names("q=100%25") == ["Gone 100%"]
    assert await names("state=revoked") == ["Gone 100%"]
    assert await names("state=live&q=z") == ["Zeta"]
    assert "No results for these filters" in (await client.get("/admin/api-keys?q=nobody")).text
    assert (await client.get("/admin/api-keys?state=odd")).status_code == 400
    assert (await client.get("/admin/api-keys?cursor=odd")).status_code == 400


async def test_pages_go_on(world: World) -> None:
    client = await signed_in(world)
    for number in range(20):
        await world.key("users:read", networks=f"10.0.0.{number}")
    page = (await client.get("/admin/api-keys")).text
    assert "21 keys" in page
    found = re.search(r'class="btn" href="(/admin/api-keys\?cursor=[^"]+)"', page)
    assert found
    rows = await client.get(found[1], headers={"hx-request": "true"})
    assert rows.text.count("<tr") == 1
    assert "<table" not in rows.text
    whole = await client.get(found[1])
    assert whole.text.count("<tr") == 2  # including the header


async def test_another_tenants_key_is_nowhere(world: World, stranger: World) -> None:
    mine, theirs = await signed_in(world), await signed_in(stranger)
    address = await created(theirs)
    for path in ("", "/secret", "/rotate", "/revoke"):
        assert (await mine.get(address + path)).status_code == 404
    for path in ("/rotate", "/revoke"):
        assert (await send(mine, address + path)).status_code == 404
    assert await stranger.events("api_key.revoked") == []
