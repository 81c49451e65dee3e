"""Decides which statements content may send, and when moveOn is satisfied (cmi5 1st Edition). No I/O.

Sections of the specification are in the comments.
"""

from collections.abc import Collection, Generator, Mapping
from typing import Any, Literal

from msgspec import structs

from trilha.core.errors import ApiError, Forbidden
from trilha.core.types import Timestamp
from trilha.training.learning.cmi5.schema import NodeKind, NodeProgress, Session
from trilha.training.scorm.package.manifest import AssignableUnit, Item, Manifest, MoveOn
from trilha.training.xapi.times import is_utc

Result = Literal["completed", "passed", "failed"]
INITIALIZED_VERB = "http://adlnet.gov/expapi/verbs/initialized"
TERMINATED_VERB = "http://adlnet.gov/expapi/verbs/terminated"
VOIDED_VERB = "http://adlnet.gov/expapi/verbs/voided"
RESULTS: Mapping[str, Result] = {
    "http://adlnet.gov/expapi/verbs/completed": "completed",
    "http://adlnet.gov/expapi/verbs/passed": "passed",
    "http://adlnet.gov/expapi/verbs/failed": "failed",
}
CATEGORY = "https://w3id.org/xapi/cmi5/context/categories/cmi5"
MOVE_ON_CATEGORY = "https://w3id.org/xapi/cmi5/context/categories/moveon"
SESSION_ID = "https://w3id.org/xapi/cmi5/context/extensions/sessionid"
MASTERY_SCORE = "https://w3id.org/xapi/cmi5/context/extensions/masteryscore"


def refuse(problem: str) -> ApiError:
    return Forbidden("cmi5_statement_refused", problem=problem)


def check_statement(
    statement: Mapping[str, Any],
    session: Session,
    progress: NodeProgress,
    unit: AssignableUnit,
    activity: str,
    publisher_id: str,
) -> None:
    """Raises Forbidden (cmi5_statement_refused) for a statement that content may not send now. The actor and
    the registration are checked already.
    """
    verb = statement["verb"]["id"]
    if session.is_ended:
        raise refuse("The session has ended.")
    if statement["actor"].get("objectType", "Agent") != "Agent":
        raise refuse("The actor must be an Agent.")  # 9.2
    if verb == VOIDED_VERB:
        raise refuse("Content may not void statements.")  # 6.3
    context = statement.get("context", {})
    if context.get("extensions", {}).get(SESSION_ID) != str(session.id):
        raise refuse("The session ID is missing from the extensions of the context.")  # 9.6.3.1
    if publisher_id not in _list_ids(context, "grouping"):
        raise refuse("The context lacks the grouping of the contextTemplate.")  # 9.6.2
    categories = _list_ids(context, "category")
    is_defined = CATEGORY in categories
    if session.initialized_at is None and not (is_defined and verb == INITIALIZED_VERB):
        raise refuse("The first statement must be Initialized.")  # 9.3
    if is_defined:
        _check_defined(statement, session, progress, unit, activity)
    elif MOVE_ON_CATEGORY in categories:
        raise refuse("Only statements that cmi5 defines may have the category moveOn.")  # 9.6.2.2


def check_client_properties(sent_at: str | None, *, names_id: bool) -> None:
    """Raises Forbidden unless the content has sent an id, and a timestamp in UTC (9.1, 9.7)."""
    if not names_id:
        raise refuse("The statement needs an id.")
    if sent_at is None or not is_utc(sent_at):
        raise refuse("The statement needs a timestamp in UTC.")


def _check_defined(
    statement: Mapping[str, Any],
    session: Session,
    progress: NodeProgress,
    unit: AssignableUnit,
    activity: str,
) -> None:
    verb = statement["verb"]["id"]
    if statement["object"].get("id") != activity:
        raise refuse("The object must be the activity of the launch.")  # 9.4
    if verb == INITIALIZED_VERB:
        if session.initialized_at is not None:
            raise refuse("Initialized was sent before.")  # 9.3.2
        if session.preferences_at is None:
            raise refuse("Read the learner preferences before Initialized.")  # 11
    elif verb in RESULTS:
        _check_order(RESULTS[verb], session, progress)
    elif verb != TERMINATED_VERB:
        raise refuse("Content may not use this verb in a statement that cmi5 defines.")  # 9.3
    _check_result(statement, RESULTS.get(verb), unit, is_terminated=verb == TERMINATED_VERB)


def _check_order(result: Result, session: Session, progress: NodeProgress) -> None:
    if session.mode != "Normal":
        raise refuse(f"Results are not recorded in the mode {session.mode}.")  # 10.2.2
    if result == "completed":
        if session.completed_at is not None or progress.completed_at is not None:
            raise refuse("Completed was sent before.")  # 9.3
        return
    if session.judged_at is not None:
        raise refuse("Passed or Failed was sent before in this session.")  # 9.3
    if progress.passed_at is not None:
        raise refuse("The learner has passed already.")  # 9.3


