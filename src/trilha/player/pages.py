"""The page that a launch opens with, by the type of its module."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, Literal

from markupsafe import Markup
from msgspec import Meta, Struct

from trilha.core.database import Tx
from trilha.core.types import to_json
from trilha.core.web.answers import Html, encoded
from trilha.core.web.callers import Caller
from trilha.core.web.request import Request
from trilha.core.web.routes import Routes
from trilha.courses.article_pages import ArticlePages
from trilha.courses.schema import ModuleType
from trilha.learning.launches.pages import load_launch
from trilha.learning.launches.schema import LoadedLaunch
from trilha.learning.previews import actions as previews
from trilha.pages import Page, render, translate
from trilha.player import assets
from trilha.player.article import page as article
from trilha.player.document import page as document
from trilha.player.frame import HEADERS, LaunchPage, page_of_frame, policy
from trilha.player.identity import OF_LIVE_LAUNCH, get_context
from trilha.player.origin import ContentOrigin
from trilha.player.permissions import devices_of, inner_policy
from trilha.player.quiz import page as quiz
from trilha.player.scorm import page as scorm
from trilha.player.video import page as video

routes = Routes("Player", "What is opened in a module.")
_HEADERS = {**HEADERS, "cache-control": "no-store"}


Make = Callable[[Tx, LoadedLaunch], Awaitable[LaunchPage]]
PAGES: Mapping[ModuleType, Make] = {
    "SCORM": scorm.make,
    "VIDEO": video.make,
    "DOCUMENT": document.make,
    "QUIZ": quiz.make,
}


class Look(Struct, frozen=True):
    """As the page around the frame is. Anything else is left to the browser's own."""

    locale: Literal["pt-BR", "en", ""] = ""
    theme: Literal["auto", "light", "dark", ""] = ""
    brand: Annotated[str, Meta(pattern="^([0-9a-f]{6}-[0-9a-f]{8})?$")] = ""


@routes.get("/l/{token}", access=OF_LIVE_LAUNCH, headers=_HEADERS)
async def show_launch(
    tx: Tx,
    request: Request,
    caller: Caller,
    origin: ContentOrigin,
    articles: ArticlePages,
    token: str,
    query: Look,
) -> Html:
    """The page of a launch, as its attempt is now."""
    context = get_context(caller)
    opened = await (previews.load_preview if context.preview else load_launch)(tx, context.launch_id)
    if opened.module.type == "ARTICLE":
        made = await article.make(tx, opened, articles)
    else:
        made = await PAGES[opened.module.type](tx, opened)
    page = page_of_frame(request, query.locale, query.theme, query.brand)
    words = {name: translate(page, text) for name, text in made.words.items()}
    data = to_json(_common(opened, page) | {"words": words} | dict(made.data)).decode()
    answer = render(
        made.template,
        page,
        opened=opened,
        assets=assets.prefix(),
        styles=assets.styles(),
        # A script cannot end before its own end (HTML, 4.12.1.3).
        data=Markup(data.replace("<", "\\u003c")),  # noqa: S704
        **made.values,
    )
    answer.headers += encoded(
        {
            "content-security-policy": policy(origin.application, made.policy),
            "permissions-policy": inner_policy(devices_of(opened.module.type, opened.module.content)),
        }
    )
    return answer


def _common(opened: LoadedLaunch, page: Page) -> dict[str, Any]:
    """What the shared scripts read. `sequence` is the last number that was taken, whichever tab sent it;
    `late_commits` goes back with what is sent."""
    launch, attempt = opened.launch, opened.attempt
    return {
        "launch": {
            "id": str(launch.id),
            "number": launch.number,
            "sequence": launch.last_sequence,
            "review": launch.review,
            "superseded": launch.superseded_by is not None,
        },
        "attempt": {
            "id": str(attempt.id),
            "number": attempt.number,
            "newest_launch": attempt.newest_launch,
            "late_commits": attempt.late_commits,
        },
        "user": str(opened.user_id),
        "module": {"id": str(attempt.module_id), "title": opened.module.title},
        "locale": page.locale,
    }
