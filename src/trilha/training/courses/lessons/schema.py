"""The types of lessons: documents, versions and drafts."""

from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.types import Timestamp

# ProseMirror JSON; `rules.check_document` says what it may contain.
Document = dict[str, Any]
MAX_BYTES = 3 * 1024 * 1024  # of a document as JSON
DocumentText = Annotated[str, Meta(max_length=MAX_BYTES)]


class FileUse(Struct, frozen=True, order=True):
    """A media file that a document shows. `path` is where, such as `content.3.attrs.file`; `kind` is `image`,
    `video`, `captions` or `attachment`.
    """

    path: str
    kind: str
    file_id: UUID


class Gap(Struct, frozen=True):
    """Something that a draft may lack, but a published lesson may not. `code` is an error code."""

    path: str
    code: str


class Chapter(Struct, frozen=True):
    """A part of a file, with its heading as the title."""

    title: str
    document: Document


class ConvertedLesson(Struct, frozen=True):
    """A document that was checked, and what was made from it. `body` is its Markdown."""

    document: Document
    html: str
    body: str
    files: list[FileUse]
    gaps: list[Gap]


class LessonHead(Struct, frozen=True):
    """The newest version of a lesson, without its text."""

    number: int
    is_document: bool


class LessonVersion(Struct, frozen=True):
    """A version in the list of versions. `author_name` is None for imports and other programs."""

    number: int
    author_id: UUID | None
    author_name: str | None
    restored: int | None
    created_at: Timestamp


class LessonText(Struct, frozen=True):
    """The text of a version: a document, or else Markdown."""

    number: int
    document: Any
    body: str


class LessonDraft(Struct, frozen=True):
    """An author's draft. `base` is the version that it started from."""

    base: int
    revision: int
    document: Any
    saved_at: Timestamp


class OtherDraft(Struct, frozen=True):
    """Another author's draft of the same lesson."""

    author_id: UUID
    author_name: str
    base: int
    saved_at: Timestamp


class SavedDraft(Struct, frozen=True):
    revision: int
    saved_at: Timestamp
