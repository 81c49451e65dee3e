"""A new master key encrypts the keys of SAML connections again."""

from access.sso.saml.company import SamlCompany
from conftest import World
from resealing import check_resealing
from trilha.access.sso.saml.queries import SEALED_KEYS


async def test_private_keys_get_a_new_master_key(world: World, saml: SamlCompany) -> None:
    await check_resealing(world, SEALED_KEYS)
