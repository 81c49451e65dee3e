"""The editor of lessons: drafts, files, imports, and versions to compare and restore."""

import re
from pathlib import Path
from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.database import Tx
from trilha.core.errors import ApiError, Invalid, NotFound, invalid
from trilha.core.file_store import FileStore
from trilha.core.types import Timestamp
from trilha.core.web.answers import Answer, Html, json_answer
from trilha.core.web.request import Request
from trilha.core.web.routes import MIB, Routes
from trilha.core.web.uploads import UploadedFile
from trilha.kit import HEADERS, N_, assets
from trilha.kit.forms import SENTENCES
from trilha.training.courses import media
from trilha.training.courses.article_pages import ArticlePages
from trilha.training.courses.lessons import actions, queries
from trilha.training.courses.lessons.schema import DocumentText, LessonText
from trilha.training.courses.lessons.word_reading import MAX_FILE
from trilha.training.courses.schema import AuthoredModule, Body, CourseLanguage
from trilha.training.courses.translations import actions as translations
from trilha.training.courses.translations.schema import LANGUAGES
from trilha.web.panel.confirm import Button
from trilha.web.panel.courses.authors import WRITE
from trilha.web.panel.courses.pages import ADDRESS
from trilha.web.panel.modules.editor_script import get_editor_script
from trilha.web.panel.modules.pages import address, get_module
from trilha.web.panel.modules.uploads import insert
from trilha.web.panel.modules.word_files import read_word_file, store_image
from trilha.web.panel.view import PanelView

routes = Routes("Lessons", "The editor of lessons.")
_HERE = "/courses/{course_id}/modules/{module_id}"
_CACHE_HEADERS = {"cache-control": assets.FOREVER, "cross-origin-resource-policy": "same-origin"}
_KINDS = {"image/webp": "image", "application/pdf": "attachment", "text/vtt": "captions"}
_MARKDOWN_HEADERS = {**HEADERS, "content-disposition": 'attachment; filename="lesson.md"'}


class DraftForm(Struct, frozen=True):
    document: DocumentText = ""
    base: Annotated[int, Meta(ge=0)] = 0
    revision: Annotated[int, Meta(ge=0)] = 0


class SavedAnswer(Struct, frozen=True):
    """The answer of the page's own script. `code` and `field` say what was refused."""

    revision: int = 0
    saved_at: Timestamp | str = ""
    code: str = ""
    field: str = ""
    message: str = ""


class LessonFileForm(Struct, frozen=True):
    file: UploadedFile | None = None


class MarkdownForm(Struct, frozen=True):
    body: Body = ""


class RestoreForm(Struct, frozen=True):
    base: Annotated[int, Meta(ge=0)] = 0


class LessonQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`language` is a further one of the course; without it, the lesson is in the course's own."""

    language: CourseLanguage | Literal[""] = ""


