"""/admin/packages: a file is uploaded, the worker reads it, its report is shown, then it is added to a
course.
"""

from typing import Any
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import NotFound, invalid
from trilha.core.file_store import FileStore
from trilha.core.types import Title
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import MIB, Refusal, Routes
from trilha.kit import N_, NN_
from trilha.training.courses import actions, module_actions, rules
from trilha.training.courses import search as course_search
from trilha.training.courses.schema import CourseSlug, NewCourse
from trilha.training.learning.completion import queries as completion_queries
from trilha.training.scorm import actions as packages
from trilha.training.scorm import archives, words
from trilha.training.scorm import queries as package_queries
from trilha.training.scorm import rules as package_rules
from trilha.training.scorm.lists import PACKAGES
from trilha.training.scorm.schema import Package, PackageQuery
from trilha.web.panel import choices, lists
from trilha.web.panel.confirm import Button
from trilha.web.panel.courses.authors import WRITE, get_changeable
from trilha.web.panel.courses.pages import ADDRESS as COURSES
from trilha.web.panel.lists import Action, Choice, Column, Empty, Table
from trilha.web.panel.packages.forms import PATH, STATES, AddForm, Purpose, Upload
from trilha.web.panel.reach import teacher_of
from trilha.web.panel.view import PanelView

routes = Routes("Packages", "SCORM packages, from their file to the modules of a course.")
_OPEN = ("WAITING", "RUNNING")


def get_author(view: PanelView) -> str | None:
    """Instructors see the packages that they uploaded, and those of the courses that they teach."""
    return None if teacher_of(view) is None else str(view.viewer.user_id)


async def get_package(tx: Tx, view: PanelView, package_id: UUID) -> Package:
    """Raises NotFound, also for packages that an instructor may not see."""
    found = await package_queries.get(tx, package_id)
    teacher = teacher_of(view)
    if teacher is None or found.created_by == str(teacher):
        return found
    if not await course_search.is_in_courses_of(tx, package_id, teacher):
        raise NotFound("package_not_found")
    return found


PACKAGES_TABLE = Table(
    listing=PACKAGES,
    path=PATH,
    title=N_("Packages"),
    crumbs=[(N_("Courses"), COURSES)],
    choices=[
        Choice(
            name="state",
            label=N_("Any status"),
            options={state: word for state, (_, word) in STATES.items()},
        )
    ],
    row="panel/packages/_row.html",
    values={"states": STATES},
    columns=[N_("Title"), N_("Status"), N_("Standard"), Column(N_("Size"), numeric=True), N_("Uploaded on")],
    counted=NN_("%(num)s package", "%(num)s packages"),
    actions=[Action(N_("Import package"), f"{PATH}/new", "upload", primary=True)],
    empty=Empty(
        N_("No package yet"),
        N_("Import a course that was made with an authoring tool. You see what is in it first."),
        "package",
    ),
)


@routes.get("/packages", access=WRITE)
async def list_packages(tx: Tx, view: PanelView, query: PackageQuery) -> Html:
    """List the uploaded packages, newest first."""
    return await lists.show(tx, view, PACKAGES_TABLE, query, get_author(view))


@routes.get("/packages/new", access=WRITE)
async def new_package(tx: Tx, view: PanelView, query: Purpose, refusal: Refusal | None = None) -> Html:
    """Ask for the file."""
    sentences = {"required": N_("Choose a file.")}
    values = await _purpose(tx, view, query)
    return view.form("panel/packages/new.html", refusal, sentences=sentences, **values)


async def _purpose(tx: Tx, view: PanelView, query: Purpose) -> dict[str, Any]:
    """Returns the course that the package is for, and the package that it replaces, or None."""
    course = replaced = None
    if query.course is not None:
        course = await get_changeable(tx, view, query.course)
    if course is not None and query.replaces is not None:
        replaced = await get_package(tx, view, query.replaces)
    return {"purpose": query, "course": course, "replaced": replaced}


@routes.post("/packages/new", access=WRITE, max_body=package_rules.MAX_BYTES + MIB, refused=new_package)
async def send_package(view: PanelView, query: Purpose, form: Upload, files: FileStore) -> Answer:
    """Store the file for the worker."""
    if form.file is None:
        raise invalid("file", "required")
    kept = await archives.keep(files, view.tenant_id, form.file.path)
    try:
        async with view.changing() as tx:
            await _purpose(tx, view, query)
            started = await packages.start_import(tx, kept, form.file.filename or "package.zip")
    except BaseException:
        await archives.drop(files, kept)
        raise
    return view.lead(query.at(f"{PATH}/{started.id}"))


