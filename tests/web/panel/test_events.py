"""The pages of the event feed."""

import html
import json
import re
from datetime import timedelta
from zoneinfo import ZoneInfo

import httpx2

from conftest import World
from posting import Post
from receiver import receiving
from trilha.platform.events.catalogue import CATALOGUE
from trilha.web.panel.integration import event_types
from web.panel.signing_in import send, signed_in

LIST = "/admin/events"


async def names(client: httpx2.AsyncClient, query: str = "") -> list[str]:
    page = await client.get(f"{LIST}?{query}")
    assert page.status_code == 200, page.text
    return re.findall(rf'class="table__link" href="{LIST}/(evt_[0-9a-f]+)"', page.text)


def test_every_type_has_words() -> None:
    assert list(event_types.LABELS) == list(CATALOGUE)
    assert [name for _, _, names in event_types.list_groups() for name in names] == list(CATALOGUE)
    assert len(set(event_types.LABELS.values())) == len(CATALOGUE)


async def test_the_feed_is_that_of_the_api(world: World) -> None:
    client = await signed_in(world)
    user = await world.user()
    world.clock.move(days=2)
    await world.http.post(f"/v1/users/{user['id']}/suspend")
    client = await signed_in(world)
    told = (await world.http.get("/v1/events")).json()["data"]
    every = [each["id"] for each in told]
    assert await names(client) == every
    assert await names(client, "type=user.suspended") == every[1:2]
    today = world.clock.now.astimezone(ZoneInfo("America/Sao_Paulo")).date()
    assert await names(client, f"since={today}") == every[:2]
    assert await names(client, f"until={today - timedelta(days=2)}") == every[2:]
    assert await names(client, f"until={today - timedelta(days=1)}&type=user.suspended") == []
    page = await client.get(f"{LIST}/{every[1]}")
    text = re.search(r"<code>(\{.*?\})</code>", page.text, re.DOTALL)
    assert text
    assert json.loads(html.unescape(text[1])) == told[1]
    assert "Not sent: no webhook receives" in page.text


async def test_an_id_leads_to_its_event(world: World) -> None:
    client = await signed_in(world)
    (first, *_) = await names(client)
    found = await client.get(f"{LIST}?q= {first} ")
    assert found.headers["location"] == f"{LIST}/{first}"
    assert "No results for these filters" in (await client.get(f"{LIST}?q=evt_1")).text
    unknown = "evt_" + "0" * 32
    assert "No results for these filters" in (await client.get(f"{LIST}?q={unknown}")).text
    for name in (unknown, "evt_1", "x"):
        assert (await client.get(f"{LIST}/{name}")).status_code == 404


async def test_pages_go_on(world: World) -> None:
    client = await signed_in(world)
    for _ in range(21):
        await world.user()
    page = (await client.get(f"{LIST}?type=user.created")).text
    more = re.search(r'class="btn" href="([^"]+cursor=[^"]+)"', page)
    assert more
    address = html.unescape(more[1])
    assert "type=user.created" in address
    rows = await client.get(address, headers={"hx-request": "true"})
    shown = re.findall("evt_[0-9a-f]{32}", page + rows.text)
    assert len(set(shown)) == 22  # including the viewer
    assert "<table" not in rows.text


async def test_where_an_event_was_sent(world: World, post: Post) -> None:
    client = await signed_in(world)
    async with receiving(204) as receiver:
        await post.endpoint(receiver.url, "user.suspended")
        await post.happen()
        await post.send()
    (name,) = await names(client, "type=user.suspended")
    page = (await client.get(f"{LIST}/{name}")).text
    assert receiver.url in page
    assert "Delivered" in page
    found = re.search(r'href="(/admin/webhooks/[^"]+/deliveries/[^"]+)"', page)
    assert found
    assert name in (await client.get(found[1])).text


async def test_what_is_older_than_30_days_is_not_shown(world: World) -> None:
    client = await signed_in(world)
    (first, *_) = await names(client)
    world.clock.move(days=31)
    later = await signed_in(world)
    assert first not in await names(later)
    assert (await later.get(f"{LIST}/{first}")).status_code == 404


async def test_another_tenants_event_is_nowhere(world: World, stranger: World) -> None:
    mine, theirs = await signed_in(world), await signed_in(stranger)
    (first, *_) = await names(theirs)
    assert (await mine.get(f"{LIST}/{first}")).status_code == 404
    assert first not in await names(mine)


async def test_only_administrators_integrate(world: World) -> None:
    for role in ("gestor", "instrutor", "learner"):
        client = await signed_in(world, role)  # type: ignore[arg-type]
        for path in ("api-keys", "oauth-clients", "webhooks", "events"):
            assert (await client.get(f"/admin/{path}")).status_code == 403
        for path in ("api-keys/new", "oauth-clients/new", "webhooks/new"):
            assert (await send(client, f"/admin/{path}", name="x")).status_code == 403
