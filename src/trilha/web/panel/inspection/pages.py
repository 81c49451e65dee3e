"""Leads from a course, a person or a time to each paper and record that the law asks for."""

from datetime import UTC, datetime, time, timedelta
from urllib.parse import urlencode
from uuid import UUID
from zoneinfo import ZoneInfo

from msgspec import Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.moments import Day
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, formats
from trilha.people.users import queries as users
from trilha.people.users.schema import User
from trilha.training.classes import queries as classes
from trilha.training.classes.schema import TrainingClass
from trilha.training.pedagogic_projects.inspection import InspectionScope, count_papers, list_scans
from trilha.training.reports.exports import actions as exports
from trilha.training.reports.exports.bundle_rows import BundleFilter
from trilha.web.panel import choices
from trilha.web.panel.choices import Choices
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Inspection", "What an inspector asks for, and where it is.")
PATH = f"{HOME}/inspection"
MAX_SCANS = 200
# Administrators see all people and courses, so that no paper is missing.
_ACCESS = may(Permission.AUDIT_READ)


class InspectionQuery(Struct, frozen=True, kw_only=True):
    """A course, a class, a person, and days in the company's calendar, both included."""

    course: UUID | None = None
    class_id: UUID | None = None
    user: UUID | None = None
    since: Day | None = None
    until: Day | None = None


class PaperLink(Struct, frozen=True):
    """A paper or record: what it proves, how many there are (None is not counted), and where they are."""

    icon: str
    title: str
    proves: str
    count: str | None
    href: str
    also: tuple[str, str] | None = None


class InspectionSubject(Struct, frozen=True):
    """What the filters name."""

    courses: Choices
    person: User | None
    training_class: TrainingClass | None


async def _find_subject(tx: Tx, view: PanelView, query: InspectionQuery) -> InspectionSubject:
    """Raises NotFound."""
    courses = await choices.courses(tx, view, query.course)
    if query.course is not None and courses.words(query.course) is None:
        raise NotFound("course_not_found")
    person = await users.get(tx, query.user) if query.user is not None else None
    chosen_class = await classes.get(tx, query.class_id) if query.class_id is not None else None
    return InspectionSubject(courses, person, chosen_class)


@routes.get("/inspection", access=_ACCESS)
async def show_inspection(
    tx: Tx, view: PanelView, query: InspectionQuery, refusal: Refusal | None = None
) -> Html:
    """Lists the papers that the law asks for, with how many there are."""
    chosen = await _find_subject(tx, view, query)
    counts = await count_papers(tx, _build_scope(query, view.page.time_zone))
    links = {name: formats.number(view.page, getattr(counts, name)) for name in counts.__struct_fields__}
    return view.form(
        "panel/inspection/inspection.html",
        refusal,
        {},
        query=query,
        courses=chosen.courses,
        person=chosen.person,
        training_class=chosen.training_class,
        has_scope=bool(query.course or query.class_id or query.user),
        papers=_list_papers(query, links),
    )


@routes.post("/inspection/bundle", access=_ACCESS, max_body=8192)
async def request_bundle(tx: Tx, view: PanelView, form: InspectionQuery) -> Answer:
    """Requests everything that an inspector asks for as a ZIP file, for a course, a class or a person."""
    await _find_subject(tx, view, form)
    here = _address("/inspection", course=form.course, class_id=form.class_id, user=form.user)
    if not (form.course or form.class_id or form.user):
        return view.lead(here, N_("Choose a course, a class or a person first."), "warn")
    scope = _build_scope(form, view.page.time_zone)
    wanted = BundleFilter(
        locale="pt-BR" if view.page.locale == "pt-BR" else "en",
        time_zone=view.page.time_zone,
        course_id=form.course,
        class_id=form.class_id,
        user_id=form.user,
        since=scope.since.isoformat() if scope.since else None,
        until=scope.until.isoformat() if scope.until else None,
    )
    export = await exports.request_bundle(tx, wanted, view.viewer.user_id)
    return view.lead(f"{HOME}/reports/files/{export.id}")


