"""/admin/courses"""

from collections.abc import Iterator, Sequence
from uuid import UUID

from msgspec import structs

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.courses import actions, module_queries, publishing, queries
from trilha.courses import search as course_search
from trilha.courses.lists import LISTED
from trilha.courses.schema import AuthoredCourse, CourseSearch, Document, OutlinedModule
from trilha.pages import N_, NN_, State
from trilha.panel import choices, lists, role_holders
from trilha.panel.choices import Typed
from trilha.panel.courses.forms import DOCUMENTS, KINDS
from trilha.panel.lists import Action, Choice, Column, Empty, Table
from trilha.panel.reach import taught_by
from trilha.panel.role_holders import ChosenPerson
from trilha.panel.view import HOME, PanelView
from trilha.reports import queries as reports
from trilha.reports.schema import CourseStats
from trilha.scorm import queries as packages
from trilha.sessions.permissions import Permission, may
from trilha.users.reach import Reach

routes = Routes("Courses", "What is taught, how it goes and who teaches it.")
ADDRESS = f"{HOME}/courses"
READ = may(Permission.COURSES_READ)
# Who teaches a course sees its learners, so that is for those who may change people.
CHOOSE_TEACHERS = may(Permission.PEOPLE_WRITE)
# The numbers of a manager are those of their own people, which only the page of a course counts.
SEE_COUNTS = ("admin", "instrutor")
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
    "course_without_modules": N_("A course needs a required module before it is published."),
    "course_is_draft": N_("A draft has to be published first."),
    "invalid_uuid": N_("Choose one of the options."),
}


LACKS: dict[publishing.Lack, str] = {
    "no_required_module": N_("Add a module that is required. Without one it cannot be published."),
    "too_short": N_("The modules last less than the minimum workload that the law demands."),
    "nothing_scored": N_("A minimum score is demanded, and no module gives one."),
    "score_without_length": N_(
        "Say how many minutes each package takes: without it, its score counts at once, be it a made-up one."
    ),
    "no_description": N_("Say what people learn in it."),
    "no_picture": N_("Add a picture: people find the course by it."),
    "no_teacher": N_("Choose who teaches it."),
}
LACK_PLACES: dict[publishing.Lack, str] = {
    "no_required_module": "/modules/new",
    "too_short": "/modules/new",
    "nothing_scored": "/modules/new",
    "score_without_length": "#modules",
    "no_description": "/edit#description",
    "no_picture": "/picture",
    "no_teacher": "/teachers",
}


COURSES_TABLE = Table(
    listing=LISTED,
    path=ADDRESS,
    title=N_("Courses"),
    search=N_("Search by title or slug"),
    choices=[Choice(name="status", label=N_("Any status"), options=STATUSES)],
    row="panel/courses/_row.html",
    values={"statuses": STATUSES, "states": STATES},
    columns=[
        Column(N_("Title"), sort="title"),
        N_("Status"),
        Column(N_("Modules"), numeric=True),
        Column(N_("Enrollments"), numeric=True, roles=SEE_COUNTS),
        Column(N_("Completions"), numeric=True, roles=SEE_COUNTS),
        Column(N_("Created on"), sort="-created"),
    ],
    counted=NN_("%(num)s course", "%(num)s courses"),
    actions=[
        Action(N_("Import package"), f"{HOME}/packages/new", "upload", Permission.COURSES_WRITE),
        Action(N_("Create course"), f"{ADDRESS}/new", "plus", Permission.COURSES_WRITE, primary=True),
    ],
    empty=Empty(
        N_("No course yet"),
        N_("Create one and add videos, documents and articles, or import a SCORM package."),
        "book-open",
        permission=Permission.COURSES_WRITE,
        otherwise=Empty(N_("No course yet"), N_("Administrators and instructors create them."), "book-open"),
    ),
)
TAUGHT_TABLE = structs.replace(
    COURSES_TABLE,
    empty=Empty(
        N_("You teach no course yet"),
        N_("Create one, or ask an administrator to add you to the courses that you teach."),
        "book-open",
    ),
)


