"""Courses in several languages: one course, one progress, texts by the reader's language."""

from typing import Any
from uuid import UUID

import pytest

from conftest import World
from trilha.core.errors import Conflict, NotFound
from trilha.core.types import Title
from trilha.training.courses import actions as courses
from trilha.training.courses import module_queries, quiz_actions
from trilha.training.courses import queries as course_queries
from trilha.training.courses.schema import CoursePatch
from trilha.training.courses.translations import actions, queries
from trilha.training.enrollments import learner

MODULES = [
    {"title": "Um", "duration_minutes": 1, "body": "# Um"},
    {"title": "Dois", "duration_minutes": 1, "body": ""},
]


async def add_translated_course(world: World) -> tuple[UUID, list[UUID]]:
    """Adds a course whose first module is translated to English."""
    course_id = await world.course(modules=MODULES, description="Sobre")
    async with world.tx() as tx:
        modules = [each.id for each in await module_queries.list_all(tx, course_id)]
        await actions.add_language(tx, course_id, "en")
        await actions.save(tx, course_id, "en", title="Course", description=None, titles={modules[0]: "One"})
    return course_id, modules


async def test_texts_are_counted_with_those_that_are_missing(world: World) -> None:
    course_id, _ = await add_translated_course(world)
    async with world.tx() as tx:
        (progress,) = await queries.list_progress(tx, course_id)
    # Title, description, two titles of modules, and the one lesson that has a text.
    assert (progress.translated, progress.texts, progress.missing) == (2, 5, 3)


async def test_a_language_is_there_once(world: World) -> None:
    course_id, _ = await add_translated_course(world)
    for language in ("pt-BR", "en"):
        async with world.tx() as tx:
            with pytest.raises(Conflict) as error:
                await actions.add_language(tx, course_id, language)  # type: ignore[arg-type]
            assert error.value.code == "language_exists"
    async with world.tx() as tx:
        with pytest.raises(Conflict):
            await courses.change(tx, course_id, CoursePatch(language="en"))
        assert (await course_queries.get(tx, course_id)).languages == ["pt-BR", "en"]
        changed = await courses.change(tx, course_id, CoursePatch(language="es"))
        assert changed.languages == ["es", "en"]


async def test_a_new_course_is_in_the_companys_language(world: World) -> None:
    async with world.tx() as tx:
        await tx.execute("UPDATE courses SET language = 'es' WHERE tenant_id = :tenant")
        locale = await tx.value("SELECT locale FROM tenants WHERE id = :tenant")
        assert (await course_queries.get(tx, await world.course())).language == locale


async def test_somebody_elses_change_is_not_overwritten_silently(world: World) -> None:
    course_id, _ = await add_translated_course(world)
    async with world.tx() as tx:
        seen = await actions.get(tx, course_id, "en")
        texts: dict[str, Any] = {"description": None, "titles": {}}
        await actions.save(tx, course_id, "en", title="A", revision=seen.revision, **texts)
        with pytest.raises(Conflict) as error:
            await actions.save(tx, course_id, "en", title="B", revision=seen.revision, **texts)
        assert error.value.code == "translation_changed"
        assert (await actions.get(tx, course_id, "en")).title == "A"


async def test_learners_see_their_language_and_the_courses_own_where_it_is_missing(world: World) -> None:
    course_id, _ = await add_translated_course(world)
    enrollment = await world.enrollment(course_id=course_id)
    user_id, enrollment_id = UUID(enrollment["user_id"]), UUID(enrollment["id"])
    async with world.tx() as tx:
        english = await learner.get(tx, user_id, enrollment_id, "en")
        portuguese = await learner.get(tx, user_id, enrollment_id, "pt-BR")
    assert (english.title, english.title_language, english.next_module) == ("Course", "en", "One")
    assert (english.description, english.description_language) == ("Sobre", "pt-BR")
    assert (portuguese.language, portuguese.next_module) == ("pt-BR", "Um")


async def test_the_choice_of_a_learner_is_kept_and_limited_to_the_course(world: World) -> None:
    course_id, _ = await add_translated_course(world)
    enrollment = await world.enrollment(course_id=course_id)
    user_id, enrollment_id = UUID(enrollment["user_id"]), UUID(enrollment["id"])
    async with world.tx() as tx:
        with pytest.raises(Exception, match="invalid_value"):
            await learner.choose_language(tx, user_id, enrollment_id, "es")
        with pytest.raises(NotFound):
            await learner.choose_language(tx, UUID(int=1), enrollment_id, "en")
        await learner.choose_language(tx, user_id, enrollment_id, "en")
        assert (await learner.get(tx, user_id, enrollment_id, "pt-BR")).title == "Course"
        await learner.choose_language(tx, user_id, enrollment_id, "pt-BR")
        assert (await learner.get(tx, user_id, enrollment_id, "en")).language == "pt-BR"
        await learner.choose_language(tx, user_id, enrollment_id, "en")
        await actions.remove_language(tx, course_id, "en")
        assert (await learner.get(tx, user_id, enrollment_id, "en")).language == "pt-BR"


async def test_copies_have_the_translations(world: World) -> None:
    course_id, modules = await add_translated_course(world)
    async with world.tx() as tx:
        copied = await courses.duplicate(tx, course_id, Title("Cópia"))
        listed = await queries.list_modules(tx, copied.id, "en")
        assert copied.languages == ["pt-BR", "en"]
        assert [each.title for each in listed] == ["One", None]
        again = await quiz_actions.duplicate_module(tx, course_id, modules[0])
        assert await queries.find_module_title(tx, again, "en") == "One"
