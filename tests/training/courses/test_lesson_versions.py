"""Versions and drafts of lessons: nothing is overwritten silently."""

from pathlib import Path
from uuid import UUID

import pytest

from conftest import World
from training.courses.documents import doc, paragraph, text
from trilha.core.errors import Conflict, Invalid
from trilha.training.courses import actions as courses
from trilha.training.courses import module_actions, module_queries
from trilha.training.courses.article_pages import ArticlePages
from trilha.training.courses.lessons import actions, queries
from trilha.training.courses.lessons.process import convert
from trilha.training.courses.schema import ModulePatch


async def add_lesson(world: World, body: str = "# Antes") -> tuple[UUID, UUID]:
    module = {"title": "A", "duration_minutes": 1, "body": body}
    course_id = await world.course(publish=False, modules=[module])
    async with world.tx() as tx:
        (added,) = await module_queries.list_all(tx, course_id)
    return course_id, added.id


async def publish(world: World, lesson: tuple[UUID, UUID], words: str, base: int, language: str = "") -> int:
    async with world.tx() as tx:
        return await actions.publish(tx, *lesson, text(words), base=base, author_id=None, language=language)


async def test_the_first_version_keeps_the_text_from_before(world: World) -> None:
    lesson = await add_lesson(world)
    assert await publish(world, lesson, "Depois", 0) == 1
    async with world.tx() as tx:
        assert [each.number for each in await queries.list_versions(tx, lesson[1])] == [1, 0]
        assert (await queries.get_text(tx, lesson[1], 0)).body == "# Antes"
        assert (await module_queries.get(tx, *lesson)).body == "Depois\n"


async def test_an_old_base_is_refused_and_changes_nothing(world: World) -> None:
    lesson = await add_lesson(world)
    await publish(world, lesson, "Um", 0)
    with pytest.raises(Conflict) as error:
        await publish(world, lesson, "Dois", 0)
    assert error.value.code == "lesson_changed"
    async with world.tx() as tx:
        assert (await module_queries.get(tx, *lesson)).body == "Um\n"


async def test_a_text_from_another_program_is_a_version_too(world: World) -> None:
    lesson = await add_lesson(world)
    async with world.tx() as tx:
        await module_actions.change(tx, *lesson, ModulePatch(body="# Outro"))
    with pytest.raises(Conflict):
        await publish(world, lesson, "Dois", 0)
    assert await publish(world, lesson, "Dois", 1) == 2


async def test_each_language_has_versions_of_its_own(world: World, tmp_path: Path) -> None:
    lesson = await add_lesson(world)
    await publish(world, lesson, "Hello", 0, language="en")
    pages = ArticlePages(world.database, tmp_path)
    async with world.tx() as tx:
        assert (await module_queries.get(tx, *lesson)).body == "# Antes"
        assert await queries.list_languages(tx, lesson[1]) == ["en"]
        assert await pages.get(tx, lesson[1], "# Antes") == "<h2>Antes</h2>\n"
        assert await pages.get(tx, lesson[1], "# Antes", "en") == "<p>Hello</p>\n"
        assert await pages.get(tx, lesson[1], "# Antes", "es") == "<h2>Antes</h2>\n"
    await pages.close()


async def test_only_the_newest_versions_are_kept(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "MAX_VERSIONS", 3)
    lesson = await add_lesson(world)
    for n in range(5):
        await publish(world, lesson, str(n), n)
    async with world.tx() as tx:
        assert [each.number for each in await queries.list_versions(tx, lesson[1])] == [5, 4, 3]


async def test_a_copied_course_has_the_newest_text(world: World) -> None:
    lesson = await add_lesson(world)
    await publish(world, lesson, "Um", 0)
    await publish(world, lesson, "Hello", 0, language="en")
    async with world.tx() as tx:
        copied = await courses.duplicate(tx, lesson[0])
        (module,) = await module_queries.list_all(tx, copied.id)
        found = await queries.find_text(tx, module.id)
        assert found is not None
        assert (found.number, found.document) == (1, text("Um").document)
        assert await queries.list_languages(tx, module.id) == ["en"]


async def test_a_file_that_is_not_ours_is_refused(world: World) -> None:
    lesson = await add_lesson(world)
    image = {"type": "image", "attrs": {"file": str(lesson[1]), "alt": "Mapa", "decorative": False}}
    with pytest.raises(Invalid) as error:
        async with world.tx() as tx:
            await actions.publish(tx, *lesson, convert(doc(image)), base=0, author_id=None)
    assert error.value.detail[0].field == "document.content.0.attrs.file"


async def test_drafts_of_two_authors_do_not_touch_each_other(world: World) -> None:
    lesson = await add_lesson(world)
    ana, bia = [UUID((await world.user())["id"]) for _ in range(2)]
    async with world.tx() as tx:
        for author, words in ((ana, "de Ana"), (bia, "de Bia")):
            document = doc(paragraph(words))
            await actions.save_draft(tx, lesson[1], author, document, base=0, revision=0)
        draft = await queries.find_draft(tx, lesson[1], ana)
        assert draft is not None
        assert draft.document == doc(paragraph("de Ana"))
        with pytest.raises(Conflict):
            await actions.save_draft(tx, lesson[1], ana, doc(paragraph("outra aba")), base=0, revision=0)
        saved = await actions.save_draft(tx, lesson[1], ana, doc(paragraph("mais")), base=0, revision=1)
        assert saved.revision == 2
        await actions.publish(tx, *lesson, text("de Ana"), base=0, author_id=ana)
        assert await queries.find_draft(tx, lesson[1], ana) is None
        assert await queries.find_draft(tx, lesson[1], bia) is not None
        await queries.erase(tx, bia)
        assert await queries.find_draft(tx, lesson[1], bia) is None
