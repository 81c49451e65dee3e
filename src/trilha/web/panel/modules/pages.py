"""Adds, edits and removes the modules of a course."""

from datetime import timedelta
from operator import attrgetter
from typing import Any
from uuid import UUID

from markupsafe import Markup

from trilha.core.database import Tx
from trilha.core.errors import Invalid
from trilha.core.types import Title, to_json
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import MIB, Refusal, Routes
from trilha.kit import N_, formats
from trilha.training.courses import module_actions, module_queries, queries
from trilha.training.courses.article_pages import ArticlePages
from trilha.training.courses.lessons import actions as lesson_actions
from trilha.training.courses.lessons import queries as lessons
from trilha.training.courses.lessons.files import find_files
from trilha.training.courses.lessons.schema import LessonDraft, LessonText
from trilha.training.courses.schema import (
    PACKAGED_TYPES,
    AuthoredModule,
    MediaFile,
    ModulePatch,
    NewModule,
    read_checklist,
)
from trilha.training.learning.completion import queries as completion_queries
from trilha.training.learning.previews.actions import PREVIEWED_TYPES
from trilha.web.panel.confirm import Subject
from trilha.web.panel.courses.authors import WRITE, get_changeable
from trilha.web.panel.courses.pages import ADDRESS, TYPES
from trilha.web.panel.modules import forms
from trilha.web.panel.modules.editor_script import get_editor_script
from trilha.web.panel.modules.forms import ArticleForm, LessonTranslationForm, ModuleForm
from trilha.web.panel.practice.checklist_rows import SENTENCES as CHECKLIST_SENTENCES
from trilha.web.panel.practice.checklist_rows import build_rows
from trilha.web.panel.view import PanelView

routes = Routes("Modules", "What a course is made of.")
# How long after its last save another author's draft is mentioned.
_RECENT = timedelta(minutes=10)
_COMMON = ("duration_minutes", "required", "workload_kind", "delivery")
NEW: dict[str, object] = {"required": "true", "language": "pt-BR"}


def address(course_id: UUID, module_id: UUID | str = "") -> str:
    return f"{ADDRESS}/{course_id}/modules/{module_id}".rstrip("/")


@routes.get("/courses/{course_id}/modules/new", access=WRITE)
async def choose_type(tx: Tx, view: PanelView, course_id: UUID) -> Html:
    """Shows the types of modules to choose from."""
    return view.show("panel/modules/new.html", course=await get_changeable(tx, view, course_id))


@routes.get("/courses/{course_id}/modules/new/article", access=WRITE)
async def new_article(tx: Tx, view: PanelView, course_id: UUID, refusal: Refusal | None = None) -> Html:
    """Shows the form for a new article."""
    course = await get_changeable(tx, view, course_id)
    return view.form("panel/modules/article.html", refusal, NEW, course=course, module=None)


@routes.post("/courses/{course_id}/modules/new/article", access=WRITE, max_body=5 * MIB, refused=new_article)
async def add_article(
    tx: Tx, view: PanelView, course_id: UUID, form: ArticleForm, texts: ArticlePages
) -> Answer:
    """Adds an article with its text in Markdown."""
    await get_changeable(tx, view, course_id)
    members = ("duration_minutes", "required", "workload_kind", "delivery", "body")
    new = NewModule(
        title=Title(form.title), type="ARTICLE", **{name: getattr(form, name) for name in members}
    )
    (article,) = await module_actions.add(tx, course_id, [new])
    await texts.save(tx, article.id, form.body)
    return view.lead(address(course_id, article.id), N_("The article was added. You can add images here."))


@routes.get("/courses/{course_id}/modules/new/class", access=WRITE)
async def new_class_module(tx: Tx, view: PanelView, course_id: UUID, refusal: Refusal | None = None) -> Html:
    """Shows the form for a module that people attend in a room or a video call."""
    course = await get_changeable(tx, view, course_id)
    begins = {**NEW, "presence_percent": 100}
    return view.form("panel/modules/class.html", refusal, begins, forms.SENTENCES, course=course)


