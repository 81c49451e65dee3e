"""What a browser tells of what is watched and read. As with commits, it is always answered in JSON."""

from trilha.core.database import Tx
from trilha.core.web.answers import Answer, json_answer
from trilha.core.web.callers import Caller
from trilha.core.web.routes import RawBody, Routes
from trilha.learning.reports.schema import ReportResult
from trilha.learning.studies import actions as studies
from trilha.player.identity import OF_LAUNCH, get_context
from trilha.player.reports import COMMIT_FAILED, SAVED, Reported

_MOST_BYTES = 256 * 1024
routes = Routes("Studies", "What is watched and read.")


class Studied(Reported, frozen=True, rename="camel"):
    """`progress` is the module's, from 0 to 100; null where nothing counted."""

    progress: float | None = None


def _answer(done: ReportResult) -> Answer:
    saved = done.outcome in SAVED
    code = 0 if saved else COMMIT_FAILED
    told = Studied(saved, code, done.outcome, done.superseded, False, done.completed, done.progress)
    return json_answer(200 if saved else 409, told)


@routes.post("/l/{token}/watched", access=OF_LAUNCH, rate_limit="report", urgent=True, max_body=_MOST_BYTES)
async def watched(tx: Tx, caller: Caller, token: str, data: RawBody) -> Answer:
    """Take which parts of a video were played."""
    sent = studies.read_report("watched", data.content)
    return _answer(await studies.apply_report(tx, get_context(caller).launch_id, "watched", sent))


@routes.post("/l/{token}/dwelled", access=OF_LAUNCH, rate_limit="report", urgent=True, max_body=_MOST_BYTES)
async def dwelled(tx: Tx, caller: Caller, token: str, data: RawBody) -> Answer:
    """Take how long the pages of a document were shown."""
    sent = studies.read_report("dwelled", data.content)
    return _answer(await studies.apply_report(tx, get_context(caller).launch_id, "dwelled", sent))


@routes.post("/l/{token}/read", access=OF_LAUNCH, rate_limit="report", urgent=True, max_body=_MOST_BYTES)
async def read(tx: Tx, caller: Caller, token: str, data: RawBody) -> Answer:
    """Take how far an article was read, and for how long."""
    sent = studies.read_report("read", data.content)
    return _answer(await studies.apply_report(tx, get_context(caller).launch_id, "read", sent))
