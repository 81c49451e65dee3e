"""/admin/reports/deadlines: overdue enrollments, and certificates that expire."""

from typing import Literal

from trilha.core.database import Tx
from trilha.core.lists import Count, count
from trilha.core.web.answers import Html
from trilha.core.web.routes import Routes
from trilha.training.certificates.lists import CERTIFICATE_ROWS as CERTIFICATES
from trilha.training.certificates.schema import CertificateSearch
from trilha.training.reports import deadlines
from trilha.web.panel.reach import reach_of
from trilha.web.panel.reports.filters import READ, Filters, ReportQuery, list_month_names, read_filters
from trilha.web.panel.view import PanelView

routes = Routes("Deadlines", "What ran out, and what will.")


@routes.get("/reports/deadlines", access=READ)
async def show_deadlines(tx: Tx, view: PanelView, query: ReportQuery) -> Html:
    """Overdue enrollments and certificates that expire, by month and by course."""
    filters = await read_filters(tx, view, "/deadlines", query)
    found = await deadlines.get(tx, reach_of(view), filters.build_filter(tx.today))
    overdue = list_month_names(view, found.overdue) if found else []
    expiring = list_month_names(view, found.expiring) if found else []
    return view.show(
        "panel/reports/deadlines.html",
        filters=filters,
        found=found,
        overdue=overdue,
        expiring=expiring,
        due_soon=await _count(tx, view, filters, "expiring"),
        renewal=await _count(tx, view, filters, "renewal"),
    )


async def _count(
    tx: Tx, view: PanelView, filters: Filters, status: Literal["expiring", "renewal"]
) -> Count | None:
    """Returns None with a filter that the list of certificates does not have."""
    if filters.query.unit or filters.query.group:
        return None
    certificates = CertificateSearch(status=status, course=filters.query.course)
    return await count(tx, CERTIFICATES, certificates, reach_of(view))
