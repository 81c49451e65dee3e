"""What a browser holds at a content origin and has not sent yet, for the application's page around it."""

from trilha.core.web.answers import Html
from trilha.core.web.request import Request
from trilha.core.web.routes import Routes
from trilha.pages import render
from trilha.player import assets
from trilha.player.frame import HEADERS, page_of_frame, policy
from trilha.player.identity import ANYBODY
from trilha.player.origin import ContentOrigin

routes = Routes("Held work", "What a browser holds and has not sent yet.")


@routes.get("/held", access=ANYBODY, headers={**HEADERS, "cache-control": "no-store"})
async def show_held_work(request: Request, origin: ContentOrigin) -> Html:
    """A page without content of its own: its script hands over what this origin's storage holds."""
    answer = render("player/held.html", page_of_frame(request), assets=assets.prefix())
    answer.headers.append((b"content-security-policy", policy(origin.application, {}).encode()))
    return answer
