"""Durations as content writes them."""

import pytest

from trilha.training.scorm.package.manifest import Version
from trilha.training.scorm.runtime.timespans import seconds, text_of


@pytest.mark.parametrize(
    ("version", "text", "expected"),
    [
        ("1.2", "00:05:30", 330),
        ("1.2", "0000:05:30.25", 330.25),
        ("1.2", "1:2:3", 3723),
        ("1.2", "00:00:12.5", 12.5),
        ("1.2", "100:00:00", 360_000),
        ("1.2", "00:90:90", 5490),
        ("1.2", "", None),
        ("1.2", "5:30", None),
        ("1.2", "-00:05:30", None),
        ("1.2", "PT5M30S", None),
        ("1.2", "00:05:30,25", None),
        ("2004", "PT5M30S", 330),
        ("2004", "PT6.28S", 6.28),
        ("2004", "PT0H0M6S", 6),
        ("2004", "P1DT1H", 90_000),
        ("2004", "P1Y", 31_557_600),
        ("2004", "P1M", 2_630_016),
        ("2004", "P1Y2M3DT4H5M6.7S", 31_557_600 + 2 * 2_630_016 + 3 * 86_400 + 14_706.7),
        ("2004", "PT90M", 5400),
        ("2004", "PT0S", 0),
        ("2004", "", None),
        ("2004", "P", None),
        ("2004", "PT", None),
        ("2004", "P1DT", None),
        ("2004", "-PT5S", None),
        ("2004", "PT1.5M", None),
        ("2004", "00:05:30", None),
        ("2004", "PT9999999999999999S", None),
    ],
)
def test_in_seconds(version: Version, text: str, expected: float | None) -> None:
    found = seconds(version, text)
    assert found == (None if expected is None else pytest.approx(expected))


@pytest.mark.parametrize(
    ("version", "length", "text"),
    [
        ("1.2", 0, "0000:00:00.00"),
        ("1.2", 330.256, "0000:05:30.26"),
        ("1.2", 360_000, "0100:00:00.00"),
        ("2004", 0, "PT0H0M0S"),
        ("2004", 330.25, "PT0H5M30.25S"),
        ("2004", -1, "PT0H0M0S"),
    ],
)
def test_as_text(version: Version, length: float, text: str) -> None:
    assert text_of(version, length) == text
    assert seconds(version, text) == pytest.approx(max(length, 0), abs=0.01)
