"""The page of an article."""

from trilha.core.database import Tx
from trilha.courses.article_pages import ArticlePages
from trilha.learning.launches.schema import Opened
from trilha.learning.studies import materials
from trilha.learning.studies.rules import seconds_of
from trilha.learning.studies.schema import Article
from trilha.player.frame import LaunchPage


async def make(tx: Tx, opened: Opened, pages: ArticlePages) -> LaunchPage:
    material = await materials.get_material(tx, opened.attempt)
    article = materials.kept(material, Article)
    body = await materials.get_body(tx, opened.launch.id)
    return LaunchPage(
        template="player/article/page.html",
        values={"text": await pages.get(tx, opened.attempt.module_id, body)},
        data={
            "article": {
                "seconds": article.seconds,
                "furthest": article.furthest,
                "position": article.position,
                "needed": seconds_of(material.words),
                "completed": opened.attempt.completion == "completed",
                "progress": opened.attempt.progress,
            }
        },
    )
