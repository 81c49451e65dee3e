"""Input and output types of quizzes and questions."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from trilha.core.errors import Problem, problem
from trilha.core.types import STORABLE

Kind = Literal["single", "multiple", "true_false", "numeric", "fill_in", "essay", "voice"]
# The kinds whose answers a person grades.
GRADED_BY_PEOPLE: tuple[Kind, ...] = ("essay", "voice")
# One question on each screen, or all on one page.
Presentation = Literal["one", "all"]
# What learners see after an attempt: the score; the score and each result; these and the correct answers.
FeedbackLevel = Literal["never", "result", "answers"]

PassMark = Annotated[float, Meta(ge=0, le=100)]
AttemptsAllowed = Annotated[int, Meta(ge=1, le=1000)]
TimeLimit = Annotated[int, Meta(ge=1, le=600)]  # minutes
Weight = Annotated[float, Meta(gt=0, le=1000)]
QuestionText = Annotated[str, Meta(min_length=1, max_length=5000, extra_json_schema=STORABLE)]
FeedbackText = Annotated[str, Meta(max_length=5000, extra_json_schema=STORABLE)]
PoolName = Annotated[str, Meta(max_length=60, extra_json_schema=STORABLE)]
TagName = Annotated[str, Meta(min_length=1, max_length=60, extra_json_schema=STORABLE)]
ChoiceText = Annotated[str, Meta(min_length=1, max_length=1000, extra_json_schema=STORABLE)]
AcceptedAnswer = Annotated[str, Meta(min_length=1, max_length=200, extra_json_schema=STORABLE)]
Number = Annotated[float, Meta(ge=-1e15, le=1e15)]
Seconds = Annotated[int, Meta(ge=5, le=600)]
Characters = Annotated[int, Meta(ge=50, le=10_000)]
AltText = Annotated[str, Meta(min_length=1, max_length=500, extra_json_schema=STORABLE)]
Transcript = Annotated[str, Meta(min_length=1, max_length=10_000, extra_json_schema=STORABLE)]
CriterionText = Annotated[str, Meta(min_length=1, max_length=500, extra_json_schema=STORABLE)]
CriterionPoints = Annotated[float, Meta(gt=0, le=1000)]
# Twenty choices fill a phone's screen three times.
MAX_CHOICES = 20
MAX_QUESTIONS = 500
MAX_CRITERIA = 20
MAX_TAGS = 10
MAX_BANK_DRAWS = 10


class Picture(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A picture that was uploaded, and the text for those who cannot see it."""

    file_id: UUID
    alt: AltText


