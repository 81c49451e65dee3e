"""Opens the content of a cmi5 module: each time its page is loaded, or the learner opens its window."""

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.web.answers import Answer, Html, json_answer
from trilha.core.web.callers import Caller
from trilha.core.web.request import Request
from trilha.core.web.routes import AnyQuery, Routes
from trilha.kit import render
from trilha.training.learning.cmi5.sessions import open_content
from trilha.training.learning.launches.pages import load_launch
from trilha.training.learning.previews import actions as previews
from trilha.training.xapi.access import BaseAddress
from trilha.web.player import assets
from trilha.web.player.content_security_policy import HEADERS, build_page_policy
from trilha.web.player.frame import page_of_frame
from trilha.web.player.identity import OF_FILES, OF_LIVE_LAUNCH, get_context
from trilha.web.player.origin import ContentOrigin

routes = Routes("cmi5", "Sessions of cmi5 content.")
_HEADERS = {**HEADERS, "cache-control": "no-store"}


class SessionAddress(Struct, frozen=True):
    """Where the content begins. With `own_window`, the browser opens it in a window of its own."""

    address: str
    own_window: bool


@routes.post("/l/{token}/session", access=OF_LIVE_LAUNCH, rate_limit="report", max_body=1024)
async def open_session(
    tx: Tx, request: Request, caller: Caller, origin: ContentOrigin, base: BaseAddress, token: str
) -> Answer:
    """Make a session, and return the address at which the content begins."""
    context = get_context(caller)
    opened = await (previews.load_preview if context.preview else load_launch)(tx, context.launch_id)
    host = request.header(b"host") or ""
    language = (request.header(b"accept-language") or "").partition(",")[0].partition(";")[0].strip()
    found = await open_content(
        tx,
        opened,
        str(base),
        origin.address(origin.label_of(host), host),
        language[:35] or "pt-BR",
        preview=context.preview,
    )
    return json_answer(200, SessionAddress(found.address, found.own_window))


@routes.get("/l/{token}/returned", access=OF_FILES, headers=_HEADERS)
async def show_return(request: Request, origin: ContentOrigin, token: str, query: AnyQuery) -> Html:
    """Show that the content has ended. The page around it notices this page in its frame."""
    page = page_of_frame(request)
    answer = render("player/cmi5/returned.html", page, styles=assets.styles(), assets=assets.prefix())
    policy = build_page_policy(f"'self' {origin.application}", {})
    answer.headers.append((b"content-security-policy", policy.encode()))
    return answer
