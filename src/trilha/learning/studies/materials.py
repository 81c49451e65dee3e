"""What a module shows, and how far its learner is in it."""

from typing import Any
from uuid import UUID

import msgspec

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.courses import articles
from trilha.learning.attempts.schema import Attempt
from trilha.learning.previews import queries as preview_queries
from trilha.learning.studies import queries
from trilha.learning.studies.schema import AnyStudyProgress, ModuleContent, StudyMaterial


async def _find_preview_material(tx: Tx, preview_id: UUID) -> StudyMaterial | None:
    found = await preview_queries.find_preview(tx, preview_id)
    if found is None:
        return None
    return StudyMaterial(found.type, None, found.seconds, found.pages, found.words)


async def _find_preview_content(tx: Tx, preview_id: UUID) -> ModuleContent | None:
    found = await preview_queries.find_preview(tx, preview_id)
    if found is None:
        return None
    return ModuleContent((found.content or {}).get("file_id"), found.content, found.body)


def read_progress(material: StudyMaterial, kind: type[AnyStudyProgress]) -> AnyStudyProgress:
    return msgspec.convert(material.studied or {}, kind, str_keys=True)


async def get_material(tx: Tx, attempt: Attempt) -> StudyMaterial:
    """What an attempt at a module that is no package is at, and how far."""
    found = await queries.find_material(tx, attempt)
    found = found or await _find_preview_material(tx, attempt.id)
    assert found is not None
    return found


async def list_file_ids(tx: Tx, launch_id: UUID) -> set[UUID]:
    """The media files that the module of a launch shows."""
    shown = await _get_content(tx, launch_id)
    content: dict[str, Any] = shown.content or {}
    named = [shown.file_id, *(each.get("file_id") for each in content.get("captions", ()))]
    return {UUID(each) for each in named if each} | articles.images(shown.body or "")


async def get_article_body(tx: Tx, launch_id: UUID) -> str:
    """The text of an article, as it is now."""
    return (await _get_content(tx, launch_id)).body or ""


async def _get_content(tx: Tx, launch_id: UUID) -> ModuleContent:
    """Raises NotFound where the module of a preview was removed."""
    found = await queries.find_content(tx, launch_id)
    found = found or await _find_preview_content(tx, launch_id)
    if found is None:
        raise NotFound("module_not_found")
    return found
