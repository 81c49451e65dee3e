"""The outline on a course's page: modules are renamed, added, duplicated and filled from files in place."""

import asyncio
from pathlib import Path
from typing import Any, Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.file_store import FileStore
from trilha.core.types import Title, to_json
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import MIB, Refusal, Routes
from trilha.core.web.uploads import UploadedFile
from trilha.kit import N_, formats
from trilha.kit.content_security_policy import HEADERS, policy
from trilha.training.courses import media, module_actions, quiz_actions
from trilha.training.courses.article_pages import ArticlePages
from trilha.training.courses.contents import VIDEOS
from trilha.training.courses.lessons import actions as lesson_actions
from trilha.training.courses.schema import CourseLanguage, Minutes, ModulePatch, ModuleType, NewModule
from trilha.training.courses.translations import queries as translations
from trilha.training.quizzes.schema import NewQuiz
from trilha.training.scorm import actions as packages
from trilha.training.scorm import archives
from trilha.web.panel.confirm import Button
from trilha.web.panel.courses.authors import WRITE, get_changeable
from trilha.web.panel.courses.forms import Line
from trilha.web.panel.courses.pages import ADDRESS, SENTENCES, load_outline, show_course
from trilha.web.panel.modules.forms import build_title
from trilha.web.panel.modules.pages import lock_module
from trilha.web.panel.modules.uploads import insert, keep_file
from trilha.web.panel.modules.word_files import read_word_file
from trilha.web.panel.packages.forms import PATH as PACKAGES
from trilha.web.panel.packages.forms import Purpose
from trilha.web.panel.view import PanelView

routes = Routes("Outline of a course", "The modules on a course's page, which authors change in place.")
_MAX_FILE = media.MAX_BYTES + MIB
# The frame of the preview is on the panel's own address.
_PREVIEW_HEADERS = {**HEADERS, "content-security-policy": policy(frame_src="'self'")}
_FRAME_HEADERS = {
    **HEADERS,
    "x-frame-options": "SAMEORIGIN",
    "content-security-policy": policy(frame_ancestors="'self'", form_action="'none'"),
}
_ZIP = b"PK\x03\x04"
_SENTENCES = SENTENCES | {
    "required": N_("Choose a file."),
    "wrong_media_type": N_(
        "Choose a Word file (.docx), a PDF, an MP4 or WebM video, or the ZIP file of a SCORM package."
    ),
    "text_too_complex": N_(
        "This Word file is too large or too complex. Split it, or make its pictures smaller (up to 20 MB)."
    ),
}
_TITLES: dict[ModuleType, str] = {"ARTICLE": N_("New article"), "QUIZ": N_("New quiz")}
CONFLICT_TEXT = N_("Another person changed this module meanwhile. Check it, and enter your change again.")


class OutlineForm(Struct, frozen=True, kw_only=True):
    """A row of the outline, with the values that it had when the page was loaded."""

    title: Line
    duration_minutes: Minutes | None = None
    required: bool = False
    title_before: str = ""
    minutes_before: Minutes | None = None
    required_before: bool = False

    def list_changes(self) -> dict[str, tuple[Any, Any]]:
        """Returns the members that the author changed: the value before, and the new one."""
        pairs: dict[str, tuple[Any, Any]] = {
            "title": (self.title_before, str(self.title)),
            "duration_minutes": (self.minutes_before, self.duration_minutes),
            "required": (self.required_before, self.required),
        }
        return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


class NewModuleForm(Struct, frozen=True):
    type: Literal["ARTICLE", "QUIZ"]


class PreviewQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`language` is a further one of the course; without it, the texts are those of the course's own."""

    language: CourseLanguage | Literal[""] = ""


