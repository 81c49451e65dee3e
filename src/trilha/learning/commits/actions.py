"""Commits of SCORM content."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import msgspec

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.events.outbox import emit
from trilha.learning.attempts import events as attempt_events
from trilha.learning.attempts import queries as attempt_queries
from trilha.learning.attempts.schema import Attempt
from trilha.learning.commits import queries, rules
from trilha.learning.commits.schema import Commit
from trilha.learning.completion import actions as completion
from trilha.learning.evidence import log
from trilha.learning.evidence.schema import LogHead
from trilha.learning.launches import queries as launch_queries
from trilha.learning.launches.schema import Launch
from trilha.learning.reports import actions as reports
from trilha.learning.reports import parsing, unapplied
from trilha.learning.reports import queries as report_queries
from trilha.learning.reports import rules as report_rules
from trilha.learning.reports.schema import Outcome, ReportResult
from trilha.scorm.runtime import elements, interactions, mapping
from trilha.scorm.runtime.elements import Dropped
from trilha.scorm.runtime.mapping import ItemSettings, State


def read_commit(raw: bytes) -> Commit:
    """The body as scorm-again sends it, with `launch: {sequence, final}`. Raises BadRequest (malformed_json)
    and Invalid."""
    body, members = parsing.read_report(raw)
    sequencing = rules.read_sequencing(body.get("sequencing"))
    return Commit(cmi=body.get("cmi"), sequencing=sequencing, **members)


async def apply_commit(tx: Tx, launch_id: UUID, sent: Commit, *, held: bool = False) -> ReportResult:
    """Takes what content has committed. Raises NotFound (launch_not_found) where it is no launch of content.

    What is APPLIED or REPEATED is saved; STALE was overtaken by what is; in a REVIEW nothing counts. The rest
    is not saved. `held`: the browser had kept it, and its person is signed in.
    """
    head, launch, attempt = await launch_queries.lock_launch(tx, launch_id)
    if attempt.version is None:
        raise NotFound("launch_not_found")
    outcome = reports.decide_report_outcome(tx, head, launch, attempt, sent, held=held)
    superseded = launch.superseded_by is not None
    if outcome == "REPEATED":
        return ReportResult(outcome, superseded)
    cmi, dropped = elements.clean(attempt.version, sent.cmi)
    if outcome not in ("APPLIED", "REVIEW"):
        await _log_commit(tx, head, launch, sent, outcome, held=held)
        if report_rules.is_unappliable(outcome, held=held):
            await unapplied.store_unapplied(
                tx, launch, "commit", outcome, sent, unapplied.summarize_commit(cmi)
            )
        return ReportResult(outcome, superseded)
    await report_queries.set_last_report(tx, launch, sent, held=held)
    if sent.sequencing and attempt.package_id:
        await queries.store_sequencing_state(tx, head.enrollment_id, attempt.package_id, sent.sequencing)
    if outcome == "REVIEW":
        await _log_commit(tx, head, launch, sent, outcome, cmi, dropped, held=held)
        return ReportResult(outcome, superseded)
    state = await _store_commit(tx, head, launch, attempt, sent, cmi)
    told = reports.describe_state(state)
    head = await _log_commit(tx, head, launch, sent, outcome, cmi, dropped, held=held, state=told)
    completed = await completion.record_progress(tx, head, launch.id, attempt.module_id, state)
    return ReportResult(outcome, superseded, completed)


async def _store_commit(
    tx: Tx, head: LogHead, launch: Launch, attempt: Attempt, sent: Commit, cmi: dict[str, Any]
) -> State:
    assert attempt.version is not None
    before = await queries.get_cmi(tx, attempt.id)
    kept = rules.merge_cmi(before, cmi)
    if launch.superseded_by is not None and rules.changes_resume_point(before, kept):
        await report_queries.count_late_commit(tx, attempt, launch)
    settings = msgspec.convert(attempt.settings, ItemSettings)
    state = mapping.normalise(attempt.version, cmi, settings, final=sent.final, before=_get_state(attempt))
    told = rules.list_new_events(attempt.told, state, final=sent.final)  # type: ignore[arg-type]
    last = told[-1] if told else attempt.told
    await queries.store_commit(tx, attempt, launch, state, kept, last, final=sent.final)
    await _store_interactions(tx, attempt, cmi, state)
    await emit(tx, *attempt_events.build_assessment_events(head, attempt, state, told))
    return state


async def _store_interactions(tx: Tx, attempt: Attempt, cmi: dict[str, Any], state: State) -> None:
    assert attempt.version is not None
    if answers := interactions.read(attempt.version, cmi, state.session_seconds):
        await attempt_queries.store_interactions(tx, attempt.id, answers)


async def _log_commit(
    tx: Tx,
    head: LogHead,
    launch: Launch,
    sent: Commit,
    outcome: Outcome,
    cmi: dict[str, Any] | None = None,
    dropped: Sequence[Dropped] = (),
    *,
    held: bool,
    **more: Any,
) -> LogHead:
    """The body is told by its hash; what it said of the state, as it said it."""
    detail = {
        "sequence": sent.sequence,
        "final": sent.final,
        "outcome": outcome,
        "body": sent.hash.hex(),
        "said": rules.select_logged_elements(cmi or {}),
        "dropped": [each.element for each in dropped[:20]],
        **reports.describe_delivery(sent, held=held),
    }
    return await log.append(tx, head, "commit", launch.id, **detail, **more)


def _get_state(attempt: Attempt) -> State:
    names = ("completion", "success", "score", "progress", "exit")
    return State(**{name: getattr(attempt, name) for name in names})
