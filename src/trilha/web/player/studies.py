"""Reports of what a person watched and read. The answer is always JSON, as for commits."""

from trilha.core import metrics
from trilha.core.database import Tx
from trilha.core.web.answers import Answer, json_answer
from trilha.core.web.callers import Caller
from trilha.core.web.routes import RawBody, Routes
from trilha.training.learning.player_reports.schema import ReportResult
from trilha.training.learning.studies import actions as studies
from trilha.web.player.identity import OF_LAUNCH, get_context
from trilha.web.player.reports import COMMIT_FAILED, SAVED_OUTCOMES, ReportAnswer

_MAX_BYTES = 256 * 1024
routes = Routes("Studies", "Reports of what a person watched and read.")


class StudyAnswer(ReportAnswer, frozen=True, rename="camel"):
    """`progress` is the module's, from 0 to 100; null if nothing counted."""

    progress: float | None = None


def _build_answer(kind: str, result: ReportResult) -> Answer:
    metrics.count_report(kind, result.outcome)
    saved = result.outcome in SAVED_OUTCOMES
    code = 0 if saved else COMMIT_FAILED
    answer = StudyAnswer(
        saved, code, result.outcome, result.superseded, False, result.completed, result.progress
    )
    return json_answer(200 if saved else 409, answer)


@routes.post("/l/{token}/watched", access=OF_LAUNCH, rate_limit="report", urgent=True, max_body=_MAX_BYTES)
async def report_video(tx: Tx, caller: Caller, token: str, data: RawBody) -> Answer:
    """Record which parts of a video were played."""
    sent = studies.read_report("watched", data.content)
    return _build_answer(
        "watched", await studies.apply_report(tx, get_context(caller).launch_id, "watched", sent)
    )


@routes.post("/l/{token}/dwelled", access=OF_LAUNCH, rate_limit="report", urgent=True, max_body=_MAX_BYTES)
async def report_document(tx: Tx, caller: Caller, token: str, data: RawBody) -> Answer:
    """Record how long each page of a document was visible."""
    sent = studies.read_report("dwelled", data.content)
    return _build_answer(
        "dwelled", await studies.apply_report(tx, get_context(caller).launch_id, "dwelled", sent)
    )


@routes.post("/l/{token}/read", access=OF_LAUNCH, rate_limit="report", urgent=True, max_body=_MAX_BYTES)
async def report_article(tx: Tx, caller: Caller, token: str, data: RawBody) -> Answer:
    """Record how far an article was read, and for how long."""
    sent = studies.read_report("read", data.content)
    result = await studies.apply_report(tx, get_context(caller).launch_id, "read", sent)
    return _build_answer("read", result)
