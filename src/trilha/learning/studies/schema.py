"""Videos, documents and articles: what is stored of them and what the player reports."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from msgspec import Struct

from trilha.courses.schema import ModuleType
from trilha.learning.reports.schema import Report

Range = tuple[float, float]


class VideoProgress(Struct, frozen=True):
    """All in seconds of the video. `ranges` are in order and do not touch."""

    ranges: Sequence[Range] = ()
    length: float = 0.0
    position: float = 0.0


class DocumentProgress(Struct, frozen=True):
    """`pages`: for how many seconds each was shown, by its number from 1, up to PAGE_SECONDS. `position` is
    the number of a page."""

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
    """What the player tells of a module that is no package."""

    said: StudyProgress


class StudyMaterial(Struct, frozen=True):
    """What a module shows and what is kept of an attempt at it. `studied` is None before the first report."""

    type: ModuleType
    studied: Any
    seconds: float | None
    pages: int | None
    words: int


class ModuleContent(Struct, frozen=True):
    """What the module of a launch shows now; `file_id` is the file that the attempt began with."""

    file_id: str | None
    content: Any
    body: str | None