class Look(PreviewQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    look: Literal["phone", "desktop"] = "phone"


class OutlineFile(Struct, frozen=True):
    file: UploadedFile | None = None


@routes.get("/courses/{course_id}/modules", access=WRITE)
async def show_outline(tx: Tx, view: PanelView, course_id: UUID, refusal: Refusal | None = None) -> Html:
    """Shows the modules: alone for scripts, else on the course's page."""
    return await _show(tx, view, course_id, refusal, {})


@routes.get("/courses/{course_id}/modules/{module_id}/outline", access=WRITE)
async def show_row(
    tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, refusal: Refusal | None = None
) -> Html:
    """Shows a module's row, with why a change was refused: alone for scripts, else on the course's page."""
    return await _show(tx, view, course_id, refusal, {"refused": module_id})


async def _show(
    tx: Tx, view: PanelView, course_id: UUID, refusal: Refusal | None, values: dict[str, Any]
) -> Html:
    course = await get_changeable(tx, view, course_id)
    if not view.page.fragment:
        page: Html = await show_course(tx, view, course_id, refusal)
        return page
    outline = await load_outline(tx, course)
    return view.form("panel/courses/_outline.html", refusal, {}, _SENTENCES, **values, **outline)


@routes.post("/courses/{course_id}/modules/{module_id}/outline", access=WRITE, refused=show_row)
async def change_row(tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, form: OutlineForm) -> Answer:
    """Changes the title, the minutes and whether the module is required. What another author changed since
    the page was loaded is not overwritten.
    """
    course = await get_changeable(tx, view, course_id)
    module = await lock_module(tx, view, course_id, module_id)
    now = {
        "title": module.title,
        "duration_minutes": None if module.minutes_estimated else module.duration_minutes or None,
        "required": module.required,
    }
    changes = form.list_changes()
    if any(now[name] not in pair for name, pair in changes.items()):
        if not view.page.fragment:
            return view.lead(f"{ADDRESS}/{course_id}", CONFLICT_TEXT, "warn")
        outline = await load_outline(tx, course)
        return view.show(
            "panel/courses/_outline.html",
            status=409,
            conflict=module_id,
            conflict_words=CONFLICT_TEXT,
            **outline,
        )
    patch = ModulePatch(**{name: value for name, (_, value) in changes.items()})
    await module_actions.change(tx, course_id, module_id, patch)
    if not view.page.fragment:
        return view.lead(f"{ADDRESS}/{course_id}", N_("The module was saved."))
    return view.show("panel/courses/_outline.html", saved=module_id, **await load_outline(tx, course))


@routes.post("/courses/{course_id}/modules", access=WRITE, refused=show_outline)
async def add_module(tx: Tx, view: PanelView, course_id: UUID, form: NewModuleForm) -> Answer:
    """Appends an empty text or quiz. Its title is then written in the outline."""
    course = await get_changeable(tx, view, course_id)
    new = NewModule(title=Title(view.say(_TITLES[form.type])), duration_minutes=None, type=form.type)
    if form.type == "QUIZ":
        added = await quiz_actions.add(tx, course_id, new, NewQuiz())
    else:
        (added,) = await module_actions.add(tx, course_id, [new])
    if not view.page.fragment:
        return view.lead(f"{ADDRESS}/{course_id}", N_("The module was added. Now give it a title."))
    return view.show("panel/courses/_outline.html", added=added.id, **await load_outline(tx, course))


@routes.post("/courses/{course_id}/modules/{module_id}/duplicate", access=WRITE, refused=show_row)
async def duplicate_module(tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, form: Button) -> Answer:
    """Adds a copy of the module right after it, with a quiz of its own."""
    course = await get_changeable(tx, view, course_id)
    copied = await quiz_actions.duplicate_module(tx, course_id, module_id)
    if not view.page.fragment:
        return view.lead(f"{ADDRESS}/{course_id}", N_("The module was duplicated."))
    return view.show("panel/courses/_outline.html", added=copied, **await load_outline(tx, course))


@routes.post("/courses/{course_id}/modules/files", access=WRITE, max_body=_MAX_FILE, refused=show_outline)
async def add_file(
    view: PanelView, course_id: UUID, form: OutlineFile, files: FileStore, texts: ArticlePages
) -> Answer:
    """Adds a module for a file: a video, a PDF, the chapters of a Word file, or a package, which is read
    first. The bytes decide; only a Word file is told from a package by its name.
    """
    async with view.reading() as tx:
        course = await get_changeable(tx, view, course_id)
    if form.file is None:
        raise invalid("file", "required")
    if await asyncio.to_thread(_is_zip, form.file.path):
        if form.file.filename.lower().endswith(".docx"):
            return await _add_lessons(view, course_id, form.file, files, texts)
        return await _import_package(view, course_id, form.file, files)
    async with (
        keep_file(view, files, form.file, "file", [*VIDEOS, "application/pdf"]) as stored,
        view.changing() as tx,
    ):
        content = {"file_id": str((await insert(tx, stored)).id)}
        type: ModuleType = "DOCUMENT" if stored.media_type == "application/pdf" else "VIDEO"
        title = build_title(form.file.filename)
        new = NewModule(title=title, duration_minutes=None, type=type, content=content)
        (added,) = await module_actions.add(tx, course_id, [new])
    if not view.page.fragment:
        return view.lead(f"{ADDRESS}/{course_id}", N_("The module was added. Now give it a title."))
    async with view.reading() as tx:
        return view.show("panel/courses/_outline.html", added=added.id, **await load_outline(tx, course))


async def _add_lessons(
    view: PanelView, course_id: UUID, file: UploadedFile, files: FileStore, texts: ArticlePages
) -> Answer:
    """Adds a text for each chapter of a Word file. If pictures lack a description, the chapter is only saved
    as the author's draft, because learners must not miss what it shows.
    """
    word = await read_word_file(view, texts, files, file)
    if not (chapters := word.chapters):
        raise invalid("file", "word_unreadable")
    documents = [to_json(each.document).decode() for each in chapters]
    lessons = [await texts.check_document(view.tenant_id, each) for each in documents]
    author_id = view.viewer.user_id
    async with view.changing() as tx:
        course = await get_changeable(tx, view, course_id)
        titles = [Title.fit(each.title) if each.title else build_title(file.filename) for each in chapters]
        new = [NewModule(title=title, duration_minutes=None) for title in titles]
        added = await module_actions.add(tx, course_id, new)
        drafts = []
        for module, lesson in zip(added, lessons, strict=True):
            if lesson.gaps:
                await lesson_actions.check_files(tx, lesson.files)
                await lesson_actions.save_draft(tx, module.id, author_id, lesson.document, base=0, revision=0)
                drafts.append(module)
                continue
            number = await lesson_actions.publish(
                tx, course_id, module.id, lesson, base=0, author_id=author_id
            )
            await texts.save_document(tx, module.id, number, lesson.html)
    names = formats.join_words(view.page, [each.title for each in drafts])
    if not view.page.fragment:
        words = _NO_DESCRIPTIONS if drafts else N_("The modules were added from the Word file.")
        return view.lead(f"{ADDRESS}/{course_id}", words, "warn" if drafts else "ok", modules=names)
    async with view.reading() as tx:
        return view.show(
            "panel/courses/_outline.html",
            added=added[0].id,
            note=view.say(_NO_DESCRIPTIONS, modules=names) if drafts else "",
            **await load_outline(tx, course),
        )


_NO_DESCRIPTIONS = N_(
    "Learners do not see these texts yet, because they have pictures without a description: %(modules)s. "
    "Edit each text, describe its pictures and publish it."
)


def _is_zip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_ZIP)) == _ZIP


