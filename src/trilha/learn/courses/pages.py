"""/learn and /learn/enrollments/{id}"""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.web.answers import Html
from trilha.core.web.pagination import ListQuery
from trilha.core.web.routes import Routes
from trilha.courses import queries as courses
from trilha.enrollments import learner
from trilha.enrollments.learner import MyCoursesQuery
from trilha.learn.documents import missing_of
from trilha.learn.view import LearnView
from trilha.learning_paths import learner as paths
from trilha.learning_paths.learner import MyPath
from trilha.sessions.permissions import Permission, may

routes = Routes("My courses", "What a person learns.")
_MODULES = 100


@routes.get("", access=may(Permission.LEARN))
async def list_my_courses(tx: Tx, view: LearnView, query: MyCoursesQuery) -> Html:
    """Courses with their progress and dates: what to go on with first."""
    page = await learner.list_page(tx, view.viewer.user_id, query)
    values: dict[str, Any] = {
        "query": query,
        "courses": page.data,
        "following": _following(query, page.next_cursor),
    }
    if view.page.fragment and query.cursor:
        return view.show("learn/courses/_cards.html", **values)
    counts = await learner.count(tx, view.viewer.user_id)
    return view.show("learn/courses/list.html", counts=counts, paths=await _paths(tx, view, query), **values)


async def _paths(tx: Tx, view: LearnView, query: MyCoursesQuery) -> Sequence[MyPath]:
    """On the first page: those under way with what is to do, the completed ones with what is completed."""
    if query.cursor is not None or query.show == "expired":
        return ()
    listed = paths.list_open if query.show == "open" else paths.list_completed
    return await listed(tx, view.viewer.user_id)


def _following(query: MyCoursesQuery, cursor: str | None) -> str:
    return f"/learn?{urlencode({'show': query.show, 'cursor': cursor})}" if cursor else ""


@routes.get("/enrollments/{enrollment_id}", access=may(Permission.LEARN), errors=["enrollment_not_found"])
async def show_my_course(tx: Tx, view: LearnView, enrollment_id: UUID, query: ListQuery) -> Html:
    """One course: how far it is, its dates and its modules."""
    course = await learner.get(tx, view.viewer.user_id, enrollment_id)
    asked = ListQuery(limit=_MODULES, cursor=query.cursor)
    modules = await courses.list_modules(tx, course.course_id, asked)
    is_open = course.status in ("NOT_STARTED", "IN_PROGRESS")
    missing = await missing_of(tx, view.viewer.user_id, course.required_fields or ()) if is_open else []
    following = f"?{urlencode({'cursor': modules.next_cursor})}" if modules.next_cursor else ""
    return view.show(
        "learn/courses/course.html",
        course=course,
        modules=modules.data,
        following=following,
        missing=[view.say(name) for name in missing],
        is_open=is_open,
    )
