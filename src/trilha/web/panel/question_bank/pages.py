"""The list of the bank's questions, and the pages of one question."""

from typing import Any
from uuid import UUID

from trilha.access.permissions.roles import Permission
from trilha.core.database import Tx
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, NN_
from trilha.training.question_bank import actions, queries, statistics
from trilha.training.question_bank.lists import BANK_QUESTIONS
from trilha.training.question_bank.schema import BankQuery, BankQuestion
from trilha.training.quizzes import responses
from trilha.training.quizzes.schema import MAX_CHOICES, Kind
from trilha.web.panel import choices, lists
from trilha.web.panel.choices import Choices
from trilha.web.panel.confirm import Subject
from trilha.web.panel.courses.authors import WRITE
from trilha.web.panel.lists import Action, Bulk, BulkButton, Choice, Column, Empty, Table
from trilha.web.panel.question_bank import forms
from trilha.web.panel.question_bank.forms import BankForm
from trilha.web.panel.question_bank.words import DIFFICULTIES, DISTINCTION_HINTS, DISTINCTIONS
from trilha.web.panel.quizzes.forms import (
    add_empty_criteria,
    add_empty_rows,
    criteria_of_question,
    question_of,
    read_criteria,
    read_rows,
    rows_of_question,
)
from trilha.web.panel.quizzes.media import HEADERS_WITH_AUDIO
from trilha.web.panel.quizzes.questions import check_kind
from trilha.web.panel.quizzes.words import HINTS, KINDS, QUESTION_SENTENCES, SIGNS
from trilha.web.panel.reach import teacher_of
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Question bank", "Questions of the company that quizzes use.")
PATH = f"{HOME}/questions"
_FORM = 256 * 1024
_MAX_TAGS_OFFERED = 100


async def _offer_tags(tx: Tx, view: PanelView, chosen: object) -> Choices:
    tags = [each.tag for each in await queries.list_tags(tx, _MAX_TAGS_OFFERED)]
    return Choices([(tag, tag) for tag in dict.fromkeys([*tags, *([str(chosen)] if chosen else [])])])


COLUMNS: list[Column | str] = [
    N_("Question"),
    N_("Type"),
    Column(N_("Answers"), numeric=True),
    N_("Difficulty"),
    N_("Distinction"),
    Column(N_("Quizzes"), numeric=True),
    Column(N_("Added on"), sort="-created"),
]
TABLE = Table(
    listing=BANK_QUESTIONS,
    path=PATH,
    title=N_("Question bank"),
    lead=N_("Questions for every course. On the page of a quiz, you copy them or let it draw some by a tag."),
    crumbs=[(N_("Courses"), f"{HOME}/courses")],
    search=N_("Search in the questions"),
    choices=[
        Choice(name="tag", label=N_("Any tag"), options=_offer_tags),
        Choice(name="kind", label=N_("Any type"), options=KINDS),
        Choice(name="difficulty", label=N_("Any difficulty"), options=DIFFICULTIES),
        Choice(name="course", label=N_("Any course"), options=choices.courses, more=True),
        Choice(
            name="state", label=N_("Not archived"), options={"archived": N_("Archived questions")}, more=True
        ),
    ],
    row="panel/question_bank/_row.html",
    values={
        "kinds": KINDS,
        "difficulties": DIFFICULTIES,
        "distinctions": DISTINCTIONS,
        "distinction_hints": DISTINCTION_HINTS,
        "judge_difficulty": statistics.judge_difficulty,
        "judge_discrimination": statistics.judge_discrimination,
    },
    columns=COLUMNS,
    counted=NN_("%(num)s question", "%(num)s questions"),
    download=lists.Download(f"{PATH}/export", N_("Export")),
    actions=[
        Action(N_("Import questions"), f"{PATH}/import", "upload", Permission.COURSES_WRITE),
        Action(N_("Add question"), f"{PATH}/new", "plus", Permission.COURSES_WRITE, primary=True),
    ],
    bulk=Bulk(
        buttons=[
            BulkButton(
                path=f"{PATH}/selected",
                label=N_("Use or change"),
                icon="list-checks",
                permission=Permission.COURSES_WRITE,
            )
        ],
        every=False,
    ),
    empty=Empty(
        N_("The question bank is empty"),
        N_("Import questions from Moodle (GIFT or XML) or a spreadsheet, or write the first one."),
        "library",
        actions=[
            Action(N_("Import questions"), f"{PATH}/import", "upload", primary=True),
            Action(N_("Add question"), f"{PATH}/new", "plus"),
        ],
    ),
)


@routes.get("/questions", access=WRITE)
async def list_questions(tx: Tx, view: PanelView, query: BankQuery) -> Html:
    """Lists the questions of the bank, newest first."""
    return await lists.show(tx, view, TABLE, query)


@routes.get("/questions/new", access=WRITE)
async def choose_kind(view: PanelView) -> Html:
    """Show the types of questions."""
    return view.show("panel/question_bank/kinds.html", kinds=KINDS, hints=HINTS, signs=SIGNS)


