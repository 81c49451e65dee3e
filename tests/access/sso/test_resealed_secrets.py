"""A new master key encrypts the secrets of single sign-on again."""

from access.sso.federation import Company
from conftest import World
from resealing import check_resealing
from trilha.access.sso.flows import SEALED_VERIFIERS
from trilha.access.sso.oidc.queries import SEALED_SECRETS


async def test_secrets_get_a_new_master_key(world: World, company: Company) -> None:
    await company.leave(company.browser())
    await check_resealing(world, SEALED_SECRETS, SEALED_VERIFIERS)
