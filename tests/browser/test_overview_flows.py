"""The overview, the pages behind its counts, and the written e-mails in a browser."""

import re
from datetime import timedelta
from uuid import UUID

import pytest
from playwright.async_api import expect

from browser.flows import Entering
from conftest import World
from trilha.core.types import Timestamp
from trilha.platform.mail import outbox
from trilha.platform.mail.catalogue import PasswordReset
from trilha.platform.mail.schema import Recipient
from web.panel.training_pages import manage, unit


async def _give_up(world: World) -> None:
    """Creates e-mails that failed permanently, in this week and before."""
    for days in (0, 20):
        async with world.tx() as tx:
            to = Recipient(f"sent{days}@example.com", "Ana", "pt-BR")
            id = await outbox.send(tx, to=to, message=PasswordReset(link="https://x.test", minutes=60))
            await tx.execute(
                """
                UPDATE mail_messages SET status = 'FAILED', error = 'recipient_refused', content = NULL,
                    next_attempt_at = NULL, created_at = :at
                WHERE tenant_id = :tenant AND id = :id
                """,
                at=world.clock.now - timedelta(days=days),
                id=id,
            )


@pytest.mark.parametrize("locale", ["pt-BR", "en"])
async def test_the_overview_leads_to_exactly_what_it_counts(
    world: World, entered: Entering, locale: str
) -> None:
    english = locale == "en"
    frota = await unit(world, "Frota")
    within = {"business_unit_id": str(frota)}
    course = await world.course(title="Altura")
    for name, days in (("Ana Soon", 3), ("Bia Later", 30)):
        user = await world.user(name=name, **within)
        world.clock.move(seconds=1)
        ends = Timestamp.of(world.clock.now + timedelta(days=days))
        await world.enrollment(user_id=user["id"], course_id=course, expires_at=ends)
    await world.user(name="Caio Alone")
    await world.key("users:read", lifetime=timedelta(days=10))
    await _give_up(world)
    visit = await entered(locale=locale, name="Marina Duarte", **within)
    for sentence, rows in (
        ("1 enrollment is due within 14 days" if english else "1 matrícula vence", ["Ana Soon"]),
        ("1 person has no business unit" if english else "1 pessoa está sem unidade", ["Caio Alone"]),
        ("1 API key expires" if english else "1 chave de API vence", ["Test"]),
        ("1 e-mail could not" if english else "1 e-mail não pôde", ["sent0@example.com"]),
    ):
        await visit.go("/admin")
        await visit.page.get_by_role("link", name=re.compile(sentence)).click()
        await visit.lists(*rows)
    await visit.go("/admin")
    await visit.page.locator("a[href='/admin/enrollments?status=open']").click()
    await visit.lists("Bia Later", "Ana Soon")


async def test_a_manager_is_shown_their_own(world: World, entered: Entering) -> None:
    visit = await entered("gestor", "phone", name="Gina Alves")
    async with world.tx() as tx:
        gina: UUID = await tx.value("SELECT id FROM users WHERE tenant_id = :tenant AND name = 'Gina Alves'")
    frota = await unit(world, "Frota")
    await manage(world, frota, gina)
    soon = Timestamp.of(world.clock.now + timedelta(days=3))
    own = await world.user(name="Ana Lima", business_unit_id=str(frota))
    await world.enrollment(user_id=own["id"], expires_at=soon)
    await world.enrollment(expires_at=soon)
    await visit.go("/admin")
    await visit.page.get_by_role("link", name=re.compile("1 matrícula vence")).click()
    await visit.lists("Ana Lima")


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
async def test_e_mails_are_found(world: World, entered: Entering, scripts: bool) -> None:
    await _give_up(world)
    visit = await entered("admin", "phone", scripts=scripts)
    await visit.go("/admin/outbox?status=FAILED")
    await visit.lists("sent0@example.com", "sent20@example.com")
    await visit.page.get_by_role("searchbox").fill("sent20")
    if not scripts:
        await visit.press("Buscar")
    await visit.lists("sent20@example.com")
    await expect(visit.page.get_by_text("O servidor de e-mail recusou o destinatário.")).to_be_visible()
