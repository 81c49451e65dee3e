"""The pages of a quiz: creating it, its settings and its questions."""

from collections import Counter
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_
from trilha.training.courses import quiz_actions
from trilha.training.courses.schema import NewModule
from trilha.training.question_bank import drawing as bank
from trilha.training.question_bank import queries as bank_queries
from trilha.training.quizzes import queries
from trilha.training.quizzes.schema import MAX_BANK_DRAWS, BankDraw, NewQuiz, QuizPatch
from trilha.web.panel.courses.authors import WRITE, get_changeable
from trilha.web.panel.quizzes import forms
from trilha.web.panel.quizzes.forms import DrawForm, NewQuizForm, SettingsForm
from trilha.web.panel.quizzes.media import HEADERS_WITH_AUDIO
from trilha.web.panel.quizzes.page_quiz import address, find_quiz
from trilha.web.panel.quizzes.question_list import QuizQuery, show_questions
from trilha.web.panel.quizzes.words import FEEDBACK, PRESENTATIONS, SETTINGS_SENTENCES
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
        bank_rules=[],
    )


@routes.post("/courses/{course_id}/modules/new/quiz", access=WRITE, max_body=_FORM, refused=new_quiz)
async def create_quiz(tx: Tx, view: PanelView, course_id: UUID, form: NewQuizForm) -> Answer:
    """Create a module without questions."""
    await get_changeable(tx, view, course_id)
    quiz = NewQuiz(**forms.settings_of(form, tx.today) | {"draws": {}, "bank_draws": []})
    module = NewModule(title=form.title, duration_minutes=form.duration_minutes, required=form.required)
    made = await quiz_actions.add(tx, course_id, module, quiz)
    return view.lead(address(course_id, made.id), N_("The quiz was added. Now add its questions."))


@routes.get("/courses/{course_id}/modules/{module_id}/quiz", access=WRITE, headers=HEADERS_WITH_AUDIO)
async def show_quiz(
    tx: Tx,
    view: PanelView,
    course_id: UUID,
    module_id: UUID,
    query: QuizQuery,
    refusal: Refusal | None = None,
) -> Html:
    """Show the questions, in order."""
    found = await find_quiz(tx, view, course_id, module_id)
    return await show_questions(tx, view, found, refusal=refusal, at=query.at)


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
        bank_rules=forms.list_rules(found.quiz, refusal.values if refusal else None),
        drawable=await bank.count_drawable(tx, found.quiz.bank_draws),
        bank_tags=[each.tag for each in await bank_queries.list_tags(tx)],
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


@routes.post("/courses/{course_id}/modules/{module_id}/quiz/draws", access=WRITE, refused=show_quiz)
async def add_draw(tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, form: DrawForm) -> Answer:
    """Lets each attempt draw questions of the bank with a tag. A rule for the same tag is replaced."""
    found = await find_quiz(tx, view, course_id, module_id)
    rules = [each for each in found.quiz.bank_draws if list(each.tags) != [form.tag]]
    if len(rules) >= MAX_BANK_DRAWS:
        raise invalid("tag", "too_long")
    rules.append(BankDraw(tags=[form.tag], count=form.draw))
    await quiz_actions.change(tx, course_id, module_id, QuizPatch(bank_draws=rules))
    return view.lead(found.address, N_("Each attempt now draws questions from the bank."))
