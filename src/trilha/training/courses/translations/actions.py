"""Changes to translations, inside the caller's transaction. A change without effect emits no event."""

from collections.abc import Mapping
from typing import Any, cast, get_args
from uuid import UUID

from msgspec import UNSET, UnsetType

from trilha.core.database import Tx
from trilha.core.errors import Conflict, NotFound
from trilha.platform.audit import queries as audit
from trilha.training.courses import module_actions, module_queries
from trilha.training.courses import queries as courses
from trilha.training.courses.schema import CourseLanguage
from trilha.training.courses.translations import queries
from trilha.training.courses.translations.schema import CourseTranslation


def read_language(text: str) -> CourseLanguage:
    """Raises NotFound (language_not_found) for a language in which no course is offered."""
    if text not in get_args(CourseLanguage):
        raise NotFound("language_not_found")
    return cast(CourseLanguage, text)


async def get(tx: Tx, course_id: UUID, language: str) -> CourseTranslation:
    """Raises NotFound (language_not_found)."""
    translation = await queries.find(tx, course_id, read_language(language))
    if translation is None:
        raise NotFound("language_not_found")
    return translation


async def add_language(tx: Tx, course_id: UUID, language: CourseLanguage) -> None:
    """Adds a further language, without texts. Raises NotFound, and Conflict (language_exists)."""
    await courses.lock(tx, course_id)
    await _check_free(tx, course_id, language)
    if not await queries.insert(tx, course_id, language):
        raise Conflict("language_exists")
    await _note(tx, course_id, "course.language_added", language)


async def remove_language(tx: Tx, course_id: UUID, language: CourseLanguage) -> None:
    """Removes a further language with everything that was written in it. Raises NotFound."""
    await courses.lock(tx, course_id)
    if not await queries.delete(tx, course_id, language):
        raise NotFound("language_not_found")
    await _note(tx, course_id, "course.language_removed", language)


async def _check_free(tx: Tx, course_id: UUID, language: CourseLanguage) -> None:
    """Raises Conflict (language_exists) if it is the course's own language."""
    if (await courses.get(tx, course_id)).language == language:
        raise Conflict("language_exists")


async def _note(tx: Tx, course_id: UUID, action: str, language: str) -> None:
    course = await courses.get(tx, course_id)
    await audit.record(tx, action, course_id, course.title, language=language)
    await module_actions.tell(tx, course_id)


async def save(
    tx: Tx,
    course_id: UUID,
    language: CourseLanguage,
    *,
    title: str | None,
    description: str | None,
    titles: Mapping[UUID, str | None],
    revision: int | None = None,
    complete: bool = False,
) -> None:
    """Replaces the course's texts, and the titles of the modules in `titles`; if it is `complete`, those of
    all modules. `revision` is the one that the author has seen.

    Raises NotFound (language_not_found, module_not_found), and Conflict (translation_changed).
    """
    await courses.lock(tx, course_id)
    before = await get(tx, course_id, language)
    if revision is not None and revision != before.revision:
        raise Conflict("translation_changed")
    known = {each.id for each in await module_queries.list_all(tx, course_id)}
    if set(titles) - known:
        raise NotFound("module_not_found")
    titles_before = await queries.load_titles(tx, course_id, language)
    wanted = {} if complete else {id: text for id, text in titles_before.items() if id not in titles}
    wanted |= {id: text for id, text in titles.items() if text}
    if (title, description, wanted) == (before.title, before.description, titles_before):
        return
    await queries.delete_other_titles(tx, course_id, language, wanted)
    changed = {id: text for id, text in wanted.items() if text != titles_before.get(id)}
    if changed:
        await queries.put_titles(tx, course_id, language, changed)
    await queries.update(tx, course_id, language, title, description)
    await module_actions.tell(tx, course_id)


async def save_title(
    tx: Tx, course_id: UUID, module_id: UUID, language: CourseLanguage, title: str | None | UnsetType
) -> None:
    """Sets the title of one module. Raises NotFound."""
    if title is not UNSET:
        before = await get(tx, course_id, language)
        members: dict[str, Any] = {"title": before.title, "description": before.description}
        await save(tx, course_id, language, **members, titles={module_id: title or None})
