"""What counts of watching and reading, as rules."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from trilha.learning.studies.rules import (
    add_ranges,
    allowed,
    clean_ranges,
    read,
    seconds_of,
    show,
    spent_until,
    state_of_article,
    state_of_document,
    state_of_video,
    watch,
)
from trilha.learning.studies.schema import Article, Document, Range, Video

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
    assert allowed(ago(launched), None if until is None else ago(until), NOW) == expected


def test_time_that_was_counted_is_spent() -> None:
    assert spent_until(ago(60), None, 10, NOW) == ago(50)
    assert spent_until(ago(60), ago(90), 10, NOW) == ago(50)
    assert spent_until(ago(60), ago(20), 10, NOW) == ago(10)
    assert spent_until(ago(60), ago(5), 10, NOW) == NOW


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
    assert clean_ranges(said, 100) == expected


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
        (Video(), Video([(0, 30)], 60, 30), 60, LONG, Video([(0, 30)], 60, 30), 15),
        # Twice as fast as time passes, and not faster.
        (Video(), Video([(0, 60)], 60, 60), 60, 10, Video([(0, 20)], 60, 60), 10),
        (Video(), Video([(0, 60)], 60, 60), 60, 0, Video([], 60, 60), 0),
        # The file knows better than the player how long it is.
        (Video(), Video([(0, 5)], 5, 5), 60, LONG, Video([(0, 5)], 60, 5), 2.5),
        # Where the file does not, what was needed never shrinks.
        (Video([], 60), Video([(0, 5)], 5, 5), None, LONG, Video([(0, 5)], 60, 5), 2.5),
        (Video([], 60), Video([], 90, 400), None, LONG, Video([], 90, 90), 0),
        (Video(), Video([(0, 5)], float("inf"), -1), None, LONG, Video([], 0, 0), 0),
    ],
)
def test_watching(
    before: Video, said: Video, known: float | None, free: float, watched: Video, taken: float
) -> None:
    assert watch(before, said, known, free) == (watched, taken)


@pytest.mark.parametrize(
    ("video", "completion", "progress"),
    [
        (Video([(0, 56.9)], 60), "incomplete", 94.83),
        (Video([(0, 30), (33, 60)], 60), "completed", 100),
        (Video([], 60), "incomplete", 0),
        (Video(), "incomplete", 0),
    ],
)
def test_a_video_is_completed_at_95_percent(video: Video, completion: str, progress: float) -> None:
    state = state_of_video(video)
    assert (state.completion, state.progress) == (completion, progress)


@pytest.mark.parametrize(
    ("before", "said", "known", "free", "shown", "taken"),
    [
        (Document(), Document({1: 1.5}, 3, 1), 3, LONG, Document({1: 1.5}, 3, 1), 1.5),
        (Document({1: 1.5}, 3), Document({1: 60, 2: 1}, 3, 2), 3, LONG, Document({1: 2, 2: 1}, 3, 2), 1.5),
        (Document(), Document({1: 9, 2: 9, 3: 9}, 3, 3), 3, 3, Document({1: 2, 2: 1}, 3, 3), 3),
        (Document(), Document({0: 9, 4: 9, -1: 9}, 3, 9), 3, LONG, Document({}, 3, 3), 0),
        (Document(), Document({1: 9}, 1, 1), 3, LONG, Document({1: 2}, 3, 1), 2),
        (Document({}, 3), Document({1: 9}, 1, 1), None, LONG, Document({1: 2}, 3, 1), 2),
        (Document(), Document({1: float("nan")}, 3, -4), 3, LONG, Document({}, 3, 1), 0),
    ],
)
def test_showing_pages(
    before: Document, said: Document, known: int | None, free: float, shown: Document, taken: float
) -> None:
    assert show(before, said, known, free) == (shown, taken)


@pytest.mark.parametrize(
    ("document", "completion", "progress"),
    [
        (Document({1: 2, 2: 2, 3: 1.9}, 3), "incomplete", 66.67),
        (Document({1: 2, 2: 2, 3: 2}, 3), "completed", 100),
        (Document(), "incomplete", 0),
    ],
)
def test_a_document_is_completed_when_every_page_was_read(
    document: Document, completion: str, progress: float
) -> None:
    state = state_of_document(document)
    assert (state.completion, state.progress) == (completion, progress)


@pytest.mark.parametrize(
    ("before", "said", "free", "expected", "taken"),
    [
        (Article(), Article(10, 0.5, 0.4), LONG, Article(10, 0.5, 0.4), 10),
        (Article(10, 0.5), Article(12, 0.2, 0.1), LONG, Article(12, 0.5, 0.1), 2),
        (Article(), Article(9999, 1, 1), 3, Article(3, 1, 1), 3),
        (Article(10, 1), Article(5, 7, -3), LONG, Article(10, 1, 0), 0),
    ],
)
def test_reading(before: Article, said: Article, free: float, expected: Article, taken: float) -> None:
    assert read(before, said, free) == (expected, taken)


@pytest.mark.parametrize(
    ("article", "words", "completion", "progress"),
    [
        (Article(100, 1), 1000, "completed", 100),
        (Article(50, 1), 1000, "incomplete", 50),
        (Article(100, 0.4), 1000, "incomplete", 40),
        (Article(100, 0.99999), 1000, "incomplete", 99.99),
        (Article(1.9, 1), 0, "incomplete", 95),
        (Article(2, 1), 0, "completed", 100),
    ],
)
def test_an_article_is_completed_at_its_end_and_after_its_time(
    article: Article, words: int, completion: str, progress: float
) -> None:
    state = state_of_article(article, words)
    assert (state.completion, state.progress) == (completion, progress)


def test_how_long_an_article_takes() -> None:
    assert [seconds_of(words) for words in (0, 20, 600)] == [2, 2, 60]


def test_a_body_of_ranges_without_end_is_taken_in_time() -> None:
    said: Any = [(n, n + 0.5) for n in range(60_000)]
    video, _ = watch(Video([(n, n + 0.25) for n in range(500)], LONG), Video(said, LONG), LONG, LONG)
    assert len(video.ranges) == 500
