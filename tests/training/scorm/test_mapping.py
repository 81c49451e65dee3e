"""The state that results from commits: every row of the mapping, and the final commits of real content."""

import json
from typing import Any

import pytest

from conftest import FIXTURES
from trilha.training.scorm.package.manifest import Version
from trilha.training.scorm.runtime.elements import clean
from trilha.training.scorm.runtime.mapping import ItemSettings, State, normalise

COMMITS = FIXTURES / "scorm" / "commits"
NOTHING = ItemSettings()
MASTERY = ItemSettings(mastery_score=80)
THRESHOLD = ItemSettings(completion_threshold=0.9)
PASSING = ItemSettings(scaled_passing_score=0.8)


def core(status: str = "", raw: str = "", *, least: str = "", most: str = "", **more: str) -> dict[str, Any]:
    return {"core": {"lesson_status": status, "score": {"raw": raw, "min": least, "max": most}} | more}


def after(
    version: Version,
    cmi: dict[str, Any],
    item: ItemSettings = NOTHING,
    *,
    final: bool = False,
    before: State | None = None,
) -> State:
    return normalise(version, cmi, item, final=final, before=before)


@pytest.mark.parametrize(
    ("status", "final", "completion", "success", "progress"),
    [
        ("completed", False, "completed", "unknown", 100),
        ("passed", False, "completed", "passed", 100),
        ("failed", False, "completed", "failed", 100),
        ("incomplete", False, "incomplete", "unknown", 0),
        ("incomplete", True, "incomplete", "unknown", 0),
        ("browsed", False, "incomplete", "unknown", 0),
        ("browsed", True, "incomplete", "unknown", 0),
        ("not attempted", False, "unknown", "unknown", 0),
        ("not attempted", True, "completed", "unknown", 100),
        ("", False, "unknown", "unknown", 0),
        ("", True, "unknown", "unknown", 0),
    ],
)
def test_the_status_of_scorm_12(
    status: str, final: bool, completion: str, success: str, progress: float
) -> None:
    found = after("1.2", core(status), final=final)
    assert (found.completion, found.success, found.progress) == (completion, success, progress)


@pytest.mark.parametrize(
    ("status", "raw", "final", "exit", "completion", "success"),
    [
        ("passed", "50", False, "", "completed", "failed"),
        ("passed", "80", False, "", "completed", "passed"),
        ("failed", "90", False, "", "completed", "passed"),
        ("completed", "79.9", False, "", "completed", "failed"),
        ("completed", "80", True, "suspend", "completed", "passed"),
        # Reached before the end: passed, and not completed yet.
        ("incomplete", "90", False, "", "incomplete", "passed"),
        ("incomplete", "90", True, "suspend", "completed", "passed"),
        ("incomplete", "90", True, "", "completed", "passed"),
        # Not reached yet: no result, unless the learner leaves for good.
        ("incomplete", "10", False, "", "incomplete", "unknown"),
        ("incomplete", "10", True, "suspend", "incomplete", "unknown"),
        ("incomplete", "10", True, "", "completed", "failed"),
        ("not attempted", "85", True, "", "completed", "passed"),
        ("passed", "", False, "", "completed", "passed"),
        ("completed", "", True, "", "completed", "unknown"),
    ],
)
def test_a_mastery_score_decides(
    status: str, raw: str, final: bool, exit: str, completion: str, success: str
) -> None:
    found = after("1.2", core(status, raw, exit=exit), MASTERY, final=final)
    assert (found.completion, found.success) == (completion, success)


@pytest.mark.parametrize(
    ("raw", "least", "most", "score"),
    [
        ("85", "", "", 85),
        ("85", "0", "100", 85),
        ("8.5", "0", "10", 85),
        ("30", "20", "40", 50),
        ("0", "", "100", 0),
        ("30", "", "40", 75),
        ("85", "100", "0", 85),  # no usable scale
        ("", "0", "100", None),
        ("150", "", "", None),  # unknown scale
        ("150", "", "100", None),
        ("150", "0", "200", 75),
        ("-5", "", "", None),
        ("60", "0", "50", None),
    ],
)
@pytest.mark.parametrize("version", ["1.2", "2004"])
def test_a_score_is_0_to_100_by_its_own_scale(
    version: Version, raw: str, least: str, most: str, score: float | None
) -> None:
    given = {"raw": raw, "min": least, "max": most}
    cmi = {"core": {"score": given}} if version == "1.2" else {"score": given}
    assert after(version, cmi).score == (None if score is None else pytest.approx(score))


