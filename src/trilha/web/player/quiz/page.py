"""The page of a quiz: its start if it has a time limit, its questions, or the result of the attempt."""

from collections.abc import Mapping

from trilha.core.database import Tx
from trilha.training.learning.launches.schema import LoadedLaunch
from trilha.training.learning.quizzes import pages as quiz_pages
from trilha.training.learning.quizzes.schema import QuizPhase
from trilha.web.player.frame import LaunchPage

_TEMPLATES: Mapping[QuizPhase, str] = {
    "start": "player/quiz/start.html",
    "questions": "player/quiz/questions.html",
    "closing": "player/quiz/closing.html",
    "result": "player/quiz/result.html",
}


async def make(tx: Tx, opened: LoadedLaunch, own: str = "", translation: str = "") -> LaunchPage:
    """Shows questions in the `translation` where they have one, and else in the course's `own` language."""
    quiz = await quiz_pages.get_quiz_view(tx, opened.launch.id, translation)
    values = {"quiz": quiz, "state": quiz.state, "own_language": own}
    return LaunchPage(template=_TEMPLATES[quiz.phase], values=values)
