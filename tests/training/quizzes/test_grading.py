"""Pure rules of quizzes: grading, drawing questions, and validating an author's input."""

from datetime import date
from random import Random
from typing import Any
from uuid import uuid4

import pytest

from trilha.core.errors import Invalid
from trilha.core.web.parsing import convert
from trilha.training.quizzes import drawing, grading, numbers, responses
from trilha.training.quizzes.responses import Unacceptable
from trilha.training.quizzes.schema import NewQuestion, NewQuiz, Question, QuizSettings

TODAY = date(2026, 11, 22)
CHOICES = [
    {"id": "a", "text": "Sim", "right": True},
    {"id": "b", "text": "Não"},
    {"id": "c", "text": "Talvez"},
]


def question(kind: str, **members: Any) -> Question:
    return convert(Question, {"id": str(uuid4()), "kind": kind, "text": "?"} | members, TODAY)


def single() -> Question:
    return question("single", choices=CHOICES)


def multiple() -> Question:
    return question("multiple", choices=[CHOICES[0], {**CHOICES[1], "right": True}, CHOICES[2]])


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("3,5", [3.5]),
        ("3.5", [3.5]),
        (" -0,25 ", [-0.25]),
        ("\u22122", [-2]),
        ("1.234,5", [1234.5]),
        ("1,234.5", [1234.5]),
        ("1.234.567", [1234567]),
        ("1.234", [1.234, 1234]),
        ("1,234", [1.234, 1234]),
        ("12 000", [12000]),
        ("5,", [5]),
        (",5", [0.5]),
        ("", []),
        ("3,5,1", []),
        ("1e3", []),
        ("nan", []),
        ("inf", []),
        ("٣", []),
        ("9" * 41, []),
        ("12 kg", []),
    ],
)
def test_numbers_are_read_as_people_write_them(text: str, read: list[float]) -> None:
    assert list(numbers.readings(text)) == pytest.approx(read)


@pytest.mark.parametrize(
    ("given", "said", "right"),
    [
        (single(), ["a"], True),
        (single(), ["b"], False),
        (multiple(), ["b", "a"], True),
        (multiple(), ["a"], False),
        (multiple(), ["a", "b", "c"], False),
        (question("true_false", right=True), True, True),
        (question("true_false", right=True), False, False),
        (question("true_false", right=False), False, True),
        (question("numeric", value=0.3), "0,3", True),
        (question("numeric", value=0.3, tolerance=0.1), "0,4", True),
        (question("numeric", value=0.3, tolerance=0.1), "0,41", False),
        (question("numeric", value=1234), "1.234", True),
        (question("numeric", value=-5), "5", False),
        (question("fill_in", accepted=["São Paulo"]), "sao  paulo", True),
        (question("fill_in", accepted=["São Paulo"]), "SAOPAULO", True),
        (question("fill_in", accepted=["São Paulo"], ignore_accents=False), "sao paulo", False),
        (question("fill_in", accepted=["São Paulo"], ignore_case=False), "são paulo", False),
        (question("fill_in", accepted=["São Paulo"], ignore_spaces=False), "sãopaulo", False),
        (question("fill_in", accepted=["São Paulo"], ignore_spaces=False), "  são paulo ", True),
        (question("fill_in", accepted=["freio", "breque"]), "Breque", True),
        (question("fill_in", accepted=["freio", "breque"]), "pedal", False),
        (question("voice"), None, False),
        (single(), None, False),
    ],
)
def test_an_answer_is_right_or_not(given: Question, said: Any, right: bool) -> None:
    assert grading.is_right(given, responses.accept(given, said)) is right


def test_a_voice_answer_is_for_a_person_to_grade() -> None:
    assert grading.is_right(question("voice"), "recording") is None


@pytest.mark.parametrize(
    ("given", "said", "code"),
    [
        (single(), "a", "invalid_type"),
        (single(), ["a", "b"], "too_long"),
        (single(), ["z"], "invalid_value"),
        (multiple(), ["a", 1], "invalid_type"),
        (multiple(), ["a", "z"], "invalid_value"),
        (multiple(), ["a"] * 50, "invalid_value"),
        (question("true_false", right=True), "true", "invalid_type"),
        (question("true_false", right=True), 1, "invalid_type"),
        (question("numeric", value=1), "um", "invalid_number"),
        (question("numeric", value=1), 1, "invalid_type"),
        (question("fill_in", accepted=["x"]), "x" * 2001, "too_long"),
        (question("fill_in", accepted=["x"]), "a\x00b", "invalid_text"),
        (question("fill_in", accepted=["x"]), "\ud800", "invalid_text"),
        (question("fill_in", accepted=["x"]), {"points": 1}, "invalid_type"),
        (question("voice"), "00000000-0000-4000-8000-000000000000", "invalid_type"),
    ],
)
def test_what_is_no_answer_is_not_kept(given: Question, said: Any, code: str) -> None:
    with pytest.raises(Unacceptable, match=code):
        responses.accept(given, said)


