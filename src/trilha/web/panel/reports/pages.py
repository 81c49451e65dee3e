"""/admin/reports: completion, and the report by e-mail."""

from typing import Literal

from trilha.core.database import Tx
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, formats
from trilha.training.reports import dashboards, mails
from trilha.training.reports.mails import ReportMail
from trilha.web.panel import choices, lists
from trilha.web.panel.reach import reach_of
from trilha.web.panel.reports.filters import (
    ADDRESS,
    READ,
    ReportQuery,
    list_month_names,
    period,
    read_filters,
)
from trilha.web.panel.view import PanelView

routes = Routes("Reports", "How training goes, and what is missing.")


@routes.get("/reports", access=READ)
async def show_reports(tx: Tx, view: PanelView, query: ReportQuery, refusal: Refusal | None = None) -> Html:
    """Show completion over time and by course."""
    filters = await read_filters(tx, view, "", query)
    standing = await dashboards.get(tx, reach_of(view), filters.build_filter(tx.today))
    months = list_month_names(view, standing.months or {})
    mail = await mails.find(tx, view.viewer.user_id)
    return view.form(
        "panel/reports/overview.html",
        refusal,
        {"every": mail.every if mail else "never"},
        filters=filters,
        standing=standing,
        months=months,
        completed=sum(count for _, count in months),
        mailed=await _words(tx, view, mail) if mail else [],
    )


class MailForm(ReportQuery, frozen=True, kw_only=True):
    """Subscribes with the filters of the page."""

    every: Literal["never", "week", "month"] = "never"


@routes.post("/reports/mail", access=READ, refused=show_reports)
async def change_mail(tx: Tx, view: PanelView, form: MailForm) -> Answer:
    """Subscribe to the report by e-mail, or unsubscribe."""
    query = ReportQuery(course=form.course, unit=form.unit, group=form.group, months=form.months)
    await read_filters(tx, view, "", query)
    wanted = None
    if form.every != "never":
        wanted = ReportMail(form.every, form.course, form.unit, form.group, form.months)
    await mails.change(tx, view.viewer.user_id, wanted, view.viewer.time_zone)
    back = lists.address(ADDRESS, query)
    if wanted is None:
        return view.lead(back, N_("You no longer receive the report by e-mail."))
    return view.lead(
        back, N_("You will receive the next report on %(day)s."), day=_next(tx, view, wanted.every)
    )


def _next(tx: Tx, view: PanelView, every: mails.Every) -> str:
    return formats.day_text(view.page, mails.next_after(every, tx.now, view.viewer.time_zone).date())


async def _words(tx: Tx, view: PanelView, mail: ReportMail) -> list[str]:
    """Describes the subject of the e-mail."""
    about = [
        (choices.courses, mail.course_id),
        (choices.units, mail.unit_id),
        (choices.groups, mail.group_id),
    ]
    found = [(await offer(tx, view, id)).words(id) for offer, id in about if id]
    return [*filter(None, found), period(view, mail.months)]
