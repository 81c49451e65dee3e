"""The outline on a course's page: modules are changed, added and filled from files in place."""

from uuid import UUID

import httpx2
import pytest

from conftest import World
from media_files import pdf
from training.scorm.packages import package
from trilha.training.courses import module_queries
from trilha.training.courses.schema import OutlinedModule
from web.panel.authoring import modules, upload
from web.panel.test_lesson_pages import word
from web.panel.training_pages import browsing, id_of, send, teach


@pytest.fixture
async def admin(world: World) -> httpx2.AsyncClient:
    return await browsing(world, "admin")


@pytest.fixture
async def course_id(world: World) -> UUID:
    return await world.course(modules=[{"title": "One", "duration_minutes": 5}], publish=False)


def row(module: OutlinedModule, **changed: object) -> dict[str, object]:
    """Returns the fields of a module's row."""
    minutes = "" if module.minutes_estimated else module.duration_minutes
    fields = {"title": module.title, "duration_minutes": minutes, "required": "true"}
    before = {"title_before": module.title, "minutes_before": minutes, "required_before": "true"}
    return fields | before | changed


async def test_a_row_is_changed_in_place(world: World, admin: httpx2.AsyncClient, course_id: UUID) -> None:
    (one,) = await modules(world, course_id)
    address = f"/admin/courses/{course_id}/modules/{one.id}/outline"
    answer = await send(admin, address, **row(one, title="Two", duration_minutes="7"))
    assert answer.status_code == 303
    (now,) = await modules(world, course_id)
    assert (now.title, now.duration_minutes, now.minutes_estimated) == ("Two", 7, False)
    await send(admin, address, **row(now, duration_minutes=""))
    (now,) = await modules(world, course_id)
    assert (now.title, now.duration_minutes, now.minutes_estimated) == ("Two", 0, True)


async def test_what_another_author_changed_is_not_overwritten(
    world: World, admin: httpx2.AsyncClient, course_id: UUID
) -> None:
    (one,) = await modules(world, course_id)
    address = f"/admin/courses/{course_id}/modules/{one.id}/outline"
    await send(admin, address, **row(one, title="Theirs"))
    await send(admin, address, **row(one, title="Mine"))
    assert [each.title for each in await modules(world, course_id)] == ["Theirs"]
    # Another member of the row is changed all the same.
    await send(admin, address, **row(one, duration_minutes="9"))
    (now,) = await modules(world, course_id)
    assert (now.title, now.duration_minutes) == ("Theirs", 9)


async def test_modules_are_added_and_duplicated_in_place(
    world: World, admin: httpx2.AsyncClient, course_id: UUID
) -> None:
    address = f"/admin/courses/{course_id}/modules"
    for type in ("ARTICLE", "QUIZ"):
        assert (await send(admin, address, type=type)).status_code == 303
    one, text, quiz = await modules(world, course_id)
    assert (text.type, text.minutes_estimated, quiz.type) == ("ARTICLE", True, "QUIZ")
    assert (await send(admin, f"{address}/{quiz.id}/duplicate")).status_code == 303
    assert (await send(admin, f"{address}/{one.id}/duplicate")).status_code == 303
    now = await modules(world, course_id)
    assert [each.title for each in now[:2]] == ["One", "One"]
    assert now[3].quiz_id != now[4].quiz_id


async def test_the_bytes_of_a_file_decide_what_it_becomes(
    world: World, admin: httpx2.AsyncClient, course_id: UUID
) -> None:
    address = f"/admin/courses/{course_id}/modules/files"
    answer = await upload(admin, address, file=("Guide.mp4", pdf(3)))
    assert answer.status_code == 303
    added = (await modules(world, course_id))[-1]
    assert (added.type, added.title, added.duration_minutes, added.minutes_estimated) == (
        "DOCUMENT",
        "Guide",
        6,
        True,
    )
    answer = await upload(admin, address, file=("part.pdf", package()))
    assert answer.headers["location"].startswith("/admin/packages/")
    assert (await upload(admin, address, file=("note.pdf", b"text"))).status_code == 422


async def test_each_chapter_of_a_word_file_becomes_a_text(
    world: World, admin: httpx2.AsyncClient, course_id: UUID
) -> None:
    address = f"/admin/courses/{course_id}/modules/files"
    chapters = [("Heading1", "Before"), ("Normal", "Plan it."), ("Heading2", "Rope"), ("Heading1", "After")]
    text = word(*chapters, ("Normal", "Come down."))
    assert (await upload(admin, address, file=("NR-35.docx", text))).status_code == 303
    _, before, after = await modules(world, course_id)
    assert [(each.type, each.title) for each in (before, after)] == [
        ("ARTICLE", "Before"),
        ("ARTICLE", "After"),
    ]
    async with world.tx() as tx:
        assert (await module_queries.get(tx, course_id, before.id)).body == "Plan it.\n\n# Rope\n"
    # Without headings of the first level, the file is one text.
    await upload(admin, address, file=("Rescue.docx", word(("Normal", "Call for help."))))
    assert (await modules(world, course_id))[-1].title == "Rescue"
    for content in (text[:-30], word()):
        assert (await upload(admin, address, file=("broken.docx", content))).status_code == 422


async def test_the_whole_course_is_previewed(admin: httpx2.AsyncClient, course_id: UUID) -> None:
    page = await admin.get(f"/admin/courses/{course_id}/preview?look=desktop")
    assert "preview--desktop" in page.text
    framed = await admin.get(f"/admin/courses/{course_id}/preview/page")
    assert "frame-ancestors 'self'" in framed.headers["content-security-policy"]
    assert "One" in framed.text


async def test_instructors_change_only_their_courses(world: World, course_id: UUID) -> None:
    (one,) = await modules(world, course_id)
    other = await browsing(world, "instrutor")
    await teach(world, await world.course(), await id_of(world, "instrutor"))
    answer = await send(other, f"/admin/courses/{course_id}/modules/{one.id}/outline", **row(one, title="X"))
    assert answer.status_code == 404
