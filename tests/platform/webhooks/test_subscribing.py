"""An endpoint gets the events that are committed after its creation, whatever the clock shows."""

import asyncio
from dataclasses import replace
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from conftest import World
from posting import Post
from trilha import app as trilha_app
from trilha.platform.events.catalogue import UserSuspended
from trilha.platform.events.outbox import emit
from trilha.settings import Settings


async def test_after_the_clock_was_ahead(post: Post) -> None:
    post.world.clock.move(hours=1)
    endpoint = await post.endpoint("http://127.0.0.1:9/")
    post.world.clock.move(hours=-1)
    await post.happen()
    await post.relay()
    assert len(await post.deliveries(endpoint)) == 1


async def test_after_the_clock_was_behind(post: Post) -> None:
    """Older events go to no newer endpoint, however late they are relayed."""
    first = await post.endpoint("http://127.0.0.1:9/")
    await post.happen()
    post.world.clock.move(hours=-1)
    second = await post.endpoint("http://127.0.0.1:9/")
    await post.happen()
    third = await post.endpoint("http://127.0.0.1:9/")
    await post.relay()
    assert [len(await post.deliveries(each)) for each in (first, second, third)] == [2, 1, 0]


async def test_what_was_begun_before_and_committed_after(post: Post) -> None:
    async with post.world.tx() as tx:
        await emit(tx, UserSuspended(user_id=uuid4()))
        endpoint = await post.endpoint("http://127.0.0.1:9/")
    await post.relay()
    assert len(await post.deliveries(endpoint)) == 1


@pytest.fixture
def bounded(world: World, settings: Settings) -> Any:
    return trilha_app.create_app(replace(settings, webhook_endpoints=3), world.database, world.clock)


async def test_a_tenant_has_so_many_endpoints(world: World, bounded: Any) -> None:
    """Even if they are created at the same moment. Deleted ones do not count."""
    async with world.client(await world.key(), bounded) as http:

        async def create() -> httpx2.Response:
            body = {"url": "https://hooks.example.com/", "events": ["user.created"]}
            answer: httpx2.Response = await http.post("/v1/webhooks", json=body)
            return answer

        answers = await asyncio.gather(*(create() for _ in range(10)))
        assert sorted(each.status_code for each in answers) == [201] * 3 + [409] * 7
        refused = next(each for each in answers if each.status_code == 409)
        assert refused.json()["error"]["code"] == "too_many_webhooks"
        made = next(each for each in answers if each.status_code == 201)
        await http.delete(f"/v1/webhooks/{made.json()['data']['id']}")
        assert [(await create()).status_code for _ in range(2)] == [201, 409]
