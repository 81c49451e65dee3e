"""The pages of webhooks: endpoints, deliveries and replays."""

import html
import re
from datetime import timedelta
from zoneinfo import ZoneInfo

import httpx2
import pytest

from conftest import World
from posting import Post
from receiver import receiving
from trilha.platform.events.catalogue import CATALOGUE
from web.panel.signing_in import send, signed_in

NEW = "/admin/webhooks/new"


async def created(client: httpx2.AsyncClient, url: str, **fields: object) -> str:
    """Creates an endpoint. Returns its address."""
    answer = await send(client, NEW, **{"url": url, "events": ["user.suspended"]} | fields)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].removesuffix("/secret")


def addresses(page: str, pattern: str) -> list[str]:
    return list(dict.fromkeys(re.findall(pattern, page)))


async def deliveries(client: httpx2.AsyncClient, address: str, query: str = "") -> list[str]:
    page = await client.get(f"{address}?{query}")
    assert page.status_code == 200, page.text
    return addresses(page.text, rf"{address}/deliveries/[0-9a-f-]{{36}}")


async def test_a_webhook_is_made_tested_and_sent_to(world: World, post: Post) -> None:
    client = await signed_in(world)
    assert "No webhooks yet" in (await client.get("/admin/webhooks")).text
    async with receiving(204) as receiver:
        address = await created(client, receiver.url, description="ERP")
        page = (await client.get(f"{address}/secret")).text
        assert 'value="whsec_' in page
        again = (await client.get(f"{address}/secret")).text
        assert "whsec_" not in again
        assert "Nothing was sent yet" in (await client.get(address)).text
        sent = await send(client, f"{address}/test")
        delivery = sent.headers["location"]
        waiting = (await client.get(delivery)).text
        assert "First attempt" in waiting
        assert "data-poll" in waiting
        await post.send()
    done = (await client.get(delivery)).text
    assert "Answered with 204" in done
    assert "data-poll" not in done
    part = await client.get(delivery, headers={"hx-request": "true"})
    assert part.text.lstrip().startswith('<section class="card" id="attempts">')
    assert len(receiver.calls) == 1


async def test_a_group_of_events_is_chosen_at_once(world: World) -> None:
    client = await signed_in(world)
    form = (await client.get(NEW)).text
    assert re.search(r'name="groups" value="user" data-group>', form)
    url = "https://example.com/"
    address = await created(client, url, events=["certificate.issued", "user.created"], groups=["user"])
    async with world.tx() as tx:
        events = await tx.value("SELECT events FROM webhook_endpoints WHERE tenant_id = :tenant")
    users = [name for name in CATALOGUE if name.startswith("user.")]
    assert sorted(events) == sorted([*users, "certificate.issued"])
    page = (await client.get(f"{address}/edit")).text
    assert len(re.findall(r'name="events" value="user\.[a-z_.]+" checked', page)) == len(users)
    await created(client, url, events=[], groups=["course"])
    refused = await send(client, NEW, url=url, groups=["user", "nothing"])
    assert (refused.status_code, 'value="user" data-group checked' in refused.text) == (422, True)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"url": ""}, "Address: Fill in this field."),
        ({"url": "ftp://example.com"}, "begins with https://"),
        ({"url": "http://192.168.0.1/x"}, "this one is inside a network"),
        ({"events": []}, "Events to send: Choose one of the options."),
        ({"events": ["user.exploded"]}, "Choose one of the options."),
    ],
)
async def test_an_endpoint_that_is_refused(world: World, fields: dict[str, object], told: str) -> None:
    client = await signed_in(world)
    sent = {"url": "https://example.com/", "events": ["user.created"], "description": "ERP"} | fields
    page = await send(client, NEW, **sent)
    assert page.status_code == 422
    assert told in page.text
    assert 'value="ERP"' in page.text
    assert "No webhooks yet" in (await client.get("/admin/webhooks")).text


async def test_the_picker_is_the_catalogue(world: World) -> None:
    client = await signed_in(world)
    page = (await client.get(NEW)).text
    told = (await world.http.get("/v1/webhooks/event-types?limit=100")).json()["data"]
    assert re.findall(r'name="events" value="([^"]+)"', page) == [each["type"] for each in told]
    assert page.count("Not available yet") == sum("Not emitted yet." in each["description"] for each in told)