@pytest.mark.parametrize("said", [None, "", [], "   "])
def test_an_answer_may_be_taken_back(said: Any) -> None:
    assert responses.accept(question("fill_in", accepted=["x"]), said) is None


@pytest.mark.parametrize(
    ("graded", "score"),
    [
        ([(1, 1), (0, 1), (0, 1)], 33.33),
        ([(2, 2), (0, 1)], 66.67),
        ([(0.5, 1)], 50),
        ([(0.1, 0.1), (0.2, 0.2)], 100),
        ([], 0),
    ],
)
def test_the_score_is_weighted(graded: list[tuple[float, float]], score: float) -> None:
    assert grading.score(graded) == score


@pytest.mark.parametrize(
    ("raw", "problems"),
    [
        ({"kind": "single", "text": "?"}, {"choices": "required"}),
        ({"kind": "single", "text": " ", "choices": CHOICES}, {"text": "too_short"}),
        ({"kind": "single", "text": "?", "choices": CHOICES[:1]}, {"choices": "too_short"}),
        ({"kind": "single", "text": "?", "choices": CHOICES[1:]}, {"choices": "one_right_choice"}),
        ({"kind": "multiple", "text": "?", "choices": CHOICES[1:]}, {"choices": "no_right_choice"}),
        (
            {"kind": "single", "text": "?", "choices": [CHOICES[0], {"text": "sim "}]},
            {"choices.1.text": "duplicate_choice"},
        ),
        ({"kind": "true_false", "text": "?"}, {"right": "required"}),
        ({"kind": "true_false", "text": "?", "right": True, "value": 3}, {"value": "invalid_value"}),
        ({"kind": "numeric", "text": "?"}, {"value": "required"}),
        ({"kind": "numeric", "text": "?", "value": 1, "tolerance": -1}, {"tolerance": "out_of_range"}),
        ({"kind": "fill_in", "text": "?"}, {"accepted": "required"}),
        ({"kind": "fill_in", "text": "?", "accepted": [" "]}, {"accepted": "required"}),
        ({"kind": "voice", "text": "?", "choices": CHOICES}, {"choices": "invalid_value"}),
        ({"kind": "voice", "text": "?", "longest_seconds": 1}, {"longest_seconds": "out_of_range"}),
        ({"kind": "voice", "text": "?", "weight": 0}, {"weight": "out_of_range"}),
        ({"kind": "drawing", "text": "?"}, {"kind": "invalid_value"}),
    ],
)
def test_what_an_author_wrote_wrong_is_told(raw: dict[str, Any], problems: dict[str, str]) -> None:
    with pytest.raises(Invalid) as refused:
        convert(NewQuestion, raw, TODAY)
    assert {each.field: each.code for each in refused.value.detail} == problems


def test_a_pool_that_no_question_has_is_told() -> None:
    asked = {"kind": "voice", "text": "?", "pool": "A"}
    with pytest.raises(Invalid) as refused:
        convert(NewQuiz, {"questions": [asked], "draws": {"A": 1, "B": 1}}, TODAY)
    assert [(each.field, each.code) for each in refused.value.detail] == [("draws.B", "unknown_pool")]


def test_each_pool_gives_as_many_as_are_drawn() -> None:
    pools = ["", "A", "A", "A", "B", "B", ""]
    questions = [question("true_false", right=True, pool=pool) for pool in pools]
    settings = QuizSettings(draws={"A": 2, "B": 9}, shuffle_choices=False)
    seen = set()
    for seed in range(30):
        asked = drawing.draw(settings, questions, Random(seed))
        assert [each.pool for each in asked] == ["", "A", "A", "B", "B", ""]
        seen.add(tuple(each.id for each in asked))
    assert len(seen) == 3


def test_shuffling_changes_the_order_and_nothing_else() -> None:
    questions = [single() for _ in range(6)]
    orders, choices = set(), set()
    for seed in range(30):
        asked = drawing.draw(QuizSettings(shuffle_questions=True), questions, Random(seed))
        orders.add(tuple(each.id for each in asked))
        choices.add(tuple(each.id for each in asked[0].choices))
        assert {each.id for each in asked} == {each.id for each in questions}
        assert all({choice.id: choice.right for choice in each.choices}["a"] for each in asked)
    assert len(orders) > 5
    assert len(choices) > 3
    still = drawing.draw(QuizSettings(shuffle_choices=False), questions, Random(1))
    assert still == questions
