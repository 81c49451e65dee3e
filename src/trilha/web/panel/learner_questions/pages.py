"""/admin/learner-questions, and whether a course shows questions to all of its learners."""

from datetime import timedelta
from functools import partial
from uuid import UUID
from zoneinfo import ZoneInfo

from msgspec import Struct, structs

from trilha.access.permissions.roles import Permission, may
from trilha.core.clock import in_zone
from trilha.core.database import Database, Tx
from trilha.core.errors import NotFound
from trilha.core.lists import list_rows
from trilha.core.web.answers import Answer, Html, Stream
from trilha.core.web.callers import Caller
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, NN_, State, formats
from trilha.training.courses import search as course_search
from trilha.training.learner_questions import actions, export, queries
from trilha.training.learner_questions.lists import QUESTIONS
from trilha.training.learner_questions.schema import MAX_ANSWER, AnswerText, ListedQuestion, QuestionSearch
from trilha.web.panel import choices, lists
from trilha.web.panel.bulk.offering import BulkList
from trilha.web.panel.confirm import Button
from trilha.web.panel.learner_questions import bulk
from trilha.web.panel.lists import Bulk, Choice, Column, Download, Empty, Table
from trilha.web.panel.reach import check_not_own, teacher_of
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Questions to instructors", "What learners ask the instructors of their courses.")
PATH = f"{HOME}/learner-questions"
ANSWER = may(Permission.COURSES_WRITE)
_PERIOD = timedelta(days=90)
STATES = {"WAITING": N_("Waiting for an answer"), "ANSWERED": N_("Answered"), "CLOSED": N_("Closed")}
STATE_SIGNS: dict[str, State] = {"WAITING": "warn", "ANSWERED": "ok"}
_SENTENCES = {
    "too_short": N_("Write an answer."),
    "too_long": N_("Write at most 4,000 characters."),
    "learner_question_closed": N_("This question is closed."),
    "too_many_messages": N_("This question has 50 messages. Close it."),
}
_EMPTY = Empty(
    N_("No question waits for an answer"),
    N_("Learners ask from the page of their course. New questions appear here, the oldest first."),
    "messages-square",
)
BULK = BulkList(
    routes=routes,
    path="/learner-questions",
    title=N_("Learners' questions"),
    query=QuestionSearch,
    targets=bulk.TARGETS,
    actions=bulk.ACTIONS,
)
BULK.add_pages()
_TABLE = Table(
    listing=QUESTIONS,
    path=PATH,
    title=N_("Learners' questions"),
    above="panel/learner_questions/_figures.html",
    choices=[Choice(name="course", label=N_("Any course"), options=choices.courses)],
    row="panel/learner_questions/_row.html",
    values={"states": STATES, "signs": STATE_SIGNS, "measure_minutes": export.measure_minutes},
    columns=[
        N_("Learner's question"),
        N_("Person"),
        N_("Course"),
        N_("State"),
        N_("Asked"),
        Column(N_("First answer after"), numeric=True),
    ],
    counted=NN_("%(num)s learner's question", "%(num)s learners' questions"),
    bulk=Bulk(buttons=BULK.buttons()),
    download=Download(f"{PATH}.csv"),
    empty=_EMPTY,
)
_OTHER_TABLE = structs.replace(
    _TABLE,
    empty=Empty(
        N_("No questions here"), N_("Questions appear here once they are answered or closed."), "check"
    ),
)


class ReplyForm(Struct, frozen=True, kw_only=True):
    text: AnswerText = ""
    close: bool = False


class ShareForm(Struct, frozen=True, kw_only=True):
    shared: bool = False


@routes.get("/learner-questions", access=ANSWER)
async def list_questions(tx: Tx, view: PanelView, query: QuestionSearch) -> Html:
    """Lists questions: those that wait, the oldest first, or others."""
    teacher = teacher_of(view)
    table = _TABLE if query.state == "waiting" else _OTHER_TABLE
    return await lists.show(
        tx,
        view,
        table,
        query,
        teacher,
        waiting=await queries.count_waiting(tx, teacher, query.course),
        times=await queries.measure_answers(tx, tx.now - _PERIOD, teacher, query.course),
        tab_path=lambda state: lists.address(PATH, query, state=state),
    )


