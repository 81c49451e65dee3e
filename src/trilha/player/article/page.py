"""The page of an article."""

from trilha.core.database import Tx
from trilha.courses.article_pages import ArticlePages
from trilha.learning.launches.schema import LoadedLaunch
from trilha.learning.studies import materials
from trilha.learning.studies.rules import compute_reading_seconds
from trilha.learning.studies.schema import ArticleProgress
from trilha.player.frame import LaunchPage


async def make(tx: Tx, opened: LoadedLaunch, pages: ArticlePages) -> LaunchPage:
    material = await materials.get_material(tx, opened.attempt)
    article = materials.read_progress(material, ArticleProgress)
    body = await materials.get_article_body(tx, opened.launch.id)
    return LaunchPage(
        template="player/article/page.html",
        values={"text": await pages.get(tx, opened.attempt.module_id, body)},
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