def _check_result(
    statement: Mapping[str, Any], result: Result | None, unit: AssignableUnit, *, is_terminated: bool
) -> None:
    sent = statement.get("result", {})
    expected = {"completed": (None, True), "passed": (True, None), "failed": (False, None)}
    success, completion = expected[result] if result else (None, None)
    if sent.get("success") is not success or sent.get("completion") is not completion:
        raise refuse("The result has the wrong success or completion for the verb.")  # 9.5.2, 9.5.3
    if (result or is_terminated) and "duration" not in sent:
        raise refuse("The result needs a duration.")  # 9.5.4.1
    if (MOVE_ON_CATEGORY in _list_ids(statement.get("context", {}), "category")) != (result is not None):
        raise refuse("Statements with success or completion have the category moveOn, others not.")
    if "score" in sent:
        _check_score(statement, sent["score"], result, unit)


def _check_score(
    statement: Mapping[str, Any], score: Mapping[str, Any], result: Result | None, unit: AssignableUnit
) -> None:
    if result not in ("passed", "failed"):
        raise refuse("Only Passed and Failed may have a score.")  # 9.5.1
    if "raw" in score and not {"min", "max"} <= score.keys():
        raise refuse("A raw score needs min and max.")  # 9.5.1
    if score.get("scaled", 0) < 0:
        raise refuse("The scaled score must be from 0 to 1.")  # 9.5.1
    if unit.mastery_score is None:
        return
    scaled = find_scaled_score(score)
    if scaled is not None and (scaled >= unit.mastery_score) != (result == "passed"):
        raise refuse("The score contradicts the masteryScore.")  # 9.3.4, 9.3.5
    if statement.get("context", {}).get("extensions", {}).get(MASTERY_SCORE) != unit.mastery_score:
        raise refuse("The extension masteryscore is missing or wrong.")  # 9.6.3.2


def find_scaled_score(score: Mapping[str, Any]) -> float | None:
    """Returns the scaled score; without one, computes it from raw, min and max."""
    scaled: float | None = score.get("scaled")
    if scaled is None and "raw" in score and score.get("max", 0) > score.get("min", 0):
        scaled = (score["raw"] - score["min"]) / (score["max"] - score["min"])
    return scaled


def _list_ids(context: Mapping[str, Any], name: str) -> set[str]:
    activities = context.get("contextActivities", {}).get(name, [])
    return {each["id"] for each in (activities if isinstance(activities, list) else [activities])}


def find_result(statement: Mapping[str, Any]) -> Result | None:
    """Returns the result that an accepted statement reports, if it reports any."""
    if CATEGORY not in _list_ids(statement.get("context", {}), "category"):
        return None
    return RESULTS.get(statement["verb"]["id"])


def advance_session(session: Session, statement: Mapping[str, Any], now: Timestamp) -> Session:
    """Returns the session after an accepted statement."""
    changes: dict[str, Any] = {"last_at": now}
    if CATEGORY in _list_ids(statement.get("context", {}), "category"):
        verb = statement["verb"]["id"]
        names = {INITIALIZED_VERB: "initialized_at", TERMINATED_VERB: "terminated_at"}
        result = RESULTS.get(verb)
        name = names.get(verb) or {"completed": "completed_at"}.get(result or "", "judged_at")
        changes[name] = now
    return structs.replace(session, **changes)


def advance_progress(progress: NodeProgress, result: Result, now: Timestamp) -> NodeProgress:
    return structs.replace(progress, **{f"{result}_at": now})


def is_met(move_on: MoveOn, progress: NodeProgress) -> bool:
    """Tells whether a unit has met its moveOn (13.1.4)."""
    completed, passed = progress.completed_at is not None, progress.passed_at is not None
    return (
        progress.waived_at is not None
        or {
            "Passed": passed,
            "Completed": completed,
            "CompletedAndPassed": completed and passed,
            "CompletedOrPassed": completed or passed,
            "NotApplicable": True,
        }[move_on]
    )


def list_satisfied(
    manifest: Manifest, satisfied: Collection[str], present: Collection[str]
) -> Generator[tuple[NodeKind, str], None, None]:
    """Lists the blocks, the inner ones first, and then the course that are satisfied by these units.

    Units that no module of the course shows (not `present`) do not count.
    """
    done, _ = yield from _walk(manifest.items, satisfied, present)
    if done:
        yield "COURSE", manifest.course


def _walk(
    items: list[Item], satisfied: Collection[str], present: Collection[str]
) -> Generator[tuple[NodeKind, str], None, tuple[bool, int]]:
    """Yields the satisfied blocks. Returns whether all units inside are satisfied, and how many there are."""
    done, count = True, 0
    for item in items:
        if item.unit is not None:
            if item.identifier in present:
                count += 1
                done = done and item.identifier in satisfied
            continue
        inner, inside = yield from _walk(item.items, satisfied, present)
        if inner:
            yield "BLOCK", item.identifier
        done, count = done and (inner or not inside), count + inside
    return done and count > 0, count


def build_address(address: str, parameters: str) -> str:
    """Adds launch parameters to an address that may have a query and a fragment (8.1)."""
    before, mark, fragment = address.partition("#")
    joined = before + ("&" if "?" in before else "?") + parameters
    return joined + mark + fragment
