"""CSV files that are safe to open in a spreadsheet."""

import pytest

from trilha.core.spreadsheets import csv_lines


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("=1+1", "'=1+1"),
        ("-1+1", "'-1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("Ana", "Ana"),
        (-40, "-40"),
        (-0.5, "-0.5"),
    ],
)
def test_no_text_is_a_formula_and_numbers_stay_numbers(value: object, written: str) -> None:
    assert csv_lines([[value]]) == f"{written}\r\n"
