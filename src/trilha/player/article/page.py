"""The page of an article."""

from trilha.core.database import Tx
from trilha.courses.article_pages import ArticlePages
from trilha.learning import studying
from trilha.learning.reopening import Opened
from trilha.learning.study_rules import Article, seconds_of
from trilha.player.frame import LaunchPage


async def make(tx: Tx, opened: Opened, pages: ArticlePages) -> LaunchPage:
    material = await studying.get_material(tx, opened.attempt)
    article = studying.kept(material, Article)
    body = await studying.get_body(tx, opened.launch.id)
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
