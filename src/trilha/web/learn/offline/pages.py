"""/learn/offline says what works without a connection; a course's own page downloads its modules."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.web.answers import Html
from trilha.core.web.routes import Routes
from trilha.training.courses import module_queries
from trilha.training.courses.schema import OutlinedModule
from trilha.training.enrollments import learner
from trilha.training.learning.completion import overviews
from trilha.training.learning.quizzes.offline import find_obstacle
from trilha.web.learn.view import LearnView
from trilha.web.player.offline.saving import TYPES
from trilha.web.player.offline.switch import OfflineUse

routes = Routes("Offline", "What works without a connection.")


class OfflineModule(Struct, frozen=True):
    """A module and the size of its files, or the `obstacle` that keeps it online: scorm, pool, timed, voice,
    locked or empty.
    """

    id: UUID
    title: str
    type: str
    bytes: int = 0
    obstacle: str = ""


@routes.get("/offline", access=may(Permission.LEARN))
async def show_offline(view: LearnView) -> Html:
    """Show what works without a connection. Browsers save this page."""
    return view.show("learn/offline/offline.html")


@routes.get(
    "/enrollments/{enrollment_id}/offline", access=may(Permission.LEARN), errors=["enrollment_not_found"]
)
async def show_offline_course(tx: Tx, view: LearnView, offline: OfflineUse, enrollment_id: UUID) -> Html:
    """Show which modules of a course can be downloaded."""
    course = await learner.get(tx, view.viewer.user_id, enrollment_id, view.locale)
    if not offline.enabled or course.status == "EXPIRED":
        raise NotFound("route_not_found")
    overview = await overviews.get_overview(tx, enrollment_id, course.course_id, course.language)
    locked = {each.id for each in overview.modules if each.locked_by and each.completed_at is None}
    modules = await module_queries.list_all(tx, course.course_id)
    sizes = await _list_sizes(tx, [_list_file_ids(each.content) for each in modules])
    titles = {each.id: each.title for each in overview.modules}
    listed = [
        OfflineModule(
            each.id,
            titles[each.id],
            each.type,
            sum(sizes.get(id, 0) for id in _list_file_ids(each.content)),
            "locked" if each.id in locked else await _find_obstacle(tx, each),
        )
        for each in modules
    ]
    return view.show(
        "learn/offline/course.html",
        course=course,
        modules=listed,
        usable=[each for each in listed if not each.obstacle],
        counts_time=all(each.kind != "workload" for each in overview.criteria),
    )


def _list_file_ids(content: Any) -> Sequence[UUID]:
    """Returns the files of a video or a document."""
    files = content if isinstance(content, dict) else {}
    ids = [files.get("file_id"), *(each.get("file_id") for each in files.get("captions", ()))]
    return [UUID(id) for id in ids if id]


async def _list_sizes(tx: Tx, ids: Sequence[Sequence[UUID]]) -> Mapping[UUID, int]:
    files = await module_queries.list_media(tx, [id for each in ids for id in each])
    return {each.id: each.size for each in files}


async def _find_obstacle(tx: Tx, module: OutlinedModule) -> str:
    if module.type not in TYPES:
        return module.type.lower() if module.type in ("CLASS", "PRACTICE") else "scorm"
    if module.type == "QUIZ":
        return await find_obstacle(tx, module.id)
    return "" if module.type == "ARTICLE" or _list_file_ids(module.content) else "empty"
