"""/admin/courses/{id}/evaluations, and the same as CSV"""

import codecs
from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.spreadsheets import csv_lines
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Routes
from trilha.kit import N_, formats
from trilha.training.courses import queries as courses
from trilha.training.courses import search as course_search
from trilha.training.courses.schema import Course
from trilha.training.evaluations import queries
from trilha.training.evaluations.rules import GRADES, QUESTIONS, Scale
from trilha.training.evaluations.schema import Period, Results
from trilha.web.panel.courses.pages import ADDRESS, READ
from trilha.web.panel.reach import teacher_of
from trilha.web.panel.view import PanelView

routes = Routes("Evaluations", "What learners think of a course.")
WORDS = {
    "content": N_("Content"),
    "clarity": N_("Clarity"),
    "instructor": N_("Instructor and support"),
    "platform": N_("Platform"),
    "applicability": N_("Useful for work"),
}
PERIODS: dict[Period, str] = {
    "all": N_("Always"),
    "year": N_("Last 12 months"),
    "quarter": N_("Last 3 months"),
}
_SPANS = {"year": timedelta(days=365), "quarter": timedelta(days=91)}


class EvaluationQuery(Struct, frozen=True, kw_only=True):
    """Only batches of answers that were published in this period."""

    period: Period = "all"


def _begin(tx: Tx, query: EvaluationQuery) -> datetime | None:
    span = _SPANS.get(query.period)
    return tx.now - span if span else None


async def _find_course(tx: Tx, view: PanelView, course_id: UUID) -> Course:
    course = await courses.get(tx, course_id)
    if (teacher := teacher_of(view)) and not await course_search.is_taught_by(tx, course_id, teacher):
        raise NotFound("course_not_found")
    return course


@routes.get("/courses/{course_id}/evaluations", access=READ)
async def show_results(tx: Tx, view: PanelView, course_id: UUID, query: EvaluationQuery) -> Html:
    """Shows the results of a course: averages, distributions, NPS and texts."""
    course = await _find_course(tx, view, course_id)
    since = _begin(tx, query)
    return view.show(
        "panel/evaluations/results.html",
        course=course,
        query=query,
        periods=PERIODS,
        words=WORDS,
        points=_list_points,
        results=await queries.get_results(tx, course_id, since),
        texts=await queries.list_texts(tx, course_id, "REACTION", since),
        applied_texts=await queries.list_texts(tx, course_id, "APPLICATION", since),
        is_offered=await queries.are_offered(tx),
        path=f"{ADDRESS}/{course_id}/evaluations",
    )


def _list_points(scale: Scale) -> list[tuple[str, int]]:
    """Returns the bars of a scale, the best grade first."""
    pairs = zip(GRADES, scale.distribution, strict=True)
    return [(str(grade), count) for grade, count in reversed(list(pairs))]


@routes.get("/courses/{course_id}/evaluations.csv", access=READ)
async def download_results(tx: Tx, view: PanelView, course_id: UUID, query: EvaluationQuery) -> Answer:
    """Downloads the results of a course as CSV."""
    course = await _find_course(tx, view, course_id)
    since = _begin(tx, query)
    rows = [("section", "item", "value"), *_write_results(await queries.get_results(tx, course_id, since))]
    rows += [("text", "", each) for each in await queries.list_texts(tx, course_id, "REACTION", since)]
    applied = await queries.list_texts(tx, course_id, "APPLICATION", since)
    rows += [("applied_text", "", each) for each in applied]
    content = codecs.BOM_UTF8 + csv_lines(rows, formats.csv_separator(view.page)).encode()
    disposition = f'attachment; filename="trilha-evaluations-{course.slug}.csv"'.encode()
    headers = [(b"content-type", b"text/csv; charset=utf-8"), (b"content-disposition", disposition)]
    return Answer(200, content, headers)


def _write_results(results: Results) -> Sequence[tuple[str, str, object]]:
    rows: list[tuple[str, str, object]] = []
    for name in QUESTIONS:
        rows += _write_scale(name, results.scales.get(name))
    if results.nps:
        names = ("score", "promoters", "passives", "detractors")
        rows += [("nps", name, getattr(results.nps, name)) for name in names]
    return rows + _write_scale("applied", results.applied)


def _write_scale(name: str, scale: Scale | None) -> list[tuple[str, str, object]]:
    if scale is None:
        return []
    counts = zip(GRADES, scale.distribution, strict=True)
    return [
        (name, "answers", scale.answers),
        (name, "average", scale.average),
        *((name, str(grade), count) for grade, count in counts),
    ]
