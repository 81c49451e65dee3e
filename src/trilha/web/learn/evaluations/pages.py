"""/learn/enrollments/{id}/evaluation and /learn/enrollments/{id}/evaluation/follow-up"""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct, structs

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import Invalid, problem
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, say
from trilha.training.evaluations import actions, queries, rules
from trilha.training.evaluations.rules import MAX_TEXT, QUESTIONS
from trilha.training.evaluations.schema import Application, Grade, NpsGrade, OwnEvaluation, Reaction
from trilha.web.learn.view import LearnView

routes = Routes("Evaluation", "What a person thinks of a completed course.")
_ACCESS = may(Permission.LEARN)
say(
    evaluation_not_offered=N_("This course cannot be evaluated now."),
    evaluation_final=N_("Your answer can no longer be changed."),
)
_SENTENCES = {
    "required": N_("Choose a grade."),
    "too_long": N_("Write at most 2,000 characters."),
    "evaluation_final": N_("Your answer can no longer be changed."),
}
_WORDS = {
    "content": N_("The content of the course"),
    "clarity": N_("How clear the explanations are"),
    "instructor": N_("The instructor and the support you got"),
    "platform": N_("The platform: how easy it was to study here"),
    "applicability": N_("How useful the course is for your work"),
}
# Browsers send each line break as two characters, which are stored as one.
Comment = Annotated[str, Meta(max_length=2 * MAX_TEXT, extra_json_schema=STORABLE)]


class Button(Struct, frozen=True):
    """A form that has only its button."""


class ReactionForm(Struct, frozen=True, kw_only=True):
    content: Grade | None = None
    clarity: Grade | None = None
    instructor: Grade | None = None
    platform: Grade | None = None
    applicability: Grade | None = None
    nps: NpsGrade | None = None
    text: Comment | None = None


class ApplicationForm(Struct, frozen=True, kw_only=True):
    applied: Grade | None = None
    text: Comment | None = None


def _check_grades(form: Struct, *names: str) -> None:
    """Raises Invalid (required) for each question without a grade."""
    problems = [problem(name, "required") for name in names if getattr(form, name) is None]
    if problems:
        raise Invalid(problems)


def _is_final(now: datetime, own: OwnEvaluation | None) -> bool:
    """Returns whether the answer can no longer be changed."""
    if own is None or own.answered_at is None:
        return False
    return own.published or datetime.fromisoformat(own.answered_at) <= now - rules.CHANGEABLE


@routes.get("/enrollments/{enrollment_id}/evaluation", access=_ACCESS)
async def show_evaluation(
    tx: Tx, view: LearnView, enrollment_id: UUID, refusal: Refusal | None = None
) -> Html:
    """Show the questions about a completed course, or that the answer is final."""
    course = await actions.find_completed(tx, view.viewer.user_id, enrollment_id)
    own = await queries.find_own(tx, enrollment_id, "REACTION")
    return view.form(
        "learn/evaluations/evaluation.html",
        refusal,
        _begin(own, *QUESTIONS, "nps", "text"),
        _SENTENCES,
        course=course,
        own=own,
        is_final=_is_final(tx.now, own),
        questions=_WORDS,
        longest=MAX_TEXT,
        path=f"/learn/enrollments/{enrollment_id}/evaluation",
    )


def _begin(own: OwnEvaluation | None, *names: str) -> dict[str, object]:
    """Returns the initial values of the form: those of an earlier answer."""
    values = {name: getattr(own, name) if own else None for name in names}
    return {name: "" if value is None else value for name, value in values.items()}


@routes.post("/enrollments/{enrollment_id}/evaluation", access=_ACCESS, refused=show_evaluation)
async def evaluate(tx: Tx, view: LearnView, enrollment_id: UUID, form: ReactionForm) -> Answer:
    """Evaluate a completed course."""
    await actions.find_completed(tx, view.viewer.user_id, enrollment_id)
    _check_grades(form, *QUESTIONS, "nps")
    reaction = Reaction(**structs.asdict(form))
    await actions.evaluate(tx, view.viewer.user_id, enrollment_id, reaction)
    return view.lead(f"/learn/enrollments/{enrollment_id}", N_("Thank you. Your evaluation was saved."))


@routes.post("/enrollments/{enrollment_id}/evaluation/skip", access=_ACCESS)
async def skip(tx: Tx, view: LearnView, enrollment_id: UUID, form: Button) -> Answer:
    """Evaluate nothing, and be asked no more."""
    await actions.skip(tx, view.viewer.user_id, enrollment_id)
    return view.lead(f"/learn/enrollments/{enrollment_id}")


@routes.get("/enrollments/{enrollment_id}/evaluation/follow-up", access=_ACCESS)
async def show_follow_up(
    tx: Tx, view: LearnView, enrollment_id: UUID, refusal: Refusal | None = None
) -> Html:
    """Ask, 90 days later, how much the person uses what they learned."""
    course = await actions.find_applied(tx, view.viewer.user_id, enrollment_id)
    own = await queries.find_own(tx, enrollment_id, "APPLICATION")
    return view.form(
        "learn/evaluations/follow_up.html",
        refusal,
        _begin(own, "applied", "text"),
        _SENTENCES,
        course=course,
        own=own,
        is_final=_is_final(tx.now, own),
        longest=MAX_TEXT,
        path=f"/learn/enrollments/{enrollment_id}/evaluation/follow-up",
    )


@routes.post("/enrollments/{enrollment_id}/evaluation/follow-up", access=_ACCESS, refused=show_follow_up)
async def evaluate_application(tx: Tx, view: LearnView, enrollment_id: UUID, form: ApplicationForm) -> Answer:
    """Say how much one uses what one learned."""
    await actions.find_applied(tx, view.viewer.user_id, enrollment_id)
    _check_grades(form, "applied")
    application = Application(applied=form.applied or 1, text=form.text)
    await actions.evaluate_application(tx, view.viewer.user_id, enrollment_id, application)
    return view.lead(f"/learn/enrollments/{enrollment_id}", N_("Thank you. Your answer was saved."))
