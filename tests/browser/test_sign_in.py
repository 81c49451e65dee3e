"""Signing in and out in a browser, with and without scripts, on a phone and on a desktop."""

import re

import pyotp
import pytest
from playwright.async_api import expect

from browser.flows import Visits
from conftest import World
from web.panel.signing_in import PASSWORD

SIZES = ("phone", "desktop")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
async def test_in_and_out(world: World, visits: Visits, size: str, scripts: bool) -> None:
    user = await world.user(password=PASSWORD)
    visit = await visits(size, java_script_enabled=scripts)
    page = visit.page
    await visit.go("/learn/profile")
    await visit.is_at("/login?next=/learn/profile")
    await page.get_by_label("Empresa").fill(f" {world.tenant.slug.upper()} ")
    await visit.press("Continuar")
    await visit.is_at(f"/login?tenant={world.tenant.slug}&next=/learn/profile")
    await expect(page.locator(".mark__name")).to_have_text("Test")
    await page.get_by_label("E-mail").fill(user["email"])
    await page.get_by_label("Senha", exact=True).fill("not this one")
    await visit.press("Entrar")
    await expect(page.get_by_role("alert")).to_contain_text("E-mail ou senha incorretos.")
    await expect(page.get_by_label("E-mail")).to_have_value(user["email"])
    await page.get_by_label("Senha", exact=True).fill(PASSWORD)
    await visit.press("Entrar")
    await visit.is_at("/learn/profile")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Meu perfil")
    await page.get_by_role("button", name="Sua conta").click()
    await visit.press("Sair")
    await visit.is_at(f"/login?tenant={world.tenant.slug}")


async def test_the_back_button_shows_nothing_after_signing_out(world: World, visits: Visits) -> None:
    user = await world.user(name="Zuleica Confidencial", password=PASSWORD)
    visit = await visits()
    page = visit.page
    await visit.sign_in(world, user["email"])
    await visit.go("/learn/profile")
    await expect(page.get_by_text("Zuleica Confidencial").first).to_be_attached()
    await visit.go("/learn/security")
    await page.get_by_role("button", name="Sua conta").click()
    await visit.press("Sair")
    await expect(page.get_by_label("E-mail")).to_be_visible()
    for _ in range(2):
        await page.go_back()
        await expect(page).to_have_url(re.compile("/login"))
        assert "Zuleica" not in await page.content()


async def test_the_next_click_of_who_is_suspended_is_out(world: World, visits: Visits) -> None:
    user = await world.user(password=PASSWORD)
    visit = await visits()
    await visit.sign_in(world, user["email"])
    await visit.is_at("/learn")
    assert (await world.http.post(f"/v1/users/{user['id']}/suspend")).status_code == 204
    await visit.page.get_by_role("link", name="Segurança").click()
    await visit.is_at("/login?next=/learn/security")
    await visit.sign_in(world, user["email"])
    await expect(visit.page.get_by_role("alert")).to_contain_text("E-mail ou senha incorretos.")


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
async def test_a_password_that_was_given_is_changed_first(
    world: World, visits: Visits, scripts: bool
) -> None:
    made = await world.http.post("/v1/users", json={"email": "novo@example.com", "name": "Novo"})
    temporary = made.json()["_meta"]["temporary_password"]
    visit = await visits("phone", java_script_enabled=scripts)
    await visit.sign_in(world, "novo@example.com", temporary)
    await visit.is_at("/login/password")
    await visit.page.get_by_label("Senha provisória").fill(temporary)
    await visit.page.get_by_label("Nova senha", exact=True).fill("uma frase curta")
    await visit.press("Salvar senha")
    await visit.is_at("/learn")
    await expect(visit.page.get_by_role("status").first).to_contain_text("Sua senha foi alterada")


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
async def test_a_second_factor(world: World, visits: Visits, scripts: bool) -> None:
    user = await world.user(password=PASSWORD)
    visit = await visits("phone", java_script_enabled=scripts)
    page = visit.page
    await visit.sign_in(world, user["email"])
    await visit.go("/learn/security/authenticator")
    await visit.press("Já tenho um aplicativo")
    await expect(page.get_by_role("img", name="QR code")).to_be_visible()
    key = (await page.get_by_label("Chave de configuração").input_value()).replace(" ", "")
    await page.get_by_label("Código do aplicativo").fill(pyotp.TOTP(key).at(world.clock.now))
    await visit.press("Ativar verificação em duas etapas")
    codes = (await page.get_by_role("region", name="Códigos de recuperação").inner_text()).split()
    assert len(codes) == 10
    await expect(page.get_by_role("button", name="Imprimir")).to_be_visible(visible=scripts)
    await page.get_by_role("link", name="Já guardei os códigos").click()
    await visit.is_at("/learn/security")
    await page.get_by_role("button", name="Sua conta").click()
    await visit.press("Sair")
    await visit.sign_in(world, user["email"])
    await visit.is_at("/login/code")
    await page.get_by_label("Código").fill(codes[3])
    await visit.press("Continuar")
    await visit.is_at("/learn")


async def test_the_switch_of_languages_is_kept_with_the_person(world: World, visits: Visits) -> None:
    user = await world.user(password=PASSWORD)
    visit = await visits()
    await visit.sign_in(world, user["email"])
    await visit.page.get_by_role("button", name="Sua conta").click()
    await visit.page.get_by_role("button", name="English").click()
    await expect(visit.page.get_by_role("heading", level=1)).to_have_text("My courses")
    other = await visits("phone")
    await other.sign_in(world, user["email"])
    await expect(other.page.get_by_role("heading", level=1)).to_have_text("My courses")
