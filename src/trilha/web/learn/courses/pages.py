"""/learn and /learn/enrollments/{id}"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal
from urllib.parse import urlencode
from uuid import UUID

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.lists import fetch_page
from trilha.core.types import STORABLE, Timestamp
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Routes
from trilha.kit import N_
from trilha.people.users import queries as users
from trilha.people.users.rules import level_of
from trilha.training.catalog import queries as catalog
from trilha.training.certificates import learner as certificates
from trilha.training.classes import calendars
from trilha.training.classes import learner as classes
from trilha.training.classes.calendars import CalendarSession
from trilha.training.courses import workloads
from trilha.training.courses.schema import CourseLanguage
from trilha.training.courses.translations.schema import LANGUAGES
from trilha.training.enrollments import extension_queries, extensions, learner
from trilha.training.enrollments.learner import MINE, SOON, Learner, MyCoursesQuery
from trilha.training.evaluations import actions as evaluations
from trilha.training.identity import actions as identity
from trilha.training.learning.completion import overviews
from trilha.training.learning.completion.schema import CriterionKind, Overview
from trilha.training.learning.study_days import actions as study_days
from trilha.training.learning_paths import learner as paths
from trilha.training.learning_paths.learner import MyPath
from trilha.training.practice import queries as practice
from trilha.training.requirements import lists as requirements
from trilha.web.learn.certificates.pages import MAX_POLLS
from trilha.web.learn.courses.week import MAX_ITEMS, build_week
from trilha.web.learn.documents import missing_of
from trilha.web.learn.view import LearnView

routes = Routes("My courses", "A person's own courses.")


@routes.get("", access=may(Permission.LEARN))
async def list_my_courses(tx: Tx, view: LearnView, query: MyCoursesQuery) -> Html:
    """List courses with progress and dates, the most urgent first."""
    page = await fetch_page(tx, MINE, query, Learner(view.viewer.user_id, view.locale))
    values: dict[str, Any] = {"query": query, "following": _build_next_url(query, page.next_cursor)}
    if view.page.fragment and query.cursor:
        return view.show("learn/courses/_cards.html", courses=page.data, **values)
    has_hero = query.show == "open" and query.cursor is None and bool(page.data)
    my_paths = await _paths(tx, view, query)
    me = await users.get(tx, view.viewer.user_id)
    return view.show(
        "learn/courses/list.html",
        hero=page.data[0] if has_hero else None,
        courses=page.data[1:] if has_hero else page.data,
        week=build_week(page.data, my_paths, tx.now, await _list_sessions(tx, view)),
        class_choices=await classes.list_choices(tx, view.viewer.user_id) if has_hero else (),
        paths=my_paths,
        counts=await learner.count(tx, view.viewer.user_id),
        has_catalog=not page.data and await catalog.has_courses(tx),
        level=level_of(me.xp),
        streak=await study_days.find_streak(tx, view.viewer.user_id, view.viewer.time_zone),
        **values,
    )


async def _list_sessions(tx: Tx, view: LearnView) -> Sequence[CalendarSession]:
    """Returns the viewer's sessions that are not over, within the days that the first page shows."""
    return await calendars.list_own_sessions(tx, view.viewer.user_id, tx.now, tx.now + SOON, MAX_ITEMS + 1)


async def _paths(tx: Tx, view: LearnView, query: MyCoursesQuery) -> Sequence[MyPath]:
    """Returns the learning paths above the first page: open ones with open courses, else completed ones."""
    if query.cursor is not None or query.show == "expired":
        return ()
    list_paths = paths.list_open if query.show == "open" else paths.list_completed
    return await list_paths(tx, view.viewer.user_id, view.locale)


def _build_next_url(query: MyCoursesQuery, cursor: str | None) -> str:
    return f"/learn?{urlencode({'show': query.show, 'cursor': cursor})}" if cursor else ""


