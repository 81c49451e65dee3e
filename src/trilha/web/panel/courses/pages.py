"""/admin/courses: the list, one course, and its instructors."""

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from msgspec import structs

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, NN_, State
from trilha.people.users.reach import Reach
from trilha.training.courses import actions, module_queries, publishing, queries, workloads
from trilha.training.courses import search as course_search
from trilha.training.courses.lists import COURSE_ROWS
from trilha.training.courses.schema import (
    PACKAGED_TYPES,
    AuthoredCourse,
    Course,
    CourseSearch,
    Document,
    OutlinedModule,
)
from trilha.training.courses.translations import queries as translations
from trilha.training.courses.translations.schema import LANGUAGES
from trilha.training.evaluations import queries as evaluations
from trilha.training.learner_questions import queries as learner_questions
from trilha.training.reports import queries as reports
from trilha.training.reports.schema import CourseStats
from trilha.training.scorm import queries as packages
from trilha.web.panel import choices, lists, role_holders
from trilha.web.panel.bulk.offering import BulkList
from trilha.web.panel.choices import ChoiceSearch
from trilha.web.panel.courses import bulk
from trilha.web.panel.courses.forms import DOCUMENTS, KINDS
from trilha.web.panel.lists import Action, Bulk, Choice, Column, Empty, Table
from trilha.web.panel.reach import teacher_of
from trilha.web.panel.role_holders import ChosenPerson
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Courses", "Courses, their figures and their instructors.")
ADDRESS = f"{HOME}/courses"
READ = may(Permission.COURSES_READ)
# Instructors see the learners of their courses, so only those who may change people choose them.
CHOOSE_TEACHERS = may(Permission.PEOPLE_WRITE)
# A manager sees figures of their own people only, which the list does not count.
SEE_COUNTS = ("admin", "instrutor")
STATUSES = {"PUBLISHED": N_("Published"), "DRAFT": N_("Draft"), "ARCHIVED": N_("Archived")}
STATES: dict[str, State] = {"PUBLISHED": "ok", "DRAFT": "info"}
TYPES = {
    "SCORM": N_("SCORM package"),
    "CMI5": N_("cmi5 package"),
    "VIDEO": N_("Video"),
    "DOCUMENT": N_("Document"),
    "ARTICLE": N_("Article"),
    "QUIZ": N_("Quiz"),
    "CLASS": N_("Class"),
    "PRACTICE": N_("Practice"),
}
DIFFICULTIES = {
    "BEGINNER": N_("Beginner"),
    "INTERMEDIATE": N_("Intermediate"),
    "ADVANCED": N_("Advanced"),
}
SENTENCES = {
    "teacher_not_instrutor": N_("Choose a person with the instructor role."),
    "course_without_modules": N_("Add at least one required module to publish the course."),
    "modules_without_minutes": N_(
        "The law asks for a workload. Enter the minutes of each required module first."
    ),
    "course_is_draft": N_("Publish the draft first."),
    "invalid_uuid": N_("Choose one of the options."),
}


LACKS: dict[publishing.Lack, str] = {
    "no_required_module": N_("Add a required module. The course cannot be published without one."),
    "no_minutes": N_(
        "The law asks for a workload. Enter the minutes of each required module; an estimate is not enough."
    ),
    "too_short": N_("The modules are shorter than the minimum workload. Add modules or minutes."),
    "nothing_scored": N_("The course requires a minimum score, but no module has a score."),
    "score_without_length": N_(
        "Enter the minutes of each package. Without them, its score counts however quickly it was reached."
    ),
    "no_description": N_("Add a description of what people learn."),
    "no_picture": N_("Add a picture so that people recognize the course."),
    "no_teacher": N_("Choose the instructors."),
}
LACK_PLACES: dict[publishing.Lack, str] = {
    "no_required_module": "#modules",
    "no_minutes": "#modules",
    "too_short": "#modules",
    "nothing_scored": "#modules",
    "score_without_length": "#modules",
    "no_description": "/edit#description",
    "no_picture": "/picture",
    "no_teacher": "/teachers",
}


BULK = BulkList(
    routes=routes,
    path="/courses",
    title=N_("Courses"),
    query=CourseSearch,
    targets=bulk.TARGETS,
    actions=bulk.ACTIONS,
)
BULK.add_pages()
COURSES_TABLE = Table(
    listing=COURSE_ROWS,
    path=ADDRESS,
    title=N_("Courses"),
    search=N_("Search by title or address"),
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
    bulk=Bulk(buttons=BULK.buttons()),
    actions=[
        Action(N_("Question bank"), f"{HOME}/questions", "library", Permission.COURSES_WRITE),
        Action(N_("Import package"), f"{HOME}/packages/new", "upload", Permission.COURSES_WRITE),
        Action(N_("Create course"), f"{ADDRESS}/new", "plus", Permission.COURSES_WRITE, primary=True),
    ],
    empty=Empty(
        N_("No courses yet"),
        N_("Create a course and add videos, documents and articles, or import a SCORM package."),
        "book-open",
        permission=Permission.COURSES_WRITE,
        otherwise=Empty(
            N_("No courses yet"), N_("Administrators and instructors can create courses."), "book-open"
        ),
    ),
)
TAUGHT_TABLE = structs.replace(
    COURSES_TABLE,
    empty=Empty(
        N_("You do not teach any courses yet"),
        N_("Create a course, or ask an administrator to add you as an instructor."),
        "book-open",
    ),
)


