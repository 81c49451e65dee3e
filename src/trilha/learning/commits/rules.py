"""What is stored, logged and announced of a commit. No I/O, no clock."""

from collections.abc import Mapping, Sequence
from typing import Any

from trilha.learning.attempts.schema import AssessmentEvent
from trilha.scorm.runtime.mapping import State


def list_new_events(told: AssessmentEvent, state: State, *, final: bool) -> Sequence[AssessmentEvent]:
    """What events tell of an attempt now; the last one is what is told of it from then on.

    An attempt ends when it has an outcome, or is left with a score. One that was failed may still be passed.
    """
    if state.success == "unknown":
        return ["attempted"] if final and state.score is not None and not told else []
    if told in (state.success, "passed"):
        return []
    return [state.success] if told else ["attempted", state.success]


# What content is told of the person: it is not kept with what content says.
_PERSONAL_ELEMENTS = ("student_id", "student_name", "learner_id", "learner_name")


def merge_cmi(before: Mapping[str, Any], sent: Mapping[str, Any]) -> dict[str, Any]:
    """What is kept of the elements that content has sent: an element that is not there is as it was."""
    merged = dict(before) | dict(sent)
    if "core" in sent:
        merged["core"] = dict(before.get("core", {})) | dict(sent["core"])
    for group in (merged, merged.get("core", {})):
        for name in _PERSONAL_ELEMENTS:
            group.pop(name, None)
    return merged


# What content reads when it goes on.
_RESUME_ELEMENTS = ("suspend_data", "location", "lesson_location")


def changes_resume_point(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether content that began with the one would go on differently with the other."""
    return any(
        _read_resume_point(before)[name] != _read_resume_point(after)[name] for name in _RESUME_ELEMENTS
    )


def _read_resume_point(cmi: Mapping[str, Any]) -> dict[str, str]:
    groups = (cmi, cmi.get("core", {}))
    return {
        name: next((str(group[name]) for group in groups if group.get(name)), "") for name in _RESUME_ELEMENTS
    }


# Short elements that the log tells as they were sent: what the state was made of.
_LOGGED_ELEMENTS = (
    *("completion_status", "success_status", "progress_measure", "score", "exit", "session_time"),
    *("location", "lesson_status", "lesson_location"),
)


def select_logged_elements(cmi: Mapping[str, Any]) -> dict[str, Any]:
    groups = (cmi, cmi.get("core", {}))
    return {name: group[name] for group in groups for name in _LOGGED_ELEMENTS if group.get(name)}


MAX_SEQUENCING = 262_144


def read_sequencing(said: object) -> str:
    """The runtime's state of the activities, where that is what it can be: it is given back, never read."""
    if not isinstance(said, str) or len(said) > MAX_SEQUENCING or "\0" in said:
        return ""
    whole = said.startswith("{") and said.endswith("}")
    # Halves of characters cannot be stored.
    return said if whole and said.encode(errors="replace").decode() == said else ""