@pytest.mark.parametrize(
    ("scaled", "score"), [("0.85", 85), ("1", 100), ("0", 0), ("-0.5", 0), ("0.125", 12.5)]
)
def test_a_scaled_score_goes_before_a_raw_one(scaled: str, score: float) -> None:
    assert after("2004", {"score": {"scaled": scaled, "raw": "7", "max": "10"}}).score == pytest.approx(score)


@pytest.mark.parametrize(
    ("status", "measure", "item", "completion", "progress"),
    [
        ("completed", "", NOTHING, "completed", 100),
        ("completed", "0.5", NOTHING, "completed", 100),
        ("incomplete", "0.5", NOTHING, "incomplete", 50),
        ("incomplete", "", NOTHING, "incomplete", 0),
        ("not attempted", "", NOTHING, "unknown", 0),
        ("unknown", "0.25", NOTHING, "unknown", 25),
        ("completed", "0.5", THRESHOLD, "incomplete", 50),
        ("incomplete", "0.9", THRESHOLD, "completed", 100),
        ("unknown", "1", THRESHOLD, "completed", 100),
        ("completed", "", THRESHOLD, "completed", 100),
    ],
)
def test_the_completion_of_scorm_2004(
    status: str, measure: str, item: ItemSettings, completion: str, progress: float
) -> None:
    found = after("2004", {"completion_status": status, "progress_measure": measure}, item, final=True)
    assert (found.completion, found.progress) == (completion, progress)


@pytest.mark.parametrize(
    ("status", "scaled", "item", "success"),
    [
        ("passed", "", NOTHING, "passed"),
        ("failed", "0.9", NOTHING, "failed"),
        ("unknown", "0.9", NOTHING, "unknown"),
        ("", "", NOTHING, "unknown"),
        ("unknown", "0.8", PASSING, "passed"),
        ("passed", "0.79", PASSING, "failed"),
        ("failed", "0.8", PASSING, "passed"),
        ("passed", "", PASSING, "passed"),
    ],
)
def test_the_success_of_scorm_2004(status: str, scaled: str, item: ItemSettings, success: str) -> None:
    assert after("2004", {"success_status": status, "score": {"scaled": scaled}}, item).success == success


def test_what_a_launch_says_of_itself() -> None:
    found = after(
        "1.2", core(session_time="00:05:30", exit="suspend", lesson_location="p3") | {"suspend_data": "s"}
    )
    assert (found.session_seconds, found.exit, found.location, found.suspend_data) == (
        330,
        "suspend",
        "p3",
        "s",
    )
    found = after("2004", {"session_time": "PT5M", "exit": "normal", "location": "p4", "suspend_data": "t"})
    assert (found.session_seconds, found.exit, found.location, found.suspend_data) == (
        300,
        "normal",
        "p4",
        "t",
    )


def test_what_a_commit_lacks_is_as_before() -> None:
    before = State(
        exit="suspend", location="p3", suspend_data="s", score=70, progress=40, completion="incomplete"
    )
    for version in ("1.2", "2004"):
        found = after(version, {}, before=before)  # type: ignore[arg-type]
        assert (found.exit, found.location, found.suspend_data) == ("suspend", "p3", "s")
        assert (found.score, found.progress, found.completion) == (70, 40, "incomplete")
    emptied = after("1.2", core(lesson_location="", exit="") | {"suspend_data": ""}, before=before)
    assert (emptied.exit, emptied.location, emptied.suspend_data) == ("", "", "")


PASSED = State(completion="completed", success="passed", score=75, progress=100)
FAILED = State(completion="completed", success="failed", score=40, progress=100)
HALF = State(completion="incomplete", score=75, progress=60)


