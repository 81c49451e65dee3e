"""A provider of the world's tenant, and one of the stranger's."""

import pytest

from access.scim.providers import Provider, new_token
from conftest import World


@pytest.fixture
async def provider(world: World) -> Provider:
    return Provider(world, await new_token(world))


@pytest.fixture
async def other_provider(stranger: World) -> Provider:
    return Provider(stranger, await new_token(stranger))
