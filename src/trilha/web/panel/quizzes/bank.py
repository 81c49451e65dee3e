"""What goes between a quiz and the question bank."""

from uuid import UUID

from msgspec import Struct, structs

from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_
from trilha.training.question_bank import actions, queries
from trilha.training.question_bank.schema import BankQuery
from trilha.web.panel import lists
from trilha.web.panel.courses.authors import WRITE
from trilha.web.panel.lists import Action, Bulk, BulkButton, Empty
from trilha.web.panel.question_bank.forms import Selection, TagText, read_tags
from trilha.web.panel.question_bank.pages import PATH, TABLE
from trilha.web.panel.quizzes.page_quiz import find_question, find_quiz
from trilha.web.panel.view import PanelView

routes = Routes("Quizzes and the question bank", "Copies between a quiz and the question bank.")
_QUIZ = "/courses/{course_id}/modules/{module_id}/quiz"
_FORM = 64 * 1024
_TABLE = structs.replace(
    TABLE,
    title=N_("Add from the question bank"),
    lead="",
    actions=(),
    download=None,
    choices=[each for each in TABLE.choices if each.name != "state"],
    empty=Empty(
        N_("The question bank is empty"),
        N_("Import questions from Moodle (GIFT or XML) or a spreadsheet, or write the first one."),
        "library",
        actions=[Action(N_("Question bank"), PATH, "library", primary=True)],
    ),
)


class BankTags(Struct, frozen=True, kw_only=True):
    tags: TagText = ""


@routes.get(f"{_QUIZ}/bank", access=WRITE)
async def choose_questions(
    tx: Tx,
    view: PanelView,
    course_id: UUID,
    module_id: UUID,
    query: BankQuery,
    refusal: Refusal | None = None,
) -> Html:
    """Lists the questions of the bank, to be added to the quiz."""
    found = await find_quiz(tx, view, course_id, module_id)
    table = structs.replace(
        _TABLE,
        path=f"{found.address}/bank",
        crumbs=[(N_("Courses"), "/admin/courses"), *found.trail],
        bulk=Bulk(
            buttons=[BulkButton(path=f"{found.address}/bank", label=N_("Add to the quiz"), icon="plus")],
            every=False,
        ),
    )
    active = structs.replace(query, state="active")
    return await lists.show(tx, view, table, active, refusal=refusal)


@routes.post(f"{_QUIZ}/bank", access=WRITE, max_body=_FORM, refused=choose_questions)
async def add_questions(tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, form: Selection) -> Answer:
    """Add copies of the selected questions to the quiz."""
    found = await find_quiz(tx, view, course_id, module_id)
    if not form.id:
        raise invalid("id", "required")
    added = await actions.copy_to_quiz(tx, course_id, module_id, form.id)
    return view.lead(
        found.address,
        N_("Questions added to the quiz: %(added)s. Already there: %(present)s."),
        added=added,
        present=len(set(form.id)) - added,
    )


@routes.get(f"{_QUIZ}/questions/{{question_id}}/bank", access=WRITE)
async def ask_tags(
    tx: Tx,
    view: PanelView,
    course_id: UUID,
    module_id: UUID,
    question_id: UUID,
    refusal: Refusal | None = None,
) -> Html:
    """Ask for the tags of a question that is copied to the bank."""
    found, question = await find_question(tx, view, course_id, module_id, question_id)
    return view.form(
        "panel/quizzes/to_bank.html",
        refusal,
        {"tags": question.pool},
        found=found,
        question=question,
        tags=[each.tag for each in await queries.list_tags(tx)],
    )


@routes.post(f"{_QUIZ}/questions/{{question_id}}/bank", access=WRITE, refused=ask_tags)
async def save_to_bank(
    tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, question_id: UUID, form: BankTags
) -> Answer:
    """Copy a question to the bank."""
    found, _ = await find_question(tx, view, course_id, module_id, question_id)
    await actions.copy_from_quiz(
        tx, course_id, module_id, question_id, view.viewer.user_id, read_tags(form.tags)
    )
    return view.lead(found.address, N_("The question is in the bank now."))
