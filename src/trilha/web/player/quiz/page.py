"""The page of a quiz: its questions, or the result of the attempt."""

from trilha.core.database import Tx
from trilha.training.learning.launches.schema import LoadedLaunch
from trilha.training.learning.quizzes import pages as quiz_pages
from trilha.web.player.frame import LaunchPage


async def make(tx: Tx, opened: LoadedLaunch) -> LaunchPage:
    quiz = await quiz_pages.get_quiz_view(tx, opened.launch.id)
    template = "player/quiz/questions.html" if quiz.state == "OPEN" else "player/quiz/result.html"
    return LaunchPage(template=template, values={"quiz": quiz, "state": quiz.state})