@routes.post("/courses/{course_id}/modules/new/class", access=WRITE, refused=new_class_module)
async def add_class_module(tx: Tx, view: PanelView, course_id: UUID, form: ModuleForm) -> Answer:
    """Adds a module that people attend in a room or a video call."""
    await get_changeable(tx, view, course_id)
    members = {name: getattr(form, name) for name in _COMMON}
    members["duration_minutes"] = form.duration_minutes or 0
    new = NewModule(title=Title(form.title), type="CLASS", presence_percent=form.presence_percent, **members)
    (module,) = await module_actions.add(tx, course_id, [new])
    return view.lead(address(course_id, module.id), N_("The module was added. Now schedule its classes."))


async def get_module(tx: Tx, view: PanelView, course_id: UUID, module_id: UUID) -> AuthoredModule:
    """Loads a module of a course that the viewer may change. Raises NotFound."""
    await get_changeable(tx, view, course_id)
    return await module_queries.get(tx, course_id, module_id)


async def lock_module(tx: Tx, view: PanelView, course_id: UUID, module_id: UUID) -> AuthoredModule:
    """Loads a module and locks its course until the transaction ends. Raises NotFound.

    Insert files before calling this: in the other order, two uploads of the same bytes could deadlock.
    """
    await queries.lock(tx, course_id)
    return await get_module(tx, view, course_id, module_id)


@routes.get("/courses/{course_id}/modules/{module_id}", access=WRITE)
async def show_module(
    tx: Tx,
    view: PanelView,
    course_id: UUID,
    module_id: UUID,
    texts: ArticlePages,
    refusal: Refusal | None = None,
) -> Html:
    """Shows one module with the form to edit it."""
    module = await get_module(tx, view, course_id, module_id)
    values = forms.build_values(module)
    sentences = {**forms.SENTENCES, **(CHECKLIST_SENTENCES if module.type == "PRACTICE" else {})}
    if refusal is not None and module.type != "ARTICLE":  # forms for files do not send the other fields
        refusal = Refusal({**values, **refusal.values}, refusal.failure)
    return view.form(
        "panel/modules/module.html",
        refusal,
        values,
        sentences,
        course=await queries.get(tx, course_id),
        module=module,
        types=TYPES,
        languages=forms.LANGUAGES,
        accepts={name: file[0] for name, file in forms.FILES.items()},
        previewed=module.type in PREVIEWED_TYPES,
        images=await list_images(tx, module) if module.type == "ARTICLE" else [],
        rows=build_rows(read_checklist(module.content).items, refusal) if module.type == "PRACTICE" else [],
        **(await load_lesson(tx, view, module, texts, refusal) if module.type == "ARTICLE" else {}),
        **await _load_files(tx, module),
    )


async def load_lesson(
    tx: Tx,
    view: PanelView,
    module: AuthoredModule,
    texts: ArticlePages,
    refusal: Refusal | None,
    language: str = "",
) -> dict[str, Any]:
    """Returns what the editor begins with: the viewer's draft, or else the newest version. A translation
    begins with the text in the course's own language.
    """
    user_id = view.viewer.user_id
    head = await lessons.find_head(tx, module.id, language)
    newest = head.number if head else 0
    draft = await lessons.find_draft(tx, module.id, user_id, language)
    document = draft.document if draft else None
    if document is None:
        text = await lessons.find_text(tx, module.id, language if head else "") or LessonText(
            0, None, module.body or ""
        )
        try:
            document = (await texts.convert_text(tx.tenant_id, text)).document
        except Invalid:
            document = None  # too complex for the editor: the text stays as Markdown
    base = draft.base if draft else newest
    versions = await lessons.list_versions(tx, module.id, language)
    is_stale = base != newest or (refusal is not None and refusal.failure.code == "lesson_changed")
    return {
        "lesson": _embed(document, base, draft) if document is not None else None,
        "base": base,
        "draft": draft,
        "newest": versions[0] if versions and is_stale else None,
        "others": await lessons.list_other_drafts(tx, module.id, user_id, _RECENT, language),
        "editor": f"/admin/editor/{script.name}" if (script := get_editor_script()) else "",
    }


def _embed(document: Any, base: int, draft: LessonDraft | None) -> Markup:
    """Returns the editor's data as JSON inside a script element."""
    data = {
        "document": document,
        "base": base,
        "revision": draft.revision if draft else 0,
        "saved_at": draft.saved_at if draft else "",
    }
    # No "</script>" inside the JSON may end the script element (HTML, 4.12.1.3).
    return Markup(to_json(data).decode().replace("<", "\\u003c"))  # noqa: S704


