"""/admin/enrollments.csv: what the list finds, as a file for a spreadsheet."""

import codecs
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from trilha.core.clock import in_zone
from trilha.core.lists import read_pages
from trilha.core.spreadsheets import csv_lines
from trilha.core.web.answers import Stream
from trilha.core.web.routes import Routes
from trilha.enrollments.lists import LISTED
from trilha.enrollments.schema import EnrollmentSearch, ListedEnrollment
from trilha.pages import N_, formats
from trilha.panel.enrollments import words
from trilha.panel.enrollments.pages import ADDRESS, READ
from trilha.panel.reach import reach_of
from trilha.panel.view import PanelView

routes = Routes("Enrollments as a file", "What the list of enrollments finds.")
_HEADER = (
    *(N_("Person"), N_("E-mail"), N_("Course"), N_("Status"), N_("Progress"), N_("Score")),
    *(N_("Enrolled on"), N_("Started on"), N_("Completed on"), N_("Last day to finish")),
)


@routes.get("/enrollments.csv", access=READ)
async def download_enrollments(view: PanelView, query: EnrollmentSearch) -> Stream[bytes]:
    """All that the filters find, as a file."""
    today = view.page.now.astimezone(ZoneInfo(view.page.time_zone)).date().isoformat()
    name = f"{ADDRESS.rpartition('/')[2]}-{view.viewer.tenant_slug}-{today}.csv"
    return Stream(
        _lines(view, query),
        "text/csv; charset=utf-8",
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


async def _lines(view: PanelView, query: EnrollmentSearch) -> AsyncIterator[bytes]:
    """The file, marked as UTF-8 for Excel."""
    separator = formats.csv_separator(view.page)
    yield codecs.BOM_UTF8 + csv_lines([[view.say(word) for word in _HEADER]], separator).encode()
    async for rows in read_pages(view.reading, LISTED, query, reach_of(view)):
        if rows:
            yield csv_lines([_cells(view, each) for each in rows], separator).encode()


def _cells(view: PanelView, each: ListedEnrollment) -> Sequence[str]:
    moments = (each.created_at, each.started_at, each.completed_at, each.expires_at)
    return (
        each.user_name,
        each.user_email,
        each.course_title,
        view.say(words.STATUSES[each.status]),
        formats.percent(view.page, each.progress),
        "" if each.score is None else formats.decimal(view.page, each.score),
        *(_day(view, moment) for moment in moments),
    )


def _day(view: PanelView, moment: str | None) -> str:
    if moment is None:
        return ""
    local = in_zone(datetime.fromisoformat(moment), ZoneInfo(view.page.time_zone))
    return formats.day_text(view.page, local.date())
