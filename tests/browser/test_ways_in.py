"""Every way to sign in in a browser: links in e-mails, second factors, sessions, languages and themes."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pyotp
import pytest
from playwright.async_api import expect

from access.sessions.mailed import mailed
from browser.flows import Visit, Visits
from browser.serving import serving
from browser.ways import played
from conftest import World
from trilha import app as trilha_app
from trilha.access.sessions import invitations
from trilha.core.database import Database
from trilha.core.web.parsing import convert
from trilha.core.web.rate_limits import Limit
from trilha.people.users import actions as users
from trilha.people.users.schema import NewUser
from trilha.settings import Settings
from web.panel.signing_in import PASSWORD, made

# A phone in Portuguese without scripts, and a desktop in English with scripts.
LOOKS: Mapping[str, Mapping[str, Any]] = {
    "phone-pt-no-scripts": {"size": "phone", "locale": "pt-BR", "java_script_enabled": False},
    "desktop-en": {"size": "desktop", "locale": "en-US"},
}
AUTHENTICATOR = "/learn/security/authenticator"
_OTHER = "one of my own"


def said_in(look: dict[str, Any], portuguese: str, english: str) -> str:
    return portuguese if look["locale"] == "pt-BR" else english


async def refused(visit: Visit, look: dict[str, Any], axe: str) -> None:
    """Checks that the form is shown again with its errors, and is accessible."""
    await expect(visit.page.get_by_role("alert").first).to_be_visible()
    if look.get("java_script_enabled", True):
        await visit.is_usable(axe)


async def speaks(visit: Visit, look: dict[str, Any]) -> None:
    """Chooses English at the foot of the page, because the company's language is Portuguese."""
    await visit.go("/login")
    await visit.page.locator(".switches [name=locale]").nth(0 if look["locale"] == "pt-BR" else 1).click()


@played("phone-pt-no-scripts", LOOKS, "look")
async def test_the_company_the_way_back_and_what_is_refused(
    world: World, visits: Visits, axe: str, look: dict[str, Any]
) -> None:
    user = await world.user(password=PASSWORD)
    visit = await visits(**look)
    await speaks(visit, look)
    await visit.go("/learn/profile")
    await visit.is_titled(said_in(look, "Entrar", "Sign in"))
    for wrong in ("", "Aurora Ltda."):
        await visit.send(tenant_slug=wrong)
        await refused(visit, look, axe)
    await visit.send(tenant_slug=world.tenant.slug)
    for email, password in (("", ""), ("no address", "x"), (user["email"], "wrong horse")):
        await visit.send(email=email, password=password)
        await refused(visit, look, axe)
        await expect(visit.page.locator("[name=password]")).to_have_value("")
        await expect(visit.page).to_have_title(re.compile(said_in(look, "^Erro:", "^Error:")))
    await visit.send(email=user["email"], password=PASSWORD)
    await visit.is_at("/learn/profile")


@played("desktop-en", LOOKS, "look")
async def test_a_forgotten_password(world: World, visits: Visits, axe: str, look: dict[str, Any]) -> None:
    user = await world.user(password=PASSWORD)
    visit = await visits(**look)
    await speaks(visit, look)
    await visit.go(f"/login?tenant={world.tenant.slug}")
    await visit.page.get_by_role(
        "link", name=said_in(look, "Esqueci minha senha", "I forgot my password")
    ).click()
    await visit.send(email=user["email"])
    await visit.is_titled(said_in(look, "Confira seu e-mail", "Check your e-mail"))
    (mail,) = await mailed(world, "password_reset")
    await visit.go(mail["link"])
    await visit.send(new_password="short")
    await refused(visit, look, axe)
    await visit.send(new_password=_OTHER)
    await visit.is_told(said_in(look, "Use-a para entrar.", "Sign in with it now."))
    await visit.send(email=user["email"], password=_OTHER)
    await visit.is_at("/learn")
    await visit.go(mail["link"])
    await visit.is_titled(said_in(look, "Este link não funciona mais", "This link no longer works"))


async def test_an_invitation(world: World, visits: Visits) -> None:
    async with world.tx() as tx:
        raw = {"email": "novo@example.com", "name": "Novo Colega"}
        await users.create(tx, convert(NewUser, raw, tx.today), None)
    await invitations.job("http://trilha.test", 500).run_in(world.database, world.tenant.id)
    (mail,) = await mailed(world, "invitation")
    visit = await visits("phone")
    await visit.go(mail["link"])
    await visit.send(new_password=_OTHER)
    await visit.is_at(f"/login?tenant={world.tenant.slug}")
    await visit.send(email="novo@example.com", password=_OTHER)
    await visit.is_titled("Meus cursos")


async def test_who_tried_too_often_is_told_to_wait(
    world: World, visits: Visits, axe: str, settings: Settings, database: Database
) -> None:
    user = await world.user(password=PASSWORD)
    limits = replace(settings, limit_login=Limit(5, 86_400))
    async with serving(trilha_app.create_app(limits, database, world.clock)) as at:
        visit = await visits("phone", at=at)
        for _ in range(6):
            await visit.sign_in(world, user["email"], "wrong horse")
        await visit.is_titled("Tentativas demais")
        await visit.is_usable(axe)


async def turned_on(world: World, visit: Visit) -> tuple[pyotp.TOTP, list[str]]:
    """Turns two-step verification on, from the page about the app to the page of recovery codes."""
    await visit.page.locator(f"form[action='{AUTHENTICATOR}'] .btn--primary").click()
    await expect(visit.page.locator(".qr")).to_be_visible()
    app = pyotp.TOTP((await visit.page.locator("#key").input_value()).replace(" ", ""))
    await visit.send(code="000000")
    await expect(visit.page.get_by_role("alert")).to_be_visible()
    await visit.send(code=app.at(world.clock.now))
    return app, (await visit.page.locator(".secret pre").inner_text()).split()


