"""Decides what is stored and logged of a commit. No I/O, no clock."""

from collections.abc import Mapping
from typing import Any

from trilha.training.learning.player_reports.schema import ReportSummary

MAX_SEQUENCING = 262_144
# The launch tells content these elements of the person. They are not stored with content's own state.
_PERSONAL_ELEMENTS = ("student_id", "student_name", "learner_id", "learner_name")
# The elements from which content resumes.
_RESUME_ELEMENTS = ("suspend_data", "location", "lesson_location")
# Short elements that decide the state of an attempt; the log holds them as they were sent.
_LOGGED_ELEMENTS = (
    *("completion_status", "success_status", "progress_measure", "score", "exit", "session_time"),
    *("location", "lesson_status", "lesson_location"),
)


def select_changed_interactions(before: Mapping[str, Any], sent: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the interactions that differ from the stored ones, because a commit repeats all of them."""
    stored = before.get("interactions", {})
    interactions = sent.get("interactions", {}).items()
    return {"interactions": {index: each for index, each in interactions if each != stored.get(index)}}


def merge_cmi(before: Mapping[str, Any], sent: Mapping[str, Any]) -> dict[str, Any]:
    """Merges the elements that the content has sent into the stored ones. Others keep their values."""
    merged = dict(before) | dict(sent)
    if "core" in sent:
        merged["core"] = dict(before.get("core", {})) | dict(sent["core"])
    for group in (merged, merged.get("core", {})):
        for name in _PERSONAL_ELEMENTS:
            group.pop(name, None)
    return merged


def changes_resume_point(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Tells whether content that has loaded `before` would resume differently with `after`."""
    return _read_resume_point(before) != _read_resume_point(after)


def _read_resume_point(cmi: Mapping[str, Any]) -> list[str]:
    groups = (cmi, cmi.get("core", {}))
    return [next((str(group[name]) for group in groups if group.get(name)), "") for name in _RESUME_ELEMENTS]


def select_logged_elements(cmi: Mapping[str, Any]) -> dict[str, Any]:
    groups = (cmi, cmi.get("core", {}))
    return {name: group[name] for group in groups for name in _LOGGED_ELEMENTS if group.get(name)}


def read_sequencing(value: object) -> str:
    """Returns the runtime's state of the activities if it can be stored, and an empty text otherwise.

    The server gives the state back to the runtime and never reads it.
    """
    if not isinstance(value, str) or len(value) > MAX_SEQUENCING or "\0" in value:
        return ""
    is_object = value.startswith("{") and value.endswith("}")
    # Lone surrogates cannot be stored.
    return value if is_object and value.encode(errors="replace").decode() == value else ""


def summarize_commit(cmi: Mapping[str, Any]) -> ReportSummary:
    """Summarizes a clean commit of either SCORM version."""
    core = cmi.get("core", {})
    statuses = (core.get("lesson_status"), cmi.get("success_status"), cmi.get("completion_status"))
    score = core.get("score", {}) or cmi.get("score", {})
    raw, scaled = score.get("raw"), score.get("scaled")
    return ReportSummary(
        next((status for status in statuses if status and status != "unknown"), ""),
        float(raw) if raw else float(scaled) * 100 if scaled else None,
        len(cmi.get("interactions", {})),
    )
