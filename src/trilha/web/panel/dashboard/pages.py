"""/admin: the overview."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from babel.dates import format_date
from msgspec import Struct

from trilha.access.api_keys.lists import KEYS
from trilha.access.api_keys.schema import KeyQuery
from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.lists import Count, cap_count, count, list_rows
from trilha.core.moments import Day
from trilha.core.types import Timestamp
from trilha.core.web.answers import Html
from trilha.core.web.pagination import ListQuery
from trilha.core.web.routes import Routes
from trilha.people.people_import.lists import IMPORTS
from trilha.people.people_import.schema import ImportQuery
from trilha.people.users.reach import Reach
from trilha.platform.mail import daily_limits
from trilha.platform.mail.daily_limits import ServerLimit, Usage
from trilha.platform.mail.lists import MESSAGES
from trilha.platform.mail.schema import MailQuery
from trilha.platform.webhooks import history as webhooks
from trilha.training.certificates.lists import CERTIFICATE_ROWS as CERTIFICATES
from trilha.training.certificates.schema import CertificateSearch
from trilha.training.certificates.signatures import queries as signatures
from trilha.training.enrollment_requests.lists import WAITING as ENROLLMENT_REQUESTS
from trilha.training.enrollments.extension_queries import WAITING
from trilha.training.external_certificates.queries import WAITING as EXTERNAL_CERTIFICATES
from trilha.training.learner_questions import queries as learner_questions
from trilha.training.learning.grading.lists import ANSWERS, load_answers
from trilha.training.learning.grading.schema import AnswerQuery
from trilha.training.qualifications.lists import ROWS as QUALIFICATIONS
from trilha.training.qualifications.schema import QualificationSearch
from trilha.training.reports import overview, teaching
from trilha.training.reports.teaching import CourseResults
from trilha.training.requirements import matrix
from trilha.training.requirements import queries as requirements
from trilha.training.requirements import totals as requirement_totals
from trilha.training.requirements.matrix import MatrixPerson, MatrixQuery
from trilha.training.requirements.schema import Requirement
from trilha.web.panel.reach import teacher_of
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Overview", "What needs attention, and the tenant's main figures.")
_WEEK = timedelta(days=7)
_LATE_PEOPLE = 8
_URGENT_REQUIREMENTS = 6
_SIGNATURE_SOON = timedelta(days=30)


class DeadLetters(Struct, frozen=True):
    """How many deliveries to one endpoint failed permanently, and the page that lists them."""

    count: Count
    to: str
    address: str


class Operations(Struct, frozen=True):
    """Failures in what administrators run, and what will soon need them. `since` is the first day covered."""

    since: str = ""
    dead_letters: Sequence[DeadLetters] = ()
    failed_imports: Count = Count(0)
    failed_mail: Count = Count(0)
    expiring_keys: Count = Count(0)
    invitations: Usage | None = None  # None unless today's limit is reached or near

    @property
    def any(self) -> bool:
        return any(
            (self.dead_letters, self.failed_imports, self.failed_mail, self.expiring_keys, self.invitations)
        )


class Papers(Struct, frozen=True):
    """Certificates that need somebody to act."""

    failed: Count = Count(0)
    expiring: Count = Count(0)
    renewal: Count = Count(0)
    signature_ends: Timestamp | None = None  # None unless the signing certificate expires soon


class LatePerson(Struct, frozen=True):
    """A person and a requirement for which they are overdue, since when."""

    person: MatrixPerson
    requirement: Requirement
    due_at: Timestamp | None


class Team(Struct, frozen=True):
    """Where the viewer's people stand with mandatory training, the requirements with most people to act on,
    and the first people who are overdue.
    """

    totals: requirement_totals.Totals
    requirements: list[tuple[Requirement, requirement_totals.Totals]]
    late: list[LatePerson]


class FirstSteps(Struct, frozen=True):
    """What a new company has done."""

    people: bool
    course: bool
    enrollment: bool
    appearance: bool

    @property
    def are_done(self) -> bool:
        return self.people and self.course and self.enrollment


class WaitingAnswers(Struct, frozen=True):
    """The answers that await a grade; `since` is when the oldest was submitted."""

    count: Count
    since: Timestamp


@routes.get("", access=may(Permission.DASHBOARD_READ))
async def show_dashboard(tx: Tx, view: PanelView, mail_limit: ServerLimit) -> Html:
    """Shows what needs attention, then the figures."""
    reach = Reach(view.viewer.role, view.viewer.user_id)
    figures = await overview.get(tx, reach)
    months = [(_shorten_month(month, view), count) for month, count in figures.completions.items()]
    team, totals = await _load_team(tx, view, reach), figures.totals
    completed = sum(count for _, count in months)
    steps = FirstSteps(
        people=totals.people.total > 1,
        course=totals.courses.total > 0,
        enrollment=bool(totals.open or totals.expired or completed),
        appearance=bool(view.page.logo_url or view.page.brand_url),
    )
    return view.show(
        "panel/dashboard/overview.html",
        team=team,
        overdue=await _count_overdue(tx, team, reach),
        # Where nothing is mandatory, nobody is overdue but by their enrollment.
        expired=0 if view.may(Permission.REQUIREMENTS_READ) and team else totals.expired or 0,
        extensions=await count(tx, WAITING, ListQuery(), reach)
        if view.may(Permission.ENROLLMENTS_WRITE)
        else Count(0),
        requests=await count(tx, ENROLLMENT_REQUESTS, ListQuery(), reach)
        if view.may(Permission.ENROLLMENTS_WRITE)
        else Count(0),
        external_certificates=await count(tx, EXTERNAL_CERTIFICATES, ListQuery(), reach)
        if view.may(Permission.ENROLLMENTS_WRITE)
        else Count(0),
        qualifications=await count(tx, QUALIFICATIONS, QualificationSearch(state="EXPIRING"), reach)
        if view.may(Permission.PEOPLE_WRITE)
        else Count(0),
        answers=await _find_waiting_answers(tx, view),
        courses=await _list_taught_courses(tx, view),
        questions=await learner_questions.count_waiting(tx, teacher_of(view))
        if view.may(Permission.COURSES_WRITE)
        else None,
        attention=figures.attention,
        operations=await _count_operations(tx, view, mail_limit) if reach.is_everyone else Operations(),
        papers=await _count_papers(tx, view, reach),
        totals=totals,
        begins=reach.is_everyone and not steps.are_done,
        steps=steps,
        counted_at=figures.counted_at,
        months=months,
        this_month=months[-1][1],
        completed=completed,
    )


async def _count_overdue(tx: Tx, team: Team | None, reach: Reach) -> Count:
    """Counts people: one can be overdue for several requirements."""
    if team is None or not team.totals.overdue:
        return Count(0)
    return await count(tx, matrix.PEOPLE, MatrixQuery(state="OVERDUE"), reach)


async def _find_waiting_answers(tx: Tx, view: PanelView) -> WaitingAnswers | None:
    """Returns None if the viewer grades no answers, or none waits."""
    if not view.may(Permission.COURSES_WRITE):
        return None
    query, teacher = AnswerQuery(), teacher_of(view)
    oldest = await load_answers(tx, await list_rows(tx, ANSWERS, query, teacher, limit=1))
    return WaitingAnswers(await count(tx, ANSWERS, query, teacher), oldest[0].at) if oldest else None


async def _list_taught_courses(tx: Tx, view: PanelView) -> Sequence[CourseResults] | None:
    """Returns None for everybody but instructors."""
    teacher = teacher_of(view)
    return await teaching.list_courses(tx, teacher) if teacher else None


async def _load_team(tx: Tx, view: PanelView, reach: Reach) -> Team | None:
    """Returns None if nobody within reach must hold anything."""
    if not view.may(Permission.REQUIREMENTS_READ):
        return None
    active = {each.id: each for each in await requirements.list_all(tx) if each.active}
    counts = await requirement_totals.count(tx, list(active), reach)
    totals = requirement_totals.sum_up(counts.values())
    if not totals.people:
        return None
    query = MatrixQuery(state="OVERDUE")
    late = await list_rows(tx, matrix.PEOPLE, query, reach, limit=_LATE_PEOPLE) if totals.overdue else []
    cells = await matrix.load_cells(tx, [each.id for each in late], list(active))
    urgent = sorted(counts.items(), key=lambda each: (-each[1].overdue, -each[1].due_soon))
    return Team(
        totals,
        [(active[id], each) for id, each in urgent if each.people][:_URGENT_REQUIREMENTS],
        [
            LatePerson(person, active[id], cell.due_at)
            for person in late
            for id, cell in cells.get(person.id, {}).items()
            if cell.state == "OVERDUE"
        ],
    )


async def _count_papers(tx: Tx, view: PanelView, reach: Reach) -> Papers:
    if not view.may(Permission.CERTIFICATES_READ):
        return Papers()
    failed = view.may(Permission.CERTIFICATES_WRITE)
    return Papers(
        failed=await count(tx, CERTIFICATES, CertificateSearch(status="failed"), reach)
        if failed
        else Count(0),
        expiring=await count(tx, CERTIFICATES, CertificateSearch(status="expiring"), reach),
        renewal=await count(tx, CERTIFICATES, CertificateSearch(status="renewal"), reach),
        signature_ends=await _find_signature_end(tx) if view.may(Permission.SETTINGS_WRITE) else None,
    )


async def _find_signature_end(tx: Tx) -> Timestamp | None:
    identity = await signatures.find(tx)
    if identity is None or identity.not_after > Timestamp.of(tx.now + _SIGNATURE_SOON):
        return None
    return identity.not_after


def _shorten_month(month: object, view: PanelView) -> str:
    """The month's short name, such as `nov` or `Nov`."""
    text: str = format_date(month, "LLL", locale=view.locale.replace("-", "_"))  # type: ignore[arg-type]
    return text.rstrip(".")