async def _import_package(view: PanelView, course_id: UUID, file: UploadedFile, files: FileStore) -> Answer:
    """Leads to the report of the package, from where its parts are added to this course."""
    kept = await archives.keep(files, view.tenant_id, file.path)
    try:
        async with view.changing() as tx:
            await get_changeable(tx, view, course_id)
            started = await packages.start_import(tx, kept, file.filename or "package.zip")
    except BaseException:
        await archives.drop(files, kept)
        raise
    return view.lead(Purpose(course=course_id).at(f"{PACKAGES}/{started.id}"))


@routes.get("/courses/{course_id}/preview", access=WRITE, headers=_PREVIEW_HEADERS)
async def preview_course(tx: Tx, view: PanelView, course_id: UUID, query: Look) -> Html:
    """Shows the course as learners see it, as wide as a phone or a desktop."""
    course = await get_changeable(tx, view, course_id)
    return view.show("panel/courses/preview.html", course=course, look=query.look, language=query.language)


@routes.get("/courses/{course_id}/preview/page", access=WRITE, headers=_FRAME_HEADERS)
async def show_learner_page(tx: Tx, view: PanelView, course_id: UUID, query: PreviewQuery) -> Html:
    """Shows the learner's page of the course in its present state, for the frame of the preview."""
    course = await get_changeable(tx, view, course_id)
    language = query.language
    translation = await translations.find(tx, course_id, language) if language else None
    return view.show(
        "panel/courses/preview_page.html",
        **await load_outline(tx, course),
        language=language if translation else "",
        translation=translation,
        titles=await translations.load_titles(tx, course_id, language) if translation else {},
    )
