"""The filters that all pages of reports share. They are kept from page to page, in print and in the
e-mailed report.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Annotated
from uuid import UUID

from babel.dates import format_date
from msgspec import Meta, Struct, structs

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.web.routes import Refusal
from trilha.kit import N_
from trilha.training.reports.report_filter import MONTHS, ReportFilter, last_months
from trilha.web.panel import choices, lists
from trilha.web.panel.choices import Choices
from trilha.web.panel.view import HOME, PanelView

ADDRESS = f"{HOME}/reports"
READ = may(Permission.REPORTS_READ)
# Beside those of MONTHS, which are shown if nothing is chosen.
_PERIODS = (1, 3, 6, 24)
_TABS = {
    "": N_("Completion"),
    "/deadlines": N_("Deadlines"),
    "/questions": N_("Questions"),
    "/compliance": N_("Compliance"),
    "/files": N_("Files"),
}
_EVERY = ("course", "unit", "group", "months")
_OF_ONE_COURSE = ("/questions", "/compliance")


class ReportQuery(Struct, frozen=True, kw_only=True):
    """`months` is a number of months, of which this one is the last."""

    course: UUID | None = None
    unit: UUID | None = None
    group: UUID | None = None
    months: Annotated[int, Meta(ge=1, le=60)] = MONTHS


class Filters(Struct, frozen=True):
    """The filters of a page. `takes` are the names that it uses; others are kept for the other pages.
    `chosen` are the labels of active filters by name, `active` each with the address without it,
    `clear` the address without any. `tabs` are labels, addresses and whether it is this page.
    """

    action: str
    query: ReportQuery
    takes: Sequence[str]
    offered: Mapping[str, Choices]
    chosen: Mapping[str, str]
    active: Sequence[tuple[str, str]]
    clear: str
    tabs: Sequence[tuple[str, str, bool]]
    usual_period: str
    periods: Sequence[tuple[str, str]]

    @property
    def form_values(self) -> list[tuple[str, object]]:
        """The names and values of active filters, for a form."""
        values = structs.asdict(self.query)
        return [(name, value) for name, value in values.items() if value not in (None, MONTHS)]

    @property
    def other_form_values(self) -> list[tuple[str, object]]:
        """The names and values of filters that this page does not use."""
        return [each for each in self.form_values if each[0] not in self.takes]

    def of_course(self, path: str, course_id: UUID) -> str:
        """The address of another page about this course."""
        return lists.address(ADDRESS + path, self.query, course=course_id)

    def build_filter(self, today: date) -> ReportFilter:
        since, until = last_months(today, self.query.months)
        return ReportFilter(since, until, self.query.course, self.query.unit, self.query.group)


async def read_filters(
    tx: Tx,
    view: PanelView,
    path: str,
    query: ReportQuery,
    takes: Sequence[str] = _EVERY,
    refusal: Refusal | None = None,
) -> Filters:
    """Reads the filters of the page at `path` below ADDRESS; values of a refused form are offered again.

    Raises NotFound for anything out of reach.
    """
    sent = {**structs.asdict(query), **(refusal.values if refusal else {})}
    offered = {
        "course": await choices.courses(tx, view, sent["course"]),
        "unit": await choices.units(tx, view, sent["unit"]),
        "group": await choices.groups(tx, view, sent["group"]),
    }
    for name, each in offered.items():
        value = getattr(query, name)
        if value is not None and each.words(value) is None:
            raise NotFound("course_not_found" if name == "course" else "route_not_found")
    bare, action = _bare(query), ADDRESS + path
    chosen = _label_active(view, bare, offered)
    tabs = [(view.say(words), lists.address(ADDRESS + to, bare), to == path) for to, words in _TABS.items()]
    # The subject of such a page can be changed, but not removed.
    about = {"course"} if path in _OF_ONE_COURSE else set()
    taken = {name: words for name, words in chosen.items() if name in takes and name not in about}
    return Filters(
        action=action,
        query=bare,
        takes=takes,
        offered=offered,
        chosen=chosen,
        active=lists.chips(action, bare, taken),
        clear=lists.address(action, ReportQuery(course=query.course if about else None)),
        tabs=tabs,
        usual_period=period(view, MONTHS),
        periods=[(str(each), period(view, each)) for each in sorted({*_PERIODS, query.months} - {MONTHS})],
    )


def _bare(query: ReportQuery) -> ReportQuery:
    """Removes the members that only one page has."""
    return ReportQuery(course=query.course, unit=query.unit, group=query.group, months=query.months)


def _label_active(view: PanelView, query: ReportQuery, offered: Mapping[str, Choices]) -> dict[str, str]:
    chosen = {
        name: words
        for name, each in offered.items()
        if (words := each.words(getattr(query, name))) is not None
    }
    return chosen | {"months": period(view, query.months)}


def period(view: PanelView, months: int) -> str:
    return view.say(N_("This month")) if months == 1 else view.say(N_("Last %(count)s months"), count=months)


def month_name(view: PanelView, month: date) -> str:
    """Formats a month as `nov 26`."""
    text: str = format_date(month, "LLL yy", locale=view.locale.replace("-", "_"))
    return text.replace(".", "")


def list_month_names(view: PanelView, counts: Mapping[date, int]) -> list[tuple[str, int]]:
    return [(month_name(view, each), count) for each, count in counts.items()]
