"""How watching and reading count."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from trilha.training.learning.studies.rules import (
    add_ranges,
    add_read,
    add_viewed,
    add_watched,
    advance_studied_until,
    compute_article_state,
    compute_document_state,
    compute_reading_seconds,
    compute_video_state,
    count_free_seconds,
    merge_ranges,
)
from trilha.training.learning.studies.schema import ArticleProgress, DocumentProgress, Range, VideoProgress

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
LONG = 10_000.0


def ago(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("launched", "until", "expected"),
    [(60, None, 60), (60, 90, 60), (60, 20, 20), (0, None, 0), (60, -5, 0)],
)
def test_the_time_that_is_free_is_since_the_launch_and_counted_once(
    launched: float, until: float | None, expected: float
) -> None:
    assert count_free_seconds(ago(launched), None if until is None else ago(until), NOW) == expected


def test_time_that_was_counted_is_spent() -> None:
    assert advance_studied_until(ago(60), None, 10, NOW) == ago(50)
    assert advance_studied_until(ago(60), ago(90), 10, NOW) == ago(50)
    assert advance_studied_until(ago(60), ago(20), 10, NOW) == ago(10)
    assert advance_studied_until(ago(60), ago(5), 10, NOW) == NOW


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ([], []),
        ([(0, 10)], [(0, 10)]),
        ([(20, 30), (0, 10)], [(0, 10), (20, 30)]),
        ([(0, 10), (10, 20), (15, 18)], [(0, 20)]),
        ([(-5, 10), (95, 300)], [(0, 10), (95, 100)]),
        ([(10, 5), (7, 7), (200, 300)], []),
        ([(float("nan"), 5), (3, float("inf"))], [(0, 5)]),
    ],
)
def test_ranges_are_cleaned(said: list[Range], expected: list[Range]) -> None:
    assert merge_ranges(said, 100) == expected


@pytest.mark.parametrize(
    ("kept", "said", "most", "expected", "gained"),
    [
        ([], [(0, 10)], 100, [(0, 10)], 10),
        ([(0, 10)], [(0, 10)], 100, [(0, 10)], 0),
        ([(0, 10)], [(5, 15)], 100, [(0, 15)], 5),
        ([(5, 10), (20, 30)], [(0, 40)], 100, [(0, 40)], 25),
        ([(5, 10), (20, 30)], [(0, 40)], 8, [(0, 13), (20, 30)], 8),
        ([(0, 10)], [(50, 60), (70, 80)], 15, [(0, 10), (50, 60), (70, 75)], 15),
        ([(0, 10)], [(50, 60)], 0, [(0, 10)], 0),
    ],
)
def test_only_new_seconds_are_gained_and_no_more_than_there_may_be(
    kept: list[Range], said: list[Range], most: float, expected: list[Range], gained: float
) -> None:
    assert add_ranges(kept, said, most) == (expected, gained)


@pytest.mark.parametrize(
    ("before", "said", "known", "free", "watched", "taken"),
    [
        (VideoProgress(), VideoProgress([(0, 30)], 60, 30), 60, LONG, VideoProgress([(0, 30)], 60, 30), 15),
        # At most twice as fast as real time.
        (VideoProgress(), VideoProgress([(0, 60)], 60, 60), 60, 10, VideoProgress([(0, 20)], 60, 60), 10),
        (VideoProgress(), VideoProgress([(0, 60)], 60, 60), 60, 0, VideoProgress([], 60, 60), 0),
        # The file's length is more reliable than the player's.
        (VideoProgress(), VideoProgress([(0, 5)], 5, 5), 60, LONG, VideoProgress([(0, 5)], 60, 5), 2.5),
        # If the file has no length, the required length never shrinks.
        (
            VideoProgress([], 60),
            VideoProgress([(0, 5)], 5, 5),
            None,
            LONG,
            VideoProgress([(0, 5)], 60, 5),
            2.5,
        ),
        (VideoProgress([], 60), VideoProgress([], 90, 400), None, LONG, VideoProgress([], 90, 90), 0),
        (VideoProgress(), VideoProgress([(0, 5)], float("inf"), -1), None, LONG, VideoProgress([], 0, 0), 0),
    ],
)
def test_watching(
    before: VideoProgress,
    said: VideoProgress,
    known: float | None,
    free: float,
    watched: VideoProgress,
    taken: float,
) -> None:
    assert add_watched(before, said, known, free) == (watched, taken)


@pytest.mark.parametrize(
    ("video", "completion", "progress"),
    [
        (VideoProgress([(0, 56.9)], 60), "incomplete", 94.83),
        (VideoProgress([(0, 30), (33, 60)], 60), "completed", 100),
        (VideoProgress([], 60), "incomplete", 0),
        (VideoProgress(), "incomplete", 0),
    ],
)
def test_a_video_is_completed_at_95_percent(video: VideoProgress, completion: str, progress: float) -> None:
    state = compute_video_state(video)
    assert (state.completion, state.progress) == (completion, progress)


@pytest.mark.parametrize(
    ("before", "said", "known", "free", "shown", "taken"),
    [
        (
            DocumentProgress(),
            DocumentProgress({1: 1.5}, 3, 1),
            3,
            LONG,
            DocumentProgress({1: 1.5}, 3, 1),
            1.5,
        ),
        (
            DocumentProgress({1: 1.5}, 3),
            DocumentProgress({1: 60, 2: 1}, 3, 2),
            3,
            LONG,
            DocumentProgress({1: 2, 2: 1}, 3, 2),
            1.5,
        ),
        (
            DocumentProgress(),
            DocumentProgress({1: 9, 2: 9, 3: 9}, 3, 3),
            3,
            3,
            DocumentProgress({1: 2, 2: 1}, 3, 3),
            3,
        ),
        (
            DocumentProgress(),
            DocumentProgress({0: 9, 4: 9, -1: 9}, 3, 9),
            3,
            LONG,
            DocumentProgress({}, 3, 3),
            0,
        ),
        (DocumentProgress(), DocumentProgress({1: 9}, 1, 1), 3, LONG, DocumentProgress({1: 2}, 3, 1), 2),
        (
            DocumentProgress({}, 3),
            DocumentProgress({1: 9}, 1, 1),
            None,
            LONG,
            DocumentProgress({1: 2}, 3, 1),
            2,
        ),
        (
            DocumentProgress(),
            DocumentProgress({1: float("nan")}, 3, -4),
            3,
            LONG,
            DocumentProgress({}, 3, 1),
            0,
        ),
    ],
)
def test_showing_pages(
    before: DocumentProgress,
    said: DocumentProgress,
    known: int | None,
    free: float,
    shown: DocumentProgress,
    taken: float,
) -> None:
    assert add_viewed(before, said, known, free) == (shown, taken)


@pytest.mark.parametrize(
    ("document", "completion", "progress"),
    [
        (DocumentProgress({1: 2, 2: 2, 3: 1.9}, 3), "incomplete", 66.67),
        (DocumentProgress({1: 2, 2: 2, 3: 2}, 3), "completed", 100),
        (DocumentProgress(), "incomplete", 0),
    ],
)
def test_a_document_is_completed_when_every_page_was_read(
    document: DocumentProgress, completion: str, progress: float
) -> None:
    state = compute_document_state(document)
    assert (state.completion, state.progress) == (completion, progress)


@pytest.mark.parametrize(
    ("before", "said", "free", "expected", "taken"),
    [
        (ArticleProgress(), ArticleProgress(10, 0.5, 0.4), LONG, ArticleProgress(10, 0.5, 0.4), 10),
        (ArticleProgress(10, 0.5), ArticleProgress(12, 0.2, 0.1), LONG, ArticleProgress(12, 0.5, 0.1), 2),
        (ArticleProgress(), ArticleProgress(9999, 1, 1), 3, ArticleProgress(3, 1, 1), 3),
        (ArticleProgress(10, 1), ArticleProgress(5, 7, -3), LONG, ArticleProgress(10, 1, 0), 0),
    ],
)
def test_reading(
    before: ArticleProgress, said: ArticleProgress, free: float, expected: ArticleProgress, taken: float
) -> None:
    assert add_read(before, said, free) == (expected, taken)


@pytest.mark.parametrize(
    ("article", "words", "completion", "progress"),
    [
        (ArticleProgress(100, 1), 1000, "completed", 100),
        (ArticleProgress(50, 1), 1000, "incomplete", 50),
        (ArticleProgress(100, 0.4), 1000, "incomplete", 40),
        (ArticleProgress(100, 0.99999), 1000, "incomplete", 99.99),
        (ArticleProgress(1.9, 1), 0, "incomplete", 95),
        (ArticleProgress(2, 1), 0, "completed", 100),
    ],
)
def test_an_article_is_completed_at_its_end_and_after_its_time(
    article: ArticleProgress, words: int, completion: str, progress: float
) -> None:
    state = compute_article_state(article, words)
    assert (state.completion, state.progress) == (completion, progress)


def test_how_long_an_article_takes() -> None:
    assert [compute_reading_seconds(words) for words in (0, 20, 600)] == [2, 2, 60]


def test_a_body_of_ranges_without_end_is_taken_in_time() -> None:
    said: Any = [(n, n + 0.5) for n in range(60_000)]
    video, _ = add_watched(
        VideoProgress([(n, n + 0.25) for n in range(500)], LONG), VideoProgress(said, LONG), LONG, LONG
    )
    assert len(video.ranges) == 500
