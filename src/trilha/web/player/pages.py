"""Shows the page of a launch, by the type of its module."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, Literal

from markupsafe import Markup
from msgspec import Meta, Struct, structs

from trilha.core.database import Tx
from trilha.core.types import to_json
from trilha.core.web.answers import Html, encode_headers
from trilha.core.web.callers import Caller
from trilha.core.web.request import Request
from trilha.core.web.routes import Routes
from trilha.kit import Page, render, translate
from trilha.training.courses.article_pages import ArticlePages
from trilha.training.courses.schema import CourseLanguage, ModuleType
from trilha.training.courses.translations import queries as translations
from trilha.training.learning.launches.pages import load_launch
from trilha.training.learning.launches.schema import LoadedLaunch
from trilha.training.learning.previews import actions as previews
from trilha.web.player import assets
from trilha.web.player.article import page as article
from trilha.web.player.cmi5 import page as cmi5
from trilha.web.player.content_security_policy import HEADERS, build_page_policy
from trilha.web.player.document import page as document
from trilha.web.player.frame import LaunchPage, page_of_frame
from trilha.web.player.identity import OF_LIVE_LAUNCH, get_context
from trilha.web.player.offline import saving
from trilha.web.player.offline.switch import OfflineUse
from trilha.web.player.origin import ContentOrigin
from trilha.web.player.permissions_policy import devices_of, inner_policy
from trilha.web.player.quiz import page as quiz
from trilha.web.player.scorm import page as scorm
from trilha.web.player.video import page as video

routes = Routes("Player", "The page of a launch.")
_HEADERS = {**HEADERS, "cache-control": "no-store"}


PageMaker = Callable[[Tx, LoadedLaunch], Awaitable[LaunchPage]]
PAGES: Mapping[ModuleType, PageMaker] = {
    "SCORM": scorm.make,
    "CMI5": cmi5.make,
    "VIDEO": video.make,
    "DOCUMENT": document.make,
}


class Appearance(Struct, frozen=True):
    """Language, theme and brand of the outer page. Without them the browser's preferences count. `own` is
    the language of the course, and `translation` the further one in which the module is shown, if any.

    With `saved`, a browser shows the page from what it has saved, if it has.
    """

    saved: Literal["1", ""] = ""
    locale: Literal["pt-BR", "en", ""] = ""
    theme: Literal["auto", "light", "dark", ""] = ""
    own: CourseLanguage | Literal[""] = ""
    translation: CourseLanguage | Literal[""] = ""
    brand: Annotated[str, Meta(pattern="^([0-9a-f]{6}-[0-9a-f]{8})?$")] = ""


@routes.get("/l/{token}", access=OF_LIVE_LAUNCH, headers=_HEADERS)
async def show_launch(
    tx: Tx,
    request: Request,
    caller: Caller,
    origin: ContentOrigin,
    articles: ArticlePages,
    offline: OfflineUse,
    token: str,
    query: Appearance,
) -> Html:
    """Show the page of a launch with the present state of its attempt."""
    context = get_context(caller)
    opened = await (previews.load_preview if context.preview else load_launch)(tx, context.launch_id)
    page = page_of_frame(request, query.locale, query.theme, query.brand)
    title_language: str = query.own
    if query.translation:
        opened, title_language = await _translate_title(tx, opened, query)
    if opened.module.type == "ARTICLE":
        launch_page = await article.make(tx, opened, articles, page, query.own, query.translation)
    elif opened.module.type == "QUIZ":
        launch_page = await quiz.make(tx, opened, query.own, query.translation)
    else:
        launch_page = await PAGES[opened.module.type](tx, opened)
    words = {name: translate(page, text) for name, text in launch_page.words.items()}
    common = _common(opened, page) | {"words": words}
    if offline.enabled and not context.preview and (saved := await saving.describe(tx, opened, page)):
        worker = origin.worker_path(request.header(b"host") or "")
        common["offline"] = {"worker": worker} | dict(saved)
    data = to_json(common | dict(launch_page.data)).decode()
    answer = render(
        launch_page.template,
        page,
        opened=opened,
        title_language=title_language,
        assets=assets.prefix(),
        styles=assets.styles(),
        # No "</script>" inside the JSON may end the script element (HTML, 4.12.1.3).
        data=Markup(data.replace("<", "\\u003c")),  # noqa: S704
        **launch_page.values,
    )
    answer.headers += encode_headers(
        {
            "content-security-policy": build_page_policy(origin.application, launch_page.policy),
            "permissions-policy": inner_policy(devices_of(opened.module.type, opened.module.content)),
        }
    )
    return answer


async def _translate_title(tx: Tx, opened: LoadedLaunch, query: Appearance) -> tuple[LoadedLaunch, str]:
    """Returns the launch with the module's title in the learner's language, and the title's language."""
    title = await translations.find_module_title(tx, opened.module.id, query.translation)
    if title is None:
        return opened, query.own
    return structs.replace(opened, module=structs.replace(opened.module, title=title)), query.translation


def _common(opened: LoadedLaunch, page: Page) -> dict[str, Any]:
    """Returns the values that the shared scripts read.

    `sequence` is the last sequence number that the server took from any tab; scripts send `late_commits`
    back with each report.
    """
    launch, attempt = opened.launch, opened.attempt
    return {
        "launch": {
            "id": str(launch.id),
            "number": launch.number,
            "sequence": launch.last_sequence,
            "review": launch.review,
            "offline": launch.offline_seconds,
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
