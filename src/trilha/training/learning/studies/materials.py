"""Reads what a launch or a preview shows of a video, a document or an article."""

from typing import Any
from uuid import UUID

import msgspec

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.training.courses.lessons import queries as lessons
from trilha.training.courses.lessons.files import find_files
from trilha.training.learning.attempts.schema import Attempt
from trilha.training.learning.previews import queries as preview_queries
from trilha.training.learning.studies import queries
from trilha.training.learning.studies.schema import AnyStudyProgress, ModuleContent, StudyMaterial


def read_progress(material: StudyMaterial, kind: type[AnyStudyProgress]) -> AnyStudyProgress:
    """Returns the stored progress, which is empty before the first report."""
    return msgspec.convert(material.studied or {}, kind, str_keys=True)


async def get_material(tx: Tx, attempt: Attempt) -> StudyMaterial:
    """Returns what an attempt, or a preview, studies."""
    if material := await queries.find_material(tx, attempt):
        return material
    preview = await preview_queries.find_preview(tx, attempt.id)
    assert preview is not None
    return StudyMaterial(preview.type, None, preview.seconds, preview.pages, preview.words)


async def list_file_ids(tx: Tx, launch_id: UUID) -> set[UUID]:
    """Returns the media files that a launch, or a preview, shows."""
    shown = await _get_content(tx, launch_id)
    content: dict[str, Any] = shown.content or {}
    if "quiz_id" in content:
        return await queries.list_files_of_questions(tx, launch_id)
    ids = [shown.file_id, *(caption.get("file_id") for caption in content.get("captions", ()))]
    files = {UUID(id) for id in ids if id}
    if shown.body is None:
        return files
    return files | find_files(shown.body) | await lessons.list_file_ids(tx, shown.module_id)


async def get_article_body(tx: Tx, launch_id: UUID) -> str:
    """Returns the current text of an article."""
    return (await _get_content(tx, launch_id)).body or ""


async def _get_content(tx: Tx, launch_id: UUID) -> ModuleContent:
    """Raises NotFound (module_not_found) if the module of a preview was removed."""
    if content := await queries.find_content(tx, launch_id):
        return content
    preview = await preview_queries.find_preview(tx, launch_id)
    if preview is None:
        raise NotFound("module_not_found")
    file_id = (preview.content or {}).get("file_id")
    return ModuleContent(preview.module_id, file_id, preview.content, preview.body)
