"""/learn/push-worker.js: the service worker of learners' pages. Its address is that of its first version."""

from importlib.resources import files

from trilha.access.permissions.roles import Permission, may
from trilha.core.web.answers import Answer
from trilha.core.web.routes import Routes
from trilha.web.learn.view import LearnView
from trilha.web.player.offline.switch import OfflineUse

routes = Routes("Service worker", "Push messages, and pages without a connection.")
_HERE = files(__package__)
_PUSH, _WORKER, _REMOVAL = (
    _HERE.joinpath(name).read_bytes() for name in ("push.js", "worker.js", "removal.js")
)


@routes.get("/push-worker.js", access=may(Permission.LEARN))
async def get_push_worker(view: LearnView, offline: OfflineUse) -> Answer:
    """Return the script that shows push messages, and pages without a connection.

    If the installation has turned that off, the script removes what was saved.
    """
    content = _PUSH + (_WORKER if offline.enabled else _REMOVAL)
    headers = [(b"content-type", b"text/javascript; charset=utf-8"), (b"service-worker-allowed", b"/learn")]
    return Answer(200, content, headers)
