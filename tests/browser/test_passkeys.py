"""Passkeys in Chromium, with its virtual authenticator: added, used to sign in, and offered by autofill."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from playwright.async_api import CDPSession, expect

from browser.flows import Visit, Visits
from browser.serving import serving
from conftest import World
from running import free_port
from trilha import app as trilha_app
from trilha.core.database import Database
from trilha.settings import Settings
from web.panel.signing_in import PASSWORD

NEW = "/learn/security/passkeys/new"


@pytest.fixture
async def host(settings: Settings, database: Database, session_clock: Any) -> AsyncIterator[str]:
    """Serves at a host name, because browsers have no passkeys at an IP address."""
    port = free_port()
    address = f"http://localhost:{port}"
    app = trilha_app.create_app(replace(settings, port=port, base_url=address), database, session_clock)
    async with serving(app, port):
        yield address


class Authenticator:
    """The virtual authenticator of a page."""

    def __init__(self, session: CDPSession, id: str) -> None:
        self._session = session
        self._id = id

    async def credentials(self) -> list[dict[str, Any]]:
        answer = await self._session.send("WebAuthn.getCredentials", {"authenticatorId": self._id})
        found: list[dict[str, Any]] = answer["credentials"]
        return found

    async def verify(self, verified: bool) -> None:
        options = {"authenticatorId": self._id, "isUserVerified": verified}
        await self._session.send("WebAuthn.setUserVerified", options)


async def authenticator_of(visit: Visit) -> Authenticator:
    session = await visit.page.context.new_cdp_session(visit.page)
    await session.send("WebAuthn.enable", {"enableUI": False})
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    made = await session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    return Authenticator(session, made["authenticatorId"])


@pytest.mark.parametrize("size", ["desktop", "phone"])
async def test_a_passkey_is_added_and_signs_in(
    world: World, visits: Visits, host: str, axe: str, size: str
) -> None:
    user = await world.user(password=PASSWORD)
    visit = await visits(size, at=host)
    page = visit.page
    authenticator = await authenticator_of(visit)
    await visit.sign_in(world, user["email"])
    await visit.go("/learn/security")
    await visit.follow("Adicionar chave de acesso")
    await visit.is_at(NEW)
    await expect(page.get_by_role("button", name="Criar chave de acesso")).to_be_visible()
    await visit.is_usable(axe)
    await visit.fill(name="Celular do trabalho")
    await visit.press("Criar chave de acesso")
    await visit.is_at("/learn/security")
    await visit.is_told("Celular do trabalho foi adicionada")
    await visit.is_usable(axe)
    (credential,) = await authenticator.credentials()
    assert credential["isResidentCredential"]
    assert credential["rpId"] == "localhost"
    # The same device has one already.
    await visit.go(NEW)
    await visit.fill(name="Outra")
    await visit.press("Criar chave de acesso")
    await expect(page.get_by_text("Este aparelho já tem uma chave de acesso sua.")).to_be_visible()
    await visit.go("/learn/security")
    await visit.sign_out()
    # Autofill uses the passkey as soon as the page offers it, because the authenticator simulates a person.
    await visit.go(f"/login?tenant={world.tenant.slug}&next=/learn/certificates")
    await visit.is_at("/learn/certificates")


async def test_a_person_who_is_not_verified_does_not_sign_in(
    world: World, visits: Visits, host: str, axe: str
) -> None:
    user = await world.user(password=PASSWORD)
    visit = await visits("desktop", at=host)
    authenticator = await authenticator_of(visit)
    await visit.sign_in(world, user["email"])
    await visit.go(NEW)
    await visit.fill(name="Celular")
    await visit.press("Criar chave de acesso")
    await visit.is_at("/learn/security")
    await visit.sign_out()
    await authenticator.verify(False)
    await visit.go(f"/login?tenant={world.tenant.slug}")
    await visit.is_usable(axe)
    await visit.press("Entrar com chave de acesso")
    await expect(visit.page.get_by_text("Nenhuma chave de acesso foi usada.")).to_be_visible()
    await visit.is_usable(axe)
