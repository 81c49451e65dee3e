"""The forms of quizzes, and their conversion."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, structs

from trilha.core.errors import Invalid, Problem
from trilha.core.types import Title
from trilha.core.web.parsing import convert
from trilha.training.courses.schema import Minutes
from trilha.training.question_bank.tags import split as split_tags
from trilha.training.quizzes.numbers import Decimal, parse
from trilha.training.quizzes.schema import (
    GRADED_BY_PEOPLE,
    MAX_BANK_DRAWS,
    MAX_CHOICES,
    MAX_CRITERIA,
    MAX_QUESTIONS,
    MAX_TAGS,
    BankDraw,
    FeedbackLevel,
    Kind,
    NewQuestion,
    NewQuiz,
    Presentation,
    Question,
    Quiz,
    QuizPatch,
    TagName,
)

IgnoredDifference = Literal["case", "accents", "spaces"]
# Rows without a text are ignored; this many empty ones are shown.
_EMPTY_ROWS, _EXTRA_ROWS, _EMPTY_CRITERIA, _EXTRA_RULES = 4, 3, 3, 2


class QuestionForm(Struct, frozen=True, kw_only=True):
    """`right` are the numbers of the selected rows, or true or false. The `step` "more" asks for more rows,
    and "media" leads to the pictures and audio of the question after it was saved.
    """

    text: Annotated[str, Meta(max_length=5000)] = ""
    weight: Decimal = Decimal("1.0")
    pool: Annotated[str, Meta(max_length=60)] = ""
    feedback: Annotated[str, Meta(max_length=5000)] = ""
    choice_id: list[str] = []
    choice_text: list[str] = []
    right: list[str] = []
    value: Decimal | None = None
    tolerance: Decimal = Decimal("0.0")
    accepted: Annotated[str, Meta(max_length=20_000)] = ""
    overlook: list[IgnoredDifference] = []
    longest_seconds: int = 180
    longest_characters: int = 5000
    criterion_text: list[str] = []
    criterion_points: list[str] = []
    step: Literal["save", "more", "media"] = "save"


class Row(Struct, frozen=True):
    """A choice in the form."""

    id: str
    text: str
    right: bool


class CriterionRow(Struct, frozen=True):
    """A criterion in the form, with its points as they were typed."""

    text: str
    points: str


def criteria_of(texts: Sequence[str], points: Sequence[str]) -> list[CriterionRow]:
    """The criteria that have a text or points, as they were sent."""
    padded = [*points, *[""] * len(texts)]
    rows = [CriterionRow(text.strip(), padded[n].strip()) for n, text in enumerate(texts)]
    return [row for row in rows if row.text or row.points][: MAX_CRITERIA + 1]


def read_criteria(values: Mapping[str, Any]) -> list[CriterionRow]:
    """The criteria of a refused form."""
    lists = [values.get(name, ()) for name in ("criterion_text", "criterion_points")]
    return criteria_of(*([each] if isinstance(each, str) else each for each in lists))


def criteria_of_question(question: Question | None) -> list[CriterionRow]:
    rubric = question.rubric if question else []
    return [CriterionRow(each.text, _format_number(each.points)) for each in rubric]


def add_empty_criteria(rows: Sequence[CriterionRow], *, extra: bool = False) -> list[CriterionRow]:
    """Adds empty rows to type into."""
    empty = max(_EMPTY_CRITERIA - len(rows), _EXTRA_ROWS if extra else 0)
    return [*rows, *[CriterionRow("", "")] * min(empty, max(MAX_CRITERIA - len(rows), 0))]


def rows_of(ids: Sequence[str], texts: Sequence[str], right: Sequence[str]) -> list[Row]:
    """The rows that have a text, as they were sent."""
    padded = [*ids, *[""] * len(texts)]
    found = [Row(padded[n], text.strip(), str(n) in right) for n, text in enumerate(texts)]
    return [each for each in found if each.text][: MAX_CHOICES + 1]


def read_rows(values: Mapping[str, Any]) -> list[Row]:
    """The rows of a refused form."""
    lists = [values.get(name, ()) for name in ("choice_id", "choice_text", "right")]
    return rows_of(*([each] if isinstance(each, str) else each for each in lists))


def add_empty_rows(rows: Sequence[Row], *, extra: bool = False) -> list[Row]:
    """Adds empty rows to type into."""
    empty = max(_EMPTY_ROWS - len(rows), _EXTRA_ROWS if extra else 0)
    return [*rows, *[Row("", "", False)] * min(empty, max(MAX_CHOICES - len(rows), 0))]


def question_of(form: QuestionForm, kind: Kind, today: date, before: Question | None = None) -> NewQuestion:
    """Builds the question with the pictures and audio that it had before.

    Raises Invalid, with the names of the form's fields.
    """
    raw: dict[str, Any] = {
        "kind": kind,
        "text": form.text,
        "weight": form.weight.number,
        "pool": form.pool,
        "feedback": form.feedback,
    } | _answer_key(form, kind)
    try:
        question = convert(NewQuestion, raw, today)
    except Invalid as error:
        raise Invalid([_name_field(each) for each in error.detail]) from None
    return _with_media(question, before) if before else question


def _with_media(question: NewQuestion, before: Question) -> NewQuestion:
    pictures = {each.id: each.picture for each in before.choices}
    choices = [structs.replace(each, picture=pictures.get(each.id)) for each in question.choices]
    return structs.replace(question, picture=before.picture, audio=before.audio, choices=choices)


def _answer_key(form: QuestionForm, kind: Kind) -> dict[str, Any]:
    if kind in ("single", "multiple"):
        rows = rows_of(form.choice_id, form.choice_text, form.right)
        return {"choices": [{"id": each.id[:12], "text": each.text, "right": each.right} for each in rows]}
    if kind == "true_false":
        return {"right": {"true": True, "false": False}.get(form.right[0]) if form.right else None}
    if kind == "numeric":
        value = None if form.value is None else form.value.number
        return {"value": value, "tolerance": form.tolerance.number}
    if kind == "fill_in":
        overlooked: Sequence[IgnoredDifference] = ("case", "accents", "spaces")
        return {"accepted": [each.strip() for each in form.accepted.splitlines() if each.strip()]} | {
            f"ignore_{each}": each in form.overlook for each in overlooked
        }
    assert kind in GRADED_BY_PEOPLE
    length = "longest_characters" if kind == "essay" else "longest_seconds"
    return {length: getattr(form, length), "rubric": _rubric(form)}


def _rubric(form: QuestionForm) -> list[dict[str, Any]]:
    """Raises Invalid for points that are no number."""
    rows = criteria_of(form.criterion_text, form.criterion_points)
    numbers = [parse(row.points) for row in rows]
    problems = [
        Problem(f"points-{n}", "", "invalid_number") for n, each in enumerate(numbers) if each is None
    ]
    if problems:
        raise Invalid(problems)
    return [{"text": row.text, "points": number} for row, number in zip(rows, numbers, strict=True)]


def _name_field(problem: Problem) -> Problem:
    first, _, rest = problem.field.partition(".")
    if first == "choices" and rest:
        return Problem(f"choice-{rest.partition('.')[0]}", problem.message, problem.code)
    if first == "rubric" and rest:
        number, _, member = rest.partition(".")
        field = "points" if member == "points" else "criterion"
        return Problem(f"{field}-{number}", problem.message, problem.code)
    # A line among the accepted answers.
    return Problem("accepted" if first == "accepted" else problem.field, problem.message, problem.code)


def begins_of(question: Question | None) -> dict[str, object]:
    if question is None:
        return {
            "weight": "1",
            "tolerance": "0",
            "longest_seconds": 180,
            "longest_characters": 5000,
            "overlook": ["case", "accents", "spaces"],
        }
    return {
        "text": question.text,
        "weight": _format_number(question.weight),
        "pool": question.pool,
        "feedback": question.feedback,
        "right": {True: "true", False: "false"}.get(question.right) if question.right is not None else None,
        "value": None if question.value is None else _format_number(question.value),
        "tolerance": _format_number(question.tolerance),
        "accepted": "\n".join(question.accepted),
        "overlook": [each for each in ("case", "accents", "spaces") if getattr(question, f"ignore_{each}")],
        "longest_seconds": question.longest_seconds,
        "longest_characters": question.longest_characters,
    }


def _format_number(number: float) -> str:
    """Formats a number with a decimal comma, which both languages accept."""
    return f"{number:.15g}".replace(".", ",")


def rows_of_question(question: Question | None) -> list[Row]:
    return [Row(each.id, each.text, each.right) for each in question.choices] if question else []


class SettingsForm(Struct, frozen=True, kw_only=True):
    """`draw` is how many questions are drawn from each `pool`; an empty value means all. `bank_draw` is how
    many are drawn from the bank with all of the `bank_tags`.
    """

    pass_mark: Decimal = Decimal("70.0")
    attempts: int | None = None
    shuffle_questions: bool = False
    shuffle_choices: bool = False
    feedback: FeedbackLevel = "result"
    presentation: Presentation = "one"
    time_limit_minutes: int | None = None
    pool: list[str] = []
    draw: list[str] = []
    bank_tags: list[str] = []
    bank_draw: list[str] = []


class DrawForm(Struct, frozen=True, kw_only=True):
    """A rule that draws questions of the bank with one tag."""

    tag: TagName
    draw: Annotated[int, Meta(ge=1, le=MAX_QUESTIONS)]


class NewQuizForm(SettingsForm, frozen=True, kw_only=True):
    title: Title
    duration_minutes: Minutes | None = None
    required: bool = False


def settings_of(form: SettingsForm, today: date) -> dict[str, Any]:
    """Raises Invalid."""
    members = (
        *("attempts", "shuffle_questions", "shuffle_choices", "feedback"),
        *("presentation", "time_limit_minutes"),
    )
    raw: dict[str, Any] = {name: getattr(form, name) for name in members}
    raw["pass_mark"] = form.pass_mark.number
    convert(NewQuiz, raw, today)
    raw["draws"] = _draws(form)
    raw["bank_draws"] = _bank_draws(form)
    return raw


def _draws(form: SettingsForm) -> dict[str, int]:
    """Raises Invalid for an invalid number of questions."""
    found, problems = dict[str, int](), list[Problem]()
    for n, (pool, draw) in enumerate(zip(form.pool, form.draw, strict=False)):
        text = draw.strip()
        if text.isascii() and text.isdigit() and len(text) <= 3 and 1 <= int(text) <= 500:
            found[pool] = int(text)
        elif text:
            problems.append(Problem(f"draw-{n}", "", "out_of_range"))
    if problems:
        raise Invalid(problems)
    return found


def _bank_draws(form: SettingsForm) -> list[BankDraw]:
    """Raises Invalid for a rule without tags or with an invalid number of questions."""
    found, problems = list[BankDraw](), list[Problem]()
    for n, (text, draw) in enumerate(zip(form.bank_tags, form.bank_draw, strict=False)):
        tags, count = split_tags(text)[:MAX_TAGS], draw.strip()
        if not tags and not count:
            continue
        if not tags:
            problems.append(Problem(f"bank-tags-{n}", "", "required"))
        elif not (count.isascii() and count.isdigit() and len(count) <= 3 and 1 <= int(count) <= 500):
            problems.append(Problem(f"bank-draw-{n}", "", "out_of_range"))
        else:
            found.append(BankDraw(tags=tags, count=int(count)))
    if problems:
        raise Invalid(problems)
    return found[:MAX_BANK_DRAWS]


def list_rules(quiz: Quiz, sent: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """Returns the tags and the number of each rule that draws from the bank, and empty rows to type into."""
    rules = [(", ".join(each.tags), str(each.count)) for each in quiz.bank_draws]
    if sent is not None:
        tags, counts = (
            [each] if isinstance(each := sent.get(name, ()), str) else list(each)
            for name in ("bank_tags", "bank_draw")
        )
        rules = list(zip(tags, counts, strict=False))
    rules = [rule for rule in rules if any(part.strip() for part in rule)][:MAX_BANK_DRAWS]
    return [*rules, *[("", "")] * min(_EXTRA_RULES, MAX_BANK_DRAWS - len(rules))]


def patch_of(form: SettingsForm, pools: Sequence[str], today: date) -> QuizPatch:
    """Builds the changes for the quiz's pools. Raises Invalid."""
    raw = settings_of(form, today)
    return QuizPatch(**raw | {"draws": {name: n for name, n in raw["draws"].items() if name in pools}})


def begins_of_settings(quiz: Quiz) -> dict[str, object]:
    return {
        "pass_mark": _format_number(quiz.pass_mark),
        "attempts": quiz.attempts,
        "shuffle_questions": "true" if quiz.shuffle_questions else "",
        "shuffle_choices": "true" if quiz.shuffle_choices else "",
        "feedback": quiz.feedback,
        "presentation": quiz.presentation,
        "time_limit_minutes": quiz.time_limit_minutes,
    }


NEW_SETTINGS: dict[str, object] = {
    "pass_mark": "70",
    "required": "true",
    "shuffle_choices": "true",
    "feedback": "result",
    "presentation": "one",
}