@routes.get("/packages/{package_id}", access=WRITE)
async def show_package(
    tx: Tx, view: PanelView, package_id: UUID, query: Purpose, refusal: Refusal | None = None
) -> Html:
    """Show the progress of the import, or its report and the next steps."""
    package = await get_package(tx, view, package_id)
    if package.state in _OPEN:
        return view.form("panel/packages/progress.html", refusal, package=package, purpose=query)
    values = await _purpose(tx, view, query)
    if package.state == "READY":
        chosen = refusal.values.get("course_id") if refusal else query.course
        values |= await _parts(tx, view, package, values, chosen)
    begins = {"required": "true", "course_id": query.course, "title": package.title[:200], "minutes": ""}
    return view.form(
        "panel/packages/package.html",
        refusal,
        begins,
        package=package,
        findings=_findings(view, package),
        states=STATES,
        **values,
    )


@routes.get("/packages/{package_id}/progress", access=WRITE)
async def show_progress(tx: Tx, view: PanelView, package_id: UUID, query: Purpose) -> Answer:
    """Show the progress, and redirect to the result once it is done."""
    package = await get_package(tx, view, package_id)
    if package.state in _OPEN and view.page.fragment:
        return view.show("panel/packages/_progress.html", package=package, purpose=query)
    return view.lead(query.at(f"{PATH}/{package_id}"))


def _findings(view: PanelView, package: Package) -> list[dict[str, str]]:
    """The findings in the reader's language."""
    return [
        {
            "severity": each.severity,
            "what": view.say(words.WORDS[each.code].what, **each.values),
            "where": each.where,
            "fix": view.say(words.WORDS[each.code].fix),
        }
        for each in (package.report.findings if package.report else ())
    ]


async def _parts(
    tx: Tx, view: PanelView, package: Package, purpose: dict[str, Any], chosen: object
) -> dict[str, Any]:
    """Returns the parts as modules of a course, or in place of another package."""
    course, replaced = purpose["course"], purpose["replaced"]
    if course is not None and replaced is not None:
        plan = await module_actions.plan_replacement(tx, course.id, replaced.id, package.id)
        begun = await completion_queries.count_learners(tx, [each.id for each in plan.removed])
        return {"plan": plan, "begun": begun}
    return {
        "plan": None,
        "parts": await module_actions.package_modules(tx, package.id, 0),
        "courses": await choices.courses(tx, view, chosen),
        "shown_by": await course_search.list_showing(tx, package.id, teacher_of(view)),
    }


@routes.post("/packages/{package_id}/add", access=WRITE, refused=show_package)
async def add_package(tx: Tx, view: PanelView, package_id: UUID, query: Purpose, form: AddForm) -> Answer:
    """Add the package's parts as modules to an existing or a new course."""
    package = await get_package(tx, view, package_id)
    modules = await module_actions.package_modules(tx, package_id, form.minutes, form.required)
    if form.course_id is not None:
        await get_changeable(tx, view, form.course_id)
        await module_actions.add(tx, form.course_id, modules)
        return view.lead(f"{COURSES}/{form.course_id}", N_("The package was added to the course."))
    title = Title.fit(form.title or package.title)
    slug = CourseSlug(await actions.free_slug(tx, rules.slug_of(title)))
    new = NewCourse(title=title, slug=slug, duration_hours=form.minutes / 60, modules=modules)
    course = await actions.create(tx, new)
    if teacher := teacher_of(view):
        await actions.set_teachers(tx, course.id, [teacher])
    return view.lead(f"{COURSES}/{course.id}", N_("The course was created, as a draft."))


@routes.post("/packages/{package_id}/replace", access=WRITE, refused=show_package)
async def replace_package(tx: Tx, view: PanelView, package_id: UUID, query: Purpose, form: Button) -> Answer:
    """Replace another package, from the next attempts on."""
    await get_package(tx, view, package_id)
    purpose = await _purpose(tx, view, query)
    if purpose["course"] is None or purpose["replaced"] is None:
        raise NotFound("package_not_found")
    await module_actions.replace_package(tx, purpose["course"].id, purpose["replaced"].id, package_id)
    return view.lead(f"{COURSES}/{query.course}", N_("The course shows the new version."))
