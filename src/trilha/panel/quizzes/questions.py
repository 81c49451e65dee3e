"""The questions of a quiz: written, put in order, tried and removed."""

from typing import Any, get_args
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.courses import quiz_actions
from trilha.learning.attempts.schema import QuizAttempt
from trilha.learning.quizzes import rules as quiz_rules
from trilha.pages import N_
from trilha.panel.confirm import Subject
from trilha.panel.courses.authors import WRITE
from trilha.panel.courses.forms import MoveForm
from trilha.panel.quizzes import forms
from trilha.panel.quizzes.forms import QuestionForm
from trilha.panel.quizzes.found import FoundQuiz, find_question, find_quiz
from trilha.panel.quizzes.words import HINTS, KINDS, QUESTION_SENTENCES, SIGNS
from trilha.panel.view import PanelView
from trilha.quizzes import queries, responses
from trilha.quizzes.schema import MOST_CHOICES, Kind, Question

routes = Routes("Questions", "What a quiz asks.")
_FORM = 256 * 1024
_QUIZ = "/courses/{course_id}/modules/{module_id}/quiz"


class QuestionMove(MoveForm, frozen=True):
    position: int = 1


@routes.get(f"{_QUIZ}/questions/new/{{question_kind}}", access=WRITE)
async def new_question(
    tx: Tx,
    view: PanelView,
    course_id: UUID,
    module_id: UUID,
    question_kind: str,
    refusal: Refusal | None = None,
) -> Html:
    """An empty question of this kind."""
    found = await find_quiz(tx, view, course_id, module_id)
    return await _show(tx, view, found, _known(question_kind), None, refusal)


@routes.post(f"{_QUIZ}/questions/new/{{question_kind}}", access=WRITE, max_body=_FORM, refused=new_question)
async def add_question(
    tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, question_kind: str, form: QuestionForm
) -> Answer:
    """After those that are there; or room for more choices."""
    found = await find_quiz(tx, view, course_id, module_id)
    if form.step == "more":
        return await _show(tx, view, found, _known(question_kind), None, None, form)
    question = forms.question_of(form, _known(question_kind), tx.today)
    await quiz_actions.add_question(tx, course_id, module_id, question)
    return view.lead(found.address, N_("The question was added."))


@routes.get(f"{_QUIZ}/questions/{{question_id}}", access=WRITE)
async def show_question(
    tx: Tx,
    view: PanelView,
    course_id: UUID,
    module_id: UUID,
    question_id: UUID,
    refusal: Refusal | None = None,
) -> Html:
    """One question, to be changed."""
    found, question = await find_question(tx, view, course_id, module_id, question_id)
    return await _show(tx, view, found, question.kind, question, refusal)


@routes.post(f"{_QUIZ}/questions/{{question_id}}", access=WRITE, max_body=_FORM, refused=show_question)
async def save_question(
    tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, question_id: UUID, form: QuestionForm
) -> Answer:
    """Whoever was asked it already keeps what they were asked."""
    found, question = await find_question(tx, view, course_id, module_id, question_id)
    if form.step == "more":
        return await _show(tx, view, found, question.kind, question, None, form)
    changed = forms.question_of(form, question.kind, tx.today)
    await quiz_actions.change_question(tx, course_id, module_id, question_id, changed)
    return view.lead(found.address, N_("The question was saved."))


def _known(kind: str) -> Kind:
    if kind not in KINDS:
        raise NotFound("route_not_found")
    return next(each for each in get_args(Kind) if each == kind)


async def _show(
    tx: Tx,
    view: PanelView,
    found: FoundQuiz,
    kind: Kind,
    question: Question | None,
    refusal: Refusal | None,
    more: QuestionForm | None = None,
) -> Html:
    begins = forms.begins_of(question)
    rows = forms.rows_of_question(question)
    if more is not None:
        begins = _as_sent(view)
    if more is not None or refusal is not None:
        rows = forms.sent_rows(begins if refusal is None else refusal.values)
    others = await queries.list_questions(tx, found.quiz.id)
    return view.form(
        "panel/quizzes/question.html",
        refusal,
        begins,
        QUESTION_SENTENCES,
        found=found,
        question=question,
        kind=kind,
        kinds=KINDS,
        hints=HINTS,
        signs=SIGNS,
        rows=forms.shown_rows(rows, more=more is not None),
        most_choices=MOST_CHOICES,
        pools=sorted({each.pool for each in others if each.pool}),
    )


def _as_sent(view: PanelView) -> dict[str, Any]:
    return dict(view.request.sent)


@routes.get(f"{_QUIZ}/questions/{{question_id}}/preview", access=WRITE)
async def preview_question(
    tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, question_id: UUID
) -> Html:
    """As a learner sees it, with what is right below."""
    found, question = await find_question(tx, view, course_id, module_id, question_id)
    attempt = QuizAttempt(
        attempt_id=question.id,
        quiz_id=found.quiz.id,
        questions=[question],
        pass_mark=found.quiz.pass_mark,
        feedback=found.quiz.feedback,
        handed_in_at=None,
        graded_at=None,
    )
    return view.show(
        "panel/quizzes/preview.html",
        found=found,
        question=question,
        shown=quiz_rules.build_question_views(attempt, {})[0],
        right=responses.shown_right(question),
        kinds=KINDS,
    )


@routes.post(f"{_QUIZ}/questions/{{question_id}}/move", access=WRITE)
async def move_question(
    tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, question_id: UUID, form: QuestionMove
) -> Answer:
    """One place up or down, or to where it was dragged."""
    found, _ = await find_question(tx, view, course_id, module_id, question_id)
    await quiz_actions.move_question(tx, course_id, module_id, question_id, form.place)
    return view.lead(found.address)


QUESTIONS = Subject(
    routes=routes,
    path=f"{_QUIZ}/questions/{{question_id}}",
    access=WRITE,
    get=find_question,
    name=lambda found: found[1].text[:300],
    trail=lambda view, found: found[0].trail,
)
QUESTIONS.ask(
    "remove",
    quiz_actions.remove_question,
    N_("Remove question"),
    ["%(name)s", N_("Attempts that were asked it keep it. New ones are not asked it any more.")],
    N_("Remove question"),
    N_("The question was removed."),
)
