"""/admin/courses"""

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.pagination import ListQuery
from trilha.core.web.routes import Refusal, Routes
from trilha.courses import actions, queries
from trilha.courses.schema import CourseSearch
from trilha.pages import N_, State
from trilha.panel import lists
from trilha.panel.view import HOME, PanelView
from trilha.reports import queries as reports
from trilha.reports.schema import CourseStats
from trilha.sessions.permissions import Permission, may
from trilha.users import search as people
from trilha.users.reach import EVERYONE, Reach
from trilha.users.schema import PeopleQuery, Person

routes = Routes("Courses", "What is taught, how it goes and who teaches it.")
ADDRESS = f"{HOME}/courses"
READ = may(Permission.COURSES_READ)
# Who teaches a course sees its learners, so that is for those who may change people.
CHOOSE_TEACHERS = may(Permission.PEOPLE_WRITE)
STATUSES = {"PUBLISHED": N_("Published"), "DRAFT": N_("Draft"), "ARCHIVED": N_("Archived")}
STATES: dict[str, State] = {"PUBLISHED": "ok", "DRAFT": "info"}
TYPES = {
    "SCORM": N_("SCORM package"),
    "VIDEO": N_("Video"),
    "DOCUMENT": N_("Document"),
    "ARTICLE": N_("Article"),
    "QUIZ": N_("Quiz"),
}
DIFFICULTIES = {
    "BEGINNER": N_("Beginner"),
    "INTERMEDIATE": N_("Intermediate"),
    "ADVANCED": N_("Advanced"),
}
SENTENCES = {
    "teacher_not_instrutor": N_("Choose somebody with the role instructor."),
    "invalid_uuid": N_("Choose one of the options."),
}


class TeacherForm(Struct, frozen=True):
    user_id: UUID


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    q: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] = ""


def _taught_by(view: PanelView) -> UUID | None:
    """An instructor's courses are those that they teach."""
    return view.viewer.user_id if view.viewer.role == "instrutor" else None


@routes.get("/courses", access=READ)
async def list_courses(tx: Tx, view: PanelView, query: CourseSearch) -> Html:
    """The courses, by title."""
    page = await queries.search(tx, query, _taught_by(view))
    words = {"q": query.q or "", "status": view.say(STATUSES[query.status]) if query.status else ""}
    return view.show(
        lists.part(view, "panel/courses", query.cursor),
        courses=page.data,
        query=query,
        statuses=STATUSES,
        states=STATES,
        # A manager's numbers are those of their own people, which only the course's page counts.
        counts=view.viewer.role != "gestor",
        sorts={
            name: lists.address(ADDRESS, query, sort=name)
            for name in ("title", "-title", "created", "-created")
        },
        active=lists.chips(ADDRESS, query, words),
        following=lists.following(ADDRESS, query, page.next_cursor),
    )


@routes.get("/courses/people", access=CHOOSE_TEACHERS)
async def offer_teachers(tx: Tx, view: PanelView, query: Options) -> Html:
    """The people who can teach, for what is typed."""
    return view.show("panel/_people_options.html", people=await _instructors(tx, query.q))


async def _instructors(tx: Tx, typed: str = "") -> Sequence[Person]:
    query = PeopleQuery(q=typed or None, role="instrutor", status="ACTIVE", limit=50)
    return (await people.search(tx, query, EVERYONE)).data


@routes.get("/courses/{course_id}", access=READ)
async def show_course(tx: Tx, view: PanelView, course_id: UUID) -> Html:
    """One course: its modules, its teachers, and how it goes."""
    course = await queries.get(tx, course_id)
    if (teacher := _taught_by(view)) and not await queries.is_taught_by(tx, course_id, teacher):
        raise NotFound("course_not_found")
    return view.show(
        "panel/courses/course.html",
        course=course,
        modules=(await queries.list_modules(tx, course_id, ListQuery(limit=100))).data,
        teachers=await queries.list_teachers(tx, course_id),
        stats=await _stats(tx, view, course_id),
        statuses=STATUSES,
        states=STATES,
        types=TYPES,
        difficulties=DIFFICULTIES,
    )


async def _stats(tx: Tx, view: PanelView, course_id: UUID) -> CourseStats:
    """A manager's are those of their people."""
    if view.viewer.role != "gestor":
        return await reports.get_course_stats(tx, course_id)
    return await reports.get_course_stats_within(tx, course_id, Reach("gestor", view.viewer.user_id))


@routes.get("/courses/{course_id}/teachers", access=CHOOSE_TEACHERS)
async def show_teachers(tx: Tx, view: PanelView, course_id: UUID, refusal: Refusal | None = None) -> Html:
    """Who teaches it."""
    course = await queries.get(tx, course_id)
    teachers = await queries.list_teachers(tx, course_id)
    there = {each.id for each in teachers}
    others = [each for each in await _instructors(tx) if each.id not in there]
    values = {"course": course, "teachers": teachers, "others": others}
    return view.form("panel/courses/teachers.html", refusal, {}, SENTENCES, **values)


@routes.post("/courses/{course_id}/teachers", access=CHOOSE_TEACHERS, refused=show_teachers)
async def add_teacher(tx: Tx, view: PanelView, course_id: UUID, form: TeacherForm) -> Answer:
    """Let somebody teach it."""
    teachers = [each.id for each in await queries.list_teachers(tx, course_id)]
    await actions.set_teachers(tx, course_id, [*teachers, form.user_id])
    return view.lead(f"{ADDRESS}/{course_id}/teachers", N_("The instructor was added."))


@routes.post("/courses/{course_id}/teachers/remove", access=CHOOSE_TEACHERS)
async def remove_teacher(tx: Tx, view: PanelView, course_id: UUID, form: TeacherForm) -> Answer:
    """Let somebody teach it no longer."""
    teachers = [each.id for each in await queries.list_teachers(tx, course_id)]
    await actions.set_teachers(tx, course_id, [each for each in teachers if each != form.user_id])
    return view.lead(f"{ADDRESS}/{course_id}/teachers", N_("The instructor was removed."))
