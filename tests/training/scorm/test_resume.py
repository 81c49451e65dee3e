"""The state at the start of a launch: the previous one's, or a new one."""

from typing import Any

import pytest

from trilha.training.scorm.package.manifest import Item, Version
from trilha.training.scorm.runtime.elements import clean
from trilha.training.scorm.runtime.mapping import Completion, State
from trilha.training.scorm.runtime.resume import Learner, Opening, Policy, launch_cmi, opening

ANEW = Opening(True, "ab-initio", False)
GOES_ON = Opening(False, "resume", False)
GOES_ON_QUIETLY = Opening(False, "", False)
REVIEW = Opening(False, "resume", True)
ANA = Learner("u1", "Silva, Ana")


@pytest.mark.parametrize(
    ("version", "completion", "exit", "terminated", "resumes", "begins_anew"),
    [
        ("1.2", "incomplete", "suspend", True, GOES_ON, GOES_ON),
        ("1.2", "incomplete", "", True, GOES_ON, GOES_ON),
        ("1.2", "incomplete", "logout", True, GOES_ON_QUIETLY, ANEW),
        ("1.2", "incomplete", "time-out", True, GOES_ON_QUIETLY, ANEW),
        ("1.2", "incomplete", "logout", False, GOES_ON, GOES_ON),
        ("1.2", "completed", "suspend", True, REVIEW, ANEW),
        ("2004", "incomplete", "suspend", True, GOES_ON, GOES_ON),
        ("2004", "incomplete", "", True, GOES_ON, ANEW),
        ("2004", "incomplete", "normal", True, GOES_ON, ANEW),
        ("2004", "incomplete", "time-out", True, GOES_ON, ANEW),
        ("2004", "unknown", "normal", False, GOES_ON, GOES_ON),
        ("2004", "completed", "normal", True, REVIEW, ANEW),
    ],
)
def test_how_a_part_is_opened(
    version: Version,
    completion: Completion,
    exit: str,
    terminated: bool,
    resumes: Opening,
    begins_anew: Opening,
) -> None:
    before = State(completion=completion, exit=exit)
    expected: dict[Policy, Opening] = {"resume": resumes, "new_attempt": begins_anew}
    for policy, found in expected.items():
        assert opening(version, before, policy, terminated=terminated) == found


def test_the_first_time() -> None:
    assert opening("1.2", None, "resume", terminated=False) == ANEW


LAST_12: dict[str, Any] = {
    "core": {
        "student_id": "forged",
        "lesson_status": "incomplete",
        "lesson_location": "p3",
        "exit": "suspend",
        "session_time": "00:05:30",
        "total_time": "99:00:00",
        "credit": "no-credit",
        "score": {"raw": "40"},
    },
    "suspend_data": "state",
    "student_data": {"mastery_score": "1"},
    "interactions": {"0": {"id": "q1"}},
}


def test_scorm_12_goes_on() -> None:
    item = Item(identifier="i1", title="One", mastery_score=80, launch_data="start=3")
    cmi = launch_cmi("1.2", item, ANA, GOES_ON, LAST_12, 330)
    assert cmi == {
        "core": {
            "student_id": "u1",
            "student_name": "Silva, Ana",
            "lesson_status": "incomplete",
            "lesson_location": "p3",
            "credit": "credit",
            "lesson_mode": "normal",
            "entry": "resume",
            "total_time": "0000:05:30.00",
            "score": {"raw": "40"},
        },
        "suspend_data": "state",
        "launch_data": "start=3",
        "student_data": {"mastery_score": "80"},
        # A journal continues where it ends.
        "interactions": {"0": {"id": "q1"}},
    }
    assert clean("1.2", cmi) == (cmi, [])


LAST_2004: dict[str, Any] = {
    "learner_id": "forged",
    "completion_status": "incomplete",
    "exit": "normal",
    "session_time": "PT5M",
    "location": "p3",
    "scaled_passing_score": "0.1",
    "suspend_data": "state",
    "objectives": {"0": {"id": "o1"}},
}


def test_scorm_2004_goes_on() -> None:
    item = Item(identifier="i1", title="One", scaled_passing_score=0.8, completion_threshold=0.9)
    cmi = launch_cmi("2004", item, ANA, GOES_ON, LAST_2004, 330)
    assert cmi == {
        "learner_id": "u1",
        "learner_name": "Silva, Ana",
        "completion_status": "incomplete",
        "location": "p3",
        "suspend_data": "state",
        "credit": "credit",
        "mode": "normal",
        "entry": "resume",
        "total_time": "PT0H5M30S",
        "launch_data": "",
        "scaled_passing_score": "0.8",
        "completion_threshold": "0.9",
        "objectives": {"0": {"id": "o1"}},
    }
    assert clean("2004", cmi) == (cmi, [])
    assert "scaled_passing_score" not in launch_cmi(
        "2004", Item(identifier="i1", title="One"), ANA, GOES_ON, LAST_2004, 0
    )


@pytest.mark.parametrize(("version", "last"), [("1.2", LAST_12), ("2004", LAST_2004)])
def test_a_new_attempt_is_given_nothing_of_the_last(version: Version, last: dict[str, Any]) -> None:
    cmi = launch_cmi(version, Item(identifier="i1", title="One"), ANA, ANEW, last, 330)
    assert "suspend_data" not in cmi
    top = cmi.get("core", cmi)
    assert (top["entry"], top["total_time"]) == (
        "ab-initio",
        {"1.2": "0000:00:00.00", "2004": "PT0H0M0S"}[version],
    )
    assert "lesson_location" not in top
    assert "location" not in top


@pytest.mark.parametrize(("version", "last"), [("1.2", LAST_12), ("2004", LAST_2004)])
def test_a_review_counts_for_nothing_and_shows_all(version: Version, last: dict[str, Any]) -> None:
    cmi = launch_cmi(version, Item(identifier="i1", title="One"), ANA, REVIEW, last, 330)
    top = cmi.get("core", cmi)
    assert (top["credit"], top.get("lesson_mode") or top.get("mode")) == ("no-credit", "review")
    assert cmi["suspend_data"] == "state"
