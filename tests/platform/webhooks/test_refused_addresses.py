"""Every spelling of an internal address is refused when it is saved, and is never called if it is stored
anyway, whatever the attempt is for.
"""

import asyncio
from dataclasses import replace
from typing import Any

import httpx2
import pytest

from conftest import NO_LIMIT, World
from posting import Post, posting, run_job
from trilha import app as trilha_app
from trilha.platform.webhooks import jobs
from trilha.settings import Settings

SPELLINGS = (
    *("2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001", "127.1", "127.0.1", "0"),
    *("0.0.0.0", "0xA9FEA9FE", "169.254.43518", "0251.0376.0251.0376", "127.0.0.1", "169.254.169.254"),
    *("１２７.０.０.１", "①②⑦.⓪.⓪.①", "127。0。0。1", "ⓛocalhost", "localhost", "localhost."),
    *("10.0.0.1", "100.64.0.1", "172.16.0.1", "192.0.0.9", "192.0.2.1", "192.88.99.1", "192.168.0.1"),
    *("198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"),
    *("[::]", "[::1]", "[::7f00:1]", "[::ffff:127.0.0.1]", "[::ffff:0:7f00:1]", "[::5efe:7f00:1]"),
    *("[64:ff9b::7f00:1]", "[64:ff9b::a9fe:a9fe]", "[64:ff9b:1::1]", "[2002:7f00:1::]", "[2002:a9fe:a9fe::]"),
    *("[2001::1]", "[2001:db8::1]", "[3fff::1]", "[100::1]", "[fe80::1]", "[fec0::1]", "[fc00::1]"),
    *("[fd00:ec2::254]", "[fd20:ce::254]", "[ff02::1]", "[5f00::1]", "[::1%25lo]", "[fe80::1%25eth0]"),
    *("intranet", "db.internal", "printer.local", "db.cluster.local", "[127.0.0.1]"),
)


async def test_none_is_taken_at_create_or_patch(world: World) -> None:
    """As in production, where only public addresses are allowed."""
    app = trilha_app.create_app(Settings(env="production", limit_v1=NO_LIMIT), world.database, world.clock)
    async with world.client(await world.key(), app, scheme="https") as http:
        new: dict[str, Any] = {"url": "https://hooks.example.com/", "events": ["user.created"]}
        path = f"/v1/webhooks/{(await http.post('/v1/webhooks', json=new)).json()['data']['id']}"
        for host in SPELLINGS:
            url = f"https://{host}/"
            for answer in (
                await http.post("/v1/webhooks", json=new | {"url": url}),
                await http.patch(path, json={"url": url}),
            ):
                assert (answer.status_code, answer.json()["error"]["field"]) == (400, "url"), url
        (kept,) = (await http.get("/v1/webhooks")).json()["data"]
        assert kept["url"] == new["url"]


async def every_endpoint(post: Post) -> list[dict[str, Any]]:
    """Creates one endpoint for each spelling, as if it had been saved when it was allowed."""
    endpoints = []
    for host in SPELLINGS:
        endpoint = await post.endpoint("https://hooks.example.com/")
        async with post.world.tx() as tx:
            await tx.execute(
                "UPDATE webhook_endpoints SET url = :url WHERE tenant_id = :tenant AND id = :id",
                id=endpoint["id"],
                url=f"https://{host}/",
            )
        endpoints.append(endpoint)
    return endpoints


async def ask(http: httpx2.AsyncClient, path: str, status: int, body: Any = None) -> None:
    answer = await http.post(path, json=body)
    assert answer.status_code == status, answer.text


async def test_none_is_called_by_send_test_retry_or_replay(
    world: World, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[object] = []

    async def sock_connect(_: object, address: object) -> None:
        called.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(asyncio.get_running_loop(), "sock_connect", sock_connect)
    async with posting(world, replace(settings, net_allow=())) as post:
        since = world.clock.now
        await post.happen()
        await post.relay()
        world.clock.move(seconds=1)
        until = world.clock.now
        endpoints = await every_endpoint(post)
        await post.happen()
        assert await post.send() == len(SPELLINGS)
        world.clock.move(seconds=1)
        span = {"since": since.isoformat(), "until": until.isoformat()}
        for endpoint in endpoints:
            path = f"/v1/webhooks/{endpoint['id']}"
            (first,) = await post.deliveries(endpoint)
            await ask(world.http, f"{path}/test", 200)
            await ask(world.http, f"{path}/deliveries/{first['id']}/retry", 202)
            await ask(world.http, f"{path}/replay", 202, span)
        while await run_job(jobs.REPLAY, world):
            pass
        world.clock.move(milliseconds=1)
        assert await post.send() == 3 * len(SPELLINGS)
        for endpoint, host in zip(endpoints, SPELLINGS, strict=True):
            deliveries = await post.deliveries(endpoint)
            assert sorted(each["attempts"] for each in deliveries) == [1, 1, 2], host
            for attempt in [each for delivery in deliveries for each in delivery["attempt_log"]]:
                # A name that must not be resolved is not accepted as an address either.
                assert attempt["error"] in ("address_not_allowed", "invalid_url", "dns_failed"), host
                assert attempt["http_status"] is attempt["response_body"] is None
    assert called == []
