"""What counts of watching a video and of reading a document or an article. No I/O, no clock.

The player tells what was watched and read; what counts of it is bounded by the time that has passed here.
"""

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import islice

from trilha.learning.studies.schema import (
    ArticleProgress,
    DocumentProgress,
    Range,
    StudyProgress,
    VideoProgress,
)
from trilha.scorm.runtime.mapping import State

# How fast a video may be played.
FASTEST = 2.0

# A video counts as watched when so much of it was: credits and silence at the end are left out.
WATCHED_SHARE = 0.95

# A page counts as read when it was shown so long.
PAGE_SECONDS = 2.0

# As fast as somebody reads who skims. An article takes as long as its words, and never less than a page.
WORDS_A_SECOND = 10.0

_MAX_RANGES = 500

_MAX_PAGES = 20_000


def count_free_seconds(launched_at: datetime, studied_until: datetime | None, now: datetime) -> float:
    """Seconds of the person's time that nothing has counted yet."""
    since = launched_at if studied_until is None else max(launched_at, studied_until)
    return max(0.0, (now - since).total_seconds())


def advance_studied_until(
    launched_at: datetime, studied_until: datetime | None, seconds: float, now: datetime
) -> datetime:
    """`seconds` of the person's time were counted now."""
    since = launched_at if studied_until is None else max(launched_at, studied_until)
    return min(now, since + timedelta(seconds=seconds))


def add_watched(
    before: VideoProgress, said: VideoProgress, known: float | None, seconds: float
) -> tuple[VideoProgress, float]:
    """What is watched from now on, and what it took of the person's `seconds`.

    `known` is the length by the file itself. Where it is unknown, the longest that was told counts.
    """
    length = known or max(before.length, _finite(said.length))
    ranges = merge_ranges(said.ranges, length)[:_MAX_RANGES]
    kept, gained = add_ranges(before.ranges, ranges, seconds * FASTEST)
    return VideoProgress(kept, length, min(_finite(said.position), length)), gained / FASTEST


def add_shown(
    before: DocumentProgress, said: DocumentProgress, known: int | None, seconds: float
) -> tuple[DocumentProgress, float]:
    """What is read from now on, and what it took of the person's `seconds`. `known` is as with `watch`."""
    count = min(known or max(before.count, said.count), _MAX_PAGES)
    pages, left = dict(before.pages), seconds
    for number, shown in sorted(said.pages.items()):
        gained = min(_finite(shown), PAGE_SECONDS) - pages.get(number, 0.0)
        if 1 <= number <= count and gained > 0 and left > 0:
            gained = min(gained, left)
            pages[number] = round(pages.get(number, 0.0) + gained, 3)
            left -= gained
    return DocumentProgress(pages, count, max(1, min(said.position, count))), seconds - left


def add_read(before: ArticleProgress, said: ArticleProgress, seconds: float) -> tuple[ArticleProgress, float]:
    """What is read from now on, and what it took of the person's `seconds`."""
    gained = max(0.0, min(_finite(said.seconds) - before.seconds, seconds))
    furthest = max(before.furthest, min(_finite(said.furthest), 1.0))
    return ArticleProgress(
        round(before.seconds + gained, 3), furthest, min(_finite(said.position), 1.0)
    ), gained


def count_uncounted_seconds(kept: StudyProgress, said: StudyProgress) -> float:
    """Seconds of watching and reading that were told, and do not count."""
    if isinstance(kept, VideoProgress) and isinstance(said, VideoProgress):
        ranges = _subtract_ranges(merge_ranges(said.ranges, kept.length)[:_MAX_RANGES], kept.ranges)
        return sum(end - start for start, end in ranges) / FASTEST
    if isinstance(kept, DocumentProgress) and isinstance(said, DocumentProgress):
        pages = said.pages.items()
        return sum(
            max(0.0, min(_finite(shown), PAGE_SECONDS) - kept.pages.get(number, 0.0))
            for number, shown in pages
            if 1 <= number <= kept.count
        )
    if isinstance(kept, ArticleProgress) and isinstance(said, ArticleProgress):
        return max(0.0, _finite(said.seconds) - kept.seconds)
    return 0.0


def compute_video_state(video: VideoProgress) -> State:
    if not video.length:
        return _build_state(0.0)
    share = sum(end - start for start, end in video.ranges) / video.length
    return _build_state(1.0 if share >= WATCHED_SHARE else share)


def compute_document_state(document: DocumentProgress) -> State:
    shown = sum(seconds >= PAGE_SECONDS for seconds in document.pages.values())
    return _build_state(shown / document.count if document.count else 0.0)


def compute_article_state(article: ArticleProgress, words: int) -> State:
    """`words` is how many it has."""
    return _build_state(min(article.furthest, article.seconds / compute_reading_seconds(words), 1.0))


def compute_reading_seconds(words: int) -> float:
    """How long an article is read at the least."""
    return max(PAGE_SECONDS, words / WORDS_A_SECOND)


def _build_state(share: float) -> State:
    done = share >= 1.0
    # Never told as 100 before it is.
    return State(
        completion="completed" if done else "incomplete",
        progress=100.0 if done else min(round(share * 100, 2), 99.99),
    )


def merge_ranges(said: Sequence[Range], length: float) -> list[Range]:
    """Those that are some, within the video, in order; where they touch or overlap they are one."""
    merged: list[Range] = []
    for start, end in sorted((_clamp(start, length), _clamp(end, length)) for start, end in said):
        if start >= end:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def add_ranges(kept: Sequence[Range], said: Sequence[Range], most: float) -> tuple[list[Range], float]:
    """`kept` with at most so many seconds more, the earliest of the video first. And how many they are."""
    taken, gained = list(kept), 0.0
    for start, end in _subtract_ranges(said, kept):
        part = min(end - start, most - gained)
        if part <= 0:
            break
        taken.append((start, round(start + part, 3)))
        gained += part
    longest = sorted(merge_ranges(taken, math.inf), key=lambda each: each[0] - each[1])
    return sorted(islice(longest, _MAX_RANGES)), gained


def _subtract_ranges(ranges: Sequence[Range], known: Sequence[Range]) -> list[Range]:
    """What of `ranges` is not within `known`. Both are in order."""
    left = []
    for start, end in ranges:
        for known_start, known_end in known:
            if known_end <= start or known_start >= end:
                continue
            if known_start > start:
                left.append((start, known_start))
            start = max(start, known_end)
        if start < end:
            left.append((start, end))
    return left


def _clamp(second: float, length: float) -> float:
    return round(min(_finite(second), length), 3)


def _finite(number: float) -> float:
    return max(0.0, number) if math.isfinite(number) else 0.0
