"""Changes to lessons, inside the caller's transaction."""

from collections.abc import Collection
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import Conflict, Invalid, invalid, problem
from trilha.platform.audit import queries as audit
from trilha.training.courses import module_actions, module_queries
from trilha.training.courses import queries as courses
from trilha.training.courses.contents import VIDEOS
from trilha.training.courses.lessons import queries
from trilha.training.courses.lessons.schema import ConvertedLesson, Document, FileUse, SavedDraft

# The media types that each use of a file accepts.
_MEDIA_TYPES: dict[str, Collection[str]] = {
    "image": ("image/webp",),
    "video": VIDEOS,
    "captions": ("text/vtt",),
    "attachment": ("application/pdf", *VIDEOS),
}


async def publish(
    tx: Tx,
    course_id: UUID,
    module_id: UUID,
    lesson: ConvertedLesson,
    *,
    base: int,
    author_id: UUID | None,
    restored: int | None = None,
    language: str = "",
) -> int:
    """Stores a document as the newest version, which learners read from now on, and removes the author's
    draft. Returns the number of the version. `base` is the version that the author started from.

    Raises NotFound, Conflict (lesson_changed), and Invalid for what is missing or is no file of ours.
    """
    await courses.lock(tx, course_id)
    module = await module_queries.get(tx, course_id, module_id)
    if module.type != "ARTICLE":
        raise invalid("type", "invalid_value")
    check_complete(lesson)
    await check_files(tx, lesson.files)
    if not language:
        await queries.keep_original(tx, module_id)
    number = await check_base(tx, module_id, base, language) + 1
    await queries.insert_version(
        tx,
        module_id,
        number,
        document=lesson.document,
        body=lesson.body,
        files=sorted({use.file_id for use in lesson.files}),
        author_id=author_id,
        restored=restored,
        language=language,
    )
    await queries.prune_versions(tx, module_id, number, language)
    if author_id:
        await queries.delete_draft(tx, module_id, author_id, language)
    if not language:
        await module_queries.update(tx, module_id, {"body": lesson.body})
    await module_actions.tell(tx, course_id)
    detail = {"module_id": module_id, "version": number, "restored": restored, "language": language}
    await audit.record(
        tx,
        "lesson.published",
        course_id,
        module.title,
        **{name: value for name, value in detail.items() if value},
    )
    return number


async def check_base(tx: Tx, module_id: UUID, base: int, language: str = "") -> int:
    """Returns the number of the newest version, which is `base`. Raises Conflict (lesson_changed)."""
    head = await queries.find_head(tx, module_id, language)
    number = head.number if head else 0
    if number != base:
        raise Conflict("lesson_changed", version=number, base=base)
    return number


def check_complete(lesson: ConvertedLesson) -> None:
    """Raises Invalid for everything that a published lesson may not lack."""
    if lesson.gaps:
        raise Invalid([problem(f"document.{gap.path}", gap.code) for gap in lesson.gaps[:20]])


async def check_files(tx: Tx, files: Collection[FileUse]) -> None:
    """Raises Invalid (invalid_value, wrong_media_type) unless all are files of the tenant, and of the right
    type.
    """
    stored = {
        file.id: file.media_type
        for file in await module_queries.list_media(tx, list({use.file_id for use in files}))
    }
    for use in files:
        if use.file_id not in stored:
            raise invalid(f"document.{use.path}", "invalid_value")
        if stored[use.file_id] not in _MEDIA_TYPES[use.kind]:
            raise invalid(f"document.{use.path}", "wrong_media_type")


async def save_draft(
    tx: Tx,
    module_id: UUID,
    author_id: UUID,
    document: Document,
    *,
    base: int,
    revision: int,
    language: str = "",
) -> SavedDraft:
    """Saves an author's draft of a document that was checked. `revision` is that of the draft that the
    author's page has seen; 0 if there was none.

    Raises Conflict (lesson_draft_changed) if the same author has saved it elsewhere meanwhile.
    """
    draft = await queries.put_draft(
        tx, module_id, author_id, document, base=base, revision=revision, language=language
    )
    if draft is None:
        raise Conflict("lesson_draft_changed")
    return draft