@routes.get("/questions/new/{question_kind}", access=WRITE)
async def new_question(tx: Tx, view: PanelView, question_kind: str, refusal: Refusal | None = None) -> Html:
    """Show an empty question of this type."""
    return await _show(tx, view, check_kind(question_kind), None, refusal)


@routes.post("/questions/new/{question_kind}", access=WRITE, max_body=_FORM, refused=new_question)
async def add_question(tx: Tx, view: PanelView, question_kind: str, form: BankForm) -> Answer:
    """Add a question to the bank, or add rows for choices."""
    kind = check_kind(question_kind)
    if form.step == "more":
        return await _show(tx, view, kind, None, None, unsaved=True)
    question = question_of(form, kind, tx.today)
    await actions.add(tx, [(question, forms.read_tags(form.tags))], view.viewer.user_id)
    return view.lead(PATH, N_("The question was added to the bank."))


@routes.get("/questions/{bank_question_id}", access=WRITE, headers=HEADERS_WITH_AUDIO)
async def show_question(
    tx: Tx, view: PanelView, bank_question_id: UUID, refusal: Refusal | None = None
) -> Html:
    """Show a question with its form, its figures and the quizzes that use it."""
    question = await queries.get(tx, bank_question_id)
    return await _show(tx, view, question.question.kind, question, refusal)


@routes.post("/questions/{bank_question_id}", access=WRITE, max_body=_FORM, refused=show_question)
async def save_question(tx: Tx, view: PanelView, bank_question_id: UUID, form: BankForm) -> Answer:
    """Save a question. Quizzes keep the copies that they have."""
    before = await queries.get(tx, bank_question_id)
    actions.check_author(before, teacher_of(view))
    if form.step == "more":
        return await _show(tx, view, before.question.kind, before, None, unsaved=True)
    question = question_of(form, before.question.kind, tx.today, before.question)
    question = forms.describe_pictures(question, before, form)
    tags = forms.read_tags(form.tags)
    await actions.change(tx, bank_question_id, question, tags, teacher_of(view))
    return view.lead(PATH, N_("The question was saved."))


async def _show(
    tx: Tx,
    view: PanelView,
    kind: Kind,
    bank_question: BankQuestion | None,
    refusal: Refusal | None,
    *,
    unsaved: bool = False,
) -> Html:
    begins: dict[str, Any] = dict(view.request.sent) if unsaved else forms.begins_of(bank_question)
    question = bank_question.question if bank_question else None
    rows, criteria = rows_of_question(question), criteria_of_question(question)
    if unsaved or refusal is not None:
        values = begins if refusal is None else refusal.values
        rows, criteria = read_rows(values), read_criteria(values)
    editor = teacher_of(view)
    return view.form(
        "panel/question_bank/question.html",
        refusal,
        begins,
        QUESTION_SENTENCES,
        bank_question=bank_question,
        may_change=bank_question is None or editor in (None, bank_question.author_id),
        kind=kind,
        kinds=KINDS,
        hints=HINTS,
        signs=SIGNS,
        rows=add_empty_rows(rows, extra=unsaved),
        criteria=add_empty_criteria(criteria, extra=unsaved),
        most_choices=MAX_CHOICES,
        pictures=forms.list_pictures(bank_question) if bank_question else [],
        right=responses.format_right_answer(question) if question else "",
        uses=await queries.list_uses(tx, bank_question.id) if bank_question else [],
        tags=[each.tag for each in await queries.list_tags(tx, _MAX_TAGS_OFFERED)],
        **{name: value for name, value in TABLE.values.items() if name != "kinds"},
    )


async def _get_own(tx: Tx, view: PanelView, bank_question_id: UUID) -> BankQuestion:
    """Raises NotFound and Forbidden (not_permitted)."""
    question = await queries.get(tx, bank_question_id)
    actions.check_author(question, teacher_of(view))
    return question


async def _archive(tx: Tx, bank_question_id: UUID) -> None:
    await actions.set_archived(tx, [bank_question_id], None, archived=True)


async def _restore(tx: Tx, bank_question_id: UUID) -> None:
    await actions.set_archived(tx, [bank_question_id], None, archived=False)


QUESTIONS = Subject(
    routes=routes,
    path="/questions/{bank_question_id}",
    access=WRITE,
    get=_get_own,
    name=lambda each: each.question.text[:300],
    trail=lambda view, each: [(view.say(N_("Question bank")), PATH)],
)
QUESTIONS.ask(
    "archive",
    _archive,
    N_("Archive question"),
    ["%(name)s", N_("Quizzes keep their copies. The question is no longer offered or drawn.")],
    N_("Archive question"),
    N_("The question was archived."),
)
QUESTIONS.ask(
    "restore",
    _restore,
    N_("Restore question"),
    ["%(name)s", N_("The question is offered and drawn again.")],
    N_("Restore question"),
    N_("The question was restored."),
    kind="primary",
)
