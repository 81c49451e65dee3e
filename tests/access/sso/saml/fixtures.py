"""Keys that are slow to generate, and the expected parts of a response."""

from collections.abc import Iterator

import pytest

from access.sso.saml.company import SamlCompany, connect_saml
from access.sso.saml.provider import Facts, SigningKey, new_key
from conftest import World
from trilha.access.sso.saml import certificates
from trilha.access.sso.saml.assertions import ExpectedResponse
from trilha.settings import Settings


@pytest.fixture(scope="session", autouse=True)
def _short_keys() -> Iterator[None]:
    """Generates the shortest allowed keys for connections: a long one would take half of a test's time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(certificates, "OWN_BITS", certificates.RSA_LEAST)
        yield


@pytest.fixture(scope="session")
def key() -> SigningKey:
    return new_key()


@pytest.fixture(scope="session")
def other_key() -> SigningKey:
    return new_key("stranger")


@pytest.fixture(scope="session")
def own_key() -> SigningKey:
    """Returns our key, with which assertions are encrypted for us."""
    return new_key("learn")


@pytest.fixture(scope="session")
def facts() -> Facts:
    return Facts()


@pytest.fixture(scope="session")
def expected(facts: Facts, key: SigningKey, own_key: SigningKey) -> ExpectedResponse:
    return ExpectedResponse(
        issuer=facts.issuer,
        certificates=[key.certificate],
        audience=facts.audience or "",
        acs_url=facts.acs_url,
        now=facts.now,
        key=own_key.key,
    )


@pytest.fixture
async def saml(world: World, key: SigningKey, settings: Settings) -> SamlCompany:
    return await connect_saml(world, key, settings.address)