class Audio(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Audio that was uploaded, and its text for those who cannot hear it."""

    file_id: UUID
    transcript: Transcript


class Criterion(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One criterion of a rubric, and the most points that a grader can give for it."""

    text: CriterionText
    points: CriterionPoints


class Choice(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """An answer choice. The server assigns `id`, which does not reveal the author's order."""

    text: ChoiceText
    right: bool = False
    id: Annotated[str, Meta(max_length=12)] = ""
    picture: Picture | None = None


class NewQuestion(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A question and its answer key. The last members depend on the kind:

    `choices` for single and multiple; `right` for true_false; `value` and `tolerance` for numeric; `accepted`
    and the `ignore_…` members for fill_in; `longest_characters` for essay and `longest_seconds` for voice,
    which a person grades, by a `rubric` if there is one.
    """

    kind: Kind
    text: QuestionText
    weight: Weight = 1.0
    pool: PoolName = ""
    feedback: FeedbackText = ""
    picture: Picture | None = None
    audio: Audio | None = None
    choices: Annotated[list[Choice], Meta(max_length=MAX_CHOICES)] = []
    right: bool | None = None
    value: Number | None = None
    tolerance: Annotated[float, Meta(ge=0, le=1e15)] = 0.0
    accepted: Annotated[list[AcceptedAnswer], Meta(max_length=50)] = []
    ignore_case: bool = True
    ignore_accents: bool = True
    ignore_spaces: bool = True
    longest_seconds: Seconds = 180
    longest_characters: Characters = 5000
    rubric: Annotated[list[Criterion], Meta(max_length=MAX_CRITERIA)] = []

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        if "text" in values and not values["text"].strip():
            yield problem("text", "too_short")
        kind = values.get("kind")
        if kind in ("single", "multiple") and "choices" in values:
            yield from _choice_problems(kind, values["choices"])
        needed = {"true_false": "right", "numeric": "value"}.get(str(kind))
        if needed and values.get(needed, UNSET) is None:
            yield problem(needed, "required")
        accepted = values.get("accepted")
        if kind == "fill_in" and accepted is not None and not any(each.strip() for each in accepted):
            yield problem("accepted", "required")
        for name, (default, kinds) in _MEMBERS.items():
            if kind is not None and kind not in kinds and values.get(name, default) != default:
                yield problem(name, "invalid_value")


def _choice_problems(kind: str, choices: list[Choice]) -> Iterator[Problem]:
    if len(choices) < 2:
        yield problem("choices", "too_short" if choices else "required")
        return
    texts = [each.text.strip().casefold() for each in choices]
    for n, text in enumerate(texts):
        if not text:
            yield problem(f"choices.{n}.text", "required")
        elif text in texts[:n]:
            yield problem(f"choices.{n}.text", "duplicate_choice")
    right = sum(each.right for each in choices)
    if kind == "single" and right != 1:
        yield problem("choices", "one_right_choice")
    elif right == 0:
        yield problem("choices", "no_right_choice")


# The members of only some kinds, with their default values.
_MEMBERS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "choices": ([], ("single", "multiple")),
    "right": (None, ("true_false",)),
    "value": (None, ("numeric",)),
    "tolerance": (0.0, ("numeric",)),
    "accepted": ([], ("fill_in",)),
    "ignore_case": (True, ("fill_in",)),
    "ignore_accents": (True, ("fill_in",)),
    "ignore_spaces": (True, ("fill_in",)),
    "longest_seconds": (180, ("voice",)),
    "longest_characters": (5000, ("essay",)),
    "rubric": ([], GRADED_BY_PEOPLE),
}
KEY_MEMBERS = (*_MEMBERS, "picture", "audio")


class Question(NewQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A stored question, or the copy of one in an attempt. Its choices have ids. `bank_question_id` is the
    question of the bank that it was copied or drawn from.
    """

    id: UUID
    bank_question_id: UUID | None = None


class BankDraw(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A rule that draws `count` questions from the bank: of those that have every one of these tags."""

    tags: Annotated[list[TagName], Meta(min_length=1, max_length=MAX_TAGS)]
    count: Annotated[int, Meta(ge=1, le=MAX_QUESTIONS)]


class QuizSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of a quiz. `attempts` is the limit for each learner; None means unlimited. `draws` is the
    number of questions to draw from each pool; pools without an entry are asked whole. `bank_draws` adds
    questions of the bank. Without `time_limit_minutes`, an attempt may take as long as the learner likes.
    """

    pass_mark: PassMark = 70.0
    attempts: AttemptsAllowed | None = None
    shuffle_questions: bool = False
    shuffle_choices: bool = True
    feedback: FeedbackLevel = "result"
    presentation: Presentation = "one"
    time_limit_minutes: TimeLimit | None = None
    draws: dict[PoolName, Annotated[int, Meta(ge=1, le=MAX_QUESTIONS)]] = {}
    bank_draws: Annotated[list[BankDraw], Meta(max_length=MAX_BANK_DRAWS)] = []


class NewQuiz(QuizSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    questions: Annotated[list[NewQuestion], Meta(max_length=MAX_QUESTIONS)] = []

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        if "draws" in values and "questions" in values:
            known = {each.pool.strip() for each in values["questions"]} - {""}
            for name in values["draws"]:
                if name not in known:
                    yield problem(f"draws.{name}"[:100], "unknown_pool")


class Quiz(QuizSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    id: UUID


class QuizPatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Changes to a quiz. Omitted members stay unchanged."""

    pass_mark: PassMark | UnsetType = UNSET
    attempts: AttemptsAllowed | None | UnsetType = UNSET
    shuffle_questions: bool | UnsetType = UNSET
    shuffle_choices: bool | UnsetType = UNSET
    feedback: FeedbackLevel | UnsetType = UNSET
    presentation: Presentation | UnsetType = UNSET
    time_limit_minutes: TimeLimit | None | UnsetType = UNSET
    draws: dict[str, int] | UnsetType = UNSET
    bank_draws: list[BankDraw] | UnsetType = UNSET
