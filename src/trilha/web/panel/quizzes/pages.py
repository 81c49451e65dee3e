"""The pages of a quiz: creating it, its settings and its questions."""

from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_
from trilha.training.courses import quiz_actions
from trilha.training.courses.schema import NewModule
from trilha.training.quizzes import queries
from trilha.training.quizzes.schema import NewQuiz, Question
from trilha.web.panel.courses.authors import WRITE, get_changeable
from trilha.web.panel.quizzes import forms
from trilha.web.panel.quizzes.forms import NewQuizForm, SettingsForm
from trilha.web.panel.quizzes.media import HEADERS_WITH_AUDIO
from trilha.web.panel.quizzes.page_quiz import address, find_quiz
from trilha.web.panel.quizzes.words import FEEDBACK, HINTS, KINDS, PRESENTATIONS, SETTINGS_SENTENCES, SIGNS
from trilha.web.panel.view import PanelView

routes = Routes("Quizzes", "What a quiz asks, and how it is graded.")
_FORM = 256 * 1024


@routes.get("/courses/{course_id}/modules/new/quiz", access=WRITE)
async def new_quiz(tx: Tx, view: PanelView, course_id: UUID, refusal: Refusal | None = None) -> Html:
    """Ask for the name of the quiz and the criteria for passing."""
    course = await get_changeable(tx, view, course_id)
    return view.form(
        "panel/quizzes/new.html",
        refusal,
        forms.NEW_SETTINGS,
        SETTINGS_SENTENCES,
        course=course,
        shown=FEEDBACK,
        presentations=PRESENTATIONS,
        pools=[],
    )


@routes.post("/courses/{course_id}/modules/new/quiz", access=WRITE, max_body=_FORM, refused=new_quiz)
async def create_quiz(tx: Tx, view: PanelView, course_id: UUID, form: NewQuizForm) -> Answer:
    """Create a module without questions."""
    await get_changeable(tx, view, course_id)
    quiz = NewQuiz(**forms.settings_of(form, tx.today) | {"draws": {}})
    module = NewModule(title=form.title, duration_minutes=form.duration_minutes, required=form.required)
    made = await quiz_actions.add(tx, course_id, module, quiz)
    return view.lead(address(course_id, made.id), N_("The quiz was added. Now add its questions."))


@routes.get("/courses/{course_id}/modules/{module_id}/quiz", access=WRITE, headers=HEADERS_WITH_AUDIO)
async def show_quiz(
    tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, refusal: Refusal | None = None
) -> Html:
    """Show the questions, in order."""
    found = await find_quiz(tx, view, course_id, module_id)
    questions = await queries.list_questions(tx, found.quiz.id)
    return view.form(
        "panel/quizzes/quiz.html",
        refusal,
        found=found,
        questions=questions,
        asked=count_questions(questions, found.quiz.draws),
        kinds=KINDS,
        hints=HINTS,
        signs=SIGNS,
        shown=FEEDBACK,
        presentations=PRESENTATIONS,
    )


def count_questions(questions: Sequence[Question], draws: dict[str, int]) -> int:
    """Returns the number of questions in an attempt."""
    counts = Counter(each.pool for each in questions)
    return sum(min(count, draws.get(pool, count)) if pool else count for pool, count in counts.items())


@routes.get("/courses/{course_id}/modules/{module_id}/quiz/settings", access=WRITE)
async def show_settings(
    tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, refusal: Refusal | None = None
) -> Html:
    """Show the settings: criteria for passing, attempts, drawn questions and feedback."""
    found = await find_quiz(tx, view, course_id, module_id)
    counts = Counter(each.pool for each in await queries.list_questions(tx, found.quiz.id) if each.pool)
    return view.form(
        "panel/quizzes/settings.html",
        refusal,
        forms.begins_of_settings(found.quiz),
        SETTINGS_SENTENCES,
        found=found,
        shown=FEEDBACK,
        presentations=PRESENTATIONS,
        pools=[(name, counts[name], found.quiz.draws.get(name, "")) for name in sorted(counts)],
    )


@routes.post(
    "/courses/{course_id}/modules/{module_id}/quiz/settings",
    access=WRITE,
    max_body=_FORM,
    refused=show_settings,
)
async def save_settings(
    tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, form: SettingsForm
) -> Answer:
    """Save the settings. Attempts that have begun keep the old ones."""
    found = await find_quiz(tx, view, course_id, module_id)
    pools = {each.pool for each in await queries.list_questions(tx, found.quiz.id)} - {""}
    await quiz_actions.change(tx, course_id, module_id, forms.patch_of(form, sorted(pools), tx.today))
    return view.lead(found.address, N_("The settings of the quiz were saved."))
