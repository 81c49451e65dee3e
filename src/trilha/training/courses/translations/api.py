"""/v1/courses/{id}/translations: the texts of a course and of its lessons in further languages."""

from uuid import UUID

from trilha.core.credentials import Scope
from trilha.core.database import Tx
from trilha.core.errors import Conflict, NotFound
from trilha.core.web.pagination import ItemQuery
from trilha.core.web.routes import MIB, Envelope, Routes
from trilha.training.courses import module_queries
from trilha.training.courses import queries as courses
from trilha.training.courses.article_pages import ArticlePages
from trilha.training.courses.lessons import actions as lesson_actions
from trilha.training.courses.lessons import queries as lessons
from trilha.training.courses.schema import CourseLanguage
from trilha.training.courses.translations import actions, queries
from trilha.training.courses.translations.schema import (
    LanguageCode,
    LessonTexts,
    LessonTranslation,
    TranslatedTitle,
    Translation,
    TranslationTexts,
)

routes = Routes("Translations", "Courses in further languages.")
_ERRORS = ["course_not_found", "language_not_found"]


@routes.get("/courses/{course_id}/translations/{language}", scope=Scope.COURSES_READ, errors=_ERRORS)
async def get_translation(
    tx: Tx, course_id: UUID, language: LanguageCode, query: ItemQuery
) -> Envelope[Translation]:
    """Get a course's texts in one of its further languages."""
    await courses.get(tx, course_id)
    return Envelope(await _load(tx, course_id, language))


@routes.put(
    "/courses/{course_id}/translations/{language}",
    scope=Scope.COURSES_WRITE,
    max_body=2 * MIB,
    errors=[*_ERRORS, "module_not_found", "language_exists"],
)
async def put_translation(
    tx: Tx, course_id: UUID, language: LanguageCode, data: TranslationTexts
) -> Envelope[Translation]:
    """Replace a course's texts in a further language, which is added if the course lacks it. What you leave
    out is not translated. Texts of lessons stay as they are.
    """
    await courses.lock(tx, course_id)
    known = actions.read_language(language)
    await _ensure(tx, course_id, known)
    await actions.save(
        tx,
        course_id,
        known,
        title=data.title,
        description=data.description or None,
        titles={each.module_id: each.title for each in data.modules},
        complete=True,
    )
    return Envelope(await _load(tx, course_id, language))


@routes.delete(
    "/courses/{course_id}/translations/{language}", scope=Scope.COURSES_WRITE, status=204, errors=_ERRORS
)
async def delete_translation(tx: Tx, course_id: UUID, language: LanguageCode) -> None:
    """Remove a further language from a course, with all texts and lessons in it. The progress of learners
    stays.
    """
    await courses.lock(tx, course_id)
    await actions.remove_language(tx, course_id, actions.read_language(language))


@routes.get(
    "/courses/{course_id}/modules/{module_id}/translations/{language}",
    scope=Scope.COURSES_READ,
    errors=[*_ERRORS, "module_not_found"],
)
async def get_lesson_translation(
    tx: Tx, course_id: UUID, module_id: UUID, language: LanguageCode, query: ItemQuery
) -> Envelope[LessonTranslation]:
    """Get the text of an article in one of the course's further languages, in Markdown."""
    await _check_article(tx, course_id, module_id)
    await actions.get(tx, course_id, language)
    return Envelope(await _load_lesson(tx, module_id, actions.read_language(language)))


@routes.put(
    "/courses/{course_id}/modules/{module_id}/translations/{language}",
    scope=Scope.COURSES_WRITE,
    max_body=2 * MIB,
    errors=[*_ERRORS, "module_not_found", "language_exists", "text_too_complex"],
)
async def put_lesson_translation(
    tx: Tx, course_id: UUID, module_id: UUID, language: LanguageCode, data: LessonTexts, texts: ArticlePages
) -> Envelope[LessonTranslation]:
    """Publish the text of an article in a further language, as a new version. The language is added if the
    course lacks it.
    """
    await courses.lock(tx, course_id)
    await _check_article(tx, course_id, module_id)
    known = actions.read_language(language)
    await _ensure(tx, course_id, known)
    await actions.save_title(tx, course_id, module_id, known, data.title)
    text = await lessons.find_text(tx, module_id, language)
    if text is None or text.body != data.body:
        lesson = await texts.convert_markdown(tx.tenant_id, data.body)
        number = await lesson_actions.publish(
            tx,
            course_id,
            module_id,
            lesson,
            base=text.number if text else 0,
            author_id=None,
            language=language,
        )
        await texts.save_document(tx, module_id, number, lesson.html, language)
    return Envelope(await _load_lesson(tx, module_id, known))


async def _ensure(tx: Tx, course_id: UUID, language: CourseLanguage) -> None:
    """Adds the language if the course lacks it. Raises Conflict (language_exists) for its own."""
    course = await courses.get(tx, course_id)
    if course.language == language:
        raise Conflict("language_exists")
    if language not in course.languages:
        await actions.add_language(tx, course_id, language)


async def _check_article(tx: Tx, course_id: UUID, module_id: UUID) -> None:
    """Raises NotFound."""
    await courses.get(tx, course_id)
    if (await module_queries.get(tx, course_id, module_id)).type != "ARTICLE":
        raise NotFound("module_not_found")


async def _load(tx: Tx, course_id: UUID, language: LanguageCode) -> Translation:
    """Raises NotFound (language_not_found)."""
    translation = await actions.get(tx, course_id, language)
    modules = await queries.list_modules(tx, course_id, language)
    progress = await queries.list_progress(tx, course_id)
    (counts,) = [each for each in progress if each.language == language]
    return Translation(
        language=translation.language,
        title=translation.title,
        description=translation.description,
        modules=[TranslatedTitle(each.id, each.title) for each in modules],
        translated=counts.translated,
        texts=counts.texts,
    )


async def _load_lesson(tx: Tx, module_id: UUID, language: CourseLanguage) -> LessonTranslation:
    text = await lessons.find_text(tx, module_id, language)
    title = await queries.find_module_title(tx, module_id, language)
    return LessonTranslation(language, title, text.body if text else None)