async def test_editing_and_switching_off_and_on(world: World) -> None:
    client = await signed_in(world)
    address = await created(client, "https://example.com/a")
    form = (await client.get(f"{address}/edit")).text
    assert 'value="https://example.com/a"' in form
    assert re.findall(r'value="([^"]+)" checked', form) == ["user.suspended"]
    new = {"url": "https://example.com/b", "events": ["user.created", "course.updated"]}
    assert (await send(client, f"{address}/edit", **new)).headers["location"] == address
    page = (await client.get(address)).text
    assert "The webhook was saved." in page
    assert "https://example.com/b" in page
    assert "Course published" in page
    await send(client, f"{address}/deactivate")
    assert "Activate webhook" in (await client.get(address)).text
    await send(client, f"{address}/activate")
    assert "Activate webhook" not in (await client.get(address)).text
    assert len(await world.events("webhook.activated")) == 1


async def test_a_rotated_secret_signs_beside_the_new_one(world: World) -> None:
    client = await signed_in(world)
    address = await created(client, "https://example.com/a")
    first = re.search('whsec_[^&"]+', (await client.get(f"{address}/secret")).text)
    answer = await send(client, f"{address}/rotate")
    second = re.search('whsec_[^&"]+', (await client.get(answer.headers["location"])).text)
    assert first
    assert second
    assert first[0] != second[0]
    assert "An earlier secret still works" in (await client.get(address)).text


async def test_deleting(world: World) -> None:
    client = await signed_in(world)
    address = await created(client, "https://example.com/a")
    assert "cannot be undone" in (await client.get(f"{address}/delete")).text
    assert (await send(client, f"{address}/delete")).headers["location"] == "/admin/webhooks"
    assert (await client.get(address)).status_code == 404
    assert "No webhooks yet" in (await client.get("/admin/webhooks")).text


async def test_what_failed_is_seen_and_sent_again(world: World, post: Post) -> None:
    client = await signed_in(world)
    async with receiving(500, 200) as receiver:
        address = await created(client, receiver.url)
        await post.happen()
        await post.send()
        page = (await client.get(address)).text
        assert "The receiver rejects the deliveries" in page
        assert "1 attempt failed." in page
        (delivery,) = await deliveries(client, address)
        failed = (await client.get(delivery)).text
        assert "Answered with 500" in failed
        assert "Next attempt" in failed
        assert "<code>ok</code>" in failed
        again = await send(client, f"{delivery}/retry")
        assert again.headers["location"] == delivery
        await post.send()
    done = (await client.get(delivery)).text
    assert done.index("Answered with 500") < done.index("Answered with 200")
    assert "Failing" not in (await client.get("/admin/webhooks")).text.partition('id="list"')[2]


async def test_a_delivery_that_is_being_sent_is_not_sent_again(world: World, post: Post) -> None:
    client = await signed_in(world)
    address = await created(client, "https://example.com/a")
    await post.happen()
    await post.relay()
    (delivery,) = await deliveries(client, address)
    async with world.tx() as tx:
        await tx.execute(
            """
            UPDATE webhook_deliveries SET claim_id = gen_random_uuid(),
                claimed_until = :now::timestamptz + interval '1 minute'
            WHERE tenant_id = :tenant
            """
        )
    await send(client, f"{delivery}/retry")
    assert "The delivery is being sent at this moment." in (await client.get(delivery)).text


async def test_deliveries_are_filtered(world: World, post: Post) -> None:
    client = await signed_in(world)
    async with receiving(200, 500) as receiver:
        address = await created(client, receiver.url, events=["user.created", "user.suspended"])
        user = await world.user()
        await post.send()
        world.clock.move(days=2)
        await world.http.post(f"/v1/users/{user['id']}/suspend")
        await post.send()
    client = await signed_in(world)
    today = world.clock.now.astimezone(ZoneInfo("America/Sao_Paulo")).date()
    second, first = await deliveries(client, address)
    assert await deliveries(client, address, "status=DELIVERED") == [first]
    assert await deliveries(client, address, "type=user.suspended") == [second]
    assert await deliveries(client, address, f"since={today}") == [second]
    assert await deliveries(client, address, f"until={today - timedelta(days=1)}") == [first]
    assert await deliveries(client, address, f"since={today}&until={today}&status=") == [second]
    assert await deliveries(client, address, "status=DEAD_LETTER") == []
    page = await client.get(f"{address}?status=DEAD_LETTER", headers={"hx-request": "true"})
    assert page.text.lstrip().startswith('<div id="list">')
    assert "No results for these filters" in page.text
    assert (await client.get(f"{address}?since=9999-12-31")).status_code == 400


