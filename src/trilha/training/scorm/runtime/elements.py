"""The elements of the data model and their allowed values. Invalid elements are dropped; the rest is stored.

Lengths are the minimum that a runtime must accept (SPM), and more where content is known to need more.
Values are text, as in the runtime; an empty value is not set.
"""

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from trilha.training.scorm.package.manifest import Version
from trilha.training.scorm.package.report import clean_text
from trilha.training.scorm.runtime import timespans

# Returns None if the value is not of the type.
_Check = Callable[[str], str | None]
_NUMBER = re.compile(r"[+-]?(\d{1,12}(\.\d{0,12})?|\.\d{1,12})")
_INDEX = re.compile(r"0|[1-9]\d{0,4}")
_TIME = re.compile(r"\d{1,2}:\d{2}:\d{2}(\.\d{1,6})?")
_TIMESTAMP = re.compile(r"[0-9T:.+Z-]{4,35}")
# Groups and collections describe themselves with these names, which are not elements.
_OF_GROUPS = ("_version", "_children", "_count")
_MAX_DROPPED = 100
SUSPEND_DATA = 262_144


class DroppedElement(Struct, frozen=True):
    """An element that was dropped. `reason`: unknown, invalid, too_long, too_many."""

    element: str
    reason: str
    value: str


class Many(Struct, frozen=True):
    """A collection, keyed "0", "1" and so on."""

    of: "dict[str, Any]"
    limit: int


class Text(Struct, frozen=True):
    limit: int


def one_of(*words: str) -> _Check:
    return lambda text: text if text in words else None


def number(minimum: float = -1e9, maximum: float = 1e9) -> _Check:
    def check(text: str) -> str | None:
        text = text.strip()
        return text if _NUMBER.fullmatch(text) and minimum <= float(text) <= maximum else None

    return check


def _timespan(version: Version) -> _Check:
    return lambda text: text if timespans.seconds(version, text) is not None else None


def _matching(pattern: re.Pattern[str]) -> _Check:
    return lambda text: text if pattern.fullmatch(text) else None


def _result(wrong: str) -> _Check:
    words, a_number = one_of("correct", wrong, "unanticipated", "neutral"), number()
    return lambda text: words(text) or a_number(text)


_ID = Text(4000)
_LIMIT_ACTION = one_of("exit,message", "exit,no message", "continue,message", "continue,no message")
_SCORE_12 = {"raw": number(), "min": number(), "max": number()}
_STATUS_12 = one_of("passed", "completed", "failed", "incomplete", "browsed", "not attempted")
_TYPES_12 = ("true-false", "choice", "fill-in", "matching", "performance", "sequencing", "likert", "numeric")
_INTERACTION_OBJECTIVES = Many({"id": _ID}, 100)
_CORRECT_RESPONSES = Many({"pattern": Text(8000)}, 100)

SCORM_12: dict[str, Any] = {
    "core": {
        "student_id": Text(255),
        "student_name": Text(255),
        "lesson_location": Text(1000),
        "credit": one_of("credit", "no-credit"),
        "lesson_status": _STATUS_12,
        "entry": one_of("ab-initio", "resume"),
        "score": _SCORE_12,
        "total_time": _timespan("1.2"),
        "lesson_mode": one_of("normal", "browse", "review"),
        "exit": one_of("time-out", "suspend", "logout"),
        "session_time": _timespan("1.2"),
    },
    "suspend_data": Text(SUSPEND_DATA),
    "launch_data": Text(64_000),
    "comments": Text(64_000),
    "comments_from_lms": Text(64_000),
    "objectives": Many({"id": _ID, "score": _SCORE_12, "status": _STATUS_12}, 500),
    "student_data": {
        "mastery_score": number(0, 100),
        "max_time_allowed": _timespan("1.2"),
        "time_limit_action": _LIMIT_ACTION,
    },
    "student_preference": {
        "audio": number(-1, 100),
        "language": Text(255),
        "speed": number(-100, 100),
        "text": number(-1, 1),
    },
    "interactions": Many(
        {
            "id": _ID,
            "objectives": _INTERACTION_OBJECTIVES,
            "time": _matching(_TIME),
            "type": one_of(*_TYPES_12),
            "correct_responses": _CORRECT_RESPONSES,
            "weighting": number(),
            "student_response": Text(8000),
            "result": _result("wrong"),
            "latency": _timespan("1.2"),
        },
        2000,
    ),
}

_SCORE_2004 = {"scaled": number(-1, 1), "raw": number(), "min": number(), "max": number()}
_COMPLETION = one_of("completed", "incomplete", "not attempted", "unknown")
_SUCCESS = one_of("passed", "failed", "unknown")
_COMMENTS = Many(
    {"comment": Text(8000), "location": Text(500), "timestamp": _matching(_TIMESTAMP)},
    500,
)