@routes.get("/courses", access=READ)
async def list_courses(tx: Tx, view: PanelView, query: CourseSearch) -> Html:
    """The courses, by title."""
    teacher = taught_by(view)
    return await lists.show(tx, view, TAUGHT_TABLE if teacher else COURSES_TABLE, query, teacher)


@routes.get("/courses/people", access=CHOOSE_TEACHERS)
async def offer_teachers(tx: Tx, view: PanelView, query: Typed) -> Html:
    """The people who can teach, for what is typed."""
    people = await role_holders.offered(tx, queries.TEACHERS, query.q)
    return choices.offered(view, choices.of_people(people))


@routes.get("/courses/{course_id}", access=READ)
async def show_course(tx: Tx, view: PanelView, course_id: UUID, refusal: Refusal | None = None) -> Html:
    """One course: its modules, its teachers, and how it goes."""
    course = await queries.get(tx, course_id)
    if (teacher := taught_by(view)) and not await course_search.is_taught_by(tx, course_id, teacher):
        raise NotFound("course_not_found")
    authored = await queries.get_authored(tx, course_id)
    modules = await module_queries.list_all(tx, course_id)
    teachers = await queries.TEACHERS.list(tx, course_id)
    return view.form(
        "panel/courses/course.html",
        refusal,
        {},
        SENTENCES,
        course=course,
        authored=authored,
        modules=modules,
        packages=await packages.list_shown(tx, list(_shown(modules))),
        teachers=teachers,
        stats=await _stats(tx, view, course_id),
        lacks=publishing.lacks(authored, modules, len(teachers)),
        lack_words=LACKS,
        lack_places=LACK_PLACES,
        kinds=KINDS,
        asked_documents=[view.say(DOCUMENTS[each]) for each in _documents(authored)],
        statuses=STATUSES,
        states=STATES,
        types=TYPES,
        difficulties=DIFFICULTIES,
    )


def _shown(modules: Sequence[OutlinedModule]) -> Iterator[UUID]:
    """The packages that these are parts of."""
    for each in modules:
        if each.type == "SCORM" and each.content:
            yield UUID(each.content["package_id"])


def _documents(course: AuthoredCourse) -> Sequence[Document]:
    asked: Sequence[Document] = (course.regulation or {}).get("required_profile_fields", ())
    return asked


async def _stats(tx: Tx, view: PanelView, course_id: UUID) -> CourseStats | None:
    """A manager's are those of their people, None of too many."""
    if view.viewer.role != "gestor":
        return await reports.get_course_stats(tx, course_id)
    return await reports.find_course_stats_within(tx, course_id, Reach("gestor", view.viewer.user_id))


@routes.get("/courses/{course_id}/teachers", access=CHOOSE_TEACHERS)
async def show_teachers(tx: Tx, view: PanelView, course_id: UUID, refusal: Refusal | None = None) -> Html:
    """Who teaches it."""
    course = await queries.get(tx, course_id)
    values = await role_holders.shown(tx, queries.TEACHERS, course_id) | {"course": course}
    return view.form("panel/courses/teachers.html", refusal, {}, SENTENCES, **values)


@routes.post("/courses/{course_id}/teachers", access=CHOOSE_TEACHERS, refused=show_teachers)
async def add_teacher(tx: Tx, view: PanelView, course_id: UUID, form: ChosenPerson) -> Answer:
    """Let somebody teach it."""
    teachers = await role_holders.with_one_more(tx, queries.TEACHERS, course_id, form.user_id)
    await actions.set_teachers(tx, course_id, teachers)
    return view.lead(f"{ADDRESS}/{course_id}/teachers", N_("The instructor was added."))


@routes.post("/courses/{course_id}/teachers/remove", access=CHOOSE_TEACHERS)
async def remove_teacher(tx: Tx, view: PanelView, course_id: UUID, form: ChosenPerson) -> Answer:
    """Let somebody teach it no longer."""
    teachers = await role_holders.without(tx, queries.TEACHERS, course_id, form.user_id)
    await actions.set_teachers(tx, course_id, teachers)
    return view.lead(f"{ADDRESS}/{course_id}/teachers", N_("The instructor was removed."))
