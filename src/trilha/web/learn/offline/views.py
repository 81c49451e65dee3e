"""Adds to learners' pages what makes them an app, and what works without a connection."""

from msgspec.structs import replace

from trilha.access.sessions.view import View, Views
from trilha.core.web.callers import Caller
from trilha.core.web.request import Request
from trilha.kit import brand
from trilha.kit.page import App, OfflineSupport
from trilha.web.learn.offline import icons, manifest
from trilha.web.player import outer_page
from trilha.web.player.offline.switch import OfflineUse
from trilha.web.player.origin import ContentOrigin

WORKER = "/learn/push-worker.js"


class LearnViews(Views):
    """Builds the views of learners' pages."""

    def use(self, origin: ContentOrigin, offline: OfflineUse) -> "LearnViews":
        self._origin = origin
        self._offline = offline
        return self

    def make(self, request: Request, caller: Caller) -> View:
        view = super().make(request, caller)
        if view.viewer.unfinished_step:
            return view
        color = view.viewer.brand_colour or brand.DEFAULT
        icon = icons.address(view.database.keyring, color, view.viewer.logo_name, icons.TOUCH_SIZE)
        view.page = replace(view.page, app=App(manifest.ADDRESS, color, icon))
        if self._offline.enabled:
            content = outer_page.get_content_origin(self._origin, request, caller.tenant_id, None)
            support = OfflineSupport(str(view.viewer.user_id), WORKER, content)
            view.page = replace(view.page, offline=support)
        return view
