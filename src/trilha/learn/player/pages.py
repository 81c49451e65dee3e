"""/learn/enrollments/{id}/modules/{module_id}"""

from urllib.parse import urlencode
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import BusinessRule, Conflict
from trilha.core.web.answers import Headers, Html, encoded
from trilha.core.web.request import Request
from trilha.core.web.routes import Routes
from trilha.courses import module_queries as modules
from trilha.enrollments import learner
from trilha.enrollments.learner import MyCourse
from trilha.learn.view import LearnView
from trilha.learning import launch_queries
from trilha.learning.launching import launch
from trilha.learning.schema import LaunchedFrom
from trilha.pages.headers import HEADERS, policy
from trilha.player.origin import ContentOrigin
from trilha.sessions.permissions import Permission, may

routes = Routes("Player", "Where modules are opened.")
# Windows that content opens have to find the frame that opened them.
_OWN_HEADERS = {**HEADERS, "cross-origin-opener-policy": "same-origin-allow-popups"}
# What the frame may do that a page of ours may not.
_OF_CONTENT = ("autoplay", "fullscreen", "microphone", "unload")


@routes.get(
    "/enrollments/{enrollment_id}/modules/{module_id}",
    access=may(Permission.LEARN),
    headers=_OWN_HEADERS,
    writes=True,
    errors=["enrollment_not_found", "module_not_found"],
)
async def open_module(
    tx: Tx, view: LearnView, request: Request, origin: ContentOrigin, enrollment_id: UUID, module_id: UUID
) -> Html:
    """Opens the module here; where it was open before, it is not any more."""
    course = await learner.get(tx, view.viewer.user_id, enrollment_id)
    browser = LaunchedFrom(request.source, request.header(b"user-agent") or "")
    try:
        launched = await launch(tx, view.viewer.user_id, enrollment_id, module_id, browser)
    except (BusinessRule, Conflict) as failure:
        return await _refused(tx, view, course, module_id, failure)
    material = await launch_queries.find_material(tx, launched.launch_id)
    assert material is not None
    label = origin.label(tx.tenant_id, material.sha256)
    content = origin.address(label, request.header(b"host") or "")
    answer = view.show(
        "learn/player/player.html",
        course=course,
        module=await modules.get(tx, course.course_id, module_id),
        launched=launched,
        address=f"{content}/l/{launched.token}/?{_look(view)}",
        origin=content,
        attempt_id=material.attempt_id,
    )
    answer.headers += _policies(content)
    return answer


def _look(view: LearnView) -> str:
    """What the pages inside the frame are written in, and their colours: nothing else is known there."""
    return urlencode({"locale": view.locale, "theme": view.page.theme})


def _policies(content: str) -> Headers:
    allowed = ", ".join(f'{name}=(self "{content}")' for name in _OF_CONTENT)
    refused = ", ".join(
        f"{name}=()" for name in ("camera", "geolocation", "payment", "usb", "browsing-topics")
    )
    return encoded(
        {
            "content-security-policy": policy(frame_src=content),
            "permissions-policy": f"{allowed}, {refused}",
        }
    )


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
