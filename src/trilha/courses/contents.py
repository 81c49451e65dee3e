"""What a module shows is checked against what there is, before it is stored."""

from typing import Any
from uuid import UUID

import msgspec

from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.web.parsing import convert
from trilha.courses import module_queries
from trilha.courses.schema import (
    ArticleContent,
    Content,
    DocumentContent,
    ModuleType,
    NewModule,
    QuizContent,
    ScormContent,
    VideoContent,
)
from trilha.quizzes import queries as quizzes
from trilha.scorm import queries as packages
from trilha.scorm.package.manifest import Item

_KINDS: dict[ModuleType, type[Content]] = {
    "SCORM": ScormContent,
    "VIDEO": VideoContent,
    "DOCUMENT": DocumentContent,
    "ARTICLE": ArticleContent,
    "QUIZ": QuizContent,
}
VIDEOS = ("video/mp4", "video/webm")


async def check(tx: Tx, module: NewModule) -> dict[str, Any] | None:
    """The content as it is stored; None of an article without images.

    Raises Invalid (required, invalid_value, unknown_part, wrong_media_type …), NotFound for the package,
    the file or the quiz, and Conflict (package_not_ready).
    """
    if module.type != "ARTICLE" and module.body is not None:
        raise invalid("body", "invalid_value")
    if module.content is None:
        if module.type == "ARTICLE":
            return None
        raise invalid("content", "required")
    content: Content = convert(_KINDS[module.type], module.content, tx.today)
    if isinstance(content, ScormContent):
        await _check_part(tx, content)
    elif isinstance(content, VideoContent):
        await _check_media(tx, "content.file_id", content.file_id, *VIDEOS)
        for n, captions in enumerate(content.captions):
            await _check_media(tx, f"content.captions.{n}.file_id", captions.file_id, "text/vtt")
    elif isinstance(content, DocumentContent):
        await _check_media(tx, "content.file_id", content.file_id, "application/pdf")
    elif isinstance(content, ArticleContent):
        for n, image in enumerate(content.images):
            await _check_media(tx, f"content.images.{n}", image, "image/webp")
    else:
        await quizzes.get(tx, content.quiz_id)
    stored: dict[str, Any] = msgspec.to_builtins(content)
    return stored


async def _check_part(tx: Tx, content: ScormContent) -> None:
    if content.item not in {each.identifier for each in await parts(tx, content.package_id)}:
        raise invalid("content.item", "unknown_part")


async def _check_media(tx: Tx, field: str, file_id: UUID, *media_types: str) -> None:
    if (await module_queries.get_media(tx, file_id)).media_type not in media_types:
        raise invalid(field, "wrong_media_type")


async def parts(tx: Tx, package_id: UUID) -> list[Item]:
    """What can be opened of a package. Raises NotFound, and Conflict (package_not_ready)."""
    return list((await packages.get_contents(tx, package_id)).manifest.launchable())
