"""What the player reports, one after the other in each enrollment: commits, heartbeats, traces, and what
`studying` has.

Nothing that content or a script can send raises beyond `launch_not_found` and a body that is none: what does
not count is in the log, and the outcome tells why.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import msgspec
from msgspec import structs

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.enrollments.schema import EnrollmentStatus
from trilha.events.outbox import emit
from trilha.learning import (
    attempt_queries,
    completion,
    launch_queries,
    log,
    outcomes,
    queries,
    reporting,
    rules,
    unapplied,
)
from trilha.learning.answering import answer as answer
from trilha.learning.answering import read_answers as read_answers
from trilha.learning.launching import launch as launch
from trilha.learning.rules import Outcome
from trilha.learning.schema import Attempt, Beat, Commit, Committed, Head, Launch
from trilha.learning.studying import dwelled as dwelled
from trilha.learning.studying import read as read
from trilha.learning.studying import read_dwelled as read_dwelled
from trilha.learning.studying import read_read as read_read
from trilha.learning.studying import read_watched as read_watched
from trilha.learning.studying import watched as watched
from trilha.scorm.runtime import elements, interactions, mapping
from trilha.scorm.runtime.elements import Dropped
from trilha.scorm.runtime.mapping import ItemSettings, State


def read_commit(raw: bytes) -> Commit:
    """The body as scorm-again sends it, with `launch: {sequence, final}`. Raises BadRequest (malformed_json)
    and Invalid."""
    body, members = reporting.read_report(raw)
    sequencing = rules.sequencing_of(body.get("sequencing"))
    return Commit(cmi=body.get("cmi"), sequencing=sequencing, **members)


async def commit(tx: Tx, launch_id: UUID, sent: Commit, *, held: bool = False) -> Committed:
    """Takes what content has committed. Raises NotFound (launch_not_found) where it is no launch of content.

    What is APPLIED or REPEATED is saved; STALE was overtaken by what is; in a REVIEW nothing counts. The rest
    is not saved. `held`: the browser had kept it, and its person is signed in.
    """
    head, launch, attempt = await reporting.locked(tx, launch_id)
    if attempt.version is None:
        raise NotFound("launch_not_found")
    outcome = reporting.judge(tx, head, launch, attempt, sent, held=held)
    superseded = launch.superseded_by is not None
    if outcome == "REPEATED":
        return Committed(outcome, superseded)
    cmi, dropped = elements.clean(attempt.version, sent.cmi)
    if outcome not in ("APPLIED", "REVIEW"):
        await _log_commit(tx, head, launch, sent, outcome, held=held)
        if rules.is_given_up(outcome, held=held):
            await unapplied.keep_report(tx, launch, "commit", outcome, sent, unapplied.summary_of(cmi))
        return Committed(outcome, superseded)
    await attempt_queries.take_commit(tx, launch, sent, held=held)
    if sent.sequencing and attempt.package_id:
        await launch_queries.keep_sequencing(tx, head.enrollment_id, attempt.package_id, sent.sequencing)
    if outcome == "REVIEW":
        await _log_commit(tx, head, launch, sent, outcome, cmi, dropped, held=held)
        return Committed(outcome, superseded)
    state = await _apply(tx, head, launch, attempt, sent, cmi)
    told = reporting.told_state(state)
    head = await _log_commit(tx, head, launch, sent, outcome, cmi, dropped, held=held, state=told)
    completed = await completion.evaluate(tx, head, launch.id, attempt, reporting.reached(state))
    return Committed(outcome, superseded, completed)


async def heartbeat(tx: Tx, launch_id: UUID, *, visible: bool, base: int | None = None) -> Beat:
    """`visible`: the page was seen ever since the last heartbeat; `base` as with a Commit.

    Raises NotFound (launch_not_found).
    """
    head, launch, attempt = await reporting.locked(tx, launch_id)
    outdated = rules.is_outdated(base, launch.number, attempt.late_commits, attempt.late_launch)
    superseded = outdated or launch.superseded_by is not None
    if rules.is_expired(reporting.moment(launch.seen_at), tx.now):
        return Beat(0.0, superseded, True)
    holder = await queries.lock_clock(tx, head.user_id)
    # A review earns too, as long as the course is not completed: time may be what is missing.
    earns = visible and launch.superseded_by is None and head.status == EnrollmentStatus.IN_PROGRESS
    seconds = rules.credit(launch.id, reporting.moment(launch.beat_at), holder, tx.now, visible=earns)
    await attempt_queries.note_beat(tx, launch, attempt, seconds)
    if not seconds:
        return Beat(0.0, superseded, False)
    await queries.set_clock(tx, head.user_id, launch.id)
    head = structs.replace(head, credited_seconds=head.credited_seconds + seconds)
    head = await log.append(tx, head, "beat", launch.id, credited=seconds)
    # The workload may be all that was missing.
    completed = await completion.evaluate(tx, head, launch.id)
    return Beat(seconds, superseded, False, completed)


async def trace(tx: Tx, launch_id: UUID, calls: Sequence[Any]) -> bool:
    """Keeps calls of content to the runtime; False where the trace is full. Raises NotFound."""
    if not await attempt_queries.hold(tx, launch_id):
        raise NotFound("launch_not_found")
    return await attempt_queries.add_trace(tx, launch_id, calls)


async def _apply(
    tx: Tx, head: Head, launch: Launch, attempt: Attempt, sent: Commit, cmi: dict[str, Any]
) -> State:
    assert attempt.version is not None
    before = await attempt_queries.get_cmi(tx, attempt.id)
    kept = rules.kept_cmi(before, cmi)
    if launch.superseded_by is not None and rules.goes_on_elsewhere(before, kept):
        await attempt_queries.note_late(tx, attempt, launch)
    settings = msgspec.convert(attempt.settings, ItemSettings)
    state = mapping.normalise(attempt.version, cmi, settings, final=sent.final, before=_state_of(attempt))
    told = rules.to_tell(attempt.told, state, final=sent.final)  # type: ignore[arg-type]
    last = told[-1] if told else attempt.told
    await attempt_queries.update_attempt(tx, attempt, launch, state, kept, last, final=sent.final)
    await _take_answers(tx, attempt, cmi, state)
    await emit(tx, *outcomes.assessment_events(head, attempt, state, told))
    return state


async def _take_answers(tx: Tx, attempt: Attempt, cmi: dict[str, Any], state: State) -> None:
    assert attempt.version is not None
    if answers := interactions.read(attempt.version, cmi, state.session_seconds):
        await attempt_queries.write_interactions(tx, attempt.id, answers)


async def _log_commit(
    tx: Tx,
    head: Head,
    launch: Launch,
    sent: Commit,
    outcome: Outcome,
    cmi: dict[str, Any] | None = None,
    dropped: Sequence[Dropped] = (),
    *,
    held: bool,
    **more: Any,
) -> Head:
    """The body is told by its hash; what it said of the state, as it said it."""
    detail = {
        "sequence": sent.sequence,
        "final": sent.final,
        "outcome": outcome,
        "body": sent.hash.hex(),
        "said": rules.logged(cmi or {}),
        "dropped": [each.element for each in dropped[:20]],
        **reporting.told_sending(sent, held=held),
    }
    return await log.append(tx, head, "commit", launch.id, **detail, **more)


def _state_of(attempt: Attempt) -> State:
    names = ("completion", "success", "score", "progress", "exit")
    return State(**{name: getattr(attempt, name) for name in names})