@routes.get("/learner-questions.csv", access=ANSWER)
async def download_questions(
    database: Database, caller: Caller, view: PanelView, query: QuestionSearch
) -> Stream[bytes]:
    """Streams the questions that match the filters, with the dates of question and answer, as CSV."""
    reading = partial(database.transaction, caller.tenant_id, read_only=True)
    day = in_zone(view.page.now, ZoneInfo(view.viewer.time_zone)).date().isoformat()
    name = f"trilha-questions-{view.viewer.tenant_slug}-{day}.csv"
    return Stream(
        export.stream(reading, query, teacher_of(view), formats.csv_separator(view.page)),
        "text/csv; charset=utf-8",
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


@routes.get("/learner-questions/{learner_question_id}", access=ANSWER)
async def show_question(
    tx: Tx, view: PanelView, learner_question_id: UUID, refusal: Refusal | None = None
) -> Html:
    """Shows a question with its messages, and the form to answer."""
    question = await _find(tx, view, learner_question_id)
    return view.form(
        "panel/learner_questions/question.html",
        refusal,
        {},
        _SENTENCES,
        question=question,
        is_own=question.user_id == view.viewer.user_id and view.viewer.role != "admin",
        messages=await queries.list_messages(tx, learner_question_id, names_askers=True),
        minutes=export.measure_minutes(question),
        following=await _find_following(tx, view, learner_question_id),
        may_share=await queries.may_share(tx, question.course_id),
        states=STATES,
        signs=STATE_SIGNS,
        path=f"{PATH}/{learner_question_id}",
        longest=MAX_ANSWER,
    )


async def _find_following(tx: Tx, view: PanelView, learner_question_id: UUID) -> UUID | None:
    """Returns the question that waits longest, beside this one."""
    waiting = await list_rows(tx, QUESTIONS, QuestionSearch(state="waiting"), teacher_of(view), limit=2)
    return next((each.id for each in waiting if each.id != learner_question_id), None)


async def _find(tx: Tx, view: PanelView, learner_question_id: UUID) -> ListedQuestion:
    return await actions.find_for_instructor(tx, learner_question_id, teacher_of(view))


@routes.post("/learner-questions/{learner_question_id}", access=ANSWER, refused=show_question)
async def answer_question(tx: Tx, view: PanelView, learner_question_id: UUID, form: ReplyForm) -> Answer:
    """Answers a question, and closes it if wanted. Its learner is told."""
    question = await _find(tx, view, learner_question_id)
    check_not_own(view, question.user_id)
    await actions.answer(tx, learner_question_id, view.viewer.user_id, form.text, close=form.close)
    return view.lead(f"{PATH}/{learner_question_id}", N_("The answer was sent to the learner."))


@routes.post("/learner-questions/{learner_question_id}/close", access=ANSWER)
async def close_question(tx: Tx, view: PanelView, learner_question_id: UUID, form: Button) -> Answer:
    """Closes a question."""
    await _find(tx, view, learner_question_id)
    await actions.close(tx, learner_question_id)
    return view.lead(f"{PATH}/{learner_question_id}", N_("The question was closed."))


@routes.post("/learner-questions/{learner_question_id}/share", access=ANSWER)
async def share_question(tx: Tx, view: PanelView, learner_question_id: UUID, form: ShareForm) -> Answer:
    """Shows a question to all learners of the course without the asker's name, or hides it again."""
    await _find(tx, view, learner_question_id)
    await actions.set_shared(tx, learner_question_id, shared=form.shared)
    message = (
        N_("Every learner of the course sees this question now.")
        if form.shared
        else N_("Only its learner sees this question now.")
    )
    return view.lead(f"{PATH}/{learner_question_id}", message)


@routes.post("/courses/{course_id}/question-sharing", access=ANSWER)
async def set_sharing(tx: Tx, view: PanelView, course_id: UUID, form: ShareForm) -> Answer:
    """Sets whether questions of a course may be shown to all of its learners."""
    if (teacher := teacher_of(view)) and not await course_search.is_taught_by(tx, course_id, teacher):
        raise NotFound("course_not_found")
    await actions.set_sharing(tx, course_id, allowed=form.shared)
    return view.lead(f"{HOME}/courses/{course_id}", N_("The setting was saved."))