@routes.get("/courses", access=READ)
async def list_courses(tx: Tx, view: PanelView, query: CourseSearch) -> Html:
    """Lists the courses by title; instructors see the courses they teach."""
    teacher = teacher_of(view)
    return await lists.show(tx, view, TAUGHT_TABLE if teacher else COURSES_TABLE, query, teacher)


@routes.get("/courses/people", access=CHOOSE_TEACHERS)
async def offer_teachers(tx: Tx, view: PanelView, query: ChoiceSearch) -> Html:
    """Options of the person field: people with the instructor role who match the typed text."""
    people = await role_holders.list_candidates(tx, queries.TEACHERS, query.q)
    return choices.render_options(view, choices.of_people(people))


@routes.get("/courses/{course_id}", access=READ)
async def show_course(tx: Tx, view: PanelView, course_id: UUID, refusal: Refusal | None = None) -> Html:
    """Shows one course: its modules, instructors and figures."""
    course = await queries.get(tx, course_id)
    if (teacher := teacher_of(view)) and not await course_search.is_taught_by(tx, course_id, teacher):
        raise NotFound("course_not_found")
    outline = await load_outline(tx, course)
    authored, modules = outline["authored"], outline["modules"]
    return view.form(
        "panel/courses/course.html",
        refusal,
        {},
        SENTENCES,
        **outline,
        packages=await packages.list_by_ids(tx, list(_list_package_ids(modules))),
        stats=await _find_stats(tx, view, course_id),
        results=await evaluations.get_results(tx, course_id),
        questions=await learner_questions.count_waiting(tx, teacher, course_id),
        shares_questions=await learner_questions.may_share(tx, course_id),
        kinds=KINDS,
        required_documents=[view.say(DOCUMENTS[document]) for document in _list_documents(authored)],
        statuses=STATUSES,
        states=STATES,
        difficulties=DIFFICULTIES,
        languages=LANGUAGES,
        language_progress=await translations.list_progress(tx, course_id)
        if len(course.languages) > 1
        else [],
    )


async def load_outline(tx: Tx, course: Course) -> dict[str, Any]:
    """Loads a course's modules, and what is missing before it is published."""
    authored = await queries.get_authored(tx, course.id)
    modules = await module_queries.list_all(tx, course.id)
    teachers = await queries.TEACHERS.list(tx, course.id)
    lacks = publishing.lacks(authored, modules, len(teachers))
    return {
        "course": course,
        "authored": authored,
        "modules": modules,
        "workloads": workloads.sum_of_modules(modules),
        "teachers": teachers,
        "lacks": lacks,
        "lack_words": LACKS,
        "lack_places": LACK_PLACES,
        "blocking": publishing.BLOCKING,
        "may_publish": not set(lacks) & set(publishing.BLOCKING),
        "without_minutes": [each.id for each in publishing.list_without_minutes(authored, modules)],
        "types": TYPES,
    }


def _list_package_ids(modules: Sequence[OutlinedModule]) -> Iterator[UUID]:
    """The ids of the packages that these modules come from."""
    for module in modules:
        if module.type in PACKAGED_TYPES and module.content:
            yield UUID(module.content["package_id"])


def _list_documents(course: AuthoredCourse) -> Sequence[Document]:
    documents: Sequence[Document] = (course.regulation or {}).get("required_profile_fields", ())
    return documents


async def _find_stats(tx: Tx, view: PanelView, course_id: UUID) -> CourseStats | None:
    """The course's figures; a manager's cover their own people, and are None if these are too many."""
    if view.viewer.role != "gestor":
        return await reports.get_course_stats(tx, course_id)
    return await reports.find_course_stats_within(tx, course_id, Reach("gestor", view.viewer.user_id))


@routes.get("/courses/{course_id}/teachers", access=CHOOSE_TEACHERS)
async def show_teachers(tx: Tx, view: PanelView, course_id: UUID, refusal: Refusal | None = None) -> Html:
    """Lists the instructors of a course, with a form to add one."""
    course = await queries.get(tx, course_id)
    values = await role_holders.load_page_values(tx, queries.TEACHERS, course_id) | {"course": course}
    return view.form("panel/courses/teachers.html", refusal, {}, SENTENCES, **values)


@routes.post("/courses/{course_id}/teachers", access=CHOOSE_TEACHERS, refused=show_teachers)
async def add_teacher(tx: Tx, view: PanelView, course_id: UUID, form: ChosenPerson) -> Answer:
    """Adds an instructor to the course."""
    teachers = await role_holders.add_holder(tx, queries.TEACHERS, course_id, form.user_id)
    await actions.set_teachers(tx, course_id, teachers)
    return view.lead(f"{ADDRESS}/{course_id}/teachers", N_("The instructor was added."))


@routes.post("/courses/{course_id}/teachers/remove", access=CHOOSE_TEACHERS)
async def remove_teacher(tx: Tx, view: PanelView, course_id: UUID, form: ChosenPerson) -> Answer:
    """Removes an instructor from the course."""
    teachers = await role_holders.remove_holder(tx, queries.TEACHERS, course_id, form.user_id)
    await actions.set_teachers(tx, course_id, teachers)
    return view.lead(f"{ADDRESS}/{course_id}/teachers", N_("The instructor was removed."))
