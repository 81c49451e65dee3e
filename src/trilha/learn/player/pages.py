"""/learn/enrollments/{id}/modules/{module_id}"""

from uuid import UUID

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
from trilha.learning import launch_queries
from trilha.learning.launching import launch
from trilha.learning.schema import LaunchedFrom
from trilha.player import around
from trilha.player.origin import ContentOrigin
from trilha.sessions.identity import LAUNCH
from trilha.sessions.permissions import Permission, may

routes = Routes("Player", "Where modules are opened.")


@routes.get(
    "/enrollments/{enrollment_id}/modules/{module_id}",
    access=may(Permission.LEARN),
    headers=around.OWN_HEADERS,
    writes=True,
    rate_limit=LAUNCH,
    errors=["enrollment_not_found", "module_not_found"],
)
async def open_module(
    tx: Tx, view: LearnView, request: Request, origin: ContentOrigin, enrollment_id: UUID, module_id: UUID
) -> Html:
    """Opens the module here; where it was open before, it is not any more.

    Where nobody asked for that, the page only offers it.
    """
    course = await learner.get(tx, view.viewer.user_id, enrollment_id)
    if around.is_unasked(request):
        asked = await modules.get(tx, course.course_id, module_id)
        return view.show("learn/player/unasked.html", course=course, module=asked)
    browser = LaunchedFrom(request.source, request.header(b"user-agent") or "")
    try:
        launched = await launch(tx, view.viewer.user_id, enrollment_id, module_id, browser)
    except (BusinessRule, Conflict) as failure:
        return await _refused(tx, view, course, module_id, failure)
    material = await launch_queries.find_material(tx, launched.launch_id)
    assert material is not None
    before, module, after = await _in_its_course(tx, course.course_id, module_id)
    content = around.origin_of(origin, request, tx.tenant_id, material.sha256)
    answer = view.show(
        "learn/player/player.html",
        back=f"/learn/enrollments/{enrollment_id}",
        preview=False,
        module=module,
        before=before,
        after=after,
        review=launched.review,
        address=around.address(content, launched.token, view.page),
        origin=content,
        attempt_id=material.attempt_id,
    )
    answer.headers += around.policies(content)
    return answer


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
    tx: Tx, view: LearnView, course: MyCourse, module_id: UUID, failure: BusinessRule | Conflict
) -> Html:
    """Why the module does not open, and what to do now."""
    missing = {UUID(each) for each in (failure.detail or {}).get("modules", ())}
    every = await modules.list_all(tx, course.course_id)
    return view.show(
        "learn/player/refused.html",
        status=failure.status,
        course=course,
        module=next(each for each in every if each.id == module_id),
        code=failure.code,
        missing=[each for each in every if each.id in missing],
    )
