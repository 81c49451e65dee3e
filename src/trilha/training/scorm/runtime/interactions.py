"""The answers that content recorded, as the API returns them.

Most content writes a journal: a changed answer is appended under the same id. Some content overwrites the
old record. Storage compares the records of an attempt index by index, so it handles both.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from trilha.training.scorm.package.manifest import Version
from trilha.training.scorm.runtime import timespans

Type = Literal[
    "true-false",
    "choice",
    "fill-in",
    "long-fill-in",
    "matching",
    "performance",
    "sequencing",
    "likert",
    "numeric",
    "other",
]
_BOOLEANS = {"t": "true", "1": "true", "true": "true", "f": "false", "0": "false", "false": "false"}
_RESULTS = {"wrong": "incorrect"}
# {lang=pt-BR}, {case_matters=true}, {order_matters=false} before a value (SCORM 2004 RTE, 4.2.9.1).
_DELIMITER = re.compile(r"\{(?:lang|case_matters|order_matters)=[^{}]*\}")
# Per answer: 100 patterns of the longest allowed would have 800,000 characters.
_MAX_CHARACTERS = 8_000
_WORDS = re.compile(r"[\s_.\-/:]+")


class Interaction(Struct, frozen=True, kw_only=True):
    """One record of one attempt. `raw_response` is the stored value, `response` its readable form.

    `result` is correct, incorrect, unanticipated, neutral, a number as text, or empty. `client_time` is the
    learner's own clock: a time of day in SCORM 1.2, mostly without a zone in SCORM 2004.
    """

    index: int
    interaction_id: str
    type: Type
    description: str
    response: str
    raw_response: str
    correct_response: str
    result: str
    latency_seconds: float | None
    weighting: float | None
    client_time: str


def read(
    version: Version,
    cmi: Mapping[str, Any],
    session_seconds: float | None,
    descriptions: Mapping[str, str] | None = None,
) -> list[Interaction]:
    """Returns the records in the order of their indexes. `cmi` is clean; `descriptions` are known texts by
    interaction id; `session_seconds` is how long the launch has lasted, if known.

    A record without an id or an answer is a question that was only shown, and is left out.
    """
    records = [
        _record(version, int(index), each, session_seconds, descriptions or {})
        for index, each in cmi.get("interactions", {}).items()
        if each.get("id")
    ]
    return sorted((each for each in records if each.raw_response or each.result), key=lambda each: each.index)


def latest(records: Sequence[Interaction]) -> list[Interaction]:
    """Returns the last answer to each question, in the order of the first answers."""
    last: dict[str, Interaction] = {}
    for each in sorted(records, key=lambda record: record.index):
        last[each.interaction_id] = each  # keeps the place of the first one
    return list(last.values())


def humanize_id(interaction_id: str) -> str:
    """Turns `Scene1_Slide3_MultiChoice_0_0` into `Scene1 Slide3 MultiChoice`; other ids stay."""
    words = [each for each in _WORDS.split(interaction_id) if each]
    while len(words) > 1 and words[-1].isdigit():
        words.pop()
    if words and words[0].lower() == "urn":
        words = words[1:] or words
    return " ".join(words) or interaction_id


def _record(
    version: Version,
    index: int,
    interaction: Mapping[str, Any],
    session_seconds: float | None,
    descriptions: Mapping[str, str],
) -> Interaction:
    type: Type = interaction.get("type") or "other"
    id = interaction["id"]
    raw = interaction.get("student_response" if version == "1.2" else "learner_response", "")
    patterns = [each.get("pattern", "") for each in interaction.get("correct_responses", {}).values()]
    correct = " | ".join(shown for each in patterns if (shown := format_response(type, each)))
    result = interaction.get("result", "")
    said = _DELIMITER.sub("", interaction.get("description", "")).strip()
    return Interaction(
        index=index,
        interaction_id=id,
        type=type,
        description=said or descriptions.get(id) or humanize_id(id),
        response=format_response(type, raw)[:_MAX_CHARACTERS],
        raw_response=raw[:_MAX_CHARACTERS],
        correct_response=correct[:_MAX_CHARACTERS],
        result=_RESULTS.get(result, result),
        latency_seconds=_latency(version, interaction.get("latency", ""), session_seconds),
        weighting=float(interaction["weighting"]) if interaction.get("weighting") else None,
        client_time=interaction.get("time" if version == "1.2" else "timestamp", ""),
    )


def format_response(type: str, raw: str) -> str:
    """Removes the markers for programs from an answer or a pattern."""
    text = _DELIMITER.sub("", raw).strip()
    if type == "true-false":
        return _BOOLEANS.get(text.lower(), text)
    if type == "numeric" and "[:]" in text:
        return _range(*text.split("[:]", 1))
    return text.replace("[,]", ", ").replace("[.]", " → ").replace("[:]", "–")


def _range(minimum: str, maximum: str) -> str:
    if minimum and maximum:
        return minimum if minimum == maximum else f"{minimum}–{maximum}"
    return f"≥ {minimum}" if minimum else f"≤ {maximum}" if maximum else ""


def _latency(version: Version, text: str, session_seconds: float | None) -> float | None:
    """Returns None if it is absent, invalid, or longer than the launch has lasted."""
    length = timespans.seconds(version, text)
    if length is None or (session_seconds and length > session_seconds):
        return None
    return round(length, 2)
