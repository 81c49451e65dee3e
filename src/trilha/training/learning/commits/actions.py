"""Applies commits of SCORM content.

Whatever content or a script sends, no commit raises anything beyond `launch_not_found` and a malformed body:
the log holds what does not count, and the outcome says why.
"""

from typing import Any
from uuid import UUID

import msgspec

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.training.learning.attempts import events as attempt_events
from trilha.training.learning.attempts import queries as attempt_queries
from trilha.training.learning.attempts.schema import Attempt
from trilha.training.learning.commits import queries, rules
from trilha.training.learning.commits.schema import Commit
from trilha.training.learning.completion import actions as completion
from trilha.training.learning.evidence import log
from trilha.training.learning.evidence.schema import Change
from trilha.training.learning.launches import queries as launch_queries
from trilha.training.learning.launches.schema import LockedLaunch
from trilha.training.learning.player_reports import parsing
from trilha.training.learning.player_reports import queries as report_queries
from trilha.training.learning.player_reports import rules as report_rules
from trilha.training.learning.player_reports.schema import ReportResult
from trilha.training.scorm.runtime import elements, interactions, mapping
from trilha.training.scorm.runtime.mapping import ItemSettings, State


def read_commit(raw: bytes) -> Commit:
    """Reads a body as scorm-again sends it, with `launch: {sequence, final}`.

    Raises BadRequest (malformed_json) and Invalid.
    """
    body, members = parsing.read_report(raw)
    sequencing = rules.read_sequencing(body.get("sequencing"))
    return Commit(cmi=body.get("cmi"), sequencing=sequencing, **members)


async def apply_commit(tx: Tx, launch_id: UUID, commit: Commit, *, held: bool = False) -> ReportResult:
    """Applies a commit to its attempt. Raises NotFound (launch_not_found) if it is no launch of a package.

    A commit that is APPLIED or REPEATED is stored, and a STALE one is contained in what is stored. `held`:
    the browser had held it, and its learner is signed in.
    """
    locked = await launch_queries.lock_launch(tx, launch_id)
    head, launch, attempt = locked[:3]
    if attempt.version is None:
        raise NotFound("launch_not_found")
    outcome = report_rules.decide_report_outcome(locked, commit, tx.now, held=held)
    result = ReportResult(outcome, locked.is_superseded)
    if outcome == "REPEATED":
        return result
    cmi, dropped = elements.clean(attempt.version, commit.cmi)
    is_taken = outcome in ("APPLIED", "REVIEW")
    detail = report_rules.describe_report(commit, outcome, held=held) | {
        "said": rules.select_logged_elements(cmi) if is_taken else {},
        "dropped": [element.element for element in dropped[:20]] if is_taken else [],
    }
    if is_taken and commit.sequencing and attempt.package_id:
        await queries.store_sequencing_state(tx, head.enrollment_id, attempt.package_id, commit.sequencing)
    if outcome != "APPLIED":
        changes = [report_queries.note_last_report(launch, commit, held=held)] if is_taken else []
        await log.append(tx, head, "commit", launch.id, changes, **detail)
        if report_rules.is_unappliable(outcome, held=held):
            summary = rules.summarize_commit(cmi)
            await report_queries.store_unapplied(tx, launch, "commit", outcome, commit, summary)
        return result
    state, changes = await _apply(tx, locked, commit, cmi, held=held)
    detail["state"] = report_rules.describe_state(state)
    head = await log.append(tx, head, "commit", launch.id, changes, **detail)
    completed = await completion.record_progress(tx, head, launch.id, attempt.module_id, state)
    return msgspec.structs.replace(result, completed=completed)


async def _apply(
    tx: Tx, locked: LockedLaunch, commit: Commit, cmi: dict[str, Any], *, held: bool
) -> tuple[State, list[Change]]:
    """Returns the state of the attempt that follows from a commit, and the changes still to be made."""
    head, launch, attempt = locked[:3]
    assert attempt.version is not None
    before: dict[str, Any] = msgspec.json.decode(locked.cmi) if locked.cmi else {}
    merged = rules.merge_cmi(before, cmi)
    if locked.is_superseded and rules.changes_resume_point(before, merged):
        await report_queries.count_late_commit(tx, locked)
    settings = msgspec.convert(attempt.settings, ItemSettings)
    state = mapping.normalise(attempt.version, cmi, settings, final=commit.final, before=_get_state(attempt))
    # An attempt also counts as made when the learner leaves it with a score.
    attempted = commit.final and state.score is not None
    events = attempt_events.list_new_events(attempt.last_event, state, attempted=attempted)
    last_event = events[-1] if events else attempt.last_event
    changed = rules.select_changed_interactions(before, cmi)
    if answers := interactions.read(attempt.version, changed, state.session_seconds):
        await attempt_queries.store_interactions(tx, attempt.id, answers)
    await attempt_events.emit_assessments(tx, head, attempt, state, events)
    return state, [
        report_queries.note_last_report(launch, commit, held=held, session_seconds=state.session_seconds),
        queries.store_commit(attempt, launch, state, merged, last_event=last_event, final=commit.final),
    ]


def _get_state(attempt: Attempt) -> State:
    names = ("completion", "success", "score", "progress", "exit")
    return State(**{name: getattr(attempt, name) for name in names})
