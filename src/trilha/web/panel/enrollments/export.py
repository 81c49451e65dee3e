"""/admin/enrollments.csv: the enrollments that match the filters, or selected ones, for a spreadsheet."""

from uuid import UUID

from trilha.core.web.answers import Answer, Stream
from trilha.core.web.routes import Routes
from trilha.kit import N_, formats
from trilha.training.enrollments.lists import ENROLLMENT_ROWS
from trilha.training.enrollments.schema import EnrollmentSearch, ListedEnrollment
from trilha.web.panel.enrollments import words
from trilha.web.panel.enrollments.pages import ADDRESS, READ
from trilha.web.panel.people_files import PeopleFile, format_day
from trilha.web.panel.reach import reach_of
from trilha.web.panel.view import PanelView

routes = Routes("Enrollments as a file", "The enrollments that match the list's filters.")


def _describe_score(view: PanelView, row: ListedEnrollment) -> str:
    return "" if row.score is None else formats.decimal(view.page, row.score)


_FILE: PeopleFile[ListedEnrollment] = PeopleFile(
    name="enrollments",
    find_person=lambda row: (row.user_id, row.user_name, row.user_email),
    columns=[
        (N_("Course"), lambda view, row: row.course_title),
        (N_("Status"), lambda view, row: view.say(words.STATUSES[row.status])),
        (N_("Progress"), lambda view, row: formats.percent(view.page, row.progress)),
        (N_("Score"), _describe_score),
        (N_("Enrollment date"), lambda view, row: format_day(view, row.created_at)),
        (N_("Start date"), lambda view, row: format_day(view, row.started_at)),
        (N_("Completion date"), lambda view, row: format_day(view, row.completed_at)),
        (N_("Due date"), lambda view, row: format_day(view, row.expires_at)),
    ],
)


class ExportForm(EnrollmentSearch, frozen=True, kw_only=True):
    """The selected enrollments, or all that match the filters."""

    id: list[UUID] = []
    all: bool = False


@routes.get("/enrollments.csv", access=READ)
async def download_enrollments(view: PanelView, query: EnrollmentSearch) -> Stream[bytes]:
    """Streams every enrollment that matches the filters, as CSV."""
    return _FILE.stream(view, ENROLLMENT_ROWS, query, reach_of(view))


@routes.post("/enrollments/export", access=READ)
async def export_enrollments(view: PanelView, form: ExportForm) -> Answer:
    """Streams the selected enrollments, as CSV."""
    if form.all:
        return _FILE.stream(view, ENROLLMENT_ROWS, form, reach_of(view))
    if not form.id:
        return view.lead(ADDRESS, N_("Select rows in the list first."), state="warn")
    return _FILE.stream_selected(view, ENROLLMENT_ROWS, form.id, reach_of(view))