async def test_past_events_are_sent_again(world: World, post: Post) -> None:
    client = await signed_in(world)
    zone = ZoneInfo("America/Sao_Paulo")
    await post.happen()
    async with receiving(204) as receiver:
        address = await created(client, receiver.url, events=["user.created", "user.suspended"])
        form = (await client.get(f"{address}/replay")).text
        assert "Brasília time" in form
        world.clock.move(hours=1)
        at = world.clock.now.astimezone(zone)
        span = {
            "since": f"{at - timedelta(hours=2):%Y-%m-%dT%H:%M}",
            "until": f"{at:%Y-%m-%dT%H:%M}",
            "types": ["user.suspended"],
        }
        answer = await send(client, f"{address}/replay", **span)
        assert answer.headers["location"] == address
        assert "Past events are being queued" in (await client.get(address)).text
    async with world.tx() as tx:
        rows = await tx.rows(
            "SELECT since, until, event_types FROM webhook_replays WHERE tenant_id = :tenant"
        )
    (row,) = rows
    assert row["event_types"] == ["user.suspended"]


@pytest.mark.parametrize(
    ("span", "told"),
    [
        ({"since": "", "until": ""}, "Fill in this field."),
        ({"since": "2026-11-20T10:00", "until": "2026-11-20T10:00"}, "after the start"),
        ({"since": "2026-11-20", "until": "tomorrow"}, "Enter a date and time."),
        ({"since": "9999-12-31T23:59", "until": "2026-11-20T10:00"}, "Enter a date and time."),
    ],
)
async def test_a_replay_that_is_refused(world: World, span: dict[str, str], told: str) -> None:
    client = await signed_in(world)
    address = await created(client, "https://example.com/a")
    page = await send(client, f"{address}/replay", **span)
    assert page.status_code == 422
    assert told in html.unescape(page.text)


async def test_searching(world: World) -> None:
    client = await signed_in(world)
    erp = await created(client, "https://erp.example.com/a", description="Payroll")
    world.clock.move(seconds=1)
    other = await created(client, "https://other.example.com/a")
    await send(client, f"{other}/deactivate")

    async def found(query: str) -> list[str]:
        page = (await client.get(f"/admin/webhooks?{query}")).text
        return re.findall(r'class="table__link" href="([^"]+)"', page)

    assert await found("") == [other, erp]
    assert await found("q=PAYROLL") == [erp]
    assert await found("q=other.ex") == [other]
    assert await found("state=active") == [erp]
    assert await found("state=inactive") == [other]
    assert await found("state=failing") == []


async def test_another_tenants_webhook_is_nowhere(world: World, stranger: World) -> None:
    mine, theirs = await signed_in(world), await signed_in(stranger)
    address = await created(theirs, "https://example.com/a")
    delivery = (await send(theirs, f"{address}/test")).headers["location"]
    own = await created(mine, "https://example.com/a")
    elsewhere = own + delivery.removeprefix(address)
    for path in ("", "/secret", "/edit", "/rotate", "/deactivate", "/delete", "/replay"):
        assert (await mine.get(address + path)).status_code == 404
    for path in ("/test", "/rotate", "/activate", "/deactivate", "/delete"):
        assert (await send(mine, address + path)).status_code == 404
    span = {"since": "2026-11-20T10:00", "until": "2026-11-20T11:00"}
    assert (await send(mine, f"{address}/replay", **span)).status_code == 404
    edited = {"url": "https://example.com/b", "events": ["user.created"]}
    assert (await send(mine, f"{address}/edit", **edited)).status_code == 404
    for each in (delivery, elsewhere):
        assert (await mine.get(each)).status_code == 404
        assert (await send(mine, f"{each}/retry")).status_code == 404


async def test_a_group_of_events_is_shown_and_edited_as_its_types(world: World) -> None:
    client = await signed_in(world)
    body = {"url": "https://hooks.example.com/", "events": ["user.*"]}
    webhook = (await world.http.post("/v1/webhooks", json=body)).json()["data"]["id"]
    address = f"/admin/webhooks/{webhook}"
    page = (await client.get(address)).text
    assert "user.*" in page
    edit = (await client.get(f"{address}/edit")).text
    checked = re.findall(r'<input[^>]*value="([a-z_.]+)"[^>]*checked', edit)
    assert {each for each in checked if "." in each} >= {"user.created", "user.suspended"}
    assert not [each for each in checked if each.startswith("enrollment.")]
