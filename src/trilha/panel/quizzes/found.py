"""The quiz that a page is about, for those who may change its course."""

from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.courses import quiz_actions
from trilha.courses.schema import AuthoredModule, Course
from trilha.panel.courses.authors import get_changeable
from trilha.panel.courses.pages import ADDRESS
from trilha.panel.view import PanelView
from trilha.quizzes import queries
from trilha.quizzes.schema import Question, Quiz


class FoundQuiz(Struct, frozen=True):
    course: Course
    module: AuthoredModule
    quiz: Quiz

    @property
    def address(self) -> str:
        return address(self.course.id, self.module.id)

    @property
    def trail(self) -> list[tuple[str, str]]:
        """The pages from the list of courses to the quiz."""
        return [(self.course.title, f"{ADDRESS}/{self.course.id}"), (self.module.title, self.address)]


def address(course_id: UUID, module_id: UUID) -> str:
    return f"{ADDRESS}/{course_id}/modules/{module_id}/quiz"


async def find_quiz(tx: Tx, view: PanelView, course_id: UUID, module_id: UUID) -> FoundQuiz:
    """Raises NotFound."""
    course = await get_changeable(tx, view, course_id)
    module, quiz_id = await quiz_actions.find_quiz(tx, course_id, module_id)
    return FoundQuiz(course, module, await queries.get(tx, quiz_id))


async def find_question(
    tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, question_id: UUID
) -> tuple[FoundQuiz, Question]:
    """Raises NotFound."""
    found = await find_quiz(tx, view, course_id, module_id)
    return found, await queries.get_question(tx, found.quiz.id, question_id)
