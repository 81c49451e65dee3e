"""/learn/enrollments/{id}/modules/{module_id}: the player, or the reason why the module does not open.

The page itself starts nothing. Its script first sends the work that the browser holds, then creates a launch
(`launches`), and then shows it in the frame.
"""

from collections.abc import Mapping
from uuid import UUID

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import BusinessRule, Conflict
from trilha.core.web.answers import Answer, Html
from trilha.core.web.request import Request
from trilha.core.web.routes import Routes
from trilha.kit import N_
from trilha.training.classes import learner as classes
from trilha.training.courses import module_queries as modules
from trilha.training.courses.schema import OutlinedModule
from trilha.training.courses.translations import queries as translations
from trilha.training.courses.translations.schema import LANGUAGES
from trilha.training.enrollments import learner
from trilha.training.enrollments.learner import MyCourse
from trilha.training.identity import actions as identity
from trilha.training.launch_links import actions as launch_links
from trilha.training.learning.completion import queries as completion_queries
from trilha.training.learning.launches import queries as launch_queries
from trilha.training.learning.launches.actions import check_launch
from trilha.training.learning.launches.rules import counts_offline_time
from trilha.web.learn.player.openings import Opening, list_origins
from trilha.web.learn.view import LearnView
from trilha.web.player import outer_page
from trilha.web.player.origin import ContentOrigin
from trilha.web.player.permissions_policy import devices_of, frame_permissions

routes = Routes("Player", "Where modules are opened.")


@routes.get(
    "/enrollments/{enrollment_id}/modules/{module_id}",
    access=may(Permission.LEARN),
    headers=outer_page.OWN_HEADERS,
    errors=["enrollment_not_found", "module_not_found"],
)
async def open_module(
    tx: Tx, view: LearnView, request: Request, origin: ContentOrigin, enrollment_id: UUID, module_id: UUID
) -> Html | Answer:
    """Show the player, which opens the module here and closes it elsewhere.

    If the person did not open the module themself, as with a link on another site, ask first.
    """
    user_id = view.viewer.user_id
    course = await learner.get(tx, user_id, enrollment_id, view.locale)
    titles = await _load_titles(tx, course)
    if outer_page.needs_confirmation(request):
        offered = await modules.get(tx, course.course_id, module_id)
        return view.show("learn/player/confirm_open.html", course=course, module=offered, titles=titles)
    try:
        await check_launch(tx, user_id, enrollment_id, module_id)
    except (BusinessRule, Conflict) as failure:
        return await _render_refusal(tx, view, origin, course, module_id, failure, titles)
    if await identity.is_photo_due(tx, user_id, enrollment_id):
        if view.viewer.by_link:
            # Nobody who was signed in by a portal's link decides about their own face.
            required = BusinessRule("identity_photo_required")
            return await _render_refusal(tx, view, origin, course, module_id, required, titles)
        text = N_("Confirm your identity first. Then the module opens.")
        return view.lead(f"/learn/enrollments/{enrollment_id}/identity", text, "info")
    before, module, after = await _find_neighbors(tx, course.course_id, module_id)
    origins = await list_origins(tx, view, origin, [module_id])
    current = await launch_queries.find_current_package(tx, module_id)
    current_origin = outer_page.get_content_origin(origin, request, tx.tenant_id, current)
    here = f"/learn/enrollments/{enrollment_id}"
    opening = Opening(user_id, origins, [*{*origins, current_origin}], f"{here}/modules/{module_id}/launches")
    devices = devices_of(module.type, module.content)
    progress = await completion_queries.get_course_progress(tx, enrollment_id, course.course_id)
    answer = view.show(
        "learn/player/player.html",
        back=here,
        returning=await launch_links.find_return(tx, view.viewer.session_id, enrollment_id),
        done=f"{here}/modules/{module_id}/done",
        preview=False,
        module=module,
        titles=titles,
        course=course,
        language_names=LANGUAGES,
        before=before,
        after=after,
        opening=opening,
        preview_at="",
        allow=frame_permissions(devices),
        counts_offline_time=counts_offline_time(progress.course.workload_minutes),
    )
    answer.headers += outer_page.build_policy_headers(opening.frames, devices)
    return answer


async def _load_titles(tx: Tx, course: MyCourse) -> Mapping[UUID, str]:
    """Returns the titles of the modules in the learner's language, where they are translated."""
    if not course.is_translated:
        return {}
    return await translations.load_titles(tx, course.course_id, course.language)


async def _find_neighbors(
    tx: Tx, course_id: UUID, module_id: UUID
) -> tuple[OutlinedModule | None, OutlinedModule, OutlinedModule | None]:
    """Returns the module between the ones before and after it."""
    course_modules = [None, *await modules.list_all(tx, course_id), None]
    index = next(n for n, each in enumerate(course_modules) if each and each.id == module_id)
    module = course_modules[index]
    assert module is not None
    return course_modules[index - 1], module, course_modules[index + 1]


async def _render_refusal(
    tx: Tx,
    view: LearnView,
    origin: ContentOrigin,
    course: MyCourse,
    module_id: UUID,
    failure: BusinessRule | Conflict,
    titles: Mapping[UUID, str],
) -> Html:
    """Renders why the module does not open, and what to do.

    The page sends held work, too: it may unlock the module.
    """
    missing = {UUID(each) for each in (failure.detail or {}).get("modules", ())}
    course_modules = await modules.list_all(tx, course.course_id)
    origins = await list_origins(tx, view, origin, [module_id, *missing])
    answer = view.show(
        "learn/player/refused.html",
        status=failure.status,
        course=course,
        titles=titles,
        module=next(each for each in course_modules if each.id == module_id),
        code=failure.code,
        missing=[each for each in course_modules if each.id in missing],
        opening=Opening(view.viewer.user_id, origins),
        places=await classes.load_places(tx, course.course_id, view.viewer.user_id, course.id),
    )
    if origins:
        answer.headers += outer_page.build_policy_headers(origins, ())
    return answer
