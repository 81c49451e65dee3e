"""A provider that says whatever it is told to, and a tenant that has it."""

from collections.abc import AsyncIterator

import pytest

from conftest import World
from sso.federation import Company, Double, connect, doubled


@pytest.fixture
async def double(world: World) -> AsyncIterator[Double]:
    async with doubled(world.clock) as double:
        yield double


@pytest.fixture
async def company(world: World, double: Double) -> Company:
    return await connect(world, double)
