"""The questions of a quiz: writing, ordering, previewing and removing them."""

from typing import Any, get_args
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_
from trilha.training.courses import quiz_actions
from trilha.training.learning.attempts.schema import QuizAttempt
from trilha.training.learning.quizzes import rules as quiz_rules
from trilha.training.quizzes import queries, responses
from trilha.training.quizzes.schema import MAX_CHOICES, Kind, Question
from trilha.web.panel.confirm import Subject
from trilha.web.panel.courses.authors import WRITE
from trilha.web.panel.courses.forms import MoveForm
from trilha.web.panel.quizzes import forms
from trilha.web.panel.quizzes.forms import QuestionForm
from trilha.web.panel.quizzes.media import HEADERS_WITH_AUDIO, list_slots
from trilha.web.panel.quizzes.page_quiz import QuizOfPage, find_question, find_quiz
from trilha.web.panel.quizzes.question_list import Editor, show_questions
from trilha.web.panel.quizzes.words import HINTS, KINDS, QUESTION_SENTENCES, SIGNS
from trilha.web.panel.view import PanelView

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
    """Show an empty question of this kind."""
    found = await find_quiz(tx, view, course_id, module_id)
    return await _show(tx, view, found, check_kind(question_kind), None, refusal)


@routes.post(f"{_QUIZ}/questions/new/{{question_kind}}", access=WRITE, max_body=_FORM, refused=new_question)
async def add_question(
    tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, question_kind: str, form: QuestionForm
) -> Answer:
    """Add a question at the end, or add rows for choices."""
    found = await find_quiz(tx, view, course_id, module_id)
    if form.step == "more":
        return await _show(tx, view, found, check_kind(question_kind), None, None, form)
    question = forms.question_of(form, check_kind(question_kind), tx.today)
    made = await quiz_actions.add_question(tx, course_id, module_id, question)
    if view.page.fragment and form.step == "save":
        return await show_questions(tx, view, found, at=made, message=view.say(N_("The question was added.")))
    if form.step == "media":
        return view.lead(
            f"{found.address}/questions/{made}", N_("The question was added. Now add its pictures or audio.")
        )
    return view.lead(found.address, N_("The question was added."))


# The preview, which may have audio, opens as a dialog on this page.
@routes.get(f"{_QUIZ}/questions/{{question_id}}", access=WRITE, headers=HEADERS_WITH_AUDIO)
async def show_question(
    tx: Tx,
    view: PanelView,
    course_id: UUID,
    module_id: UUID,
    question_id: UUID,
    refusal: Refusal | None = None,
) -> Html:
    """Show the form of a question."""
    found, question = await find_question(tx, view, course_id, module_id, question_id)
    return await _show(tx, view, found, question.kind, question, refusal)


@routes.post(f"{_QUIZ}/questions/{{question_id}}", access=WRITE, max_body=_FORM, refused=show_question)
async def save_question(
    tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, question_id: UUID, form: QuestionForm
) -> Answer:
    """Save a question. Attempts that already have it keep the old version."""
    found, question = await find_question(tx, view, course_id, module_id, question_id)
    if form.step == "more":
        return await _show(tx, view, found, question.kind, question, None, form)
    changed = forms.question_of(form, question.kind, tx.today, question)
    await quiz_actions.change_question(tx, course_id, module_id, question_id, changed)
    if view.page.fragment:
        message = view.say(N_("The question was saved."))
        return await show_questions(tx, view, found, at=question_id, message=message)
    return view.lead(found.address, N_("The question was saved."))


def check_kind(kind: str) -> Kind:
    if kind not in KINDS:
        raise NotFound("route_not_found")
    return next(each for each in get_args(Kind) if each == kind)


async def _show(
    tx: Tx,
    view: PanelView,
    page_quiz: QuizOfPage,
    kind: Kind,
    question: Question | None,
    refusal: Refusal | None,
    unsaved: QuestionForm | None = None,
) -> Html:
    begins = forms.begins_of(question)
    rows, criteria = forms.rows_of_question(question), forms.criteria_of_question(question)
    if unsaved is not None:
        begins = _as_sent(view)
    if unsaved is not None or refusal is not None:
        sent = begins if refusal is None else refusal.values
        rows, criteria = forms.read_rows(sent), forms.read_criteria(sent)
    others = await queries.list_questions(tx, page_quiz.quiz.id)
    values: dict[str, Any] = {
        "kind": kind,
        "rows": forms.add_empty_rows(rows, extra=unsaved is not None),
        "slots": list_slots(question) if question else [],
        "criteria": forms.add_empty_criteria(criteria, extra=unsaved is not None),
        "most_choices": MAX_CHOICES,
        "pools": sorted({each.pool for each in others if each.pool}),
    }
    if view.page.fragment:
        editor = Editor(kind, question, begins, values)
        return await show_questions(tx, view, page_quiz, refusal=refusal, editor=editor)
    return view.form(
        "panel/quizzes/question.html",
        refusal,
        begins,
        QUESTION_SENTENCES,
        found=page_quiz,
        question=question,
        kinds=KINDS,
        hints=HINTS,
        signs=SIGNS,
        **values,
    )


def _as_sent(view: PanelView) -> dict[str, Any]:
    return dict(view.request.sent)


@routes.get(f"{_QUIZ}/questions/{{question_id}}/preview", access=WRITE, headers=HEADERS_WITH_AUDIO)
async def preview_question(
    tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, question_id: UUID
) -> Html:
    """Show a question as a learner sees it, with the right answer below."""
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
        right=responses.format_right_answer(question),
        kinds=KINDS,
    )


@routes.post(f"{_QUIZ}/questions/{{question_id}}/move", access=WRITE)
async def move_question(
    tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, question_id: UUID, form: QuestionMove
) -> Answer:
    """Move a question up or down, or to where it was dragged."""
    found, _ = await find_question(tx, view, course_id, module_id, question_id)
    await quiz_actions.move_question(tx, course_id, module_id, question_id, form.place)
    return view.lead(found.address)


QUESTIONS = Subject(
    routes=routes,
    path=f"{_QUIZ}/questions/{{question_id}}",
    access=WRITE,
    get=find_question,
    name=lambda pair: pair[1].text[:300],
    trail=lambda view, pair: pair[0].trail,
)
QUESTIONS.ask(
    "remove",
    quiz_actions.remove_question,
    N_("Remove question"),
    ["%(name)s", N_("Attempts that already include it keep it. New attempts will not include it.")],
    N_("Remove question"),
    N_("The question was removed."),
)
