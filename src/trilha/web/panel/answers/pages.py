"""/admin/answers"""

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import Invalid, NotFound, Problem
from trilha.core.file_store import FileStore
from trilha.core.lists import count
from trilha.core.sealed_files import SealedFiles
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.files import StoredFile
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import HEADERS, N_, NN_, Locale, policy
from trilha.training.learning.grading import actions as grading
from trilha.training.learning.grading import lists as answer_lists
from trilha.training.learning.grading.rules import MAX_REASON
from trilha.training.learning.grading.schema import AnswerId, AnswerQuery, AnswerToGrade, NewGrade
from trilha.training.learning.voice_answers import recordings
from trilha.training.quizzes.numbers import Decimal, parse
from trilha.training.quizzes.schema import MAX_CRITERIA
from trilha.web.panel import choices, lists
from trilha.web.panel.lists import Choice, Column, Empty, Table
from trilha.web.panel.reach import check_not_own, teacher_of
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Answers", "What learners said and wrote in quizzes, to be graded.")
ADDRESS = f"{HOME}/answers"
GRADE = may(Permission.COURSES_WRITE)
STATES = {"awaiting": N_("Awaiting grading"), "graded": N_("Graded")}
SENTENCES = {
    "required": N_("Fill in this field."),
    "out_of_range": N_("Enter a number within the limits."),
}
# Recordings, and pictures and audio of questions, are in the page.
_HEADERS_WITH_MEDIA = {**HEADERS, "content-security-policy": policy(media_src="'self'")}


class AnswerPlace(Struct, frozen=True):
    """`course` is the filter of the list from which the answer was opened."""

    course: UUID | None = None


class GradeForm(Struct, frozen=True, kw_only=True):
    """`criteria` are the points for each criterion of the rubric, as they were typed."""

    grade: Decimal | None = None
    criteria: Annotated[list[str], Meta(max_length=MAX_CRITERIA)] = []
    comment: Annotated[str, Meta(max_length=2000, extra_json_schema=STORABLE)] = ""
    reason: Annotated[str, Meta(max_length=MAX_REASON, extra_json_schema=STORABLE)] = ""
    course: UUID | None = None


def _table(date: str, empty: Empty) -> Table[AnswerId]:
    return Table(
        listing=answer_lists.ANSWERS,
        load=answer_lists.load_answers,
        path=ADDRESS,
        title=N_("Answers"),
        lead=N_(
            "Recorded and written answers in quizzes. An attempt gets its score when all its answers "
            "are graded."
        ),
        above="panel/answers/_tabs.html",
        choices=[Choice(name="course", label=N_("Any course"), options=choices.courses)],
        row="panel/answers/_row.html",
        values={"states": STATES, "date": date},
        columns=[N_("Question"), N_("Learner"), N_("Course"), date, Column(N_("Grade"), numeric=True)],
        counted=NN_("%(num)s answer", "%(num)s answers"),
        empty=empty,
    )


TABLES = {
    "awaiting": _table(
        N_("Submitted on"),
        Empty(
            N_("Nothing to grade"),
            N_("When a learner submits a quiz with an essay or a voice answer, it appears here for grading."),
            "clipboard-check",
        ),
    ),
    "graded": _table(
        N_("Graded on"),
        Empty(
            N_("No graded answer yet"),
            N_("You can look again at the answers that you graded."),
            "clipboard-check",
        ),
    ),
}


@routes.get("/answers", access=GRADE)
async def list_answers(tx: Tx, view: PanelView, query: AnswerQuery) -> Html:
    """List answers that await a grade, or have one."""
    return await lists.show(tx, view, TABLES[query.state], query, teacher_of(view))


@routes.get("/voice-answers", access=GRADE)
async def lead_to_answers(view: PanelView) -> Answer:
    """Lead to the answers, from links in older e-mails."""
    return view.lead(ADDRESS)


@routes.get("/answers/{answer_id}", access=GRADE, headers=_HEADERS_WITH_MEDIA)
async def show_answer(
    tx: Tx, view: PanelView, answer_id: UUID, query: AnswerPlace, refusal: Refusal | None = None
) -> Html:
    """Show an answer: the question, what was said or written, and the grade."""
    teacher = teacher_of(view)
    found = await answer_lists.get_answer(tx, answer_id, teacher)
    begins = _begins_of(found, view.page.locale) | {"course": query.course or ""}
    return view.form(
        "panel/answers/answer.html",
        refusal,
        begins,
        SENTENCES,
        answer=found,
        course=query.course,
        is_own=found.user_id == view.viewer.user_id and view.viewer.role != "admin",
        following=await answer_lists.find_next(tx, found, teacher, query.course),
        waiting=await count(tx, answer_lists.ANSWERS, AnswerQuery(course=query.course), teacher),
    )


def _begins_of(answer: AnswerToGrade, locale: Locale) -> dict[str, object]:
    points = answer.rubric_points or []
    return {
        "grade": _format_number(answer.grade, locale),
        "comment": answer.comment,
        "criteria": [_format_number(each, locale) for each in points],
    }


def _format_number(value: float | None, locale: Locale) -> str:
    text = "" if value is None else f"{value:.15g}"
    return text.replace(".", ",") if locale == "pt-BR" else text


@routes.post("/answers/{answer_id}", access=GRADE, refused=show_answer)
async def grade_answer(tx: Tx, view: PanelView, answer_id: UUID, form: GradeForm) -> Answer:
    """Grade the answer and lead to the next one, or correct its grade. Instructors do not grade their own
    answers.
    """
    teacher = teacher_of(view)
    found = await answer_lists.get_answer(tx, answer_id, teacher)
    check_not_own(view, found.user_id)
    new = NewGrade(
        grade=None if form.grade is None else form.grade.number,
        criteria=_read_criteria(form.criteria) if found.rubric else (),
        comment=form.comment,
        reason=form.reason,
    )
    result = await grading.grade_answer(tx, answer_id, new, grader=view.viewer.user_id)
    place = f"?course={form.course}" if form.course else ""
    if result.corrected:
        return view.lead(
            f"{ADDRESS}/{answer_id}{place}", N_("The grade was corrected. The learner is notified.")
        )
    words = N_("The answer was graded.")
    if result.decided:
        words = N_("The answer was graded, and with it the attempt. The learner is notified.")
    following = await answer_lists.find_next(tx, found, teacher, form.course)
    return view.lead(f"{ADDRESS}/{following}{place}" if following else f"{ADDRESS}{place}", words)


def _read_criteria(texts: Sequence[str]) -> Sequence[float]:
    """Raises Invalid (required, invalid_number)."""
    numbers = [parse(text) for text in texts]
    problems = [
        Problem(f"criteria-{n}", "", "invalid_number" if texts[n].strip() else "required")
        for n, number in enumerate(numbers)
        if number is None
    ]
    if problems:
        raise Invalid(problems)
    return [number for number in numbers if number is not None]


@routes.get("/answers/{answer_id}/recording", access=GRADE)
async def hear_answer(tx: Tx, view: PanelView, files: FileStore, answer_id: UUID) -> Answer:
    """Return the recording of a voice answer, whole or in part."""
    found = await answer_lists.get_answer(tx, answer_id, teacher_of(view))
    if found.media_type is None or found.size is None:
        raise NotFound("answer_not_found")
    return StoredFile(
        SealedFiles(files, tx.keyring),
        recordings.build_key(tx.tenant_id, found.id),
        found.size,
        found.media_type,
        etag=str(found.id),
        headers={"cache-control": "no-store", "x-content-type-options": "nosniff"},
    )
