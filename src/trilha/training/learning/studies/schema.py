"""Progress in videos, documents and articles, as the player reports it and as it is stored."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeVar
from uuid import UUID

from msgspec import Struct

from trilha.training.courses.schema import ModuleType
from trilha.training.learning.player_reports.schema import Report

Range = tuple[float, float]
StudyKind = Literal["watched", "dwelled", "read"]


class VideoProgress(Struct, frozen=True):
    """All members are seconds of the video. Stored `ranges` are sorted and do not touch."""

    ranges: Sequence[Range] = ()
    length: float = 0.0
    position: float = 0.0


class DocumentProgress(Struct, frozen=True):
    """`pages` holds for how many seconds each page was shown, by its number from 1.

    Stored seconds end at PAGE_SECONDS. `position` is the number of a page.
    """

    pages: Mapping[int, float] = {}
    count: int = 0
    position: int = 1


class ArticleProgress(Struct, frozen=True):
    """`furthest` and `position` are shares of the text, from 0 to 1."""

    seconds: float = 0.0
    furthest: float = 0.0
    position: float = 0.0


StudyProgress = VideoProgress | DocumentProgress | ArticleProgress
AnyStudyProgress = TypeVar("AnyStudyProgress", VideoProgress, DocumentProgress, ArticleProgress)


class StudyReport(Report, frozen=True, kw_only=True):
    """What the player reports of a video, a document or an article."""

    progress: StudyProgress


class StudyMaterial(Struct, frozen=True):
    """What an attempt studies, and its stored progress. `studied` is None before the first report.

    `seconds` and `pages` are None if the file does not say them.
    """

    type: ModuleType
    studied: Any
    seconds: float | None
    pages: int | None
    words: int


class ModuleContent(Struct, frozen=True):
    """What a launch shows. `file_id` is the file with which the attempt began."""

    module_id: UUID
    file_id: str | None
    content: Any
    body: str | None
