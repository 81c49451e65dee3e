"""A page through which the outer page reads the unsent work in a content origin's storage."""

from trilha.core.web.answers import Html
from trilha.core.web.request import Request
from trilha.core.web.routes import Routes
from trilha.kit import render
from trilha.web.player import assets
from trilha.web.player.content_security_policy import HEADERS, build_page_policy
from trilha.web.player.frame import page_of_frame
from trilha.web.player.identity import ANYBODY
from trilha.web.player.origin import ContentOrigin

routes = Routes("Held work", "Reports that a browser stored and has not sent yet.")


@routes.get("/held", access=ANYBODY, headers={**HEADERS, "cache-control": "no-store"})
async def show_held_work(request: Request, origin: ContentOrigin) -> Html:
    """Show an empty page whose script hands over the reports in this origin's storage."""
    answer = render("player/held_work_frame.html", page_of_frame(request), assets=assets.prefix())
    answer.headers.append((b"content-security-policy", build_page_policy(origin.application, {}).encode()))
    return answer
