"""Loads the quiz of a page, for viewers who may change its course."""

from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.training.courses import quiz_actions
from trilha.training.courses.schema import AuthoredModule, Course
from trilha.training.quizzes import queries
from trilha.training.quizzes.schema import Question, Quiz
from trilha.web.panel.courses.authors import get_changeable
from trilha.web.panel.courses.pages import ADDRESS
from trilha.web.panel.view import PanelView


class QuizOfPage(Struct, frozen=True):
    course: Course
    module: AuthoredModule
    quiz: Quiz

    @property
    def address(self) -> str:
        return address(self.course.id, self.module.id)

    @property
    def trail(self) -> list[tuple[str, str]]:
        """The breadcrumbs from the list of courses to the quiz."""
        return [(self.course.title, f"{ADDRESS}/{self.course.id}"), (self.module.title, self.address)]


def address(course_id: UUID, module_id: UUID) -> str:
    return f"{ADDRESS}/{course_id}/modules/{module_id}/quiz"


async def find_quiz(tx: Tx, view: PanelView, course_id: UUID, module_id: UUID) -> QuizOfPage:
    """Raises NotFound."""
    course = await get_changeable(tx, view, course_id)
    module, quiz_id = await quiz_actions.find_quiz(tx, course_id, module_id)
    return QuizOfPage(course, module, await queries.get(tx, quiz_id))


async def find_question(
    tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, question_id: UUID
) -> tuple[QuizOfPage, Question]:
    """Raises NotFound."""
    found = await find_quiz(tx, view, course_id, module_id)
    return found, await queries.get_question(tx, found.quiz.id, question_id)
