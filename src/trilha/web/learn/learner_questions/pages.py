"""/learn/enrollments/{id}/questions and /learn/enrollments/{id}/questions/{learner_question_id}"""

from urllib.parse import urlencode
from uuid import UUID

from msgspec import Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.lists import fetch_page
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, say
from trilha.training.courses import module_queries as modules
from trilha.training.enrollments import learner
from trilha.training.enrollments.learner import MyCourse
from trilha.training.learner_questions import actions, queries
from trilha.training.learner_questions.lists import LEARNERS_QUESTIONS, Reader
from trilha.training.learner_questions.schema import MAX_QUESTION, OwnSearch, QuestionText
from trilha.web.learn.view import LearnView

routes = Routes("My questions", "A person's questions to the instructors of a course.")
_ACCESS = may(Permission.LEARN)
say(
    learner_question_not_found=N_("This question does not exist, or is no longer shown to everyone."),
    learner_question_closed=N_("This question is closed. Ask a new one."),
    course_shares_no_questions=N_("Allow it on the page of the course first."),
)
_SENTENCES = {
    "too_short": N_("Write your question."),
    "too_long": N_("Write at most 2,000 characters."),
    "module_not_found": N_("Choose one of the modules."),
    "invalid_uuid": N_("Choose one of the modules."),
    "too_many_learner_questions": N_(
        "You have 20 questions that wait for an answer. Wait for one before you ask again."
    ),
    "too_many_messages": N_("This question has 50 messages. Ask a new one."),
}


class AskSearch(OwnSearch, frozen=True, kw_only=True):
    """`module` is the module from which the learner comes."""

    module: UUID | None = None


class QuestionForm(Struct, frozen=True, kw_only=True):
    module_id: UUID | None = None
    text: QuestionText = ""


class FollowUpForm(Struct, frozen=True, kw_only=True):
    text: QuestionText = ""


def _build_path(enrollment_id: UUID) -> str:
    return f"/learn/enrollments/{enrollment_id}/questions"


def _build_reader(view: LearnView, course: MyCourse) -> Reader:
    return Reader(view.viewer.user_id, course.course_id)


@routes.get("/enrollments/{enrollment_id}/questions", access=_ACCESS, errors=["enrollment_not_found"])
async def list_questions(
    tx: Tx, view: LearnView, enrollment_id: UUID, query: AskSearch, refusal: Refusal | None = None
) -> Html:
    """List the learner's own questions in a course, or those that everybody sees, with a form to ask."""
    course = await learner.get(tx, view.viewer.user_id, enrollment_id, view.locale)
    page = await fetch_page(tx, LEARNERS_QUESTIONS, query, _build_reader(view, course))
    path = _build_path(enrollment_id)
    following = {"show": query.show, "cursor": page.next_cursor}
    part = "_items" if view.page.fragment and query.cursor else "list"
    return view.form(
        f"learn/learner_questions/{part}.html",
        refusal,
        {"module_id": query.module or ""},
        _SENTENCES,
        course=course,
        query=query,
        questions=page.data,
        modules=[(each.id, each.title) for each in await modules.list_all(tx, course.course_id)],
        has_shared=await queries.may_share(tx, course.course_id),
        following=f"{path}?{urlencode(following)}" if page.next_cursor else "",
        path=path,
        longest=MAX_QUESTION,
    )


@routes.post("/enrollments/{enrollment_id}/questions", access=_ACCESS, refused=list_questions)
async def ask_question(
    tx: Tx, view: LearnView, enrollment_id: UUID, query: AskSearch, form: QuestionForm
) -> Answer:
    """Ask the instructors of the course."""
    course = await learner.get(tx, view.viewer.user_id, enrollment_id, view.locale)
    learner_question_id = await actions.ask(tx, view.viewer.user_id, course, form.module_id, form.text)
    sent = N_("Your question was sent. You will be notified of the answer.")
    return view.lead(f"{_build_path(enrollment_id)}/{learner_question_id}", sent)


@routes.get("/enrollments/{enrollment_id}/questions/{learner_question_id}", access=_ACCESS)
async def show_question(
    tx: Tx, view: LearnView, enrollment_id: UUID, learner_question_id: UUID, refusal: Refusal | None = None
) -> Html:
    """Show a question with its answers, and a form to write more."""
    course = await learner.get(tx, view.viewer.user_id, enrollment_id, view.locale)
    question = await actions.find_for_learner(tx, learner_question_id, _build_reader(view, course))
    is_own = question.user_id == view.viewer.user_id
    # What the asker writes after the instructor has read and shared the question stays between the two.
    asked_until = None if is_own else question.shared_at
    messages = await queries.list_messages(
        tx, learner_question_id, names_askers=False, asked_until=asked_until
    )
    return view.form(
        "learn/learner_questions/question.html",
        refusal,
        {},
        _SENTENCES,
        course=course,
        question=question,
        module_ids=[each.id for each in await modules.list_all(tx, course.course_id)],
        is_own=is_own,
        messages=messages,
        path=_build_path(enrollment_id),
        longest=MAX_QUESTION,
    )


@routes.post(
    "/enrollments/{enrollment_id}/questions/{learner_question_id}", access=_ACCESS, refused=show_question
)
async def follow_up(
    tx: Tx, view: LearnView, enrollment_id: UUID, learner_question_id: UUID, form: FollowUpForm
) -> Answer:
    """Write more about a question of one's own."""
    course = await learner.get(tx, view.viewer.user_id, enrollment_id, view.locale)
    await actions.follow_up(tx, _build_reader(view, course), learner_question_id, form.text)
    return view.lead(f"{_build_path(enrollment_id)}/{learner_question_id}", N_("Your message was sent."))
