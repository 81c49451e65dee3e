"""How much held work one person may send in a minute."""

import httpx2

from conftest import World
from web.panel.signing_in import browser_of, made

LARGE = b"x" * (2 * 1024 * 1024)
NOBODYS = "00000000-0000-4000-8000-000000000000"


async def hand_over(client: httpx2.AsyncClient, body: bytes = b"{}") -> httpx2.Response:
    query = {"launch": NOBODYS, "kind": "commit", "origin": "https://content.test"}
    return await client.post("/learn/held", params=query, content=body)


async def test_one_person_hands_over_so_many_reports_a_minute(world: World) -> None:
    ana, bia = await browser_of(world, await made(world)), await browser_of(world, await made(world))
    assert {(await hand_over(ana)).status_code for _ in range(300)} == {404}
    refused = await hand_over(ana)
    assert refused.status_code == 429
    assert 0 < int(refused.headers["retry-after"]) <= 60
    # Other people are not delayed, and neither is the person who opens a module.
    assert (await hand_over(bia)).status_code == 404
    assert (await ana.get("/learn")).status_code == 200
    world.clock.move(minutes=1)
    assert (await hand_over(ana)).status_code == 404


async def test_one_person_hands_over_so_many_bytes_a_minute(world: World) -> None:
    user = await made(world)
    first, second = await browser_of(world, user), await browser_of(world, user)
    for browser in (first, second):  # the limit is per person, for all their browsers together
        assert {(await hand_over(browser, LARGE)).status_code for _ in range(6)} == {404}
    refused = await hand_over(second, LARGE)
    assert refused.status_code == 429
    assert 0 < int(refused.headers["retry-after"]) <= 60
    # Small reports have a separate limit.
    assert (await hand_over(second)).status_code == 404
