"""/admin/voice-answers"""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.file_store import FileStore
from trilha.core.sealed_files import SealedFiles
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.files import StoredFile
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import HEADERS, N_, NN_, Locale, policy
from trilha.training.learning.voice_answers import grading, recordings
from trilha.training.learning.voice_answers import lists as voice_lists
from trilha.training.learning.voice_answers.lists import RecordingId, VoiceQuery
from trilha.training.quizzes.numbers import Decimal
from trilha.web.panel import choices, lists
from trilha.web.panel.lists import Choice, Column, Empty, Table
from trilha.web.panel.reach import teacher_of
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Voice answers", "What learners said in quizzes, to be heard and graded.")
ADDRESS = f"{HOME}/voice-answers"
GRADE = may(Permission.COURSES_WRITE)
STATES = {"awaiting": N_("Awaiting grading"), "graded": N_("Graded")}
SENTENCES = {
    "out_of_range": N_("Enter points from 0 up to the weight of the question."),
    "voice_answer_graded": N_("This attempt is graded already."),
}
# The recording plays in the page.
_HEADERS_WITH_AUDIO = {**HEADERS, "content-security-policy": policy(media_src="'self'")}


class GradeForm(Struct, frozen=True):
    points: Decimal
    comment: Annotated[str, Meta(max_length=2000, extra_json_schema=STORABLE)] = ""


def _table(date: str, empty: Empty) -> Table[RecordingId]:
    return Table(
        listing=voice_lists.VOICE_ANSWERS,
        load=voice_lists.load_voice_answers,
        path=ADDRESS,
        title=N_("Voice answers"),
        lead=N_(
            "Learners' recorded answers in quizzes. An attempt gets its score when all its voice answers are "
            "graded."
        ),
        above="panel/voice_answers/_tabs.html",
        choices=[Choice(name="course", label=N_("Any course"), options=choices.courses)],
        row="panel/voice_answers/_row.html",
        values={"states": STATES, "date": date},
        columns=[N_("Question"), N_("Learner"), N_("Course"), date, Column(N_("Points"), numeric=True)],
        counted=NN_("%(num)s answer", "%(num)s answers"),
        empty=empty,
    )


TABLES = {
    "awaiting": _table(
        N_("Handed in on"),
        Empty(
            N_("Nothing to grade"),
            N_("When a learner submits a quiz with a voice answer, it appears here for grading."),
            "mic",
        ),
    ),
    "graded": _table(
        N_("Graded on"),
        Empty(N_("No graded answer yet"), N_("You can listen again to the answers that you graded."), "mic"),
    ),
}


@routes.get("/voice-answers", access=GRADE)
async def list_voice_answers(tx: Tx, view: PanelView, query: VoiceQuery) -> Html:
    """List answers that await a grade, or have one."""
    return await lists.show(tx, view, TABLES[query.state], query, teacher_of(view))


@routes.get("/voice-answers/{answer_id}", access=GRADE, headers=_HEADERS_WITH_AUDIO)
async def show_voice_answer(tx: Tx, view: PanelView, answer_id: UUID, refusal: Refusal | None = None) -> Html:
    """Show an answer: the question, the recording and the grade."""
    found = await voice_lists.get_voice_answer(tx, answer_id, teacher_of(view))
    begins = {"points": _format_points(found.points, view.page.locale), "comment": found.comment}
    return view.form("panel/voice_answers/voice_answer.html", refusal, begins, SENTENCES, answer=found)


@routes.post("/voice-answers/{answer_id}", access=GRADE, refused=show_voice_answer)
async def grade_voice_answer(tx: Tx, view: PanelView, answer_id: UUID, form: GradeForm) -> Answer:
    """Grade the answer and redirect to the next one."""
    teacher = teacher_of(view)
    await voice_lists.get_voice_answer(tx, answer_id, teacher)
    decided = await grading.grade_voice_answer(
        tx, answer_id, points=form.points.number, comment=form.comment, grader=view.viewer.user_id
    )
    told = N_("The answer was graded, and with it the attempt.") if decided else N_("The answer was graded.")
    following = await voice_lists.find_next_voice_answer(tx, teacher)
    return view.lead(f"{ADDRESS}/{following}" if following else ADDRESS, told)


@routes.get("/voice-answers/{answer_id}/recording", access=GRADE)
async def hear_voice_answer(tx: Tx, view: PanelView, files: FileStore, answer_id: UUID) -> Answer:
    """Return the recording, whole or in part."""
    found = await voice_lists.get_voice_answer(tx, answer_id, teacher_of(view))
    return StoredFile(
        SealedFiles(files, tx.keyring),
        recordings.build_key(tx.tenant_id, found.id),
        found.size,
        found.media_type,
        etag=str(found.id),
        headers={"cache-control": "no-store", "x-content-type-options": "nosniff"},
    )


def _format_points(points: float | None, locale: Locale) -> str:
    text = "" if points is None else f"{points:.15g}"
    return text.replace(".", ",") if locale == "pt-BR" else text
