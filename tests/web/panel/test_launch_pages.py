"""/admin/enrollments/{id}/launches"""

import re
from typing import Any

import httpx2
import pytest

from conftest import World
from training.cmi5.contents import enroll
from training.learning.learners import Player, learner
from trilha.settings import Settings
from trilha.training.courses import module_actions
from trilha.training.learning.launches import heartbeats
from web.panel.training_pages import browsing, id_of, manage, rows, teach, unit


async def traced(world: World, player: Player, *calls: dict[str, Any]) -> None:
    async with world.tx() as tx:
        await heartbeats.record_trace(tx, player.launched.launch_id, calls)


def call(number: int, error: int = 0) -> dict[str, Any]:
    return {
        "at": number * 100.0,
        "name": "LMSSetValue",
        "element": f"cmi.element.{number}",
        "value": f"<b>{number}</b>",
        "result": "false" if error else "true",
        "error": error,
    }


def elements(page: str) -> list[str]:
    return re.findall(r"cmi\.element\.\d+", page)


async def test_what_was_opened_and_what_came_of_it(world: World) -> None:
    admin = await browsing(world)
    ana = await learner(world, 10, 30)
    address = f"/admin/enrollments/{ana.id}/launches"
    assert "No launches yet" in (await admin.get(address)).text
    first = await ana.launch()
    await first.watch(60)
    await first.status("passed", final=True, score={"raw": "80"})
    await ana.launch(1)
    last = await ana.launch(1)
    page = (await admin.get(address)).text
    assert rows(page) == ["M1", "M1", "M0"]
    badges = re.findall(r'class="badge"[^>]*>(?:<svg.*?</svg>)?([^<]+)<', page, re.DOTALL)
    assert badges == ["Open now", "Opened elsewhere", "Closed normally"]
    assert "Firefox" in page
    world.clock.move(hours=24 * 40)
    admin = await browsing(world)
    assert "Closed unexpectedly" in (await admin.get(f"{address}/{last.launched.launch_id}")).text
    shown = (await admin.get(f"{address}/{first.launched.launch_id}")).text
    facts = dict(re.findall(r"<dt>([^<]+)</dt><dd>([^<]+)</dd>", shown))
    assert (facts["Completion"], facts["Success"], facts["Score"]) == ("Completed", "Passed", "80.0")
    assert "No calls stored" in shown
    async with world.tx() as tx:
        await module_actions.remove(tx, (await course_of(ana)), ana.modules[0])
    assert "removed from the course" in (await admin.get(address)).text


@pytest.mark.parametrize("microsecond", [0, 300, 700])
async def test_the_steps_of_cmi5_content(world: World, settings: Settings, microsecond: int) -> None:
    world.clock.move(microseconds=microsecond)
    admin = await browsing(world)
    ana = await enroll(world, settings.address, "Completed")
    content = await ana.begin()
    assert (await content.send("completed")).status_code == 200
    address = f"/admin/enrollments/{ana.id}/launches"
    (launch,) = re.findall(rf'href="{address}/([0-9a-f-]+)"', (await admin.get(address)).text)
    shown = (await admin.get(f"{address}/{launch}")).text
    for verb in ("launched", "completed"):
        assert re.search(rf"\b{verb} “M0”", shown), verb


async def course_of(ana: Any) -> Any:
    return (await ana.read())["course_id"]


async def test_every_call_of_a_launch_a_page_at_a_time(world: World) -> None:
    admin = await browsing(world)
    ana = await learner(world)
    player = await ana.launch()
    for start in (0, 90, 180):
        await traced(world, player, *(call(n, 403 if n % 50 == 7 else 0) for n in range(start, start + 90)))
    address = f"/admin/enrollments/{ana.id}/launches/{player.launched.launch_id}"
    seen: list[str] = []
    page = (await admin.get(address)).text
    assert "&lt;b&gt;0&lt;/b&gt;" in page
    for _ in range(5):
        seen += elements(page)
        more = re.search(r'id="more".*?href="([^"]+)"', page, re.DOTALL)
        if more is None:
            break
        page = (await admin.get(more[1].replace("&amp;", "&"), headers={"hx-request": "true"})).text
        assert len(elements(page)) <= 100
    assert seen == [f"cmi.element.{n}" for n in range(270)]
    failed = (await admin.get(f"{address}?errors=true")).text
    assert elements(failed) == [f"cmi.element.{n}" for n in range(7, 270, 50)]
    assert "403" in failed


@pytest.mark.parametrize("role", ["gestor", "instrutor"])
async def test_who_sees_launches(world: World, stranger: World, role: Any) -> None:
    ana = await learner(world)
    player = await ana.launch()
    paths = [f"/admin/enrollments/{ana.id}/launches"]
    paths.append(f"{paths[0]}/{player.launched.launch_id}")
    client, other = await browsing(world, role), await browsing(stranger)
    for path in paths:
        assert await status(client, path) == 404
        assert await status(other, path) == 404
    if role == "instrutor":
        await teach(world, await course_of(ana), await id_of(world, role))
    else:
        mine = await unit(world, "Minha")
        await manage(world, mine, await id_of(world, role))
        await world.http.patch(f"/v1/users/{ana.user_id}", json={"business_unit_id": str(mine)})
    for path in paths:
        assert await status(client, path) == 200
    # A launch belongs to its own enrollment.
    bruno = await learner(world)
    admin = await browsing(world)
    wrong = f"/admin/enrollments/{bruno.id}/launches/{player.launched.launch_id}"
    assert await status(admin, wrong) == 404


async def status(client: httpx2.AsyncClient, path: str) -> int:
    return (await client.get(path)).status_code
