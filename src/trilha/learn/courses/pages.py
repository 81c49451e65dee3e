"""/learn and /learn/enrollments/{id}"""

from collections.abc import Sequence
from typing import Any, Literal
from urllib.parse import urlencode
from uuid import UUID

from trilha.certificates import learner as certificates
from trilha.core.database import Tx
from trilha.core.lists import fetch_page
from trilha.core.types import Timestamp
from trilha.core.web.answers import Html
from trilha.core.web.routes import Routes
from trilha.enrollments import learner
from trilha.enrollments.learner import MINE, MyCoursesQuery
from trilha.learn.certificates.pages import MOST_LOOKS
from trilha.learn.documents import missing_of
from trilha.learn.view import LearnView
from trilha.learning.completion import overviews
from trilha.learning.completion.schema import CriterionKind, Overview
from trilha.learning_paths import learner as paths
from trilha.learning_paths.learner import MyPath
from trilha.sessions.permissions import Permission, may
from trilha.users import queries as users
from trilha.users.rules import level_of

routes = Routes("My courses", "What a person learns.")


@routes.get("", access=may(Permission.LEARN))
async def list_my_courses(tx: Tx, view: LearnView, query: MyCoursesQuery) -> Html:
    """Courses with their progress and dates: what to go on with first."""
    page = await fetch_page(tx, MINE, query, view.viewer.user_id)
    values: dict[str, Any] = {
        "query": query,
        "courses": page.data,
        "following": _following(query, page.next_cursor),
    }
    if view.page.fragment and query.cursor:
        return view.show("learn/courses/_cards.html", **values)
    counts = await learner.count(tx, view.viewer.user_id)
    me = await users.get(tx, view.viewer.user_id)
    values |= {"counts": counts, "me": me, "level": level_of(me.xp), "paths": await _paths(tx, view, query)}
    return view.show("learn/courses/list.html", **values)


async def _paths(tx: Tx, view: LearnView, query: MyCoursesQuery) -> Sequence[MyPath]:
    """On the first page: those under way with what is to do, the completed ones with what is completed."""
    if query.cursor is not None or query.show == "expired":
        return ()
    listed = paths.list_open if query.show == "open" else paths.list_completed
    return await listed(tx, view.viewer.user_id)


def _following(query: MyCoursesQuery, cursor: str | None) -> str:
    return f"/learn?{urlencode({'show': query.show, 'cursor': cursor})}" if cursor else ""


@routes.get("/enrollments/{enrollment_id}", access=may(Permission.LEARN), errors=["enrollment_not_found"])
async def show_my_course(tx: Tx, view: LearnView, enrollment_id: UUID) -> Html:
    """One course: how far it is and what is missing, its dates and its modules, and what to go on with."""
    course = await learner.get(tx, view.viewer.user_id, enrollment_id)
    seen = await overviews.get_overview(tx, enrollment_id, course.course_id)
    is_open = course.status in ("NOT_STARTED", "IN_PROGRESS")
    missing = await missing_of(tx, view.viewer.user_id, course.required_fields or ()) if is_open else []
    return view.show(
        "learn/courses/course.html",
        course=course,
        modules=seen.modules,
        titles={each.id: each.title for each in seen.modules},
        criteria=seen.criteria,
        going=next((each for each in seen.modules if each.id == seen.next_module), None),
        waiting=_waiting(seen) if is_open else None,
        begun=any(each.attempts for each in seen.modules),
        awaiting=seen.awaiting_grade if is_open else (),
        missing=[view.say(name) for name in missing],
        is_open=is_open,
        certificate=None
        if is_open
        else await certificates.find_of_enrollment(tx, view.viewer.user_id, enrollment_id),
        now=Timestamp.of(tx.now),
        looks=0,
        most_looks=MOST_LOOKS,
        me=await users.get(tx, view.viewer.user_id),
    )


def _waiting(seen: Overview) -> CriterionKind | Literal["score_time"] | None:
    """What is missing where every module is done."""
    unmet = [each for each in seen.criteria if not each.is_met]
    if not unmet or any(each.kind == "modules" for each in unmet):
        return None
    return "score_time" if unmet[0].kind == "score" and unmet[0].is_reached else unmet[0].kind