@pytest.mark.parametrize(
    ("before", "cmi", "completion", "success", "score", "progress"),
    [
        # Storyline writes `incomplete` when it is closed after it was passed.
        (PASSED, core("incomplete"), "completed", "passed", 75, 100),
        (PASSED, core("not attempted"), "completed", "passed", 75, 100),
        (PASSED, core(""), "completed", "passed", 75, 100),
        # Captivate writes a score of 0.
        (PASSED, core("passed", "0", least="0", most="100"), "completed", "passed", 75, 100),
        (PASSED, core("incomplete", "0"), "completed", "passed", 75, 100),
        (PASSED, core("passed", "90"), "completed", "passed", 90, 100),
        # A person who has passed cannot fail anymore.
        (PASSED, core("failed", "30"), "completed", "passed", 75, 100),
        (FAILED, core("passed", "80"), "completed", "passed", 80, 100),
        (FAILED, core("incomplete", "0"), "completed", "failed", 40, 100),
        (FAILED, core("failed", "30"), "completed", "failed", 40, 100),
        (FAILED, core("failed", "60"), "completed", "failed", 60, 100),
        # Failing may lower the score.
        (HALF, core("failed", "30"), "completed", "failed", 30, 100),
        (HALF, core("failed"), "completed", "failed", 75, 100),
        (HALF, core("incomplete", "0"), "incomplete", "unknown", 75, 60),
        (HALF, core("browsed"), "incomplete", "unknown", 75, 60),
    ],
)
def test_nothing_goes_back_within_an_attempt(
    before: State,
    cmi: dict[str, Any],
    completion: str,
    success: str,
    score: float,
    progress: float,
) -> None:
    found = after("1.2", cmi, final=False, before=before)
    assert (found.completion, found.success, found.score, found.progress) == (
        completion,
        success,
        score,
        progress,
    )


def test_progress_of_scorm_2004_goes_forward() -> None:
    before = State(completion="incomplete", progress=60)
    assert after("2004", {"progress_measure": "0.4"}, before=before).progress == 60
    assert after("2004", {"progress_measure": "0.7"}, before=before).progress == 70


# The result of the commits of one launch: completion, success, score, progress, seconds and exit.
CAPTURED = {
    "articulate_rise_ptBR_SCORM12": ("incomplete", "unknown", None, 0, 5.67, "suspend"),
    "captivate_en_SCORM12": ("completed", "passed", 75, 100, 5.82, "suspend"),
    "exelearning_zhTW_SCORM12": ("completed", "unknown", None, 100, 3.57, "logout"),
    "good_12_mastery_gen": ("completed", "failed", 40, 100, 90, ""),
    "good_12_multi_prereq_gen": ("completed", "passed", 85, 100, 90, ""),
    "good_12_single_gen": ("completed", "passed", 85, 100, 90, ""),
    "good_2004_single_gen": ("completed", "passed", 85, 100, 90, "normal"),
    "good_2004_threshold_seq_gen": ("completed", "passed", 85, 100, 90, "suspend"),
    "imscp_test_quiz": ("incomplete", "unknown", None, 0, 0, ""),
    "ispring_SCORM2004_4th": ("incomplete", "unknown", None, 12.5, 3, "suspend"),
    "quizz_types_fr_SCORM12": ("completed", "passed", 75, 100, 6.26, "suspend"),
    "storyline360_SCORM2004_CAM13": ("completed", "passed", 75, 100, 5.83, "suspend"),
}
SETTINGS = {"good_12_mastery_gen": MASTERY, "good_2004_threshold_seq_gen": THRESHOLD}


@pytest.mark.skipif(not COMMITS.is_dir(), reason="The captured commits are not here.")
@pytest.mark.parametrize("name", CAPTURED)
def test_what_real_tools_commit(name: str) -> None:
    state = None
    for path in sorted(COMMITS.glob(f"{name}.*.json")):
        body = json.loads(path.read_text())
        version: Version = "1.2" if "core" in body["cmi"] else "2004"
        cmi, _ = clean(version, body["cmi"])
        item = SETTINGS.get(name, NOTHING)
        state = after(version, cmi, item, final=path.stem.endswith(".final"), before=state)
    assert state is not None
    found = (state.completion, state.success, state.score, state.progress, state.session_seconds, state.exit)
    assert found == CAPTURED[name]