@played("phone-pt-no-scripts", LOOKS, "look")
async def test_a_second_factor_from_on_to_off(
    world: World, visits: Visits, axe: str, look: dict[str, Any]
) -> None:
    user = await world.user(password=PASSWORD)
    visit = await visits(**look)
    await speaks(visit, look)
    await visit.sign_in(world, user["email"])
    await visit.go(AUTHENTICATOR)
    app, codes = await turned_on(world, visit)
    assert len(codes) == 10
    await visit.page.locator(".secret .btn--primary").click()
    await visit.is_at("/learn/security")
    await visit.sign_out()
    world.clock.move(seconds=30)
    await visit.go(f"/login?tenant={world.tenant.slug}&next=/learn/profile")
    await visit.send(email=user["email"], password=PASSWORD)
    await visit.is_at("/login/code?next=/learn/profile")
    await visit.send(code="000000")
    await refused(visit, look, axe)
    await visit.send(code=app.at(world.clock.now))
    await visit.is_at("/learn/profile")
    await visit.go(f"{AUTHENTICATOR}/remove")
    await visit.send(password="wrong horse")
    await refused(visit, look, axe)
    await visit.send(password=PASSWORD)
    await visit.is_at("/learn/security")
    await visit.is_told(said_in(look, "foi desativada", "was turned off"))
    await visit.sign_out()
    await visit.sign_in(world, user["email"])
    await visit.is_at("/learn")


async def test_an_administrator_of_whom_a_second_factor_is_asked(
    world: World, visits: Visits, axe: str
) -> None:
    user = await made(world, "admin")
    async with world.tx() as tx:
        await tx.execute(
            """
            INSERT INTO tenant_settings (tenant_id, second_factor_required, updated_at)
            VALUES (:tenant, true, :now)
            """
        )
    visit = await visits("phone")
    await visit.sign_in(world, user.email)
    await visit.is_at(AUTHENTICATOR)
    await visit.is_usable(axe)
    await visit.go("/admin/people")
    await visit.is_at(AUTHENTICATOR)
    await turned_on(world, visit)
    await visit.is_usable(axe)
    await visit.page.locator(".secret .btn--primary").click()
    await visit.is_at("/admin")


@played("desktop-en", LOOKS, "look")
async def test_sessions_are_listed_and_ended(world: World, visits: Visits, look: dict[str, Any]) -> None:
    user = await world.user(password=PASSWORD)
    mine, lost, other = [await visits(**look) for _ in range(3)]
    for each in (mine, lost, other):
        await each.sign_in(world, user["email"])
        await each.is_at("/learn")
    assert len(await mailed(world, "new_sign_in")) == 3  # each browser was a new one
    await mine.go("/learn/security")
    rows = mine.page.locator(".sessions__item")
    await expect(rows).to_have_count(3)
    await rows.nth(1).get_by_role("button").click()
    await expect(rows).to_have_count(2)
    await mine.page.locator("form[action$='/end-others'] button").click()
    await expect(rows).to_have_count(1)
    for each in (lost, other):
        await each.go("/learn/profile")
        await each.is_at("/login?next=/learn/profile")
    await mine.go("/learn")
    await mine.is_at("/learn")


async def test_changing_the_password(world: World, visits: Visits, axe: str) -> None:
    user = await world.user(password=PASSWORD)
    visit, other = await visits("phone"), await visits()
    for each in (visit, other):
        await each.sign_in(world, user["email"])
        await each.is_at("/learn")
    await visit.go("/learn/security/password")
    for current, new in (("wrong horse", _OTHER), (PASSWORD, "short"), (PASSWORD, PASSWORD)):
        await visit.send(current_password=current, new_password=new)
        await expect(visit.page.get_by_role("alert")).to_be_visible()
    await visit.is_usable(axe)
    await visit.send(current_password=PASSWORD, new_password=_OTHER)
    await visit.is_at("/learn/security")
    await other.go("/learn")
    await other.is_at("/login?next=/learn")


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
async def test_a_theme_is_kept_by_the_browser(world: World, visits: Visits, scripts: bool) -> None:
    user = await world.user(password=PASSWORD)
    visit = await visits(java_script_enabled=scripts)
    root = visit.page.locator("html")
    await visit.go(f"/login?tenant={world.tenant.slug}")
    await visit.page.get_by_role("button", name="Escuro").click()
    await expect(root).to_have_attribute("data-theme", "dark")
    await visit.is_at(f"/login?tenant={world.tenant.slug}")
    await visit.send(email=user["email"], password=PASSWORD)
    await expect(root).to_have_attribute("data-theme", "dark")
    await visit.page.locator(".account__button").click()
    await visit.page.get_by_role("button", name="Claro").click()
    await expect(root).to_have_attribute("data-theme", "light")


async def test_pages_are_framed_by_nobody(world: World, visits: Visits) -> None:
    visit = await visits()
    await visit.page.route("http://evil.test/", lambda route: route.fulfill(
        content_type="text/html", body=f'<iframe src="{visit.address}/login?tenant={uuid4().hex}"></iframe>'
    ))  # fmt: skip
    await visit.page.goto("http://evil.test/")
    (_, frame) = visit.page.frames
    await frame.wait_for_url("chrome-error://**")
    visit.said.clear()  # the browser reports the refusal
