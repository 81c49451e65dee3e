"""Decides what counts of watching a video and of reading a document or an article. No I/O, no clock.

The player reports what was watched and read; the time that has passed on the server limits what counts of it.
"""

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import islice

from trilha.training.learning.studies.schema import (
    ArticleProgress,
    DocumentProgress,
    Range,
    StudyProgress,
    VideoProgress,
)
from trilha.training.scorm.runtime.mapping import State

# The highest speed at which a video may be played.
FASTEST = 2.0
# A video counts as watched from this share on: credits and silence at the end are left out.
WATCHED_SHARE = 0.95
# A page counts as read after this time.
PAGE_SECONDS = 2.0
# The speed of skimming. Reading an article takes as long as its words do, and never less than a page.
WORDS_A_SECOND = 10.0
_MAX_RANGES = 500
_MAX_PAGES = 20_000


def count_free_seconds(start: datetime, studied_until: datetime | None, now: datetime) -> float:
    """Returns the seconds of the learner's time since `start` that no report has used yet."""
    since = start if studied_until is None else max(start, studied_until)
    return max(0.0, (now - since).total_seconds())


def advance_studied_until(
    start: datetime, studied_until: datetime | None, seconds: float, now: datetime
) -> datetime:
    """Returns until when the learner's time is used after a report has used `seconds` of it."""
    since = start if studied_until is None else max(start, studied_until)
    return min(now, since + timedelta(seconds=seconds))


def add_watched(
    before: VideoProgress, reported: VideoProgress, known: float | None, seconds: float
) -> tuple[VideoProgress, float]:
    """Returns the new progress, and how many of the learner's free `seconds` it took.

    `known` is the length that the file itself says. If it is unknown, the longest reported length counts.
    """
    length = known or max(before.length, _finite(reported.length))
    ranges = merge_ranges(reported.ranges, length)[:_MAX_RANGES]
    kept, gained = add_ranges(before.ranges, ranges, seconds * FASTEST)
    return VideoProgress(kept, length, min(_finite(reported.position), length)), gained / FASTEST


def add_viewed(
    before: DocumentProgress, reported: DocumentProgress, known: int | None, seconds: float
) -> tuple[DocumentProgress, float]:
    """Does for pages what `add_watched` does for ranges. `known` is the number of pages."""
    count = min(known or max(before.count, reported.count), _MAX_PAGES)
    pages, left = dict(before.pages), seconds
    for number, shown in sorted(reported.pages.items()):
        gained = min(_finite(shown), PAGE_SECONDS) - pages.get(number, 0.0)
        if 1 <= number <= count and gained > 0 and left > 0:
            gained = min(gained, left)
            pages[number] = round(pages.get(number, 0.0) + gained, 3)
            left -= gained
    return DocumentProgress(pages, count, max(1, min(reported.position, count))), seconds - left


def add_read(
    before: ArticleProgress, reported: ArticleProgress, seconds: float
) -> tuple[ArticleProgress, float]:
    """Returns the new progress, and how many of the learner's free `seconds` it took."""
    gained = max(0.0, min(_finite(reported.seconds) - before.seconds, seconds))
    furthest = max(before.furthest, min(_finite(reported.furthest), 1.0))
    position = min(_finite(reported.position), 1.0)
    return ArticleProgress(round(before.seconds + gained, 3), furthest, position), gained


def count_uncounted_seconds(stored: StudyProgress, reported: StudyProgress) -> float:
    """Returns the reported seconds of watching and reading that do not count."""
    if isinstance(stored, VideoProgress) and isinstance(reported, VideoProgress):
        ranges = _subtract_ranges(merge_ranges(reported.ranges, stored.length)[:_MAX_RANGES], stored.ranges)
        return sum(end - start for start, end in ranges) / FASTEST
    if isinstance(stored, DocumentProgress) and isinstance(reported, DocumentProgress):
        pages = reported.pages.items()
        return sum(
            max(0.0, min(_finite(shown), PAGE_SECONDS) - stored.pages.get(number, 0.0))
            for number, shown in pages
            if 1 <= number <= stored.count
        )
    if isinstance(stored, ArticleProgress) and isinstance(reported, ArticleProgress):
        return max(0.0, _finite(reported.seconds) - stored.seconds)
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
    """`words` is the number of words in the article."""
    return _build_state(min(article.furthest, article.seconds / compute_reading_seconds(words), 1.0))


def compute_reading_seconds(words: int) -> float:
    """Returns how long it takes at least to read an article of so many words."""
    return max(PAGE_SECONDS, words / WORDS_A_SECOND)


def _build_state(share: float) -> State:
    done = share >= 1.0
    # Progress is never rounded up to 100.
    return State(
        completion="completed" if done else "incomplete",
        progress=100.0 if done else min(round(share * 100, 2), 99.99),
    )


def merge_ranges(ranges: Sequence[Range], length: float) -> list[Range]:
    """Sorts ranges, limits them to the video, and joins those that touch or overlap."""
    merged: list[Range] = []
    for start, end in sorted((_clamp(start, length), _clamp(end, length)) for start, end in ranges):
        if start >= end:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def add_ranges(known: Sequence[Range], new: Sequence[Range], limit: float) -> tuple[list[Range], float]:
    """Adds at most `limit` seconds of new ranges, from the beginning of the video on; returns how many."""
    ranges, gained = list(known), 0.0
    for start, end in _subtract_ranges(new, known):
        part = min(end - start, limit - gained)
        if part <= 0:
            break
        ranges.append((start, round(start + part, 3)))
        gained += part
    longest = sorted(merge_ranges(ranges, math.inf), key=lambda each: each[0] - each[1])
    return sorted(islice(longest, _MAX_RANGES)), gained


def _subtract_ranges(ranges: Sequence[Range], known: Sequence[Range]) -> list[Range]:
    """Returns the parts of `ranges` that are not within `known`. Both are sorted."""
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
