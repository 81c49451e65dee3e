"""The page of an article."""

from trilha.core.database import Tx
from trilha.kit import Page
from trilha.training.courses.article_pages import ArticlePages
from trilha.training.courses.lessons import queries as lessons
from trilha.training.learning.launches.schema import LoadedLaunch
from trilha.training.learning.studies import materials
from trilha.training.learning.studies.rules import compute_reading_seconds
from trilha.training.learning.studies.schema import ArticleProgress
from trilha.web.player.article.words import fill, list_players
from trilha.web.player.frame import LaunchPage


async def make(
    tx: Tx, opened: LoadedLaunch, pages: ArticlePages, page: Page, own: str = "", translation: str = ""
) -> LaunchPage:
    """Shows the text in the `translation`, if there is one, and else in the course's `own` language."""
    material = await materials.get_material(tx, opened.attempt)
    article = materials.read_progress(material, ArticleProgress)
    body = await materials.get_article_body(tx, opened.launch.id)
    module_id = opened.attempt.module_id
    is_translated = bool(translation) and await lessons.find_head(tx, module_id, translation) is not None
    html = await pages.get(tx, module_id, body, translation if is_translated else "")
    players = list_players(html)
    return LaunchPage(
        template="player/article/page.html",
        values={"text": fill(html, page), "text_language": translation if is_translated else own},
        # Only a lesson with such videos may frame their players.
        policy={"frame-src": " ".join(["'self'", *players])} if players else {},
        data={
            "article": {
                "seconds": article.seconds,
                "furthest": article.furthest,
                "position": article.position,
                "needed": compute_reading_seconds(material.words),
                "completed": opened.attempt.completion == "completed",
                "progress": opened.attempt.progress,
            }
        },
    )