async def _count_operations(tx: Tx, view: PanelView, mail_limit: ServerLimit) -> Operations:
    zone = view.page.time_zone
    since = Day((tx.now.astimezone(ZoneInfo(zone)) - _WEEK).date().isoformat())
    begin = since.begin(zone).moment()
    invitations = await daily_limits.get_usage(tx, mail_limit)
    return Operations(
        since=since,
        dead_letters=await _count_dead_letters(tx, since, begin),
        failed_imports=await count(tx, IMPORTS, ImportQuery(failed=True)),
        failed_mail=await count(tx, MESSAGES, MailQuery(status="FAILED", since=since)),
        expiring_keys=await count(tx, KEYS, KeyQuery(state="expiring")),
        invitations=invitations if invitations.is_near else None,
    )


async def _count_dead_letters(tx: Tx, since: Day, begin: datetime) -> list[DeadLetters]:
    """By endpoint, the one with most failures first."""
    endpoints = await webhooks.count_dead_letters(tx, begin)
    filters = urlencode({"status": "DEAD_LETTER", "since": since})
    return [
        DeadLetters(
            cap_count(endpoint.count),
            endpoint.description or endpoint.url,
            f"{HOME}/webhooks/{endpoint.id}?{filters}",
        )
        for endpoint in sorted(endpoints, key=lambda endpoint: -endpoint.count)
    ]
