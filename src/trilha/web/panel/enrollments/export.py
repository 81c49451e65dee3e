"""/admin/enrollments.csv: the enrollments that match the list's filters, for a spreadsheet."""

import codecs
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from trilha.core.clock import in_zone
from trilha.core.lists import read_pages
from trilha.core.spreadsheets import csv_lines
from trilha.core.web.answers import Stream
from trilha.core.web.routes import Routes
from trilha.kit import N_, formats
from trilha.people.users.workplaces import Workplace, list_workplaces
from trilha.training.enrollments.lists import ENROLLMENT_ROWS
from trilha.training.enrollments.schema import EnrollmentSearch, ListedEnrollment
from trilha.web.panel.enrollments import words
from trilha.web.panel.enrollments.pages import ADDRESS, READ
from trilha.web.panel.reach import reach_of
from trilha.web.panel.view import PanelView

routes = Routes("Enrollments as a file", "The enrollments that match the list's filters.")
_HEADER = (
    *(
        N_("Person"),
        N_("E-mail"),
        N_("Employee number"),
        N_("Business unit"),
        N_("Manager"),
        N_("Course"),
        N_("Status"),
        N_("Progress"),
        N_("Score"),
    ),
    *(N_("Enrollment date"), N_("Start date"), N_("Completion date"), N_("Due date")),
)


@routes.get("/enrollments.csv", access=READ)
async def download_enrollments(view: PanelView, query: EnrollmentSearch) -> Stream[bytes]:
    """Streams every enrollment that matches the filters, as CSV."""
    today = view.page.now.astimezone(ZoneInfo(view.page.time_zone)).date().isoformat()
    name = f"{ADDRESS.rpartition('/')[2]}-{view.viewer.tenant_slug}-{today}.csv"
    return Stream(
        _build_lines(view, query),
        "text/csv; charset=utf-8",
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


async def _build_lines(view: PanelView, query: EnrollmentSearch) -> AsyncIterator[bytes]:
    """The lines of the file, after a byte-order mark with which Excel recognizes UTF-8."""
    separator = formats.csv_separator(view.page)
    yield codecs.BOM_UTF8 + csv_lines([[view.say(word) for word in _HEADER]], separator).encode()
    async for rows in read_pages(view.reading, ENROLLMENT_ROWS, query, reach_of(view)):
        if rows:
            async with view.reading() as tx:
                workplaces = await list_workplaces(tx, [each.user_id for each in rows])
            cells = [_build_cells(view, each, workplaces[each.user_id]) for each in rows]
            yield csv_lines(cells, separator).encode()


def _build_cells(view: PanelView, enrollment: ListedEnrollment, workplace: Workplace) -> Sequence[str]:
    moments = (enrollment.created_at, enrollment.started_at, enrollment.completed_at, enrollment.expires_at)
    return (
        enrollment.user_name,
        enrollment.user_email,
        workplace.employee_number,
        workplace.unit,
        workplace.managers,
        enrollment.course_title,
        view.say(words.STATUSES[enrollment.status]),
        formats.percent(view.page, enrollment.progress),
        "" if enrollment.score is None else formats.decimal(view.page, enrollment.score),
        *(_format_day(view, moment) for moment in moments),
    )


def _format_day(view: PanelView, moment: str | None) -> str:
    if moment is None:
        return ""
    local = in_zone(datetime.fromisoformat(moment), ZoneInfo(view.page.time_zone))
    return formats.day_text(view.page, local.date())
