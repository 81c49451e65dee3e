"""The page that the bench prints: figures, bounds, and whether they held."""

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct
from rich.console import Console
from rich.table import Table

from bench.proxy import Tally


class Row(Struct, frozen=True):
    """One line. `held` is None if there is no bound."""

    what: str
    measured: str
    bound: str = ""
    held: bool | None = None


class Section(Struct, frozen=True):
    title: str
    rows: Sequence[Row]

    @property
    def missed(self) -> int:
        return sum(row.held is False for row in self.rows)


def at_most(what: str, value: float, bound: float, unit: str, more: str = "") -> Row:
    """Builds a row for a figure with an upper bound. `more` is printed after it."""
    measured = f"{_number(value)} {unit}" + (f"; {more}" if more else "")
    return Row(what, measured, f"≤ {_number(bound)} {unit}", value <= bound)


def at_least(what: str, value: float, bound: float, unit: str, more: str = "") -> Row:
    """Builds a row for a figure with a lower bound."""
    measured = f"{_number(value)} {unit}" + (f"; {more}" if more else "")
    return Row(what, measured, f"≥ {_number(bound)} {unit}", value >= bound)


def failures(what: str, tallies: Mapping[str, Tally]) -> list[Row]:
    """Builds the rows of a load in which no request may be refused or fail."""
    refused = {name: len(each.refusals) for name, each in tallies.items() if each.refusals}
    errors = {f"{name}: {answer}": n for name, each in tallies.items() for answer, n in each.errors.items()}
    return [
        at_most(f"{what}: refused", sum(refused.values()), 0, "requests", _list(refused)),
        at_most(f"{what}: errors", sum(errors.values()), 0, "requests", _list(errors)),
    ]


def _list(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} × {name}" for name, count in counts.items())


def _number(value: float) -> str:
    if math.isinf(value):
        return "∞"
    if value == int(value) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:,.1f}" if abs(value) >= 10 else f"{value:,.2f}"


def show(sections: Sequence[Section], heading: str) -> int:
    """Prints the page and returns how many bounds were missed."""
    print(heading)
    for section in sections:
        table = Table(title=section.title, title_justify="left", width=118)
        table.add_column("what", ratio=5)
        table.add_column("measured", ratio=5)
        table.add_column("bound", ratio=2)
        table.add_column("held", ratio=1)
        for row in section.rows:
            verdict = "" if row.held is None else "yes" if row.held else "NO"
            table.add_row(row.what, row.measured, row.bound, verdict)
        Console(width=118).print(table)
    missed = sum(section.missed for section in sections)
    print("Every bound held." if not missed else f"{missed} bounds were missed.")
    return missed
