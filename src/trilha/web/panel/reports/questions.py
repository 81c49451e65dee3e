"""/admin/reports/questions: the answers to a course's questions."""

from trilha.core.database import Tx
from trilha.core.web.answers import Html
from trilha.core.web.routes import Routes
from trilha.kit import N_
from trilha.training.reports import questions
from trilha.training.reports.questions import Duration
from trilha.web.panel.reach import reach_of
from trilha.web.panel.reports.filters import READ, ReportQuery, read_filters
from trilha.web.panel.view import PanelView

routes = Routes("Questions", "How questions are answered.")
_SPANS = {
    1: N_("Within a day"),
    7: N_("2 to 7 days"),
    30: N_("8 to 30 days"),
    90: N_("31 to 90 days"),
    None: N_("Longer"),
}


@routes.get("/reports/questions", access=READ)
async def show_questions(tx: Tx, view: PanelView, query: ReportQuery) -> Html:
    """Show how a course's questions are answered, and how long the course takes to complete."""
    filters = await read_filters(tx, view, "/questions", query)
    found = await questions.get(tx, reach_of(view), filters.build_filter(tx.today)) if query.course else None
    took = [(_span(view, each), each.people) for each in found.durations] if found else []
    return view.show(
        "panel/reports/questions.html",
        filters=filters,
        title=filters.chosen.get("course", ""),
        found=found,
        durations=took,
        done=sum(people for _, people in took),
    )


def _span(view: PanelView, duration: Duration) -> str:
    return view.say(_SPANS[duration.days])
