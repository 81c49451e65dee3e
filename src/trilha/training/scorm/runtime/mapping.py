"""Turns a commit of any version into one state: completion, success, score, progress.

Within an attempt nothing goes back, because content writes `incomplete` or a score of 0 when it is closed
after it was passed.
"""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from trilha.training.scorm.package.manifest import Item, Version
from trilha.training.scorm.runtime import timespans

Completion = Literal["unknown", "incomplete", "completed"]
Success = Literal["unknown", "passed", "failed"]
_RANK: Mapping[str, int] = {"unknown": 0, "incomplete": 1, "completed": 2}
# SCORM 1.2 has one status for completion and success.
_COMPLETION_12: Mapping[str, Completion] = {
    "completed": "completed",
    "passed": "completed",
    "failed": "completed",
    "incomplete": "incomplete",
    "browsed": "incomplete",
}
_COMPLETION_2004: Mapping[str, Completion] = {"completed": "completed", "incomplete": "incomplete"}
_SUCCESS: Mapping[str, Success] = {"passed": "passed", "failed": "failed"}


class ItemSettings(Struct, frozen=True, kw_only=True):
    """The criteria of a part, from the manifest or the administrator. As in `manifest.Item`."""

    mastery_score: float | None = None
    scaled_passing_score: float | None = None
    completion_threshold: float | None = None

    @classmethod
    def of(cls, item: Item) -> "ItemSettings":
        return cls(
            mastery_score=item.mastery_score,
            scaled_passing_score=item.scaled_passing_score,
            completion_threshold=item.completion_threshold,
        )


class State(Struct, frozen=True, kw_only=True):
    """The state of one attempt at one part. `score` and `progress` are 0 to 100.

    `session_seconds` is what the content reports about this launch, or None. It is only a hint: the server
    counts the time.
    """

    completion: Completion = "unknown"
    success: Success = "unknown"
    score: float | None = None
    progress: float = 0.0
    session_seconds: float | None = None
    exit: str = ""
    location: str = ""
    suspend_data: str = ""


def normalise(
    version: Version,
    cmi: Mapping[str, Any],
    item: ItemSettings,
    *,
    final: bool,
    before: State | None,
) -> State:
    """Returns the state after a commit. `cmi` is clean; elements that it lacks keep their values from
    `before`.
    """
    read = _scorm_12 if version == "1.2" else _scorm_2004
    return _keep_best(before or State(), read(cmi, item, final=final, before=before or State()))


def _scorm_12(cmi: Mapping[str, Any], item: ItemSettings, *, final: bool, before: State) -> State:
    """With a mastery score, the score decides on success: at once when it is reached, else when the
    content reports an outcome or is left for good (SCORM 1.2 RTE, 3.4.4).
    """
    core = cmi.get("core", {})
    status = core.get("lesson_status", "")
    if final and status == "not attempted":
        # Content that reports no status is completed when it is left (SCORM 1.2 RTE, 3.4.4).
        status = "completed"
    success = _SUCCESS.get(status, "unknown")
    raw = _number(core.get("score", {}).get("raw"))
    if item.mastery_score is not None and raw is not None:
        mastered = raw >= item.mastery_score
        ended = final and (mastered or core.get("exit") != "suspend")
        if ended or _COMPLETION_12.get(status) == "completed":
            status = success = "passed" if mastered else "failed"
        elif mastered:
            success = "passed"
    completion = _COMPLETION_12.get(status, "unknown")
    return State(
        completion=completion,
        success=success,
        score=_score(core.get("score", {})),
        progress=100.0 if completion == "completed" else 0.0,
        session_seconds=timespans.seconds("1.2", core.get("session_time", "")),
        exit=core.get("exit", before.exit),
        location=core.get("lesson_location", before.location),
        suspend_data=cmi.get("suspend_data", before.suspend_data),
    )


def _scorm_2004(cmi: Mapping[str, Any], item: ItemSettings, *, final: bool, before: State) -> State:
    measure = _number(cmi.get("progress_measure"))
    completion = _COMPLETION_2004.get(cmi.get("completion_status", ""), "unknown")
    if item.completion_threshold is not None and measure is not None:
        completion = "completed" if measure >= item.completion_threshold else "incomplete"
    score = cmi.get("score", {})
    scaled = _number(score.get("scaled"))
    success = _SUCCESS.get(cmi.get("success_status", ""), "unknown")
    if item.scaled_passing_score is not None and scaled is not None:
        success = "passed" if scaled >= item.scaled_passing_score else "failed"
    return State(
        completion=completion,
        success=success,
        score=_score(score) if scaled is None else _clamp(scaled * 100),
        progress=100.0 if completion == "completed" else _clamp((measure or 0) * 100),
        session_seconds=timespans.seconds("2004", cmi.get("session_time", "")),
        exit=cmi.get("exit", before.exit),
        location=cmi.get("location", before.location),
        suspend_data=cmi.get("suspend_data", before.suspend_data),
    )


def _keep_best(before: State, now: State) -> State:
    """Keeps the best results, as the module's docstring says."""
    completion = max(before.completion, now.completion, key=lambda each: _RANK[each])
    success = before.success if before.success == "passed" or now.success == "unknown" else now.success
    # A new failure may cost points; closing the content after it was passed or failed may not.
    fails_now = success == "failed" and before.success != "failed"
    scores = [score for score in (before.score, now.score) if score is not None]
    return State(
        completion=completion,
        success=success,
        score=now.score if fails_now and now.score is not None else max(scores, default=None),
        progress=100.0 if completion == "completed" else max(before.progress, now.progress),
        session_seconds=now.session_seconds,
        exit=now.exit,
        location=now.location,
        suspend_data=now.suspend_data,
    )


def _score(score: Mapping[str, str]) -> float | None:
    """Returns 0 to 100, by the content's own scale if it has one. A score outside its scale is ignored."""
    raw = _number(score.get("raw"))
    minimum, maximum = _number(score.get("min")) or 0.0, _number(score.get("max"))
    if raw is None:
        return None
    if maximum is None or maximum <= minimum:
        minimum, maximum = 0.0, 100.0
    if not minimum <= raw <= maximum:
        return None
    return _clamp((raw - minimum) / (maximum - minimum) * 100)


def _clamp(percent: float) -> float:
    return round(min(100.0, max(0.0, percent)), 4)


def _number(text: object) -> float | None:
    """Parses a clean element, which is a number or empty."""
    return float(text) if isinstance(text, str) and text else None
