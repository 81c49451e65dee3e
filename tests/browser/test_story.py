"""From a package to a result, using only pages: an administrator, a learner with a phone, and the HR system.

With STORY_PICTURES=docs/images it also takes the pictures of docs/howto/from-a-package-to-a-result.md.
"""

import os
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from uuid import UUID
from zipfile import ZipFile

import pytest
from playwright.async_api import expect

from browser.flows import Visit, Visits, enter_as
from browser.test_playing_scorm import content
from conftest import World
from trilha.settings import Settings
from trilha.training.scorm.jobs import ImportPackages
from web.panel.signing_in import made
from web.player.playing import file_store

PACKAGE = Path(__file__).parents[2] / "src" / "trilha" / "cli" / "demo" / "first_aid"
TITLE = "Primeiros socorros"
RIGHT = {"Pergunta 1": "Sinaliza e protege o local", "Pergunta 2": "193", "Pergunta 3": "fica onde está"}
Picture = Callable[[Visit, str], Awaitable[None]]


@pytest.fixture
def picture() -> Picture:
    """Takes a picture if pictures are requested."""
    folder = os.environ.get("STORY_PICTURES")

    async def take(visit: Visit, name: str) -> None:
        if folder:
            await visit.page.screenshot(path=Path(folder) / f"story-{name}.png", animations="disabled")

    return take


@pytest.fixture
def package(tmp_path: Path) -> Path:
    path = tmp_path / "primeiros-socorros.zip"
    with ZipFile(path, "w") as archive:
        for each in sorted(PACKAGE.iterdir()):
            archive.write(each, each.name)
    return path


async def read_package(world: World, settings: Settings, visit: Visit) -> None:
    """Runs the worker's import. The waiting page continues by itself."""
    package_id = UUID(visit.page.url.split("/")[-1])
    job = ImportPackages(file_store(settings), settings.data_dir / "scratch")
    assert await job.run_next(world.database, world.tenant.id, package_id) == 1


async def choose(visit: Visit, field: str, text: str) -> None:
    await visit.page.get_by_role("combobox", name=field).press_sequentially(text)
    await visit.page.get_by_role("option", name=text).click()


async def teach(world: World, settings: Settings, visit: Visit, package: Path, picture: Picture) -> None:
    """The administrator uploads the package, creates a course from it and publishes it."""
    await visit.go("/admin/packages")
    await visit.follow("Import package")
    await picture(visit, "1-send")
    await visit.page.locator("[name=file]").set_input_files(package)
    await visit.press("Send file")
    await expect(visit.page).to_have_url(re.compile("/admin/packages/[0-9a-f-]{36}$"))
    await read_package(world, settings, visit)
    await expect(visit.page.get_by_text("Accepted")).to_be_visible()
    await visit.fill(title=TITLE, minutes="12")
    await picture(visit, "2-report")
    await visit.press("Add to the course")
    await visit.is_titled(TITLE)
    await visit.press("Publish course")
    await visit.is_told("open for enrollment")
    await picture(visit, "3-course")


async def enrol(visit: Visit, name: str, picture: Picture) -> None:
    await visit.follow("Enroll person")
    await choose(visit, "Person", name)
    await picture(visit, "4-enroll")
    await visit.press("Enroll person")
    await visit.is_titled(name)


async def learn(world: World, visit: Visit, email: str, picture: Picture) -> None:
    """Takes the course to its end, on a phone."""
    await visit.sign_in(world, email)
    await visit.is_at("/learn")
    await visit.page.locator(".hero .course__title a").first.click()
    await visit.is_titled(TITLE)
    await picture(visit, "5-learner")
    await visit.follow("Começar")
    inside = content(visit)
    for _ in range(3):
        await inside.get_by_role("button", name="Avançar").click()
    for question, answer in RIGHT.items():
        await expect(inside.get_by_role("heading", name=question)).to_be_visible()
        await inside.get_by_label(answer, exact=True).check()
        if question == "Pergunta 1":
            await picture(visit, "6-player")
        await inside.get_by_role("button", name="Avançar").click()
    await expect(inside.get_by_role("heading", name="Muito bem! Nota 100")).to_be_visible()
    await expect(visit.page.locator("#saved")).to_have_attribute("data-state", "saved")
    assert await visit.page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0
    await picture(visit, "7-passed")
    await visit.page.locator("[data-exit]").click()
    await expect(visit.page.get_by_role("heading", name="Você concluiu este curso")).to_be_visible()
    await picture(visit, "8-completed")


async def key_of(visit: Visit) -> str:
    """Creates an API key that reads enrollments, as the administrator."""
    await visit.go("/admin/api-keys/new")
    await visit.fill(name="HR system")
    await visit.page.get_by_label("See enrollments, progress and answers").check()
    await visit.press("Create API key")
    return await visit.page.locator("#secret").input_value()


async def read_as_hr(world: World, key: str, user_id: UUID) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    async with world.client(key) as hr:
        listed = (await hr.get("/v1/enrollments", params={"user_id": str(user_id)})).json()["data"]
        (enrollment,) = listed
        answers = await hr.get(f"/v1/enrollments/{enrollment['id']}/interactions")
        return enrollment, answers.json()["data"]


async def test_from_a_package_to_a_result(
    world: World, settings: Settings, visits: Visits, package: Path, picture: Picture
) -> None:
    boss = await made(world, "admin", name="Helena Prado", email="helena@example.com")
    ana = await made(world, name="Ana Lima", email="ana.lima@example.com")
    desk = await enter_as(world, visits, boss, locale="en")
    await teach(world, settings, desk, package, picture)
    await enrol(desk, ana.name, picture)
    phone = await visits("phone")
    await learn(world, phone, ana.email, picture)
    await desk.page.reload()
    await expect(desk.page.get_by_text("Completed").first).to_be_visible()
    await picture(desk, "9-result")
    found, answers = await read_as_hr(world, await key_of(desk), ana.id)
    assert (found["status"], found["progress"], found["score"]) == ("COMPLETED", 100, 100)
    assert found["completed_at"] is not None
    told = [(each["interaction_id"], each["response"], each["result"]) for each in answers]
    assert told == [
        ("Q1_protecao", "b", "correct"),
        ("Q2_telefone", "c", "correct"),
        ("Q3_moto", "a", "correct"),
    ]
