"""/learn/enrollments/{id}/modules/{module_id}: the bar, the frame below it, and why a module does not open.

The page begins nothing by itself. Its script first sends what the browser still holds, then makes the launch
(`launches`), and then shows it in the frame.
"""

from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import BusinessRule, Conflict
from trilha.core.web.answers import Html
from trilha.core.web.request import Request
from trilha.core.web.routes import Routes
from trilha.courses import module_queries as modules
from trilha.courses.schema import OutlinedModule
from trilha.enrollments import learner
from trilha.enrollments.learner import MyCourse
from trilha.learn.view import LearnView
from trilha.learning.launches import queries as launch_queries
from trilha.learning.launches.actions import check_launch
from trilha.player import around
from trilha.player.origin import ContentOrigin
from trilha.player.permissions import devices_of, frame_permissions
from trilha.sessions.permissions import Permission, may

routes = Routes("Player", "Where modules are opened.")
# A module's material changes now and then; a browser that was away may hold work at an earlier one's host.
_MOST_HOSTS = 5


class Opening(Struct, frozen=True):
    """Where the script of the page sends what is held, and what it opens. `origins` may hold work of the
    person `user_id`; the frame may show `frames`. `launches` is empty where the module does not open."""

    user_id: UUID
    origins: Sequence[str]
    frames: Sequence[str] = ()
    launches: str = ""


@routes.get(
    "/enrollments/{enrollment_id}/modules/{module_id}",
    access=may(Permission.LEARN),
    headers=around.OWN_HEADERS,
    errors=["enrollment_not_found", "module_not_found"],
)
async def open_module(
    tx: Tx, view: LearnView, request: Request, origin: ContentOrigin, enrollment_id: UUID, module_id: UUID
) -> Html:
    """The page that opens the module here; where it was open before, it is not any more.

    Where nobody asked for that, the page only offers it.
    """
    user_id = view.viewer.user_id
    course = await learner.get(tx, user_id, enrollment_id)
    if around.is_unasked(request):
        asked = await modules.get(tx, course.course_id, module_id)
        return view.show("learn/player/unasked.html", course=course, module=asked)
    try:
        await check_launch(tx, user_id, enrollment_id, module_id)
    except (BusinessRule, Conflict) as failure:
        return await _refused(tx, view, origin, course, module_id, failure)
    before, module, after = await _in_its_course(tx, course.course_id, module_id)
    origins = await _origins(tx, view, origin, [module_id])
    current = await launch_queries.find_current_package(tx, module_id)
    now = around.origin_of(origin, request, tx.tenant_id, current)
    here = f"/learn/enrollments/{enrollment_id}"
    opening = Opening(user_id, origins, [*{*origins, now}], f"{here}/modules/{module_id}/launches")
    devices = devices_of(module.type, module.content)
    answer = view.show(
        "learn/player/player.html",
        back=here,
        preview=False,
        module=module,
        before=before,
        after=after,
        opening=opening,
        preview_at="",
        allow=frame_permissions(devices),
    )
    answer.headers += around.policies(opening.frames, devices)
    return answer


async def _origins(
    tx: Tx, view: LearnView, origin: ContentOrigin, module_ids: Sequence[UUID]
) -> Sequence[str]:
    """The content origins at which this person's browser may hold work of these modules."""
    packages = await launch_queries.list_opened_packages(tx, view.viewer.user_id, module_ids, _MOST_HOSTS)
    return [around.origin_of(origin, view.request, tx.tenant_id, each) for each in packages]


async def _in_its_course(
    tx: Tx, course_id: UUID, module_id: UUID
) -> tuple[OutlinedModule | None, OutlinedModule, OutlinedModule | None]:
    """The module, between those before and after it."""
    every = [None, *await modules.list_all(tx, course_id), None]
    place = next(n for n, each in enumerate(every) if each and each.id == module_id)
    module = every[place]
    assert module is not None
    return every[place - 1], module, every[place + 1]


async def _refused(
    tx: Tx,
    view: LearnView,
    origin: ContentOrigin,
    course: MyCourse,
    module_id: UUID,
    failure: BusinessRule | Conflict,
) -> Html:
    """Why the module does not open, and what to do now. Held work is sent from here too: it may open it."""
    missing = {UUID(each) for each in (failure.detail or {}).get("modules", ())}
    every = await modules.list_all(tx, course.course_id)
    origins = await _origins(tx, view, origin, [module_id, *missing])
    answer = view.show(
        "learn/player/refused.html",
        status=failure.status,
        course=course,
        module=next(each for each in every if each.id == module_id),
        code=failure.code,
        missing=[each for each in every if each.id in missing],
        opening=Opening(view.viewer.user_id, origins),
    )
    if origins:
        answer.headers += around.policies(origins, ())
    return answer
