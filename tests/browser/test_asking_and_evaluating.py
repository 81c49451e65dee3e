"""A learner asks the instructor and gets an answer; people evaluate a course."""

from typing import Any
from uuid import UUID

from playwright.async_api import expect

from browser.flows import Entering, Visits, enter_as
from browser.ways import played
from conftest import World
from training.requirements.settling import complete
from trilha.training.courses import actions as courses
from trilha.training.evaluations import actions as evaluations
from trilha.training.evaluations.schema import Reaction
from trilha.training.reminders.jobs import build_mail_job
from web.panel.signing_in import PASSWORD, made


@played("scripts")
async def test_a_question_is_asked_and_answered(
    world: World, visits: Visits, entered: Entering, axe: str, options: dict[str, Any]
) -> None:
    teacher = await made(world, "instrutor", name="Rui Prado")
    user = await made(world, "learner", name="Ana Lima")
    course = await world.course(title="NR-35")
    async with world.tx() as tx:
        await courses.set_teachers(tx, course, [teacher.id])
    enrollment = await world.enrollment(user_id=str(user.id), course_id=course)
    learner = await enter_as(world, visits, user, **options)
    await learner.go(f"/learn/enrollments/{enrollment['id']}")
    await learner.follow("Perguntar ao instrutor")
    await learner.is_usable(axe)
    await learner.press("Enviar dúvida")
    await learner.is_refused("Escreva sua dúvida.")
    await learner.page.locator("#module_id").select_option("Um")
    await learner.fill(text="Um cinto ou dois?")
    await learner.press("Enviar dúvida")
    await learner.is_told("Sua dúvida foi enviada.")
    await learner.is_usable(axe)
    # The instructor follows the link of the e-mail and signs in.
    await build_mail_job("https://learn.example.com").run_in(world.database, world.tenant.id)
    question = learner.page.url.rpartition("/")[2]
    instructor = await visits(**({"java_script_enabled": False} if options else {}))
    await instructor.go(f"/admin/learner-questions/{question}")
    await instructor.send(tenant_slug=world.tenant.slug)
    await instructor.send(email=teacher.email, password=PASSWORD)
    await instructor.is_at(f"/admin/learner-questions/{question}")
    await instructor.is_titled("Dúvida de Ana Lima")
    await instructor.is_usable(axe)
    await instructor.fill(text="Dois talabartes.")
    await instructor.press("Enviar resposta")
    await instructor.is_told("A resposta foi enviada ao aluno.")
    await instructor.go("/admin/learner-questions?state=answered")
    await instructor.lists("Um cinto ou dois?")
    await learner.go("/learn/notifications")
    await learner.press("Sua dúvida em NR-35 foi respondida.")
    await expect(learner.page.locator(".thread__item").nth(1)).to_contain_text("Dois talabartes.")
    await learner.send(text="E a corda?")
    await learner.is_told("Sua mensagem foi enviada.")
    await instructor.go("/admin/learner-questions")
    await instructor.lists("Um cinto ou dois?")


@played("scripts")
async def test_the_fifth_evaluation_shows_the_results(
    world: World, visits: Visits, entered: Entering, axe: str, options: dict[str, Any]
) -> None:
    course = await world.course(title="NR-35")
    reaction = Reaction(content=4, clarity=4, instructor=4, platform=4, applicability=4, nps=8)
    for _ in range(4):
        done = await world.enrollment(course_id=course)
        await complete(world, done["id"])
        async with world.tx() as tx:
            await evaluations.evaluate(tx, UUID(done["user_id"]), UUID(done["id"]), reaction)
    admin = await entered(**options)
    await admin.go(f"/admin/courses/{course}/evaluations")
    await expect(admin.page.locator("main")).to_contain_text("Nenhum resultado ainda")
    user = await made(world, "learner")
    enrollment = await world.enrollment(user_id=str(user.id), course_id=course)
    await complete(world, enrollment["id"])
    learner = await enter_as(world, visits, user, **options)
    await learner.go(f"/learn/enrollments/{enrollment['id']}")
    await learner.follow("Avaliar o curso")
    await learner.is_usable(axe)
    await learner.press("Enviar avaliação")
    await learner.is_refused("Escolha uma nota.")
    for name in ("content", "clarity", "instructor", "platform", "applicability"):
        await learner.page.locator(f"[name={name}][value='5']").check()
    await learner.page.locator("[name=nps][value='10']").check()
    await learner.fill(text="Muito prático.")
    await learner.press("Enviar avaliação")
    await learner.is_told("Sua avaliação foi salva.")
    await admin.page.reload()
    await admin.is_usable(axe)
    await expect(admin.page.locator("main")).to_contain_text("Muito prático.")
    lines = await admin.download("Baixar em CSV")
    assert "nps;score;20" in lines
