"""The worker of a company's media host, and the page through which the application saves modules there."""

from functools import cache
from importlib.resources import files

from trilha.core.errors import NotFound
from trilha.core.web.answers import Answer, Html
from trilha.core.web.request import Request
from trilha.core.web.routes import Routes
from trilha.kit import render
from trilha.web.player import assets
from trilha.web.player.content_security_policy import HEADERS, build_page_policy
from trilha.web.player.frame import page_of_frame
from trilha.web.player.identity import ANYBODY
from trilha.web.player.offline.switch import OfflineUse
from trilha.web.player.origin import ContentOrigin

routes = Routes("Offline", "What works without a connection.")
_NO_STORE = {**HEADERS, "cache-control": "no-store"}


@routes.get("/offline-worker/{name}", access=ANYBODY, headers={**_NO_STORE, "service-worker-allowed": "/"})
async def get_worker(request: Request, origin: ContentOrigin, offline: OfflineUse, name: str) -> Answer:
    """Send the worker, or what removes it if the installation has turned it off.

    Its name proves that this is a host of media: packages may not use it.
    """
    if not origin.is_own_worker(request.header(b"host") or "", name):
        raise NotFound("route_not_found")
    script = _read("worker.js" if offline.enabled else "removal.js")
    return Answer(200, script, [(b"content-type", b"text/javascript; charset=utf-8")])


@routes.get("/offline", access=ANYBODY, headers=_NO_STORE)
async def show_offline_frame(request: Request, origin: ContentOrigin) -> Html:
    """Show an empty page whose script saves and removes modules. Packages can read it, too, so that it does
    not name the worker.
    """
    answer = render("player/offline/frame.html", page_of_frame(request), assets=assets.prefix())
    answer.headers.append((b"content-security-policy", build_page_policy(origin.application, {}).encode()))
    return answer


@cache
def _read(name: str) -> bytes:
    return files(__package__).joinpath(name).read_bytes()
