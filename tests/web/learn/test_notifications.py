"""/learn/notifications: the bell, and the places that get reminders too."""

import re
from dataclasses import replace
from uuid import UUID

from conftest import World
from training.reminders.test_channels import Browser
from training.reminders.test_reminders import work
from trilha.app import create_app
from trilha.settings import Settings
from web.panel.signing_in import browser_of, made, send

PATH = "/learn/notifications"


async def test_the_bell_counts_what_is_unread(world: World) -> None:
    user = await made(world, "learner")
    browser = await browser_of(world, user)
    assert "No notifications yet" in (await browser.get(PATH)).text
    assert "bell__count" not in (await browser.get(f"{PATH}/unread")).text
    course = await world.course(title="NR-35")
    await world.enrollment(user_id=str(user.id), course_id=course)
    await work(world)
    assert "1 unread notification" in (await browser.get(f"{PATH}/unread")).text
    page = (await browser.get(PATH)).text
    assert "You have a new course: NR-35." in page
    assert f"{PATH}/unread" in page
    assert (await send(browser, f"{PATH}/read")).status_code == 303
    assert "bell__count" not in (await browser.get(f"{PATH}/unread")).text
    assert "You have a new course: NR-35." in (await browser.get(PATH)).text


async def test_opening_a_notification_reads_only_that_one(world: World) -> None:
    user = await made(world, "learner")
    browser = await browser_of(world, user)
    for title in ("NR-10", "NR-35"):
        await world.enrollment(user_id=str(user.id), course_id=await world.course(title=title))
    await work(world)
    page = (await browser.get(PATH)).text
    first = re.search(r'name="reminder" value="([0-9a-f-]+)">You have a new course: (NR-\d\d)', page)
    assert first
    stranger = await browser_of(world, await made(world, "learner"))
    refused = await send(stranger, f"{PATH}/read", reminder=first[1])
    assert refused.headers["location"] == PATH
    assert "2 unread notifications" in (await browser.get(f"{PATH}/unread")).text
    opened = await send(browser, f"{PATH}/read", reminder=first[1])
    assert opened.status_code == 303
    assert first[2] in (await browser.get(opened.headers["location"])).text
    assert "1 unread notification" in (await browser.get(f"{PATH}/unread")).text


async def test_nobody_sees_what_others_were_told(world: World) -> None:
    other = await browser_of(world, await made(world, "learner"))
    user = await made(world, "learner")
    await world.enrollment(user_id=str(user.id), course_id=await world.course(title="NR-35"))
    await work(world)
    assert "NR-35" not in (await other.get(PATH)).text


async def test_a_chat_is_added_and_removed(world: World) -> None:
    user = await made(world, "learner")
    browser = await browser_of(world, user)
    channels = f"{PATH}/channels"
    for url in ("nada", "ftp://hooks.example.com/1"):
        assert (await send(browser, channels, channel="slack", url=url)).status_code == 422
    answer = await send(browser, channels, channel="slack", url="https://hooks.example.com/secret")
    assert answer.status_code == 303
    page = (await browser.get(channels)).text
    assert "Slack" in page
    assert "secret" not in page
    found = re.search(rf'action="{channels}/([0-9a-f-]+)/remove"', page)
    assert found
    stranger = await browser_of(world, await made(world, "learner"))
    assert (await send(stranger, f"{channels}/{found[1]}/remove")).status_code == 404
    assert (await send(browser, f"{channels}/{found[1]}/remove")).status_code == 303
    assert "/remove" not in (await browser.get(channels)).text


async def test_a_phone_number_for_whatsapp(world: World, settings: Settings) -> None:
    user = await made(world, "learner")
    browser = await browser_of(world, user)
    channels = f"{PATH}/channels"
    assert "WhatsApp" not in (await browser.get(channels)).text
    assert (await send(browser, f"{PATH}/phone", phone="+5511999990000")).status_code == 404
    with_provider = replace(settings, whatsapp_url="https://wa.example.com/1", whatsapp_token="x")
    world.app = create_app(with_provider, world.database, world.clock)
    browser = await browser_of(world, user)
    assert "WhatsApp" in (await browser.get(channels)).text
    assert (await send(browser, f"{PATH}/phone", phone="11999990000")).status_code == 422
    assert (await send(browser, f"{PATH}/phone", phone="+5511999990000")).status_code == 303
    page = (await browser.get(channels)).text
    assert "WhatsApp" in page
    assert "99999" not in page.replace("+5511999990000", "", 1)


async def test_a_browser_subscribes(world: World) -> None:
    user = await made(world, "learner")
    browser = await browser_of(world, user)
    key = (await send(browser, f"{PATH}/push-key")).text.strip()
    assert re.fullmatch(r"[\w-]{87}", key)
    assert (await send(browser, f"{PATH}/push-key")).text.strip() == key
    script = await browser.get("/learn/push-worker.js")
    assert script.headers["content-type"].startswith("text/javascript")
    endpoint = "https://push.example.com/1"
    assert (await send(browser, f"{PATH}/push", endpoint=endpoint, p256dh="x", auth="y")).status_code == 422
    assert (await send(browser, f"{PATH}/push", endpoint=endpoint, **Browser().keys)).status_code == 303
    async with world.tx() as tx:
        rows = await tx.rows("SELECT user_id, channel FROM reminder_addresses WHERE tenant_id = :tenant")
    assert [(row["user_id"], row["channel"]) for row in rows] == [(UUID(str(user.id)), "web_push")]
