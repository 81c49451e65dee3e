"""What all pages of reports are filtered by: kept from page to page, on paper and in the report by mail."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Annotated
from uuid import UUID

from babel.dates import format_date
from msgspec import Meta, Struct, structs

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.web.routes import Refusal
from trilha.pages import N_
from trilha.panel import choices, lists
from trilha.panel.choices import Choices
from trilha.panel.view import HOME, PanelView
from trilha.reports.wanted import MONTHS, Wanted, last_months
from trilha.sessions.permissions import Permission, may

ADDRESS = f"{HOME}/reports"
READ = may(Permission.REPORTS_READ)
# Beside those of MONTHS, which are shown where nothing is chosen.
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
    """`months` is how many, of which this one is the last."""

    course: UUID | None = None
    unit: UUID | None = None
    group: UUID | None = None
    months: Annotated[int, Meta(ge=1, le=60)] = MONTHS


class Filters(Struct, frozen=True):
    """What a page of reports has above it. `takes` are the names of the filters that it takes; what it does
    not take is kept for the other pages. `chosen` are those in use in words, by their names, `active` each
    with the address without it, `clear` the one without any. `tabs` are words, addresses and whether it is
    this page."""

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
    def sent(self) -> list[tuple[str, object]]:
        """Names and values of what is in use, for a form."""
        values = structs.asdict(self.query)
        return [(name, value) for name, value in values.items() if value not in (None, MONTHS)]

    @property
    def kept(self) -> list[tuple[str, object]]:
        """The same of what this page does not take."""
        return [each for each in self.sent if each[0] not in self.takes]

    def of_course(self, path: str, course_id: UUID) -> str:
        """Another page, of this course."""
        return lists.address(ADDRESS + path, self.query, course=course_id)

    def wanted(self, today: date) -> Wanted:
        since, until = last_months(today, self.query.months)
        return Wanted(since, until, self.query.course, self.query.unit, self.query.group)


async def read_filters(
    tx: Tx,
    view: PanelView,
    path: str,
    query: ReportQuery,
    takes: Sequence[str] = _EVERY,
    refusal: Refusal | None = None,
) -> Filters:
    """Of the page at `path` below ADDRESS; what is in a form that is refused is offered again.

    Raises NotFound for what is out of reach.
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
    chosen = _chosen(view, bare, offered)
    tabs = [(view.say(words), lists.address(ADDRESS + to, bare), to == path) for to, words in _TABS.items()]
    # What such a page is about is chosen anew, not taken away.
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
    """Without what only one page has."""
    return ReportQuery(course=query.course, unit=query.unit, group=query.group, months=query.months)


def _chosen(view: PanelView, query: ReportQuery, offered: Mapping[str, Choices]) -> dict[str, str]:
    chosen = {
        name: words
        for name, each in offered.items()
        if (words := each.words(getattr(query, name))) is not None
    }
    return chosen | {"months": period(view, query.months)}


def period(view: PanelView, months: int) -> str:
    return view.say(N_("This month")) if months == 1 else view.say(N_("Last %(count)s months"), count=months)


def month_name(view: PanelView, month: date) -> str:
    """`nov 26`."""
    text: str = format_date(month, "LLL yy", locale=view.locale.replace("-", "_"))
    return text.replace(".", "")


def named_months(view: PanelView, counts: Mapping[date, int]) -> list[tuple[str, int]]:
    return [(month_name(view, each), count) for each, count in counts.items()]