SCORM_2004: dict[str, Any] = {
    "comments_from_learner": _COMMENTS,
    "comments_from_lms": _COMMENTS,
    "completion_status": _COMPLETION,
    "completion_threshold": number(0, 1),
    "credit": one_of("credit", "no-credit"),
    "entry": one_of("ab-initio", "resume"),
    "exit": one_of("time-out", "suspend", "logout", "normal"),
    "interactions": Many(
        {
            "id": _ID,
            "type": one_of(*_TYPES_12, "long-fill-in", "other"),
            "objectives": _INTERACTION_OBJECTIVES,
            "timestamp": _matching(_TIMESTAMP),
            "correct_responses": _CORRECT_RESPONSES,
            "weighting": number(),
            "learner_response": Text(8000),
            "result": _result("incorrect"),
            "latency": _timespan("2004"),
            "description": Text(500),
        },
        2000,
    ),
    "launch_data": Text(64_000),
    "learner_id": _ID,
    "learner_name": Text(500),
    "learner_preference": {
        "audio_level": number(0),
        "language": Text(250),
        "delivery_speed": number(0),
        "audio_captioning": one_of("-1", "0", "1"),
    },
    "location": Text(2000),
    "max_time_allowed": _timespan("2004"),
    "mode": one_of("browse", "normal", "review"),
    "objectives": Many(
        {
            "id": _ID,
            "score": _SCORE_2004,
            "success_status": _SUCCESS,
            "completion_status": _COMPLETION,
            "progress_measure": number(0, 1),
            "description": Text(500),
        },
        500,
    ),
    "progress_measure": number(0, 1),
    "scaled_passing_score": number(-1, 1),
    "score": _SCORE_2004,
    "session_time": _timespan("2004"),
    "success_status": _SUCCESS,
    "suspend_data": Text(SUSPEND_DATA),
    "time_limit_action": _LIMIT_ACTION,
    "total_time": _timespan("2004"),
}
_MODELS: Mapping[Version, dict[str, Any]] = {"1.2": SCORM_12, "2004": SCORM_2004}


def clean(version: Version, cmi: object) -> tuple[dict[str, Any], list[DroppedElement]]:
    """Returns the valid elements, and those that were dropped. Never raises."""
    cleaner = _Cleaner()
    kept = cleaner.group(_MODELS[version], cmi, "cmi")
    return kept, cleaner.dropped


class _Cleaner:
    def __init__(self) -> None:
        self.dropped: list[DroppedElement] = []

    def group(self, model: Mapping[str, Any], raw: object, at: str) -> dict[str, Any]:
        if not isinstance(raw, dict):
            self._drop(at, "invalid", raw)
            return {}
        kept = {}
        for name, value in raw.items():
            element = f"{at}.{name}"
            if name not in model:
                if name not in _OF_GROUPS:
                    self._drop(element, "unknown", value)
            elif (found := self._element(model[name], value, element)) is not None:
                kept[name] = found
        return kept

    def _element(self, model: Any, value: object, at: str) -> Any:
        if isinstance(model, dict):
            return self.group(model, value, at)
        if isinstance(model, Many):
            return self._many(model, value, at)
        text = _text(value)
        if text is None:
            return self._drop(at, "invalid", value)
        if isinstance(model, Text):
            return text if len(text) <= model.limit else self._drop(at, "too_long", text)
        # Every element may be unset.
        return text if not text or model(text) is not None else self._drop(at, "invalid", text)

    def _many(self, model: Many, raw: object, at: str) -> dict[str, Any]:
        if not isinstance(raw, dict):
            if raw != []:
                self._drop(at, "invalid", raw)
            return {}
        kept = {}
        for index, value in raw.items():
            element = f"{at}.{index}"
            if not isinstance(index, str) or not _INDEX.fullmatch(index):
                if index not in _OF_GROUPS:
                    self._drop(element, "unknown", value)
            elif int(index) >= model.limit:
                self._drop(element, "too_many", value)
            elif isinstance(value, dict):
                kept[index] = self.group(model.of, value, element)
            else:
                self._drop(element, "invalid", value)
        return dict(sorted(kept.items(), key=lambda each: int(each[0])))

    def _drop(self, element: str, reason: str, value: object) -> None:
        if len(self.dropped) < _MAX_DROPPED:
            text = value if isinstance(value, str) else repr(value)[:200]
            self.dropped.append(DroppedElement(clean_text(element), reason, clean_text(text, 100)))


def _text(value: object) -> str | None:
    """Returns the text as in the runtime, or None for what PostgreSQL cannot store and for other types."""
    if isinstance(value, str):
        return value if _storable(value) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return f"{value:.10f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)[:20]


def _storable(text: str) -> bool:
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False