class CompareQuery(LessonQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`draft` compares the viewer's draft with the version instead of the newest version."""

    draft: bool = False


@routes.get("/editor/{name}", access=WRITE, headers=_CACHE_HEADERS)
async def get_editor(request: Request, name: str) -> Answer:
    """Sends the script of the editor."""
    script = get_editor_script()
    if script is None or script.name != name:
        raise NotFound("route_not_found")
    return script.answer(request)


async def get_lesson(
    tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, language: str = ""
) -> AuthoredModule:
    """Raises NotFound (course_not_found, module_not_found, language_not_found)."""
    module = await get_module(tx, view, course_id, module_id)
    if module.type != "ARTICLE":
        raise NotFound("module_not_found")
    if language:
        await translations.get(tx, course_id, language)
    return module


def build_address(course_id: UUID, module_id: UUID, language: str = "") -> str:
    """Returns the address of the lesson's editor."""
    if not language:
        return address(course_id, module_id)
    return f"{ADDRESS}/{course_id}/languages/{language}/modules/{module_id}"


def _refuse(view: PanelView, error: ApiError) -> Answer:
    """Answers the page's script, which shows the message."""
    code, field = error.code, ""
    if isinstance(error, Invalid):
        code, field = error.detail[0].code, error.detail[0].field
    message = view.say(SENTENCES[code]) if code in SENTENCES else view.say(_PROBLEM)
    status = 422 if isinstance(error, Invalid) else error.status
    return json_answer(status, SavedAnswer(code=code, field=field, message=message))


_PROBLEM = N_("The lesson has something that cannot be saved.")


@routes.post(f"{_HERE}/draft", access=WRITE, max_body=5 * MIB)
async def save_draft(
    view: PanelView,
    course_id: UUID,
    module_id: UUID,
    query: LessonQuery,
    form: DraftForm,
    texts: ArticlePages,
) -> Answer:
    """Saves the viewer's draft while they write."""
    async with view.reading() as tx:
        await get_lesson(tx, view, course_id, module_id, query.language)
    try:
        lesson = await texts.check_document(view.tenant_id, form.document)
        async with view.changing() as tx:
            await get_lesson(tx, view, course_id, module_id, query.language)
            await actions.check_files(tx, lesson.files)
            draft = await actions.save_draft(
                tx,
                module_id,
                view.viewer.user_id,
                lesson.document,
                base=form.base,
                revision=form.revision,
                language=query.language,
            )
    except ApiError as error:
        return _refuse(view, error)
    return json_answer(200, SavedAnswer(revision=draft.revision, saved_at=draft.saved_at))


@routes.post(f"{_HERE}/draft/discard", access=WRITE)
async def discard_draft(
    tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, query: LessonQuery, form: Button
) -> Answer:
    """Deletes the viewer's draft."""
    await get_lesson(tx, view, course_id, module_id, query.language)
    await queries.delete_draft(tx, module_id, view.viewer.user_id, query.language)
    return view.lead(build_address(course_id, module_id, query.language), N_("The draft was discarded."))


@routes.post(f"{_HERE}/files", access=WRITE, max_body=media.MAX_BYTES + MIB)
async def add_lesson_file(
    view: PanelView, course_id: UUID, module_id: UUID, form: LessonFileForm, files: FileStore
) -> Answer:
    """Stores a picture, video, PDF or captions for the lesson."""
    async with view.reading() as tx:
        await get_lesson(tx, view, course_id, module_id)
    try:
        if form.file is None:
            raise invalid("file", "required")
        name = " ".join(form.file.filename.split())[:200]
        media_type = media.look_at_type(form.file.path)
        if media_type in (None, "image/webp"):
            file_id = await store_image(view, files, form.file.path, form.file.size, name)
            return json_answer(200, {"id": file_id, "kind": "image", "name": Path(name).stem})
        stored = await media.keep(files, view.tenant_id, form.file.path, name)
        try:
            media.check_readable(stored)
            async with view.changing() as tx:
                file = await insert(tx, stored)
        except BaseException:
            await media.drop(files, view.database, view.tenant_id, stored)
            raise
    except ApiError as error:
        return _refuse(view, error)
    kind = _KINDS.get(stored.media_type, "video")
    return json_answer(200, {"id": file.id, "kind": kind, "name": name})


@routes.post(f"{_HERE}/markdown", access=WRITE, max_body=5 * MIB)
async def read_markdown(
    view: PanelView, course_id: UUID, module_id: UUID, form: MarkdownForm, texts: ArticlePages
) -> Answer:
    """Converts Markdown for the editor. Nothing is stored."""
    async with view.reading() as tx:
        await get_lesson(tx, view, course_id, module_id)
    try:
        lesson = await texts.convert_markdown(view.tenant_id, form.body)
    except ApiError as error:
        return _refuse(view, error)
    return json_answer(200, {"document": lesson.document})


@routes.post(f"{_HERE}/word", access=WRITE, max_body=MAX_FILE + MIB)
async def read_word(
    view: PanelView,
    course_id: UUID,
    module_id: UUID,
    form: LessonFileForm,
    texts: ArticlePages,
    files: FileStore,
) -> Answer:
    """Converts a Word file for the editor, and stores its pictures."""
    async with view.reading() as tx:
        await get_lesson(tx, view, course_id, module_id)
    try:
        if form.file is None:
            raise invalid("file", "required")
        word = await read_word_file(view, texts, files, form.file)
    except ApiError as error:
        return _refuse(view, error)
    return json_answer(200, {"document": word.document})


@routes.get(f"{_HERE}/lesson.md", access=WRITE, headers=_MARKDOWN_HEADERS)
async def download_markdown(
    tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, query: LessonQuery
) -> Answer:
    """Sends the lesson as learners read it, in Markdown."""
    module = await get_lesson(tx, view, course_id, module_id, query.language)
    body = module.body or ""
    if query.language:
        text = await queries.find_text(tx, module_id, query.language)
        body = text.body if text else ""
    return Answer(200, body.encode(), [(b"content-type", b"text/markdown; charset=utf-8")])


@routes.get(f"{_HERE}/versions", access=WRITE)
async def list_versions(
    tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, query: LessonQuery
) -> Html:
    """Lists the versions of a lesson, newest first."""
    module = await get_lesson(tx, view, course_id, module_id, query.language)
    return view.show(
        "panel/modules/versions.html",
        module=module,
        language=query.language,
        languages=LANGUAGES,
        versions=await queries.list_versions(tx, module_id, query.language),
    )


@routes.get(f"{_HERE}/versions/{{number}}", access=WRITE)
async def compare_version(
    tx: Tx,
    view: PanelView,
    course_id: UUID,
    module_id: UUID,
    number: str,
    query: CompareQuery,
    texts: ArticlePages,
) -> Html:
    """Shows what changed between a version and the newest one, or the viewer's draft."""
    module = await get_lesson(tx, view, course_id, module_id, query.language)
    before = await queries.get_text(tx, module_id, _read_number(number), query.language)
    newest = await queries.find_text(tx, module_id, query.language)
    assert newest is not None  # there is at least this version
    after: object = _text_of(newest)
    if query.draft:
        draft = await queries.find_draft(tx, module_id, view.viewer.user_id, query.language)
        after = draft.document if draft else after
    try:
        blocks = await texts.compare(view.tenant_id, _text_of(before), after)
    except Invalid:
        blocks = None
    versions = {each.number: each for each in await queries.list_versions(tx, module_id, query.language)}
    return view.show(
        "panel/modules/compare.html",
        module=module,
        language=query.language,
        version=versions[before.number],
        newest=newest.number,
        draft=query.draft,
        blocks=blocks,
    )


def _read_number(number: str) -> int:
    """Raises NotFound."""
    if not re.fullmatch(r"[0-9]{1,9}", number):
        raise NotFound("lesson_version_not_found")
    return int(number)


def _text_of(text: LessonText) -> Any:
    return text.body if text.document is None else text.document


@routes.post(f"{_HERE}/versions/{{number}}/restore", access=WRITE)
async def restore_version(
    tx: Tx,
    view: PanelView,
    course_id: UUID,
    module_id: UUID,
    number: str,
    query: LessonQuery,
    form: RestoreForm,
    texts: ArticlePages,
) -> Answer:
    """Publishes an earlier version again, as a new version."""
    await get_lesson(tx, view, course_id, module_id, query.language)
    text = await queries.get_text(tx, module_id, _read_number(number), query.language)
    lesson = await texts.convert_text(view.tenant_id, text)
    newest = await actions.publish(
        tx,
        course_id,
        module_id,
        lesson,
        base=form.base,
        author_id=view.viewer.user_id,
        restored=text.number,
        language=query.language,
    )
    await texts.save_document(tx, module_id, newest, lesson.html, query.language)
    return view.lead(
        build_address(course_id, module_id, query.language),
        N_("Version %(number)s was restored."),
        number=text.number,
    )
