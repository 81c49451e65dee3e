"""What a launch is given: as the last one left it, or afresh.

By default content goes on until it is completed, whatever it said when it was closed: most of it relies on
that. Afterwards it opens for review, where nothing counts.
"""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from trilha.scorm.package.manifest import Item, Version
from trilha.scorm.runtime import timespans
from trilha.scorm.runtime.mapping import State

# `new_attempt`: content that is completed, or that said that it was left for good, begins anew.
Policy = Literal["resume", "new_attempt"]


class Learner(Struct, frozen=True):
    """As content is told. `name` is "Last, First" where content expects anything."""

    id: str
    name: str


class Opening(Struct, frozen=True):
    """How a part is opened. `new_attempt`: nothing of the last attempt is given."""

    new_attempt: bool
    entry: Literal["ab-initio", "resume", ""]
    review: bool


def opening(version: Version, before: State | None, policy: Policy, *, terminated: bool) -> Opening:
    """`before` is the last attempt's state, if there is one; `terminated` whether it was left properly."""
    if before is None:
        return Opening(True, "ab-initio", False)
    if before.completion == "completed":
        if policy == "new_attempt":
            return Opening(True, "ab-initio", False)
        return Opening(False, "resume", True)
    suspended = not terminated or before.exit == "suspend" or (version == "1.2" and before.exit == "")
    if suspended:
        return Opening(False, "resume", False)
    if policy == "new_attempt":
        return Opening(True, "ab-initio", False)
    # SCORM 1.2 RTE, 3.4.2.1: after `logout` and `time-out` the entry is empty. SCORM 2004 would begin anew.
    return Opening(False, "" if version == "1.2" else "resume", False)


def launch_cmi(
    version: Version,
    item: Item,
    learner: Learner,
    opening: Opening,
    last: Mapping[str, Any] | None,
    total_seconds: float,
) -> dict[str, Any]:
    """What the runtime loads. `last` is the clean cmi of the last commit; `total_seconds` of all launches of
    the attempt, by the server's own count."""
    kept = {} if opening.new_attempt else dict(last or {})
    total = timespans.text_of(version, 0 if opening.new_attempt else total_seconds)
    return (_scorm_12 if version == "1.2" else _scorm_2004)(item, learner, opening, kept, total)


def _scorm_12(
    item: Item, learner: Learner, opening: Opening, kept: dict[str, Any], total: str
) -> dict[str, Any]:
    core = {
        name: value for name, value in kept.get("core", {}).items() if name not in ("exit", "session_time")
    }
    told = {
        "student_id": learner.id[:255],
        "student_name": learner.name[:255],
        "credit": "no-credit" if opening.review else "credit",
        "lesson_mode": "review" if opening.review else "normal",
        "entry": opening.entry,
        "total_time": total,
    }
    student = _present(
        mastery_score=_text(item.mastery_score),
        max_time_allowed=item.max_time_allowed,
        time_limit_action=item.time_limit_action,
    )
    return kept | {"core": core | told, "student_data": student, "launch_data": item.launch_data}


def _scorm_2004(
    item: Item, learner: Learner, opening: Opening, kept: dict[str, Any], total: str
) -> dict[str, Any]:
    told = {
        "learner_id": learner.id[:4000],
        "learner_name": learner.name[:250],
        "credit": "no-credit" if opening.review else "credit",
        "mode": "review" if opening.review else "normal",
        "entry": opening.entry,
        "total_time": total,
        "launch_data": item.launch_data,
    }
    asked = _present(
        scaled_passing_score=_text(item.scaled_passing_score),
        completion_threshold=_text(item.completion_threshold),
        max_time_allowed=item.max_time_allowed,
        time_limit_action=item.time_limit_action,
    )
    own = {name: value for name, value in kept.items() if name not in (*_OF_A_LAUNCH, *_ASKED)}
    return own | told | asked


_OF_A_LAUNCH = ("exit", "session_time")
# The manifest's alone: what came back from the browser is not given again.
_ASKED = ("scaled_passing_score", "completion_threshold", "max_time_allowed", "time_limit_action")


def _present(**values: str) -> dict[str, str]:
    return {name: value for name, value in values.items() if value}


def _text(number: float | None) -> str:
    return "" if number is None else f"{number:g}"
