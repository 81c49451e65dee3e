"""The elements of the data model: a bad element is dropped, and the rest is kept."""

import json
from typing import Any

import pytest

from conftest import FIXTURES
from trilha.training.scorm.package.manifest import Version
from trilha.training.scorm.runtime.elements import SUSPEND_DATA, clean

COMMITS = sorted((FIXTURES / "scorm" / "commits").glob("*.json"))


def version_of(cmi: dict[str, Any]) -> Version:
    return "1.2" if "core" in cmi else "2004"


def nested(path: str, value: Any) -> Any:
    for name in reversed(path.split(".")):
        value = {name: value}
    return value


@pytest.mark.parametrize(
    ("version", "path", "value"),
    [
        ("1.2", "core.lesson_status", "passed"),
        ("1.2", "core.lesson_status", "not attempted"),
        ("1.2", "core.lesson_status", ""),
        ("1.2", "core.exit", "time-out"),
        ("1.2", "core.score.raw", "150"),
        ("1.2", "core.score.raw", ".5"),
        ("1.2", "core.score.raw", "-1"),
        ("1.2", "core.session_time", "00:05:30"),
        ("1.2", "core.lesson_location", "página 3"),
        ("1.2", "suspend_data", "x" * SUSPEND_DATA),
        ("1.2", "suspend_data", "linha\n\ttab|é🙂"),
        ("1.2", "comments", "x" * 64_000),
        ("1.2", "interactions.0.result", "wrong"),
        ("1.2", "interactions.0.result", "0.5"),
        ("1.2", "interactions.0.id", "Boné e cinto"),
        ("1.2", "interactions.0.time", "10:20:30.5"),
        ("1.2", "interactions.0.objectives.0.id", "o1"),
        ("1.2", "interactions.0.correct_responses.0.pattern", "a,c"),
        ("1.2", "objectives.3.status", "failed"),
        ("1.2", "student_preference.audio", "-1"),
        ("2004", "completion_status", "not attempted"),
        ("2004", "success_status", "failed"),
        ("2004", "exit", "normal"),
        ("2004", "progress_measure", "0.125"),
        ("2004", "score.scaled", "-1"),
        ("2004", "session_time", "PT5M30S"),
        ("2004", "interactions.0.type", "long-fill-in"),
        ("2004", "interactions.0.result", "incorrect"),
        ("2004", "interactions.0.timestamp", "2026-01-02T10:20:30.00Z"),
        ("2004", "interactions.0.description", "Qual é a capital?"),
        ("2004", "comments_from_learner.0.comment", "bom"),
        ("2004", "objectives.0.progress_measure", "1"),
        ("2004", "suspend_data", "x" * SUSPEND_DATA),
    ],
)
def test_what_is_kept(version: Version, path: str, value: str) -> None:
    assert clean(version, nested(path, value)) == (nested(path, value), [])


