"""What becomes of an attempt at a quiz. No I/O, no clock."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from trilha.learning.attempts.schema import AssessmentEvent, QuizAttempt
from trilha.learning.quizzes.schema import Answer, QuestionView
from trilha.quizzes import grading, responses
from trilha.quizzes.schema import Question
from trilha.scorm.runtime.interactions import Interaction, Type
from trilha.scorm.runtime.mapping import State

_INTERACTION_TYPES: Mapping[str, Type] = {
    "single": "choice",
    "multiple": "choice",
    "true_false": "true-false",
    "numeric": "numeric",
    "fill_in": "fill-in",
    "voice": "other",
}

# A browser's word for how long a question was looked at; a day of it is no such thing.
_MAX_LATENCY = 24 * 3600.0

Answers = Mapping[UUID, Answer]


def compute_open_state(quiz: QuizAttempt, answered: int) -> State:
    """Of an attempt that is not handed in: progress is what is answered, and never all."""
    share = 100 * answered / len(quiz.questions)
    return State(completion="incomplete", progress=min(99.0, round(share, 2)))


def compute_final_state(quiz: QuizAttempt, given: Answers) -> State:
    """Of an attempt that is handed in. While a voice answer is not graded, nothing is decided."""
    points = [_get_points(each, given.get(each.id)) for each in quiz.questions]
    if any(each is None for each in points):
        return State(completion="incomplete", progress=100.0)
    weights = [each.weight for each in quiz.questions]
    score = grading.score(zip([each or 0.0 for each in points], weights, strict=True))
    passed = grading.is_passed(score, quiz.pass_mark)
    return State(
        completion="completed", success="passed" if passed else "failed", score=score, progress=100.0
    )


def grade_answers(quiz: QuizAttempt, given: Answers) -> dict[UUID, float | None]:
    """Points by question, of what is answered; None where a person has to grade it."""
    found = dict[UUID, float | None]()
    for each in quiz.questions:
        if (answer := given.get(each.id)) is not None:
            right = grading.is_right(each, answer.response)
            found[each.id] = None if right is None else each.weight if right else 0.0
    return found


def _get_points(question: Question, answer: Answer | None) -> float | None:
    return 0.0 if answer is None else answer.points


def list_new_events(told: AssessmentEvent, state: State) -> Sequence[AssessmentEvent]:
    """The events of an attempt that is handed in; the outcome may come later than that it was attempted."""
    attempted: list[AssessmentEvent] = [] if told else ["attempted"]
    if state.success == "unknown":
        return attempted
    return [] if told == state.success else [*attempted, state.success]


def read_latency(said: object, since_begun: float) -> float:
    """Seconds, as the browser says; no more than have passed since the attempt was begun."""
    if isinstance(said, bool) or not isinstance(said, int | float) or not said >= 0:
        return 0.0
    return round(float(min(said, max(since_begun, 0.0), _MAX_LATENCY)), 2)


def build_interactions(quiz: QuizAttempt, given: Answers) -> list[Interaction]:
    """All questions of an attempt that is handed in, in the order in which they were asked."""
    return [
        _build_interaction(index, question, given.get(question.id))
        for index, question in enumerate(quiz.questions)
    ]


def _build_interaction(index: int, question: Question, answer: Answer | None) -> Interaction:
    response = None if answer is None else answer.response
    raw = "[,]".join(response) if isinstance(response, list) else responses.shown(question, response)
    points = _get_points(question, answer)
    return Interaction(
        index=index,
        interaction_id=str(question.id),
        type=_INTERACTION_TYPES[question.kind],
        description=question.text,
        response="voice recording"
        if answer and question.kind == "voice"
        else responses.shown(question, response),
        raw_response=raw,
        correct_response=responses.shown_right(question),
        result="neutral" if points is None else grading.result(points, question.weight),
        latency_seconds=None if answer is None else answer.latency_seconds,
        weighting=question.weight,
        client_time="",
    )


def build_question_views(quiz: QuizAttempt, given: Answers) -> list[QuestionView]:
    """As the learner may see it now: no right answer before the attempt is handed in."""
    return [_build_question_view(quiz, each, given.get(each.id)) for each in quiz.questions]


def _build_question_view(quiz: QuizAttempt, question: Question, answer: Answer | None) -> QuestionView:
    response = None if answer is None else answer.response
    asked = QuestionView(
        id=question.id,
        kind=question.kind,
        text=question.text,
        weight=question.weight,
        choices=[(each.id, each.text) for each in question.choices],
        longest_seconds=question.longest_seconds,
        response=response,
    )
    if quiz.state == "OPEN":
        return asked
    return _add_result(quiz, question, answer, asked)


def _add_result(
    quiz: QuizAttempt, question: Question, answer: Answer | None, asked: QuestionView
) -> QuestionView:
    points = _get_points(question, answer)
    members = {name: getattr(asked, name) for name in asked.__struct_fields__}
    if question.kind != "voice":
        members["shown_response"] = responses.shown(question, asked.response)
    if question.kind == "voice" and answer is not None:
        # What was said to this learner about what they said is theirs, whatever the quiz shows.
        members["comment"] = answer.comment
        members["result"] = "awaiting" if points is None else ""
    if quiz.feedback != "never" and points is not None:
        members["points"] = points
        members["result"] = "right" if points >= question.weight else "part" if points > 0 else "wrong"
        members["feedback"] = question.feedback
    if quiz.feedback == "answers" and question.kind != "voice":
        members["right_answer"] = responses.shown_right(question)
    return QuestionView(**members)


def count_attempts_left(allowed: int | None, number: int) -> int | None:
    """After the attempt of this number; None where any number is allowed."""
    return None if allowed is None else max(allowed - number, 0)
