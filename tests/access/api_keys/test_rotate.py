"""Rotating an API key: the new secret works at once, the old one for a while longer."""

from datetime import timedelta

import pytest

from conftest import World
from trilha.access.api_keys import actions
from trilha.access.api_keys.schema import IssuedKey
from trilha.core.credentials import CredentialRefused
from trilha.core.types import Timestamp


async def issue(world: World) -> IssuedKey:
    async with world.tx() as tx:
        return await actions.create(tx, "Test", ["users:read"], prefix="trl_live_")


async def rotate(world: World, issued: IssuedKey, **grace: timedelta) -> IssuedKey:
    async with world.tx() as tx:
        return await actions.rotate(tx, issued.api_key.id, prefix="trl_live_", **grace)


async def code(world: World, issued: IssuedKey) -> str | None:
    answer = await world.client(issued.key).get("/v1/users")
    return None if answer.status_code == 200 else answer.json()["error"]["code"]


async def test_the_old_key_works_for_a_day(world: World) -> None:
    old = await issue(world)
    new = await rotate(world, old)
    assert new.key != old.key
    assert new.api_key.id == old.api_key.id
    world.clock.move(hours=24, milliseconds=-1)
    assert (await code(world, old), await code(world, new)) == (None, None)
    world.clock.move(milliseconds=1)
    assert (await code(world, old), await code(world, new)) == ("credential_expired", None)


async def test_is_told_with_the_end_of_the_old_key(world: World) -> None:
    new = await rotate(world, await issue(world), grace=timedelta(hours=2))
    assert await world.events("api_key.rotated") == [
        (
            "api_key.rotated",
            {
                "api_key_id": str(new.api_key.id),
                "name": "Test",
                "scopes": ["users:read"],
                "previous_expires_at": Timestamp.of(world.clock.now + timedelta(hours=2)),
            },
        )
    ]


async def test_without_grace_the_old_key_ends_at_once(world: World) -> None:
    old = await issue(world)
    new = await rotate(world, old, grace=timedelta())
    assert (await code(world, old), await code(world, new)) == ("credential_expired", None)


async def test_a_second_rotation_lengthens_nothing(world: World) -> None:
    first = await issue(world)
    second = await rotate(world, first, grace=timedelta(hours=1))
    third = await rotate(world, second, grace=timedelta(days=7))
    world.clock.move(hours=1)
    assert [await code(world, each) for each in (first, second, third)] == ["credential_expired", None, None]
    world.clock.move(days=7)
    assert await code(world, second) == "credential_expired"


async def test_revoking_ends_the_grace_too(world: World) -> None:
    old = await issue(world)
    new = await rotate(world, old)
    async with world.tx() as tx:
        await actions.revoke(tx, old.api_key.id)
    assert (await code(world, old), await code(world, new)) == ("credential_revoked", "credential_revoked")
    with pytest.raises(CredentialRefused):
        await rotate(world, old)


@pytest.mark.parametrize("grace", [timedelta(seconds=-1), timedelta(days=7, seconds=1)])
async def test_the_grace_is_at_most_a_week(world: World, grace: timedelta) -> None:
    old = await issue(world)
    with pytest.raises(CredentialRefused):
        await rotate(world, old, grace=grace)


async def test_another_tenants_key_is_not_rotated(world: World, stranger: World) -> None:
    with pytest.raises(CredentialRefused):
        await rotate(stranger, await issue(world))
