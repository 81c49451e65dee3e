"""The catalog in a browser: somebody asks for a course, their manager approves, and the course begins."""

import re
from typing import Any

from playwright.async_api import expect

from browser.flows import Entering, Visits, enter_as
from browser.ways import played
from conftest import World
from web.panel.signing_in import made
from web.panel.training_pages import manage, unit


@played("phone-no-scripts")
async def test_asking_for_a_course_and_starting_it(
    world: World, visits: Visits, options: dict[str, Any]
) -> None:
    plant = await unit(world, "Fábrica")
    await world.course(title="Brigada de incêndio", self_enrollment="OPEN", category="Segurança")
    await world.course(title="Direção econômica", self_enrollment="APPROVAL", category="Frota")
    boss = await made(world, "gestor", name="Chefe")
    await manage(world, plant, boss.id)
    ana = await made(world, "learner", name="Ana Lima", business_unit_id=str(plant))
    manager, learner = [await enter_as(world, visits, each, **options) for each in (boss, ana)]

    await learner.go("/learn")
    await learner.follow("Catálogo")
    await learner.page.get_by_label("Todas as categorias").select_option("Frota")
    await learner.page.get_by_role("searchbox").fill("direcao")
    await learner.page.get_by_role("searchbox").press("Enter")
    await expect(learner.page.locator(".course")).to_have_count(1)
    await learner.follow("Direção econômica")
    await learner.fill(message="Vou assumir outra rota.")
    await learner.press("Pedir inscrição")
    await learner.is_told("Seu pedido foi enviado.")
    await expect(learner.page.get_by_text("Aguardando aprovação")).to_be_visible()

    await manager.go("/learn/notifications")
    await manager.press("Ana Lima pediu inscrição em Direção econômica. Falta a sua resposta.")
    await manager.is_titled("Ana Lima pede inscrição")
    await expect(manager.page.get_by_text("Vou assumir outra rota.")).to_be_visible()
    await manager.press("Aprovar e matricular")
    await manager.is_told("Matrícula de Ana Lima criada.")

    await learner.go("/learn/notifications")
    await learner.press("Sua inscrição em Direção econômica foi aprovada.")
    await learner.is_titled("Direção econômica")
    await learner.follow("Começar")
    await expect(learner.page).to_have_url(re.compile("/modules/"))


@played("scripts")
async def test_enrolling_oneself_and_refusing_somebody(
    world: World, entered: Entering, options: dict[str, Any]
) -> None:
    await world.course(title="Brigada de incêndio", self_enrollment="OPEN")
    await world.course(title="Excel", self_enrollment="APPROVAL")
    admin = await entered("admin", **options)
    learner = await entered("learner", name="Ana Lima", **options)
    await learner.go("/learn/catalog")
    await learner.follow("Brigada de incêndio")
    await learner.press("Inscrever-se")
    await learner.is_told("Inscrição feita. Bom curso.")
    await learner.go("/learn/catalog")
    await learner.follow("Excel")
    await learner.press("Pedir inscrição")

    await admin.go("/admin")
    await admin.page.get_by_role("link", name="1 pedido de inscrição aguarda resposta").click()
    await admin.lists("Ana Lima")
    await admin.follow("Recusar: Ana Lima")
    await admin.press("Recusar pedido")
    await admin.is_refused("Informe o motivo. A pessoa vai ler.")
    await admin.fill(reason="Curso só para o escritório.")
    await admin.press("Recusar pedido")
    await admin.is_told("O pedido foi recusado.")

    await learner.page.reload()
    await expect(learner.page.get_by_text("Curso só para o escritório.")).to_be_visible()
    await expect(learner.page.get_by_role("button", name="Pedir inscrição")).to_be_visible()
