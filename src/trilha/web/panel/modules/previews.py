"""Previews of modules and of article texts. Nothing is stored."""

from typing import Literal
from uuid import UUID

from markupsafe import Markup
from msgspec import Struct

from trilha.access.sessions.identity import LAUNCH
from trilha.core.database import Tx
from trilha.core.errors import Conflict, Invalid
from trilha.core.web.answers import Answer, Html
from trilha.core.web.request import Request
from trilha.core.web.routes import MIB, Routes
from trilha.training.courses import queries
from trilha.training.courses.article_pages import ArticlePages
from trilha.training.courses.schema import Body, CourseLanguage
from trilha.training.courses.translations import queries as translations
from trilha.training.learning.previews import actions as previews
from trilha.training.learning.previews.actions import PREVIEWED_TYPES
from trilha.web.panel.courses.authors import WRITE, get_changeable
from trilha.web.panel.modules.pages import address, get_module
from trilha.web.panel.view import PanelView
from trilha.web.player import outer_page
from trilha.web.player.article.words import fill
from trilha.web.player.origin import ContentOrigin
from trilha.web.player.permissions_policy import devices_of, frame_permissions

routes = Routes("Previews", "Modules as learners see them.")


class PreviewQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`language` is a further one of the course; without it, the module is in the course's own."""

    language: CourseLanguage | Literal[""] = ""


class Text(Struct, frozen=True):
    body: Body = ""


@routes.get(
    "/courses/{course_id}/modules/{module_id}/preview",
    access=WRITE,
    headers=outer_page.OWN_HEADERS,
    writes=True,
    rate_limit=LAUNCH,
)
async def preview_module(
    tx: Tx,
    view: PanelView,
    request: Request,
    origin: ContentOrigin,
    course_id: UUID,
    module_id: UUID,
    query: PreviewQuery,
) -> Answer:
    """Opens the player without storing anything. Quizzes redirect to their own preview."""
    module = await get_module(tx, view, course_id, module_id)
    if module.type not in PREVIEWED_TYPES:
        return view.lead(f"{address(course_id, module_id)}/quiz")
    if outer_page.needs_confirmation(request):
        course = await queries.get(tx, course_id)
        return view.show("panel/modules/unasked.html", course=course, module=module)
    try:
        preview = await previews.open_preview(tx, view.viewer.user_id, module_id, view.viewer.session_id)
    except Conflict as failure:
        course = await queries.get(tx, course_id)
        return view.show("panel/modules/nothing.html", status=failure.status, course=course, module=module)
    content = outer_page.get_content_origin(origin, request, tx.tenant_id, preview.sha256)
    devices = devices_of(module.type, module.content)
    answer = view.show(
        "learn/player/player.html",
        back=address(course_id, module_id),
        done="",
        returning=None,
        preview=True,
        before=None,
        after=None,
        review=False,
        module=module,
        titles=await translations.load_titles(tx, course_id, query.language) if query.language else {},
        opening=None,
        preview_at=outer_page.build_address(content, preview.token, view.page, translation=query.language),
        origin=content,
        allow=frame_permissions(devices),
    )
    answer.headers += outer_page.build_policy_headers([content], devices)
    return answer


@routes.post("/courses/{course_id}/modules/text", access=WRITE, max_body=5 * MIB)
async def preview_text(tx: Tx, view: PanelView, course_id: UUID, form: Text, texts: ArticlePages) -> Html:
    """Renders the text of an article while somebody writes it."""
    await get_changeable(tx, view, course_id)
    try:
        text = await texts.render(tx.tenant_id, form.body)
    except Invalid:
        return view.show("panel/modules/_text.html", text=None, too_complex=True)
    # Image addresses are relative to the learner's page, so point them to the panel's address.
    return view.show(
        "panel/modules/_text.html",
        text=fill(text, view.page).replace('src="media/', Markup('src="/admin/media/')),
    )