async def _load_files(tx: Tx, module: AuthoredModule) -> dict[str, Any]:
    """The module's file, and its captions by language."""
    content: dict[str, Any] = module.content or {}
    captions = content.get("captions", ())
    ids = [content.get("file_id"), *(track["file_id"] for track in captions)]
    files = {
        str(file.id): file for file in await module_queries.list_media(tx, [UUID(id) for id in ids if id])
    }
    return {
        "file": files.get(str(content.get("file_id"))),
        "captions": [(track["language"], files[track["file_id"]]) for track in captions],
    }


async def list_images(tx: Tx, module: AuthoredModule) -> list[MediaFile]:
    """The images uploaded to an article, and then others that its text shows."""
    uploaded = [UUID(id) for id in (module.content or {}).get("images", ())]
    others = find_files(module.body or "") - set(uploaded)
    files = {file.id: file for file in await module_queries.list_media(tx, [*uploaded, *others])}
    return [files[id] for id in [*uploaded, *sorted(others)] if id in files]


@routes.post("/courses/{course_id}/modules/{module_id}", access=WRITE, max_body=5 * MIB, refused=show_module)
async def save_module(
    tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, form: ArticleForm, texts: ArticlePages
) -> Answer:
    """Saves the module, and the text of an article."""
    module = await get_module(tx, view, course_id, module_id)
    members = {name: getattr(form, name) for name in _COMMON}
    if module.type in PACKAGED_TYPES and module.content:
        options = forms.PACKAGE_OPTIONS if module.type == "SCORM" else forms.DEVICES
        members["content"] = module.content | {name: getattr(form, name) for name in options}
    if module.type == "CLASS" and form.presence_percent is not None:
        members["presence_percent"] = form.presence_percent
    patch = ModulePatch(title=Title(form.title), **members)
    await module_actions.change(tx, course_id, module_id, patch)
    if module.type == "ARTICLE":
        await publish_lesson(tx, view, course_id, module, form, texts)
    return view.lead(f"{ADDRESS}/{course_id}", N_("The module was saved."))


async def publish_lesson(
    tx: Tx,
    view: PanelView,
    course_id: UUID,
    module: AuthoredModule,
    form: ArticleForm | LessonTranslationForm,
    texts: ArticlePages,
    language: str = "",
) -> None:
    """Publishes the lesson if it was changed. Raises Conflict (lesson_changed), and Invalid."""
    text = await lessons.find_text(tx, module.id, language)
    body = module.body if not language else text.body if text else ""
    if form.document:
        lesson = await texts.check_document(tx.tenant_id, form.document)
    elif form.body.replace("\r\n", "\n").strip() != (body or "").strip():
        lesson = await texts.convert_markdown(tx.tenant_id, form.body)
    else:
        return
    newest = text.number if text else 0
    before = text.document if text else None
    if language and text is None:
        # The editor of a translation begins with the own text, which is no translation yet.
        own = await lessons.find_text(tx, module.id) or LessonText(0, None, module.body or "")
        before = (await texts.convert_text(tx.tenant_id, own)).document
    if before == lesson.document:
        await lessons.delete_draft(tx, module.id, view.viewer.user_id, language)
        return
    base = next((each for each in (form.overwrite, form.base) if each is not None), newest)
    number = await lesson_actions.publish(
        tx, course_id, module.id, lesson, base=base, author_id=view.viewer.user_id, language=language
    )
    await texts.save_document(tx, module.id, number, lesson.html, language)


async def _count_learners(tx: Tx, view: PanelView, module: AuthoredModule) -> dict[str, object]:
    counts = await completion_queries.count_learners(tx, [module.id])
    return {"begun": formats.number(view.page, counts.get(module.id, 0))}


MODULES = Subject(
    routes=routes,
    path="/courses/{course_id}/modules/{module_id}",
    access=WRITE,
    get=get_module,
    name=attrgetter("title"),
)
MODULES.ask(
    "remove",
    module_actions.remove,
    N_("Remove %(title)s"),
    [
        N_("People who have started it: %(begun)s. It will be removed from the course for everyone."),
        N_("Their work is kept as evidence but no longer counts toward the course."),
        N_("People who have completed all other modules complete the course."),
    ],
    N_("Remove module"),
    N_("%(title)s was removed."),
    gone=True,
    values=_count_learners,
    sentences=forms.SENTENCES,
)
