"""Prepares a launch: it continues the last attempt, or begins anew.

By default content resumes until it is completed, whatever it reported when it was closed, because most
content relies on that. Afterwards it opens for review, where nothing counts.
"""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from trilha.training.scorm.package.manifest import Item, Version
from trilha.training.scorm.runtime import timespans
from trilha.training.scorm.runtime.mapping import State

# With `new_attempt`, completed content and content that was left for good start again.
Policy = Literal["resume", "new_attempt"]


class Learner(Struct, frozen=True):
    """The learner as content sees them. `name` is "Last, First" if content expects a name."""

    id: str
    name: str


class Opening(Struct, frozen=True):
    """How a part is opened. `new_attempt`: without the data of the last attempt."""

    new_attempt: bool
    entry: Literal["ab-initio", "resume", ""]
    review: bool


def opening(version: Version, before: State | None, policy: Policy, *, terminated: bool) -> Opening:
    """`before` is the last attempt's state, if any; `terminated` is whether it was left properly."""
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
    """Returns the data that the runtime loads. `last` is the clean cmi of the last commit;
    `total_seconds` is the server's count of all launches of the attempt.
    """
    kept = {} if opening.new_attempt else dict(last or {})
    total = timespans.text_of(version, 0 if opening.new_attempt else total_seconds)
    return (_scorm_12 if version == "1.2" else _scorm_2004)(item, learner, opening, kept, total)


def _scorm_12(
    item: Item, learner: Learner, opening: Opening, stored: dict[str, Any], total: str
) -> dict[str, Any]:
    core = {
        name: value for name, value in stored.get("core", {}).items() if name not in ("exit", "session_time")
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
    return stored | {"core": core | told, "student_data": student, "launch_data": item.launch_data}


def _scorm_2004(
    item: Item, learner: Learner, opening: Opening, stored: dict[str, Any], total: str
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
    own = {name: value for name, value in stored.items() if name not in (*_OF_A_LAUNCH, *_MANIFEST_ELEMENTS)}
    return own | told | asked


_OF_A_LAUNCH = ("exit", "session_time")
# Only the manifest sets these; values that came back from the browser are ignored.
_MANIFEST_ELEMENTS = ("scaled_passing_score", "completion_threshold", "max_time_allowed", "time_limit_action")


def _present(**values: str) -> dict[str, str]:
    return {name: value for name, value in values.items() if value}


def _text(number: float | None) -> str:
    return "" if number is None else f"{number:g}"
