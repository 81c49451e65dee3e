"""The recorded answers of content, as the API returns them."""

import json
from typing import Any

import pytest

from conftest import FIXTURES
from trilha.training.scorm.package.manifest import Version
from trilha.training.scorm.runtime.elements import clean
from trilha.training.scorm.runtime.interactions import Interaction, format_response, humanize_id, latest, read

COMMITS = FIXTURES / "scorm" / "commits"
ANSWER_12 = {
    "id": "q1",
    "time": "10:20:30",
    "type": "choice",
    "weighting": "1",
    "student_response": "a,c",
    "result": "wrong",
    "latency": "00:00:12.504",
    "correct_responses": {"0": {"pattern": "a"}, "1": {"pattern": "b"}},
}
ANSWER_2004 = {
    "id": "urn:q1",
    "type": "choice",
    "timestamp": "2026-01-02T10:20:30.00Z",
    "weighting": "2.5",
    "learner_response": "a[,]c",
    "result": "incorrect",
    "latency": "PT12.5S",
    "description": "{lang=pt-BR}Qual é a capital?",
    "correct_responses": {"0": {"pattern": "{order_matters=false}a[,]c"}},
}


def one(version: Version, session: float | None = 60, **changes: Any) -> Interaction:
    given = (ANSWER_12 if version == "1.2" else ANSWER_2004) | changes
    (found,) = read(version, {"interactions": {"0": given}}, session)
    return found


def test_an_answer_of_scorm_12() -> None:
    assert one("1.2") == Interaction(
        index=0,
        interaction_id="q1",
        type="choice",
        description="q1",
        response="a,c",
        raw_response="a,c",
        correct_response="a | b",
        result="incorrect",
        latency_seconds=12.5,
        weighting=1.0,
        client_time="10:20:30",
    )


def test_long_texts_are_cut() -> None:
    patterns = {str(n): {"pattern": "b" * 7_000} for n in range(100)}
    found = one("2004", learner_response="a[,]" * 4_000, type="other", correct_responses=patterns)
    plain = one("2004", learner_response="a" * 9_000)
    assert [len(each) for each in (found.raw_response, found.response, found.correct_response)] == [8_000] * 3
    assert (plain.raw_response, plain.response) == ("a" * 8_000, "a" * 8_000)


def test_an_answer_of_scorm_2004() -> None:
    assert one("2004") == Interaction(
        index=0,
        interaction_id="urn:q1",
        type="choice",
        description="Qual é a capital?",
        response="a, c",
        raw_response="a[,]c",
        correct_response="a, c",
        result="incorrect",
        latency_seconds=12.5,
        weighting=2.5,
        client_time="2026-01-02T10:20:30.00Z",
    )


@pytest.mark.parametrize(
    ("type", "raw", "shown"),
    [
        ("choice", "a[,]c", "a, c"),
        ("matching", "a[.]1[,]b[.]2", "a → 1, b → 2"),
        ("performance", "step1[.]3[:]5", "step1 → 3–5"),
        ("fill-in", "{lang=pt-BR}São Paulo", "São Paulo"),
        ("fill-in", "{case_matters=true}{order_matters=true}A", "A"),
        ("fill-in", "{x} stays", "{x} stays"),
        ("fill-in", "São Paulo, SP", "São Paulo, SP"),
        ("true-false", "t", "true"),
        ("true-false", "1", "true"),
        ("true-false", "F", "false"),
        ("true-false", "0", "false"),
        ("true-false", "false", "false"),
        ("true-false", "maybe", "maybe"),
        ("choice", "t", "t"),
        ("numeric", "2[:]2", "2"),
        ("numeric", "1[:]5", "1–5"),
        ("numeric", "[:]5", "≤ 5"),
        ("numeric", "1[:]", "≥ 1"),
        ("numeric", "[:]", ""),
        ("numeric", "2", "2"),
        ("other", "", ""),
    ],
)
def test_how_an_answer_is_shown(type: str, raw: str, shown: str) -> None:
    assert format_response(type, raw) == shown


@pytest.mark.parametrize(
    ("given", "result"),
    [("correct", "correct"), ("wrong", "incorrect"), ("neutral", "neutral"), ("0.75", "0.75"), ("", "")],
)
def test_results(given: str, result: str) -> None:
    assert one("1.2", result=given).result == result


