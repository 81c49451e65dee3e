"""One rule for all secrets: each replaced secret works until its own end, and at most five work at a time."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Protocol
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from access.oauth.clients import GRANT, basic, new_client
from conftest import World
from posting import Post
from receiver import receiving
from trilha import verify_signature
from trilha.access.api_keys import actions as api_keys
from trilha.access.oauth import actions as oauth
from trilha.access.scim.tokens import actions as scim_tokens
from trilha.core.clock import system_clock
from trilha.core.credentials import MAX_LIVE_SECRETS, LiveSecret, ends_on_rotation
from trilha.core.types import Timestamp

DAY = timedelta(days=1)


class Rotating(Protocol):
    """An object whose secret is rotated. `working` tells for each secret whether it works now."""

    async def first(self) -> str: ...

    async def rotate(self, grace: timedelta = DAY) -> str: ...

    async def working(self, secrets: list[str]) -> list[bool]: ...


class RotatingKey:
    def __init__(self, post: Post) -> None:
        self.world = post.world

    async def first(self) -> str:
        async with self.world.tx() as tx:
            issued = await api_keys.create(tx, "Test", ["users:read"], prefix="trl_live_")
        self.id = issued.api_key.id
        return issued.key

    async def rotate(self, grace: timedelta = DAY) -> str:
        async with self.world.tx() as tx:
            return (await api_keys.rotate(tx, self.id, prefix="trl_live_", grace=grace)).key

    async def working(self, secrets: list[str]) -> list[bool]:
        answers = [await self.world.client(secret).get("/v1/users") for secret in secrets]
        assert {answer.status_code for answer in answers} <= {200, 401}
        return [answer.status_code == 200 for answer in answers]


class RotatingClient:
    def __init__(self, post: Post) -> None:
        self.world = post.world

    async def first(self) -> str:
        self.client = await new_client(self.world)
        return self.client.secret

    async def rotate(self, grace: timedelta = DAY) -> str:
        async with self.world.tx() as tx:
            return str((await oauth.rotate(tx, self.client.id, grace)).secret)

    async def working(self, secrets: list[str]) -> list[bool]:
        headers = [basic(self.client.name, secret) for secret in secrets]
        answers = [await self.client.post("token", GRANT, headers=each) for each in headers]
        assert {answer.status_code for answer in answers} <= {200, 401}
        return [answer.status_code == 200 for answer in answers]


class RotatingToken:
    """The token of a provider."""

    def __init__(self, post: Post) -> None:
        self.world = post.world

    async def first(self) -> str:
        async with self.world.tx() as tx:
            issued = await scim_tokens.create(tx, "Test")
        self.id = issued.scim_token.id
        return issued.token

    async def rotate(self, grace: timedelta = DAY) -> str:
        async with self.world.tx() as tx:
            return (await scim_tokens.rotate(tx, self.id, grace)).token

    async def working(self, secrets: list[str]) -> list[bool]:
        path = "/scim/v2/ServiceProviderConfig"
        answers = [await self.world.client(secret).get(path) for secret in secrets]
        assert {answer.status_code for answer in answers} <= {200, 401}
        return [answer.status_code == 200 for answer in answers]


class RotatingEndpoint:
    """A secret works if a delivery is signed with it, in both signatures."""

    def __init__(self, post: Post) -> None:
        self.post = post

    async def first(self) -> str:
        self.endpoint = await self.post.endpoint("https://hooks.example.com/")
        return str(self.endpoint["secret"])

    async def rotate(self, grace: timedelta = DAY) -> str:
        assert grace == DAY
        path = f"/v1/webhooks/{self.endpoint['id']}/rotate-secret"
        data = (await self.post.world.http.post(path)).json()["data"]
        assert data["previous_secret_expires_at"] == Timestamp.of(self.post.world.clock.now + DAY)
        return str(data["secret"])

    async def working(self, secrets: list[str]) -> list[bool]:
        http, path = self.post.world.http, f"/v1/webhooks/{self.endpoint['id']}"
        async with receiving() as receiver:
            await http.patch(path, json={"url": receiver.url})
            await http.post(f"{path}/test")
            await self.post.send()
            (call,) = receiver.calls
        now = self.post.world.clock.now.timestamp()
        header = call.headers["x-service-signature"]
        good = [verify_signature(call.body, header, secret, now=now) for secret in secrets]
        assert header.count("v1=") == call.headers["webhook-signature"].count("v1,") == sum(good)
        # The current secret signs first.
        first = ",".join(header.split(",")[:2])
        assert verify_signature(call.body, first, secrets[-1], now=now)
        return good


KINDS: dict[str, Callable[[Post], Rotating]] = {
    "api key": RotatingKey,
    "client secret": RotatingClient,
    "scim token": RotatingToken,
    "webhook secret": RotatingEndpoint,
}


@pytest.fixture(params=KINDS)
def rotating(request: pytest.FixtureRequest, post: Post) -> Rotating:
    return KINDS[request.param](post)


@pytest.fixture(params=["api key", "client secret", "scim token"])
def graced(request: pytest.FixtureRequest, post: Post) -> Rotating:
    """Objects for which the grace period can be chosen."""
    return KINDS[request.param](post)


async def test_each_replaced_one_ends_at_its_own_time(world: World, rotating: Rotating) -> None:
    secrets = [await rotating.first()]
    for _ in range(3):
        secrets.append(await rotating.rotate())
        world.clock.move(hours=1)
    world.clock.move(hours=21, milliseconds=-1)
    for ended in range(3):
        assert await rotating.working(secrets) == [False] * ended + [True] * (4 - ended)
        world.clock.move(milliseconds=1)
        assert await rotating.working(secrets) == [False] * (ended + 1) + [True] * (3 - ended)
        world.clock.move(hours=1, milliseconds=-1)
    world.clock.move(days=365)
    assert await rotating.working(secrets) == [False, False, False, True]


@pytest.mark.parametrize("pause", [0, 60])
async def test_with_a_sixth_the_oldest_ends(world: World, rotating: Rotating, pause: int) -> None:
    secrets = [await rotating.first()]
    for _ in range(4):
        secrets.append(await rotating.rotate())
        world.clock.move(seconds=pause)
    assert await rotating.working(secrets) == [True] * 5
    secrets.append(await rotating.rotate())
    assert await rotating.working(secrets) == [False] + [True] * 5
    secrets.append(await rotating.rotate())
    assert await rotating.working(secrets) == [False] * 2 + [True] * 5


async def test_what_has_ended_makes_room(world: World, rotating: Rotating) -> None:
    secrets = [await rotating.first()]
    for _ in range(4):
        secrets.append(await rotating.rotate())
    world.clock.move(days=1)
    for _ in range(4):
        secrets.append(await rotating.rotate())
    assert await rotating.working(secrets) == [False] * 4 + [True] * 5


async def test_no_grace_ends_the_replaced_one_alone(world: World, graced: Rotating) -> None:
    secrets = [await graced.first(), await graced.rotate()]
    secrets.append(await graced.rotate(timedelta()))
    assert await graced.working(secrets) == [True, False, True]
    world.clock.move(days=1)
    assert await graced.working(secrets) == [False, False, True]


async def test_no_grace_pushes_nothing_out(graced: Rotating) -> None:
    secrets = [await graced.first()]
    for _ in range(4):
        secrets.append(await graced.rotate())
    secrets.append(await graced.rotate(timedelta()))
    assert await graced.working(secrets) == [True] * 4 + [False, True]


async def test_a_later_one_may_end_first(world: World, graced: Rotating) -> None:
    secrets = [await graced.first(), await graced.rotate(timedelta(days=7))]
    secrets.append(await graced.rotate(timedelta(hours=1)))
    world.clock.move(hours=1, milliseconds=-1)
    assert await graced.working(secrets) == [True, True, True]
    world.clock.move(milliseconds=1)
    assert await graced.working(secrets) == [True, False, True]
    world.clock.move(days=7, hours=-1, milliseconds=-1)
    assert await graced.working(secrets) == [True, False, True]
    world.clock.move(milliseconds=1)
    assert await graced.working(secrets) == [False, False, True]


async def test_many_rotations_at_once(rotating: Rotating) -> None:
    first = await rotating.first()
    made = await asyncio.gather(*(rotating.rotate() for _ in range(8)))
    if isinstance(rotating, RotatingEndpoint):
        async with rotating.post.world.tx() as tx:
            rows = await tx.rows(
                "SELECT expires_at FROM webhook_secrets WHERE tenant_id = :tenant AND "
                "endpoint_id = :id AND (expires_at IS NULL OR expires_at > :now)",
                id=rotating.endpoint["id"],
            )
        assert sorted(row["expires_at"] is None for row in rows) == [False] * 4 + [True]
    else:
        assert sum(await rotating.working([first, *made])) == MAX_LIVE_SECRETS


async def test_ended_webhook_secrets_are_not_kept(world: World, post: Post) -> None:
    endpoint = RotatingEndpoint(post)
    await endpoint.first()
    for _ in range(7):
        await endpoint.rotate()
    world.clock.move(days=1)
    await endpoint.rotate()
    async with world.tx() as tx:
        sql = "SELECT count(*) FROM webhook_secrets WHERE tenant_id = :tenant"
        assert await tx.value(sql) == 2


async def test_another_tenants_secrets_are_left_alone(world: World, stranger: World, post: Post) -> None:
    endpoint = RotatingEndpoint(post)
    secrets = [await endpoint.first(), await endpoint.rotate()]
    for id in (endpoint.endpoint["id"], uuid4()):
        answer = await stranger.http.post(f"/v1/webhooks/{id}/rotate-secret")
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "webhook_not_found")
    assert await endpoint.working(secrets) == [True, True]


@given(st.lists(st.integers(0, 7 * 24), max_size=20), st.integers(0, 48))
def test_the_rule(graces: list[int], pause: int) -> None:
    """Grace periods in hours, with a pause between rotations: never more than five secrets work, and no end
    is postponed.
    """
    now = system_clock()
    ends: dict[int, str | None] = {1: None}
    for number, grace in enumerate(graces, 2):
        stamp = Timestamp.of(now)
        live = [LiveSecret(each, end) for each, end in ends.items() if end is None or end > stamp]
        changed = ends_on_rotation(live, stamp, Timestamp.of(now + timedelta(hours=grace)))
        for each, end in changed.items():
            before = ends[each]
            assert before is None or end == stamp < before
        ends |= changed
        ends[number] = None
        working = [each for each, end in ends.items() if end is None or end > stamp]
        assert len(working) <= MAX_LIVE_SECRETS
        assert [each for each, end in ends.items() if end is None] == [number]
        cut = [each for each, end in changed.items() if each != number - 1 and end == stamp]
        assert not cut or len(working) == MAX_LIVE_SECRETS
        assert all(each < other for each in cut for other in working)
        now += timedelta(hours=pause)
