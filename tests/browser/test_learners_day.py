"""A learner's day: courses, the documents that one of them requires, and the stored personal data."""

from collections.abc import Mapping
from typing import Any

from msgspec import json
from playwright.async_api import expect

from browser.flows import Visits
from browser.ways import played
from conftest import CPF, World
from trilha.core.web.parsing import convert
from trilha.training.courses import actions as courses
from trilha.training.courses.schema import NewCourse
from web.panel.signing_in import PASSWORD

LOOKS: Mapping[str, Mapping[str, Any]] = {
    "phone-no-scripts": {"size": "phone", "java_script_enabled": False},
    "desktop": {"size": "desktop"},
}


@played("desktop", LOOKS, "look")
async def test_no_course_then_many(world: World, visits: Visits, look: dict[str, Any]) -> None:
    user = await world.user(password=PASSWORD)
    visit = await visits(**look)
    page = visit.page
    await visit.sign_in(world, user["email"])
    await expect(page.get_by_role("heading", name="Você ainda não tem cursos")).to_be_visible()
    for number in range(25):
        course = await world.course(title=f"Curso {number:02}")
        expiry = {"expires_at": "2099-03-04T12:00:00Z"} if number % 2 else {}
        await world.enrollment(user_id=user["id"], course_id=course, **expiry)
    await page.reload()
    shown = page.locator(".hero, .course")
    first = await shown.count()
    assert 0 < first < 25
    await expect(page.get_by_text("Vence em 04/03/2099").first).to_be_visible()
    await page.get_by_role("link", name="Mostrar mais").click()
    rest = 25 - first if look.get("java_script_enabled") is False else 25
    await expect(shown).to_have_count(rest)
    await visit.go("/learn?show=completed")
    await expect(page.get_by_role("heading", name="Nenhum curso concluído ainda")).to_be_visible()
    await page.get_by_role("link", name="Ver cursos a fazer").click()
    await page.locator(".hero .course__title a").click()
    await expect(page.get_by_role("heading", name="Módulos", exact=True)).to_be_visible()


@played("phone-no-scripts", LOOKS, "look")
async def test_a_course_asks_for_a_document(
    world: World, visits: Visits, axe: str, look: dict[str, Any]
) -> None:
    user = await world.user(password=PASSWORD)
    enrolled = await world.enrollment(user_id=user["id"])
    raw = {
        "title": "Produtos perigosos",
        "slug": "mopp",
        "modules": [{"title": "Um", "duration_minutes": 10}],
        "regulation": {"kind": "traffic", "required_profile_fields": ["cpf"]},
    }
    async with world.tx() as tx:
        asking = await courses.create(tx, convert(NewCourse, raw, tx.today))
        await courses.publish(tx, asking.id)
        await tx.execute(
            "UPDATE all_enrollments SET course_id = :course WHERE tenant_id = :tenant AND id = :id",
            course=asking.id,
            id=enrolled["id"],
        )
    visit = await visits(**look)
    page = visit.page
    await visit.sign_in(world, user["email"])
    await page.locator(".hero .course__title a").click()
    await page.get_by_role("link", name="Incluir documentos").click()
    await visit.send(cpf="123")
    await expect(page.get_by_role("alert")).to_contain_text("Informe os 11 dígitos do CPF.")
    if look.get("java_script_enabled", True):
        await visit.is_usable(axe)
    await visit.send(cpf=CPF)
    await visit.is_at(f"/learn/enrollments/{enrolled['id']}")
    await visit.is_told("Os documentos foram salvos.")
    await expect(page.get_by_role("link", name="Incluir documentos")).to_have_count(0)
    await visit.go("/learn/profile")
    await expect(page.get_by_text("***.***.***-25")).to_be_visible()
    assert CPF not in await page.content()


@played("desktop", LOOKS, "look")
async def test_my_data_are_downloaded(world: World, visits: Visits, look: dict[str, Any]) -> None:
    user = await world.user(password=PASSWORD, name="Zuleica Prado")
    await world.enrollment(user_id=user["id"])
    visit = await visits(**look)
    await visit.sign_in(world, user["email"])
    await visit.go("/learn/profile")
    await visit.page.get_by_role("link", name="Ir para meus dados").click()
    async with visit.page.expect_download() as waiting:
        await visit.page.get_by_role("link", name="Baixar meus dados").click()
    download = await waiting.value
    assert download.suggested_filename == "trilha-data.json"
    found = json.decode((await download.path()).read_bytes())
    assert (found["profile"]["name"], len(found["enrollments"])) == ("Zuleica Prado", 1)
