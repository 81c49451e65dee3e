"""/learn/help"""

from trilha.access.permissions.roles import Permission, may
from trilha.core.web.answers import Html
from trilha.core.web.routes import Routes
from trilha.web.guides import pages, texts
from trilha.web.learn.view import HOME, LearnView

routes = Routes("Help", "The guide for learners.")
ADDRESS = f"{HOME}/help"
_ACCESS = may(Permission.LEARN)


@routes.get("/help", access=_ACCESS)
async def show_help(view: LearnView) -> Html:
    """The index of the guide."""
    return _show(view, texts.INDEX)


@routes.get("/help/{topic}", access=_ACCESS)
async def show_topic(view: LearnView, topic: str) -> Html:
    """One page of the guide."""
    return _show(view, topic)


def _show(view: LearnView, topic: str) -> Html:
    return pages.show(view, "shells/learner.html", "learners", topic, ADDRESS)
