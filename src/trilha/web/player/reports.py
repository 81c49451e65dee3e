"""Reports of a launch: commits, heartbeats, traces. The answer is always JSON."""

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from trilha.core import metrics
from trilha.core.database import Tx
from trilha.core.errors import BadRequest
from trilha.core.web.answers import Answer, json_answer
from trilha.core.web.callers import Caller
from trilha.core.web.routes import MIB, RawBody, Routes
from trilha.training.learning.commits import actions as commits
from trilha.training.learning.launches import heartbeats
from trilha.training.learning.offline_time import actions as offline_time
from trilha.training.learning.player_reports.schema import Outcome
from trilha.web.player.identity import OF_LAUNCH, get_context

# SCORM's general errors: the commit failed (2004: 391); something is wrong (1.2: 101).
COMMIT_FAILED, GENERAL_ERROR = 391, 101
# Outcomes after which a report need not be sent again. In a REVIEW nothing counts, and the page says so.
SAVED_OUTCOMES: Sequence[Outcome] = ("APPLIED", "REPEATED", "STALE", "REVIEW")
_COMMIT_BYTES, _BEAT_BYTES, _TRACE_BYTES = 2 * MIB, 1024, 128 * 1024
routes = Routes("Reports", "What a launch reports: commits, heartbeats and traces.")


class ReportAnswer(Struct, frozen=True, rename="camel"):
    """The answer to a report, as SCORM runtimes read it. `outcome` says whether it was saved, or why not."""

    result: bool
    error_code: int
    outcome: str
    superseded: bool = False
    expired: bool = False
    completed: bool = False


class Heartbeat(Struct, frozen=True):
    """A heartbeat. `visible`: since the last one; `base`: the `late_commits` that the page began with.

    `offline` are the seconds for which the launch was visible without a connection.
    """

    visible: bool
    base: int | None = None
    offline: Annotated[float, Meta(ge=0, le=1e9)] = 0.0


Text = Annotated[str, Meta(max_length=300)]


class Call(Struct, frozen=True):
    """One call of content to the runtime, shortened. `at` is in milliseconds since the page loaded."""

    at: Annotated[float, Meta(ge=0, le=1e12)]
    name: Annotated[str, Meta(max_length=40)]
    element: Text = ""
    value: Text = ""
    result: Text = ""
    error: Annotated[int, Meta(ge=0, le=99_999)] = 0


class Trace(Struct, frozen=True):
    calls: Annotated[list[Call], Meta(max_length=250)]


def _storable(call: Call) -> dict[str, Any]:
    """Replaces NUL characters, which content sends and PostgreSQL cannot store."""
    members: dict[str, Any] = msgspec.to_builtins(call)
    return {
        name: value.replace("\0", "\ufffd") if isinstance(value, str) else value
        for name, value in members.items()
    }


def decode(kind: type[Any], raw: bytes) -> Any:
    """Decodes a body that our own script sent. Raises BadRequest (malformed_json)."""
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise BadRequest("malformed_json") from None


def build_answer(outcome: Outcome, *, superseded: bool, completed: bool = False) -> Answer:
    """Builds the answer to a report: 409 if it was not saved and will not be."""
    saved = outcome in SAVED_OUTCOMES
    answer = ReportAnswer(saved, 0 if saved else COMMIT_FAILED, outcome, superseded, False, completed)
    return json_answer(200 if saved else 409, answer)


@routes.post("/l/{token}/commit", access=OF_LAUNCH, rate_limit="report", urgent=True, max_body=_COMMIT_BYTES)
async def commit(tx: Tx, caller: Caller, token: str, data: RawBody) -> Answer:
    """Save a commit. The body is JSON even if its type is text, as that of a beacon is."""
    sent = commits.read_commit(data.content)
    result = await commits.apply_commit(tx, get_context(caller).launch_id, sent)
    metrics.count_report("commit", result.outcome)
    return build_answer(result.outcome, superseded=result.superseded, completed=result.completed)


@routes.post(
    "/l/{token}/heartbeat", access=OF_LAUNCH, rate_limit="heartbeat", urgent=True, max_body=_BEAT_BYTES
)
async def heartbeat(tx: Tx, caller: Caller, token: str, data: RawBody) -> Answer:
    """Record that the page is open, and credit the time since the last heartbeat if it was visible."""
    beat = decode(Heartbeat, data.content)
    launch_id = get_context(caller).launch_id
    # Before the heartbeat earns time itself, which is all later.
    completed = await offline_time.credit_live(tx, launch_id, beat.offline) if beat.offline else False
    result = await heartbeats.record_heartbeat(tx, launch_id, visible=beat.visible, base=beat.base)
    outcome = "EXPIRED" if result.expired else "APPLIED"
    return json_answer(
        200,
        ReportAnswer(
            not result.expired, 0, outcome, result.superseded, result.expired, completed or result.completed
        ),
    )


@routes.post("/l/{token}/trace", access=OF_LAUNCH, rate_limit="trace", max_body=_TRACE_BYTES)
async def trace(tx: Tx, caller: Caller, token: str, data: RawBody) -> Answer:
    """Store calls of content to the runtime, which help to find out why a package fails."""
    sent = decode(Trace, data.content)
    stored = await heartbeats.record_trace(
        tx, get_context(caller).launch_id, [_storable(each) for each in sent.calls]
    )
    return json_answer(200, ReportAnswer(stored, 0, "KEPT" if stored else "FULL"))
