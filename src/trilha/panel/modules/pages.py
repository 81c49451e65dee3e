"""Modules of a course: added, changed and removed."""

from operator import attrgetter
from typing import Any
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.types import Title
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import MIB, Refusal, Routes
from trilha.courses import articles, module_actions, module_queries, queries
from trilha.courses.article_pages import ArticlePages
from trilha.courses.schema import AuthoredModule, MediaFile, ModulePatch, NewModule
from trilha.learning.completion import queries as completion_queries
from trilha.learning.previews.actions import PREVIEWED_TYPES
from trilha.pages import N_, formats
from trilha.panel.confirm import Subject
from trilha.panel.courses.authors import WRITE, get_changeable
from trilha.panel.courses.pages import ADDRESS, TYPES
from trilha.panel.modules import forms
from trilha.panel.modules.forms import ArticleForm
from trilha.panel.view import PanelView

routes = Routes("Modules", "What a course is made of.")
NEW: dict[str, object] = {"required": "true", "language": "pt-BR"}


def address(course_id: UUID, module_id: UUID | str = "") -> str:
    return f"{ADDRESS}/{course_id}/modules/{module_id}".rstrip("/")


@routes.get("/courses/{course_id}/modules/new", access=WRITE)
async def choose_type(tx: Tx, view: PanelView, course_id: UUID) -> Html:
    """Ask what kind of module is to be added."""
    return view.show("panel/modules/new.html", course=await get_changeable(tx, view, course_id))


@routes.get("/courses/{course_id}/modules/new/article", access=WRITE)
async def new_article(tx: Tx, view: PanelView, course_id: UUID, refusal: Refusal | None = None) -> Html:
    """Ask for the text."""
    course = await get_changeable(tx, view, course_id)
    return view.form("panel/modules/article.html", refusal, NEW, course=course, module=None)


@routes.post("/courses/{course_id}/modules/new/article", access=WRITE, max_body=5 * MIB, refused=new_article)
async def add_article(
    tx: Tx, view: PanelView, course_id: UUID, form: ArticleForm, texts: ArticlePages
) -> Answer:
    """A text in Markdown."""
    await get_changeable(tx, view, course_id)
    members = ("duration_minutes", "required", "body")
    new = NewModule(
        title=Title(form.title), type="ARTICLE", **{name: getattr(form, name) for name in members}
    )
    (made,) = await module_actions.add(tx, course_id, [new])
    await texts.save(tx, made.id, form.body)
    return view.lead(address(course_id, made.id), N_("The article was added. Here you can give it images."))


async def found_module(tx: Tx, view: PanelView, course_id: UUID, module_id: UUID) -> AuthoredModule:
    """Of a course that the reader may change. Raises NotFound."""
    await get_changeable(tx, view, course_id)
    return await module_queries.get(tx, course_id, module_id)


async def locked_module(tx: Tx, view: PanelView, course_id: UUID, module_id: UUID) -> AuthoredModule:
    """As it is now: nobody else changes it until the transaction ends. Raises as `found_module`.

    Files are inserted before: in another order, two uploads of the same bytes could lock each other out.
    """
    await queries.lock(tx, course_id)
    return await found_module(tx, view, course_id, module_id)


@routes.get("/courses/{course_id}/modules/{module_id}", access=WRITE)
async def show_module(
    tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, refusal: Refusal | None = None
) -> Html:
    """One module, to be changed."""
    module = await found_module(tx, view, course_id, module_id)
    begins = forms.begins_of(module)
    if refusal is not None and module.type != "ARTICLE":  # of another form, the rest was not sent
        refusal = Refusal({**begins, **refusal.values}, refusal.failure)
    return view.form(
        "panel/modules/module.html",
        refusal,
        begins,
        forms.SENTENCES,
        course=await queries.get(tx, course_id),
        module=module,
        types=TYPES,
        languages=forms.LANGUAGES,
        accepts={name: each[0] for name, each in forms.FILES.items()},
        previewed=module.type in PREVIEWED_TYPES,
        images=await list_images(tx, module) if module.type == "ARTICLE" else [],
        **await _content(tx, module),
    )


async def _content(tx: Tx, module: AuthoredModule) -> dict[str, Any]:
    """What the module shows, as files."""
    content: dict[str, Any] = module.content or {}
    captions = content.get("captions", ())
    ids = [content.get("file_id"), *(each["file_id"] for each in captions)]
    found = {
        str(each.id): each for each in await module_queries.list_media(tx, [UUID(id) for id in ids if id])
    }
    return {
        "file": found.get(str(content.get("file_id"))),
        "captions": [(each["language"], found[each["file_id"]]) for each in captions],
    }


async def list_images(tx: Tx, module: AuthoredModule) -> list[MediaFile]:
    """Those that were sent for it, and those that its text shows."""
    sent = [UUID(each) for each in (module.content or {}).get("images", ())]
    shown = articles.images(module.body or "") - set(sent)
    found = {each.id: each for each in await module_queries.list_media(tx, [*sent, *shown])}
    return [found[each] for each in [*sent, *sorted(shown)] if each in found]


@routes.post("/courses/{course_id}/modules/{module_id}", access=WRITE, max_body=5 * MIB, refused=show_module)
async def save_module(
    tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, form: ArticleForm, texts: ArticlePages
) -> Answer:
    """Change what differs; of an article, the text too."""
    module = await found_module(tx, view, course_id, module_id)
    members = {name: getattr(form, name) for name in ("duration_minutes", "required")}
    if module.type == "ARTICLE":
        members["body"] = form.body
    if module.type == "SCORM" and module.content:
        members["content"] = module.content | {name: getattr(form, name) for name in forms.PACKAGE_OPTIONS}
    patch = ModulePatch(title=Title(form.title), **members)
    await module_actions.change(tx, course_id, module_id, patch)
    if module.type == "ARTICLE" and form.body != module.body:
        await texts.save(tx, module_id, form.body)
    return view.lead(f"{ADDRESS}/{course_id}", N_("The module was saved."))


async def _count_begun(tx: Tx, view: PanelView, module: AuthoredModule) -> dict[str, object]:
    begun = await completion_queries.count_learners(tx, [module.id])
    return {"begun": formats.number(view.page, begun.get(module.id, 0))}


MODULES = Subject(
    routes=routes,
    path="/courses/{course_id}/modules/{module_id}",
    access=WRITE,
    get=found_module,
    name=attrgetter("title"),
)
MODULES.ask(
    "remove",
    module_actions.remove,
    N_("Remove %(title)s"),
    [
        N_("People who have started it: %(begun)s. It disappears from the course for everybody."),
        N_("What they did in it is kept as evidence, but no longer counts for the course."),
        N_("Whoever has completed everything else completes the course."),
    ],
    N_("Remove module"),
    N_("%(title)s was removed."),
    gone=True,
    values=_count_begun,
    sentences=forms.SENTENCES,
)