@pytest.mark.parametrize(
    ("text", "session", "latency"),
    [
        ("00:00:07.555", 60, 7.55),
        ("", 60, None),
        ("fast", 60, None),
        ("-00:00:01", 60, None),
        ("00:02:00", 60, None),  # longer than the launch has lasted
        ("00:02:00", None, 120),
        ("00:02:00", 0, 120),  # content that reports no duration
    ],
)
def test_latencies(text: str, session: float | None, latency: float | None) -> None:
    found = one("1.2", session, latency=text).latency_seconds
    assert found == (None if latency is None else pytest.approx(latency, abs=0.006))


def test_weights() -> None:
    assert [one("1.2", weighting=text).weighting for text in ("2", "", "0.5")] == [2, None, 0.5]


@pytest.mark.parametrize(
    ("id", "text"),
    [
        ("Scene1_Slide3_MultiChoice_0_0", "Scene1 Slide3 MultiChoice"),
        ("urn:course:question-7", "course question"),
        ("q1", "q1"),
        ("42", "42"),
        ("___", "___"),
    ],
)
def test_a_question_without_a_text_is_called_by_its_id(id: str, text: str) -> None:
    assert humanize_id(id) == text
    assert one("1.2", id=id).description == text


def test_a_known_text_goes_before_the_id() -> None:
    (found,) = read("1.2", {"interactions": {"0": ANSWER_12}}, None, {"q1": "Which helmet?"})
    assert found.description == "Which helmet?"
    (found,) = read("2004", {"interactions": {"0": ANSWER_2004}}, None, {"urn:q1": "Other"})
    assert found.description == "Qual é a capital?"


def test_what_was_only_shown_is_no_answer() -> None:
    cmi = {"interactions": {"0": {"id": "q1", "type": "choice"}, "1": {"type": "choice"}, "2": ANSWER_12}}
    assert [each.index for each in read("1.2", cmi, None)] == [2]
    assert one("1.2", student_response="").result == "incorrect"
    assert one("1.2", type="").type == "other"


def journal(*answers: tuple[str, str]) -> dict[str, Any]:
    return {
        "interactions": {
            str(n): ANSWER_12 | {"id": id, "student_response": response}
            for n, (id, response) in enumerate(answers)
        }
    }


def test_a_journal_tells_the_last_answer_in_the_order_of_the_first() -> None:
    records = read("1.2", journal(("q1", "a"), ("q2", "b"), ("q1", "c"), ("q3", "d")), None)
    assert [(each.interaction_id, each.response) for each in latest(records)] == [
        ("q1", "c"),
        ("q2", "b"),
        ("q3", "d"),
    ]


def test_the_eleventh_comes_after_the_second() -> None:
    given = journal(*((f"q{n}", "a") for n in range(12)))
    given["interactions"] = dict(sorted(given["interactions"].items()))
    assert [each.index for each in read("1.2", given, None)] == list(range(12))


@pytest.mark.skipif(not COMMITS.is_dir(), reason="The captured commits are not here.")
@pytest.mark.parametrize(
    ("name", "version"),
    [("captivate_en_SCORM12.2.final", "1.2"), ("storyline360_SCORM2004_CAM13.2.final", "2004")],
)
def test_what_real_tools_record(name: str, version: Version) -> None:
    cmi, _ = clean(version, json.loads((COMMITS / f"{name}.json").read_text())["cmi"])
    found = [
        (
            each.interaction_id,
            each.type,
            each.response,
            each.correct_response,
            each.result,
            each.latency_seconds,
        )
        for each in latest(read(version, cmi, 60))
    ]
    assert found == [
        ("Scene1_Slide3_MultiChoice_0_0", "choice", "Bon_", "Capacete_e_cinto", "incorrect", 2.5),
        ("Scene1_Slide4_TrueFalse", "true-false", "false", "true", "incorrect", 4),
        ("Scene1_Slide5_Fill", "fill-in", "São Paulo", "São Paulo", "correct", 7.3),
        ("Scene1_Slide6_Num", "numeric", "2", "2", "correct", 3.1),
    ]
