"""A test double of a provider, and a tenant that is connected to it."""

from collections.abc import AsyncIterator

import pytest

from access.sso.federation import Company, Double, connect, doubled
from conftest import World


@pytest.fixture
async def double(world: World) -> AsyncIterator[Double]:
    async with doubled(world.clock) as double:
        yield double


@pytest.fixture
async def company(world: World, double: Double) -> Company:
    return await connect(world, double)
