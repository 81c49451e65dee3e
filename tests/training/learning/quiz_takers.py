"""A course with a quiz, a learner, and the quiz page without a browser."""

from typing import Any
from uuid import UUID

from conftest import World
from training.learning.learners import BROWSER, Learner
from trilha.core.file_store import FileStore
from trilha.core.sealed_files import SealedFiles
from trilha.core.types import to_json
from trilha.core.web.parsing import convert
from trilha.training.courses import quiz_actions
from trilha.training.courses.schema import NewModule
from trilha.training.learning.grading import actions as grading
from trilha.training.learning.grading.schema import GradeResult, NewGrade
from trilha.training.learning.launches import actions as launches
from trilha.training.learning.launches import heartbeats
from trilha.training.learning.launches.schema import HeartbeatResult, NewLaunch
from trilha.training.learning.player_reports.schema import ReportResult
from trilha.training.learning.quizzes import actions as quizzes
from trilha.training.learning.quizzes import pages as quiz_pages
from trilha.training.learning.quizzes.schema import AnswerResult, QuizView
from trilha.training.learning.voice_answers import actions as voice
from trilha.training.learning.voice_answers import recordings
from trilha.training.quizzes.schema import NewQuiz

RIGHT_OR_NOT = {"kind": "true_false", "text": "Pare no vermelho.", "right": True}
NUMBER = {"kind": "numeric", "text": "Quantos metros?", "value": 2.5, "tolerance": 0.5}
CHOICE = {
    "kind": "single",
    "text": "De que cor?",
    "choices": [{"text": "Verde", "right": True}, {"text": "Azul"}],
}
ESSAY = {"kind": "essay", "text": "Escreva como foi.", "weight": 4}
VOICE = {"kind": "voice", "text": "Diga como foi.", "weight": 2}
# In the format that browsers record.
WEBM = b"\x1a\x45\xdf\xa3" + b"\x00" * 200


class Taker:
    """One launch of a quiz. Its reports are numbered from 1."""

    def __init__(self, world: World, launched: NewLaunch) -> None:
        self.world = world
        self.launched = launched
        self.sequence = 0

    async def shown(self) -> QuizView:
        async with self.world.tx() as tx:
            return await quiz_pages.get_quiz_view(tx, self.launched.launch_id)

    async def question(self, kind: str) -> UUID:
        return next(each.id for each in (await self.shown()).questions if each.kind == kind)

    async def choice(self, text: str) -> list[str]:
        questions = (await self.shown()).questions
        return [id for each in questions for id, shown in each.choices if shown == text]

    async def send(
        self,
        *,
        hand_in: bool = False,
        again: bool = False,
        start: bool = False,
        sequence: int | None = None,
        **by_kind: Any,
    ) -> AnswerResult:
        """Sends answers by the kind of question."""
        ids: dict[str, str] = {each.kind: str(each.id) for each in (await self.shown()).questions}
        answers = {ids[kind]: {"response": said, "latency": 4} for kind, said in by_kind.items()}
        return await self.send_raw(
            {"answers": answers, "hand_in": hand_in, "again": again, "start": start}, sequence=sequence
        )

    async def send_raw(self, body: dict[str, Any], *, sequence: int | None = None) -> AnswerResult:
        if sequence is None:
            self.sequence = sequence = self.sequence + 1
        raw = to_json(body | {"launch": {"sequence": sequence, "final": False}})
        async with self.world.tx() as tx:
            return await quizzes.apply_answers(tx, self.launched.launch_id, quizzes.read_answers(raw))

    async def speak(self, files: FileStore, question: UUID | None = None) -> ReportResult:
        kept = await recordings.store_recording(
            SealedFiles(files, self.world.database.keyring), self.world.tenant.id, WEBM
        )
        question = question or await self.question("voice")
        async with self.world.tx() as tx:
            return await voice.apply_recording(tx, self.launched.launch_id, question, kept, 12.5)

    async def beat(self) -> HeartbeatResult:
        async with self.world.tx() as tx:
            return await heartbeats.record_heartbeat(tx, self.launched.launch_id, visible=True)


class QuizLearner(Learner):
    """A person with an enrollment in a course with a quiz."""

    course_id: UUID

    async def take(self, module: int = 0) -> Taker:
        async with self.world.tx() as tx:
            launched = await launches.launch(tx, self.user_id, self.id, self.modules[module], BROWSER)
        return Taker(self.world, launched)

    async def events(self, *names: str) -> list[str]:
        """Returns the types of attempt events, or the named ones."""
        begins = names or ("assessment", "voice")
        return [each for each in await self.told() if each.startswith(begins)]

    async def answer_ids(self) -> list[UUID]:
        """Returns the ids by which graders open the answers, in the order of the questions' ids."""
        async with self.world.tx() as tx:
            rows = await tx.rows(
                """
                SELECT recording_id FROM quiz_answers
                WHERE tenant_id = :tenant AND recording_id IS NOT NULL ORDER BY answered_at, question_id
                """
            )
        return [row["recording_id"] for row in rows]

    async def grade(self, grade: float, comment: str = "", *, which: int = 0, reason: str = "") -> bool:
        """Grades the first answer for a person, or another one. Returns whether that decides the attempt."""
        new = NewGrade(grade=grade, comment=comment, reason=reason)
        return (await self.grade_by(new, which=which)).decided

    async def grade_by(self, new: NewGrade, *, which: int = 0) -> GradeResult:
        id = (await self.answer_ids())[which]
        async with self.world.tx() as tx:
            return await grading.grade_answer(tx, id, new, grader=self.user_id)


async def add_quiz(world: World, course_id: UUID, *questions: dict[str, Any], **settings: Any) -> UUID:
    """Adds a quiz. Returns the id of its module."""
    async with world.tx() as tx:
        quiz = convert(NewQuiz, {"questions": list(questions)} | settings, tx.today)
        module = NewModule(title="Prova", duration_minutes=10)
        return (await quiz_actions.add(tx, course_id, module, quiz)).id


async def quiz_learner(
    world: World,
    *questions: dict[str, Any],
    regulation: dict[str, Any] | None = None,
    user_id: str | None = None,
    **settings: Any,
) -> QuizLearner:
    """Enrolls a person in a course with one quiz, which has a true-or-false question by default."""
    asked = {"kind": "other", "required_profile_fields": []} | regulation if regulation else None
    course = await world.course(modules=[], publish=False, regulation=asked)
    module = await add_quiz(world, course, *(questions or (RIGHT_OR_NOT,)), **settings)
    async with world.tx() as tx:
        await tx.execute(
            "UPDATE courses SET status = 'PUBLISHED' WHERE tenant_id = :tenant AND id = :course",
            course=course,
        )
    made = QuizLearner(world, await world.enrollment(course_id=course, user_id=user_id), [module])
    made.course_id = course
    return made
