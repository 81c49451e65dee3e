"""Checks the content of a module before it is stored."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import msgspec

from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.web.parsing import convert
from trilha.training.courses import module_queries
from trilha.training.courses.schema import (
    ArticleContent,
    Cmi5Content,
    Content,
    DocumentContent,
    ModuleType,
    NewModule,
    PracticeContent,
    QuizContent,
    ScormContent,
    VideoContent,
)
from trilha.training.quizzes import queries as quizzes
from trilha.training.scorm import queries as packages
from trilha.training.scorm.package.manifest import Item

_KINDS: dict[ModuleType, type[Content]] = {
    "SCORM": ScormContent,
    "CMI5": Cmi5Content,
    "VIDEO": VideoContent,
    "DOCUMENT": DocumentContent,
    "ARTICLE": ArticleContent,
    "QUIZ": QuizContent,
    "PRACTICE": PracticeContent,
}
VIDEOS = ("video/mp4", "video/webm")


class ContentCheck:
    """Checks the contents of modules in one transaction. Each package is read only once."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self._parts: dict[UUID, set[tuple[ModuleType, str]]] = {}

    async def check(self, module: NewModule) -> dict[str, Any] | None:
        """Returns the content to store; None for a class, and for an article without images.

        Raises Invalid (required, invalid_value, unknown_part, wrong_media_type …), NotFound for the package,
        the file or the quiz, and Conflict (package_not_ready).
        """
        if module.type != "ARTICLE" and module.body is not None:
            raise invalid("body", "invalid_value")
        if module.type != "CLASS" and module.presence_percent is not None:
            raise invalid("presence_percent", "invalid_value")
        if module.type == "CLASS":
            if module.content is not None:
                raise invalid("content", "invalid_value")
            return None
        if module.content is None:
            if module.type == "ARTICLE":
                return None
            raise invalid("content", "required")
        content: Content = convert(_KINDS[module.type], module.content, self._tx.today)
        await self._check_names(module.type, content)
        stored: dict[str, Any] = msgspec.to_builtins(content, enc_hook=str)
        return stored

    async def _check_names(self, type: ModuleType, content: Content) -> None:
        """Checks whatever the content names."""
        if isinstance(content, ScormContent | Cmi5Content):
            await self._check_part(type, content)
        elif isinstance(content, QuizContent):
            await quizzes.get(self._tx, content.quiz_id)
        elif not isinstance(content, PracticeContent):
            for field, file_id, media_types in _files_of(content):
                await _check_media(self._tx, field, file_id, *media_types)

    async def _check_part(self, type: ModuleType, content: ScormContent | Cmi5Content) -> None:
        package_id = content.package_id
        if package_id not in self._parts:
            self._parts[package_id] = {
                (get_type(each), each.identifier) for each in await parts(self._tx, package_id)
            }
        if (type, content.item) not in self._parts[package_id]:
            raise invalid("content.item", "unknown_part")


def _files_of(
    content: VideoContent | DocumentContent | ArticleContent,
) -> Iterator[tuple[str, UUID, tuple[str, ...]]]:
    """Returns each field that names a file, with the file and its allowed media types."""
    if isinstance(content, VideoContent):
        yield "content.file_id", content.file_id, VIDEOS
        for n, captions in enumerate(content.captions):
            yield f"content.captions.{n}.file_id", captions.file_id, ("text/vtt",)
    elif isinstance(content, DocumentContent):
        yield "content.file_id", content.file_id, ("application/pdf",)
    else:
        for n, image in enumerate(content.images):
            yield f"content.images.{n}", image, ("image/webp",)


async def _check_media(tx: Tx, field: str, file_id: UUID, *media_types: str) -> None:
    if (await module_queries.get_media(tx, file_id)).media_type not in media_types:
        raise invalid(field, "wrong_media_type")


def get_type(part: Item) -> ModuleType:
    """Returns the type of the module that a part of a package becomes."""
    return "SCORM" if part.unit is None else "CMI5"


async def parts(tx: Tx, package_id: UUID) -> list[Item]:
    """Returns the launchable parts of a package. Raises NotFound, and Conflict (package_not_ready)."""
    return list((await packages.get_contents(tx, package_id)).manifest.launchable())
