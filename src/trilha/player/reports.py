"""What a browser sends of a launch: commits, heartbeats, traces. It is always answered in JSON."""

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from trilha.core.database import Tx
from trilha.core.errors import BadRequest
from trilha.core.web.answers import Answer, json_answer
from trilha.core.web.callers import Caller
from trilha.core.web.routes import MIB, RawBody, Routes
from trilha.learning.commits import actions as commits
from trilha.learning.launches import heartbeats
from trilha.learning.reports.schema import Outcome
from trilha.player.identity import OF_LAUNCH, get_context

# SCORM's general errors: the commit failed (2004: 391); something is wrong (1.2: 101).
COMMIT_FAILED, REFUSED = 391, 101
# What needs not be sent again. Of a REVIEW nothing counts, and the page says so from its beginning.
SAVED: Sequence[Outcome] = ("APPLIED", "REPEATED", "STALE", "REVIEW")
_COMMIT_BYTES, _BEAT_BYTES, _TRACE_BYTES = 2 * MIB, 1024, 128 * 1024
routes = Routes("Reports", "What a browser sends of a launch.")


class Reported(Struct, frozen=True, rename="camel"):
    """In the form that runtimes of SCORM read. `outcome` says why nothing was saved, or that it was."""

    result: bool
    error_code: int
    outcome: str
    superseded: bool = False
    expired: bool = False
    completed: bool = False


class Beat(Struct, frozen=True):
    """`visible`: the page was seen ever since the last one. `base`: what the page began with."""

    visible: bool
    base: int | None = None


Text = Annotated[str, Meta(max_length=300)]


class Call(Struct, frozen=True):
    """One call of content to the runtime, shortened. `at` is in milliseconds since the page was loaded."""

    at: Annotated[float, Meta(ge=0, le=1e12)]
    name: Annotated[str, Meta(max_length=40)]
    element: Text = ""
    value: Text = ""
    result: Text = ""
    error: Annotated[int, Meta(ge=0, le=99_999)] = 0


class Trace(Struct, frozen=True):
    calls: Annotated[list[Call], Meta(max_length=250)]


def _storable(call: Call) -> dict[str, Any]:
    """PostgreSQL has no text with a NUL in it; content has some in its state."""
    members: dict[str, Any] = msgspec.to_builtins(call)
    return {
        name: value.replace("\0", "\ufffd") if isinstance(value, str) else value
        for name, value in members.items()
    }


def read(kind: type[Any], raw: bytes) -> Any:
    """A small body of ours. Raises BadRequest for what is none."""
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise BadRequest("malformed_json") from None


def reported(outcome: Outcome, *, superseded: bool, completed: bool = False) -> Answer:
    """To a report that is judged as commits are: 409 where it is not saved, and will not be."""
    saved = outcome in SAVED
    answer = Reported(saved, 0 if saved else COMMIT_FAILED, outcome, superseded, False, completed)
    return json_answer(200 if saved else 409, answer)


@routes.post("/l/{token}/commit", access=OF_LAUNCH, rate_limit="report", urgent=True, max_body=_COMMIT_BYTES)
async def commit(tx: Tx, caller: Caller, token: str, data: RawBody) -> Answer:
    """Take what content has committed. A beacon says that it is text."""
    sent = commits.read_commit(data.content)
    done = await commits.apply_commit(tx, get_context(caller).launch_id, sent)
    return reported(done.outcome, superseded=done.superseded, completed=done.completed)


@routes.post(
    "/l/{token}/heartbeat", access=OF_LAUNCH, rate_limit="heartbeat", urgent=True, max_body=_BEAT_BYTES
)
async def heartbeat(tx: Tx, caller: Caller, token: str, data: RawBody) -> Answer:
    """Note that the page is open, and credit the time since the last one where it was seen."""
    beat = read(Beat, data.content)
    done = await heartbeats.record_heartbeat(
        tx, get_context(caller).launch_id, visible=beat.visible, base=beat.base
    )
    outcome = "EXPIRED" if done.expired else "APPLIED"
    return json_answer(
        200, Reported(not done.expired, 0, outcome, done.superseded, done.expired, done.completed)
    )


@routes.post("/l/{token}/trace", access=OF_LAUNCH, rate_limit="trace", max_body=_TRACE_BYTES)
async def trace(tx: Tx, caller: Caller, token: str, data: RawBody) -> Answer:
    """Keep calls of content to the runtime, for whoever looks why a package fails."""
    sent = read(Trace, data.content)
    kept = await heartbeats.record_trace(
        tx, get_context(caller).launch_id, [_storable(each) for each in sent.calls]
    )
    return json_answer(200, Reported(kept, 0, "KEPT" if kept else "FULL"))
