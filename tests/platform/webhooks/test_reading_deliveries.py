"""One delivery, replays and their progress, and groups of events."""

from typing import Any

import pytest

from conftest import World
from posting import run_job
from trilha.platform.retention.archive import Archive
from trilha.platform.webhooks import jobs


async def endpoint(world: World, *events: str) -> dict[str, Any]:
    body = {"url": "https://hooks.example.com/", "events": list(events) or ["user.created"]}
    answer = await world.http.post("/v1/webhooks", json=body)
    assert answer.status_code == 201, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def data(world: World, path: str) -> Any:
    answer = await world.http.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()["data"]


async def test_reads_one_delivery(world: World) -> None:
    path = f"/v1/webhooks/{(await endpoint(world))['id']}"
    made = (await world.http.post(f"{path}/test")).json()["data"]
    assert await data(world, f"{path}/deliveries/{made['id']}") == made
    other = f"/v1/webhooks/{(await endpoint(world))['id']}"
    answer = await world.http.get(f"{other}/deliveries/{made['id']}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "delivery_not_found")


async def test_a_group_has_all_its_types_and_no_other(world: World) -> None:
    made = await endpoint(world, "user.*", "course.created")
    assert made["events"] == ["user.*", "course.created"]
    path = f"/v1/webhooks/{made['id']}"
    user = (await world.user())["id"]
    await world.http.post(f"/v1/users/{user}/suspend")
    await world.http.post(f"/v1/users/{user}/reactivate")
    await world.enrollment()
    await run_job(jobs.RELAY, world)
    types = [each["event_type"] for each in await data(world, f"{path}/deliveries?limit=100")]
    assert set(types) == {"user.created", "user.suspended", "user.reactivated", "course.created"}
    assert len(types) == len(set(types)) + 1  # of the second person


@pytest.mark.parametrize("name", ["*", "user", "user.", "user.c*", "nobody.*", "User.*"])
async def test_refuses_what_is_no_group(world: World, name: str) -> None:
    body = {"url": "https://hooks.example.com/", "events": [name]}
    error = (await world.http.post("/v1/webhooks", json=body)).json()["error"]
    assert (error["field"], error["code"]) == ("events.0", "invalid_value")
    assert {"user.*", "user.created"} <= set(error["detail"][0]["allowed"])


async def test_a_replay_tells_how_far_it_is(world: World) -> None:
    since = world.clock.now.isoformat()
    for _ in range(3):
        await world.user()
    world.clock.move(seconds=1)
    path = f"/v1/webhooks/{(await endpoint(world, 'user.*'))['id']}"
    body = {"since": since, "until": world.clock.now.isoformat()}
    asked = (await world.http.post(f"{path}/replay", json=body)).json()["data"]
    assert (asked["enqueued"], asked["finished_at"]) == (0, None)
    assert await data(world, f"{path}/replays/{asked['id']}") == asked
    await run_job(jobs.REPLAY, world)
    done = await data(world, f"{path}/replays/{asked['id']}")
    assert (done["enqueued"], done["finished_at"]) == (3, world.clock.now.strftime("%Y-%m-%dT%H:%M:%S.000Z"))
    assert await data(world, f"{path}/replays") == [done]
    assert len(await data(world, f"{path}/deliveries")) == 3
    assert await run_job(jobs.REPLAY, world) == 0
    answer = await world.http.get(f"/v1/webhooks/{(await endpoint(world))['id']}/replays/{asked['id']}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "replay_not_found")


@pytest.mark.parametrize("deleted", [True, False])
async def test_a_replay_that_is_done_goes_in_time(world: World, deleted: bool) -> None:
    path = f"/v1/webhooks/{(await endpoint(world))['id']}"
    body = {"since": "2026-01-01T00:00:00Z", "until": "2026-02-01T00:00:00Z"}
    await world.http.post(f"{path}/replay", json=body)
    await run_job(jobs.REPLAY, world)
    if deleted:
        await world.http.delete(path)
    else:
        world.clock.move(days=31)
    from datetime import timedelta

    month = timedelta(days=30)
    await run_job(jobs.prune_job(deliveries=month, events=month, archive=Archive()), world)
    async with world.tx() as tx:
        assert await tx.value("SELECT count(*) FROM webhook_replays WHERE tenant_id = :tenant") == 0
