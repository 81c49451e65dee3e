"""/admin/reports/compliance: people who lack documents or study time in a regulated course."""

from typing import Annotated

from msgspec import Meta

from trilha.core.database import Tx
from trilha.core.web.answers import Html
from trilha.core.web.routes import Routes
from trilha.training.reports import compliance
from trilha.web.panel import lists
from trilha.web.panel.reach import reach_of
from trilha.web.panel.reports.filters import READ, ReportQuery, read_filters
from trilha.web.panel.view import PanelView

routes = Routes("Compliance", "Who lacks what in regulated courses.")


class ComplianceQuery(ReportQuery, frozen=True, kw_only=True):
    after: Annotated[str, Meta(max_length=100)] | None = None


@routes.get("/reports/compliance", access=READ)
async def show_compliance(tx: Tx, view: PanelView, query: ComplianceQuery) -> Html:
    """Show who lacks documents or study time in a regulated course, and whose certificate expires."""
    filters = await read_filters(tx, view, "/compliance", query, takes=("course", "unit", "group"))
    reach = reach_of(view)
    courses = await compliance.list_courses(tx, reach)
    course = next((each for each in courses if each.id == query.course), None)
    if course is None and courses and query.course is None:
        course = courses[0]
    page = None
    if course:
        page = await compliance.list_lacking(tx, reach, course, filters.build_filter(tx.today), query.after)
    return view.show(
        "panel/reports/compliance.html",
        filters=filters,
        courses=[(str(each.id), each.title) for each in courses],
        course=course,
        page_of=page,
        following=lists.address(filters.action, query, after=page.after) if page and page.after else "",
    )
