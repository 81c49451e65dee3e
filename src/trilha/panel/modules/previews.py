"""A module as learners see it, and a text as it will look; nothing of either is kept."""

from uuid import UUID

from markupsafe import Markup
from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import Conflict, Invalid
from trilha.core.web.answers import Answer, Html
from trilha.core.web.request import Request
from trilha.core.web.routes import MIB, Routes
from trilha.courses import queries
from trilha.courses.article_pages import ArticlePages
from trilha.courses.schema import Body
from trilha.learning.previews import actions as previews
from trilha.learning.previews.actions import PREVIEWED_TYPES
from trilha.panel.courses.authors import WRITE, get_changeable
from trilha.panel.modules.pages import address, found_module
from trilha.panel.view import PanelView
from trilha.player import around
from trilha.player.origin import ContentOrigin
from trilha.player.permissions import devices_of, frame_permissions
from trilha.sessions.identity import LAUNCH

routes = Routes("Previews", "Modules as learners see them.")


class Text(Struct, frozen=True):
    body: Body = ""


@routes.get(
    "/courses/{course_id}/modules/{module_id}/preview",
    access=WRITE,
    headers=around.OWN_HEADERS,
    writes=True,
    rate_limit=LAUNCH,
)
async def preview_module(
    tx: Tx, view: PanelView, request: Request, origin: ContentOrigin, course_id: UUID, module_id: UUID
) -> Answer:
    """The player, of which nothing is kept. The questions of a quiz have previews of their own."""
    module = await found_module(tx, view, course_id, module_id)
    if module.type not in PREVIEWED_TYPES:
        return view.lead(f"{address(course_id, module_id)}/quiz")
    if around.is_unasked(request):
        course = await queries.get(tx, course_id)
        return view.show("panel/modules/unasked.html", course=course, module=module)
    try:
        opened = await previews.open_preview(tx, view.viewer.user_id, module_id, view.viewer.session_id)
    except Conflict as failure:
        course = await queries.get(tx, course_id)
        return view.show("panel/modules/nothing.html", status=failure.status, course=course, module=module)
    content = around.origin_of(origin, request, tx.tenant_id, opened.sha256)
    devices = devices_of(module.type, module.content)
    answer = view.show(
        "learn/player/player.html",
        back=address(course_id, module_id),
        preview=True,
        before=None,
        after=None,
        review=False,
        module=module,
        opening=None,
        preview_at=around.address(content, opened.token, view.page),
        origin=content,
        allow=frame_permissions(devices),
    )
    answer.headers += around.policies([content], devices)
    return answer


@routes.post("/courses/{course_id}/modules/text", access=WRITE, max_body=5 * MIB)
async def preview_text(tx: Tx, view: PanelView, course_id: UUID, form: Text, texts: ArticlePages) -> Html:
    """A text as it will look, while it is written."""
    await get_changeable(tx, view, course_id)
    try:
        text = await texts.render(tx.tenant_id, form.body)
    except Invalid:
        return view.show("panel/modules/_text.html", text=None, too_complex=True)
    # Learners load images beside the page; here they have an address of their own.
    return view.show(
        "panel/modules/_text.html", text=text.replace('src="media/', Markup('src="/admin/media/'))
    )
