"""Takes the statements of content: checks them, stores them, and applies what they report."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import msgspec
from msgspec import structs

from trilha.core.database import Tx
from trilha.core.errors import Forbidden
from trilha.core.types import Timestamp
from trilha.training.enrollments.schema import EnrollmentStatus
from trilha.training.learning.attempts import events as attempt_events
from trilha.training.learning.attempts import queries as attempt_queries
from trilha.training.learning.attempts.schema import Attempt
from trilha.training.learning.cmi5 import answers, moving_on, queries, rules, sessions
from trilha.training.learning.cmi5.schema import NodeProgress, Session
from trilha.training.learning.cmi5.statements import StatementBuilder, build_activity_id
from trilha.training.learning.completion import actions as completion
from trilha.training.learning.evidence import log
from trilha.training.learning.launches import queries as launch_queries
from trilha.training.learning.launches import units
from trilha.training.learning.launches.schema import LoadedUnit, LockedLaunch, Module
from trilha.training.learning.previews import actions as previews
from trilha.training.scorm.runtime.mapping import State
from trilha.training.xapi import actions as xapi
from trilha.training.xapi import queries as xapi_queries
from trilha.training.xapi.actions import Submission
from trilha.training.xapi.identifiers import activity_key
from trilha.training.xapi.statements import NewStatement


async def receive(tx: Tx, session_id: UUID, submission: Submission, base: str) -> None:
    """Stores the statements of one request of content, or none of them.

    Raises Forbidden (cmi5_statement_refused, outside_of_launch) and Conflict (statement_exists).
    """
    found = await queries.find_session(tx, session_id)
    if found is None:
        raise Forbidden("outside_of_launch")
    # Every transaction locks the log of the enrollment first, and the clock of the store last.
    locked = None if found.enrollment_id is None else await launch_queries.lock_launch(tx, found.launch_id)
    session = await queries.lock_session(tx, session_id)
    has_expired = locked is not None and locked.head.status == EnrollmentStatus.EXPIRED
    if session is None or session.is_ended or has_expired:
        raise Forbidden("outside_of_launch")
    known, _ = await xapi_queries.list_known(tx, {each.id for each in submission.statements}, set())
    new = [each for each in submission.statements if each.id not in known]
    loaded = await _load_unit(tx, session, locked)
    progress = NodeProgress("AU", loaded.item.identifier)
    nodes: moving_on.Nodes = {}
    if locked is not None:
        nodes = await moving_on.load_nodes(tx, locked.head.enrollment_id, loaded.package_id)
        progress = nodes.get(("AU", loaded.item.identifier), progress)
    values = [msgspec.json.decode(each.content) for each in new]
    was_initialized = session.initialized_at is not None
    session, after = _check(tx, session, progress, loaded, new, values, base)
    abandoned: Sequence[NewStatement] = []
    satisfied: Sequence[NewStatement] = []
    if new:
        await queries.update_session(tx, session)
        if session.initialized_at is not None and not was_initialized:
            abandoned = await sessions.abandon_others(tx, base, session)
    # In a review, nothing changes what the learner has reached.
    if locked is not None and new and session.mode == "Normal":
        built = StatementBuilder(base, session.user_id, session.registration, session.id, tx.now)
        if after != progress:
            satisfied = await moving_on.satisfy(tx, locked.head, loaded, nodes, [after], built)
            after = nodes["AU", loaded.item.identifier]
        await _apply(tx, locked, values, after, answered=after != progress)
    statements = [*abandoned, *await _leave_definitions(tx, submission.statements), *satisfied]
    (error,) = await xapi.record(tx, [Submission(statements, submission.attachments)])
    if error is not None:
        raise error


async def _leave_definitions(tx: Tx, statements: Sequence[NewStatement]) -> Sequence[NewStatement]:
    """Returns the statements without definitions of activities that have one. A learner has the token of a
    session, and must not rename the activities of others.
    """
    keys = {activity_key(iri) for each in statements for iri in each.definitions}
    if not keys:
        return statements
    known = await xapi_queries.list_seen_definitions(tx, keys)
    return [
        structs.replace(
            each,
            definitions={
                iri: definition
                for iri, definition in each.definitions.items()
                if activity_key(iri) not in known
            },
        )
        for each in statements
    ]


async def _load_unit(tx: Tx, session: Session, locked: LockedLaunch | None) -> LoadedUnit:
    if locked is None:
        opened = await previews.load_preview(tx, session.launch_id)
        return await units.load_unit(tx, opened.module)
    attempt = locked.attempt
    module = Module(session.module_id, "", "CMI5", 0, True, None)
    return await units.load_unit(tx, module, attempt)


def _check(
    tx: Tx,
    session: Session,
    progress: NodeProgress,
    loaded: LoadedUnit,
    new: Sequence[NewStatement],
    values: Sequence[Mapping[str, Any]],
    base: str,
) -> tuple[Session, NodeProgress]:
    """Checks statements one after the other. Returns the session and the unit's progress after them. Raises
    Forbidden.
    """
    now = Timestamp.of(tx.now)
    activity = build_activity_id(base, session.module_id)
    for statement, value in zip(new, values, strict=True):
        rules.check_client_properties(statement.sent_at, names_id=statement.names_id)
        rules.check_statement(value, session, progress, loaded.unit, activity, loaded.item.identifier)
        session = rules.advance_session(session, value, now)
        if (result := rules.find_result(value)) is not None:
            progress = rules.advance_progress(progress, result, now)
    return session, progress


async def _apply(
    tx: Tx,
    locked: LockedLaunch,
    values: Sequence[Mapping[str, Any]],
    node: NodeProgress,
    *,
    answered: bool,
) -> None:
    """Applies results and answers to the attempt, to its evidence and to the course's progress."""
    head, launch, attempt = locked[:3]
    first = await queries.count_interactions(tx, attempt.id)
    if interactions := answers.read(values, first):
        await attempt_queries.store_interactions(tx, attempt.id, interactions)
    results = [(result, value) for value in values if (result := rules.find_result(value))]
    if not results:
        return
    state = _build_state(attempt, node, [value for _, value in results])
    events = attempt_events.list_new_events(attempt.last_event, state, attempted=False)
    await attempt_events.emit_assessments(tx, head, attempt, state, events)
    last_event = events[-1] if events else attempt.last_event
    change = queries.store_result(attempt, launch, state, last_event, ended=node.satisfied_at is not None)
    head = await log.append(
        tx,
        head,
        "commit",
        launch.id,
        [change],
        outcome="APPLIED",
        said={"verbs": [result for result, _ in results], "statements": [v["id"] for _, v in results]},
        state={name: getattr(state, name) for name in ("completion", "success", "score", "progress")},
    )
    counted = _count_as_met(state) if node.satisfied_at is not None else state
    await completion.record_progress(tx, head, launch.id, attempt.module_id, counted)


def _count_as_met(state: State) -> State:
    """A module whose moveOn is met is completed, even if its content says that the learner failed."""
    return structs.replace(state, success="unknown" if state.success == "failed" else state.success)


def _build_state(attempt: Attempt, node: NodeProgress, values: Sequence[Mapping[str, Any]]) -> State:
    """Returns the state of the attempt: completed once moveOn is met."""
    scores = [attempt.score]
    for value in values:
        scaled = rules.find_scaled_score(value.get("result", {}).get("score", {}))
        scores.append(None if scaled is None else round(min(1.0, max(0.0, scaled)) * 100, 4))
    met = node.satisfied_at is not None
    return State(
        completion="completed" if met else "incomplete",
        success="passed" if node.passed_at else "failed" if node.failed_at else attempt.success,
        score=max((each for each in scores if each is not None), default=None),
        progress=100.0 if met else attempt.progress,
    )
