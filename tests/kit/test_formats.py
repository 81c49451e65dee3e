"""Dates, numbers and sizes, in both languages and in the tenant's time zone."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from trilha.kit import Page, formats

NOW = datetime(2026, 11, 21, 17, 32, tzinfo=UTC)
PORTUGUESE = Page(locale="pt-BR", now=NOW)
ENGLISH = Page(locale="en", time_zone="UTC", now=NOW)


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (formats.moment_text(PORTUGUESE, "2026-11-21T17:32:00.000Z"), "21/11/2026 14:32"),
        (formats.moment_text(ENGLISH, NOW), "Nov 21, 2026 5:32\u202fPM"),
        (formats.number(PORTUGUESE, 1240), "1.240"),
        (formats.number(ENGLISH, 1240), "1,240"),
        (formats.decimal(PORTUGUESE, 1240.59), "1.240,5"),
        (formats.percent(PORTUGUESE, 99.6), "99%"),
        (formats.percent(ENGLISH, 100), "100%"),
        (formats.percent(ENGLISH, 28.999999), "28%"),
        (formats.size(PORTUGUESE, 340_000), "340 kB"),
        (formats.size(PORTUGUESE, 1_290_000), "1,2 MB"),
        (formats.size(ENGLISH, 12), "12 B"),
        (formats.span(PORTUGUESE, 84), "84 ms"),
        (formats.span(PORTUGUESE, 1290), "1,2 s"),
        (formats.span(ENGLISH, 61_000), "1 min"),
        (formats.span(ENGLISH, 7_300_000), "2 h"),
        (formats.join_words(PORTUGUESE, ["Ana", "Bruno", "Célia"]), "Ana, Bruno e Célia"),
    ],
)
def test_a_value(shown: str, expected: str) -> None:
    assert shown == expected


@pytest.mark.parametrize(
    ("page", "moment", "expected"),
    [
        (PORTUGUESE, "2026-11-21T17:29:00.000Z", "há 3 minutos"),
        (PORTUGUESE, "2026-11-23T17:32:00.000Z", "em 2 dias"),
        (ENGLISH, "2026-11-21T12:32:00.000Z", "5 hours ago"),
        (PORTUGUESE, "2026-11-01T17:32:00.000Z", "01/11/2026"),
    ],
)
def test_how_long_ago(page: Page, moment: str, expected: str) -> None:
    assert f">{expected}</time>" in formats.ago(page, moment)


@pytest.mark.parametrize("value", ["2026-11-21", date(2026, 11, 21), "2026-11-22T01:00:00.000Z"])
def test_a_day_is_the_tenants(value: Any) -> None:
    assert formats.day(PORTUGUESE, value) == '<time datetime="2026-11-21">21/11/2026</time>'