@pytest.mark.parametrize(
    ("version", "path", "value", "reason"),
    [
        ("1.2", "core.lesson_status", "done", "invalid"),
        ("1.2", "core.lesson_status", ["passed"], "invalid"),
        ("1.2", "core.lesson_status", True, "invalid"),
        ("1.2", "core.lesson_status", None, "invalid"),
        ("1.2", "core.exit", "normal", "invalid"),
        ("1.2", "core.score.raw", "85,5", "invalid"),
        ("1.2", "core.score.raw", "NaN", "invalid"),
        ("1.2", "core.score.raw", "Infinity", "invalid"),
        ("1.2", "core.score.raw", "1e5", "invalid"),
        ("1.2", "core.score.raw", "9" * 13, "invalid"),
        ("1.2", "core.score.raw", float("inf"), "invalid"),
        ("1.2", "core.score", "85", "invalid"),
        ("1.2", "core.session_time", "PT5M", "invalid"),
        ("1.2", "core.student_id", "x" * 256, "too_long"),
        ("1.2", "core.hacked", "1", "unknown"),
        ("1.2", "completion_status", "completed", "unknown"),
        ("1.2", "suspend_data", "x" * (SUSPEND_DATA + 1), "too_long"),
        ("1.2", "suspend_data", "a\0b", "invalid"),
        ("1.2", "suspend_data", "\ud800", "invalid"),
        ("1.2", "suspend_data", {}, "invalid"),
        ("1.2", "interactions.x", {"id": "a"}, "unknown"),
        ("1.2", "interactions.01", {"id": "a"}, "unknown"),
        ("1.2", "interactions.2000", {"id": "a"}, "too_many"),
        ("1.2", "interactions.0", "a", "invalid"),
        ("1.2", "interactions", "a", "invalid"),
        ("1.2", "interactions.0.type", "long-fill-in", "invalid"),
        ("1.2", "interactions.0.result", "incorrect", "invalid"),
        ("1.2", "interactions.0.latency", "fast", "invalid"),
        ("2004", "core", {"lesson_status": "passed"}, "unknown"),
        ("2004", "score.scaled", "1.5", "invalid"),
        ("2004", "progress_measure", "50", "invalid"),
        ("2004", "session_time", "00:05:30", "invalid"),
        ("2004", "interactions.0.result", "wrong", "invalid"),
        ("2004", "interactions.0.timestamp", "yesterday", "invalid"),
        ("2004", "objectives.500", {"id": "a"}, "too_many"),
    ],
)
def test_what_is_left_out(version: Version, path: str, value: Any, reason: str) -> None:
    good = {"suspend_data": "kept"} if "suspend_data" not in path else {"comments": "kept"}
    kept, dropped = clean(version, nested(path, value) | good)
    assert [(each.element, each.reason) for each in dropped] == [(f"cmi.{path}", reason)]
    assert kept.items() >= good.items()
    # Only the groups around the bad element are left.
    at: Any = kept
    for name in path.split("."):
        at = at.get(name) if isinstance(at, dict) else None
    assert at in (None, {}) or at is kept


@pytest.mark.parametrize(("given", "text"), [(0.8, "0.8"), (85, "85"), (100.0, "100"), (1e-7, "0.0000001")])
def test_numbers_become_text(given: float, text: str) -> None:
    assert clean("2004", {"score": {"raw": given}})[0] == {"score": {"raw": text}}


def test_collections_are_in_order_of_their_index() -> None:
    given = {str(n): {"id": f"q{n}"} for n in (10, 2, 1)} | {"_count": 3}
    kept, dropped = clean("1.2", {"interactions": given})
    assert (list(kept["interactions"]), dropped) == (["1", "2", "10"], [])


@pytest.mark.parametrize("cmi", [None, [], "x", 5, {"core": []}, {1: 2}, {"interactions": []}])
def test_no_form_of_a_body_raises(cmi: Any) -> None:
    for version in ("1.2", "2004"):
        kept, _ = clean(version, cmi)  # type: ignore[arg-type]
        assert isinstance(kept, dict)


def test_what_was_left_out_is_told_shortly() -> None:
    _, dropped = clean("1.2", {f"x{n}": "y" * 1000 for n in range(1000)})
    assert len(dropped) == 100
    assert max(len(each.value) for each in dropped) == 100


@pytest.mark.skipif(not COMMITS, reason="The captured commits are not here.")
def test_what_real_tools_commit_is_kept_whole() -> None:
    assert len(COMMITS) == 32
    for path in COMMITS:
        cmi = json.loads(path.read_text())["cmi"]
        kept, dropped = clean(version_of(cmi), cmi)
        assert dropped == [], path.name
        assert as_text(kept) == as_text(cmi), path.name


def as_text(value: Any) -> Any:
    """Formats numbers like the runtime."""
    if isinstance(value, dict):
        return {name: as_text(each) for name, each in value.items()}
    return str(value)