@routes.get("/inspection/scans", access=_ACCESS)
async def show_scans(tx: Tx, view: PanelView, query: InspectionQuery) -> Html:
    """Lists the scans of attendance lists, the newest first."""
    chosen = await _find_subject(tx, view, query)
    scope = _build_scope(query, view.page.time_zone)
    return view.show(
        "panel/inspection/scans.html",
        query=query,
        courses=chosen.courses,
        person=chosen.person,
        training_class=chosen.training_class,
        scans=await list_scans(tx, scope, MAX_SCANS),
        most=MAX_SCANS,
    )


def _build_scope(query: InspectionQuery, time_zone: str) -> InspectionScope:
    zone = ZoneInfo(time_zone)

    def start(day: Day | None, days: int = 0) -> datetime | None:
        if day is None:
            return None
        date = datetime.fromisoformat(str(day)).date() + timedelta(days=days)
        return datetime.combine(date, time(), zone).astimezone(UTC)

    return InspectionScope(
        query.course, query.user, start(query.since), start(query.until, 1), query.class_id
    )


def _list_papers(query: InspectionQuery, counts: dict[str, str]) -> list[PaperLink]:
    course, user = query.course, query.user
    period = {"since": query.since, "until": query.until}
    certificates = _address("/certificates", course=course, user=user, **period)
    return [
        PaperLink(
            "award",
            N_("Certificates"),
            N_("Worker, syllabus, workload by kind, dates, place, instructors, and technical responsible."),
            counts["certificates"],
            certificates,
            (N_("Download all (ZIP)"), _address("/certificates.zip", course=course, user=user, **period)),
        ),
        PaperLink(
            "file-check",
            N_("Pedagogic projects"),
            N_("Objectives, legal basis, syllabus, method, infrastructure, and responsible, by version."),
            counts["projects"],
            f"{HOME}/courses/{course}/project" if course else f"{HOME}/courses",
        ),
        PaperLink(
            "users",
            N_("Classes and attendance"),
            N_("Sessions with date, place and instructors, and the minutes of each person."),
            counts["sessions"],
            f"{HOME}/classes/{query.class_id}" if query.class_id else _address("/classes", course=course),
        ),
        PaperLink(
            "file-scan",
            N_("Scans of attendance lists"),
            N_("The lists on paper that people signed."),
            counts["scans"],
            _address("/inspection/scans", course=course, class_id=query.class_id, user=user, **period),
        ),
        PaperLink(
            "clipboard-check",
            N_("Checklists of practice"),
            N_("What was assessed and how, by whom with which qualification, photos and both signatures."),
            counts["checklists"],
            _address("/practice/assessments"),
        ),
        PaperLink(
            "badge-check",
            N_("Qualifications"),
            N_("What instructors and assessors are qualified for, with their documents."),
            None,
            _address("/qualifications", user=user),
        ),
        PaperLink(
            "messages-square",
            N_("Learners' questions"),
            N_("The channel for questions during the training, with its answers and times."),
            counts["questions"],
            _address("/learner-questions", course=course, state="all"),
        ),
        PaperLink(
            "shield-check",
            N_("Access evidence"),
            N_("Who accessed what and when, in a signed log of each enrollment, as PDF or JSON."),
            None,
            _address("/enrollments", course=course, user=user),
        ),
        PaperLink(
            "scroll-text",
            N_("Audit log"),
            N_("Who changed courses, classes and certificates."),
            None,
            f"{HOME}/audit",
        ),
        PaperLink(
            "archive",
            N_("Retention"),
            N_("How long evidence of training is kept, and what will be erased when."),
            None,
            _address("/inspection/retention", course=course),
            (N_("Retention of logs"), f"{HOME}/settings/retention"),
        ),
    ]


def _address(path: str, **values: object) -> str:
    sent = {name: str(value) for name, value in values.items() if value is not None}
    return f"{HOME}{path}?{urlencode(sent)}" if sent else HOME + path