@routes.get("/enrollments/{enrollment_id}", access=may(Permission.LEARN), errors=["enrollment_not_found"])
async def show_my_course(tx: Tx, view: LearnView, enrollment_id: UUID) -> Html:
    """Show a course: progress, missing criteria, dates, modules, and the module to continue with."""
    course = await learner.get(tx, view.viewer.user_id, enrollment_id, view.locale)
    overview = await overviews.get_overview(tx, enrollment_id, course.course_id, course.language)
    is_open = course.status in ("NOT_STARTED", "IN_PROGRESS")
    missing = await missing_of(tx, view.viewer.user_id, course.required_fields or ()) if is_open else []
    return view.show(
        "learn/courses/course.html",
        course=course,
        modules=overview.modules,
        titles={each.id: each.title for each in overview.modules},
        criteria=overview.criteria,
        next_module=next((each for each in overview.modules if each.id == overview.next_module), None),
        waiting=_find_unmet_criterion(overview) if is_open else None,
        begun=any(each.attempts for each in overview.modules),
        awaiting=overview.awaiting_grade if is_open else (),
        missing=[view.say(name) for name in missing],
        is_open=is_open,
        to_sign=await practice.list_modules_to_sign(tx, enrollment_id) if is_open else (),
        workloads=workloads.sum_of_modules(overview.modules),
        places=await classes.load_places(tx, course.course_id, view.viewer.user_id, enrollment_id)
        if any(each.type == "CLASS" for each in overview.modules)
        else {},
        reasons=await requirements.explain_enrollment(
            tx, view.viewer.user_id, enrollment_id, view.page.locale
        ),
        certificate=None
        if is_open
        else await certificates.find_of_enrollment(tx, view.viewer.user_id, enrollment_id),
        extension=await extension_queries.find_state(tx, enrollment_id)
        if course.status == "EXPIRED"
        else None,
        identity=await identity.find_state(tx, view.viewer.user_id, enrollment_id) if is_open else None,
        evaluation_waits=await evaluations.is_open(tx, course),
        now=Timestamp.of(tx.now),
        looks=0,
        most_looks=MAX_POLLS,
        brief=False,
        language_names=LANGUAGES,
        me=await users.get(tx, view.viewer.user_id),
    )


class ExtensionForm(Struct, frozen=True, kw_only=True):
    message: Annotated[str, Meta(max_length=500, extra_json_schema=STORABLE)] | None = None


@routes.post("/enrollments/{enrollment_id}/extension", access=may(Permission.LEARN))
async def request_extension(tx: Tx, view: LearnView, enrollment_id: UUID, form: ExtensionForm) -> Answer:
    """Ask for a new due date after the enrollment has expired."""
    await extensions.request(tx, view.viewer.user_id, enrollment_id, form.message)
    return view.lead(f"/learn/enrollments/{enrollment_id}", N_("Your request was sent."))


class LanguageForm(Struct, frozen=True, kw_only=True):
    """The language in which to take the course. `module` is the module to return to."""

    language: CourseLanguage
    module: UUID | None = None


@routes.post("/enrollments/{enrollment_id}/language", access=may(Permission.LEARN))
async def choose_language(tx: Tx, view: LearnView, enrollment_id: UUID, form: LanguageForm) -> Answer:
    """Choose the language in which to take the course. The progress stays the same."""
    await learner.choose_language(tx, view.viewer.user_id, enrollment_id, form.language)
    here = f"/learn/enrollments/{enrollment_id}"
    return view.lead(f"{here}/modules/{form.module}" if form.module else here)


def _find_unmet_criterion(overview: Overview) -> CriterionKind | Literal["score_time"] | None:
    """Returns the criterion that is still unmet although every module is done, or None."""
    unmet = [each for each in overview.criteria if not each.is_met]
    if not unmet or any(each.kind == "modules" for each in unmet):
        return None
    return "score_time" if unmet[0].kind == "score" and unmet[0].is_reached else unmet[0].kind
