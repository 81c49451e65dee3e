"""Rounds in turn, so that whatever else the machine does falls on all alike; ratios pair by pair."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from rich.console import Console
from rich.table import Table

from bench.contestants import Contestant
from bench.load import Result


@dataclass(frozen=True)
class Entry:
    """One contestant on one route."""

    contestant: Contestant
    requests: Sequence[bytes]
    writes: bool = False
    connections: int = 24

    def run(self, seconds: float) -> Result:
        return self.contestant.run(
            self.requests, connections=self.connections, writes=self.writes, seconds=seconds
        )


def take_turns(entries: Sequence[Entry], rounds: int, seconds: float) -> list[list[Result]]:
    """The results of each entry, round by round. A short round before the first warms up."""
    for entry in entries:
        entry.run(seconds / 4)
    results: list[list[Result]] = [[] for _ in entries]
    for _ in range(rounds):
        for entry, kept in zip(entries, results, strict=True):
            kept.append(entry.run(seconds))
    return results


def ratio(these: Sequence[Result], those: Sequence[Result]) -> float:
    """Requests a second of these to those: the median over rounds that stood side by side."""
    return median(a.per_second / b.per_second for a, b in zip(these, those, strict=True))


class Report:
    """The one table."""

    def __init__(self) -> None:
        self.table = Table("", "req/s", "p50 ms", "beside", "req/s", "p50 ms", "ratio", "bound", "")
        for column in self.table.columns[1:]:
            column.justify = "right"
        self.missed = 0

    def add(
        self,
        name: str,
        ours: Sequence[Result],
        beside: str,
        theirs: Sequence[Result],
        *,
        at_least: float | None = None,
        at_most: float | None = None,
    ) -> None:
        """`at_least` bounds our throughput over theirs; `at_most` our cost over theirs, its inverse."""
        value = 1 / ratio(ours, theirs) if at_most else ratio(ours, theirs)
        held = (at_least is None or value >= at_least) and (at_most is None or value <= at_most)
        self.missed += not held
        bound = f"≥ {at_least:g}" if at_least else f"≤ {at_most:g}" if at_most else ""
        self.table.add_row(
            name,
            *_figures(ours),
            beside,
            *_figures(theirs),
            f"{value:.2f}",
            bound,
            ("" if held else "missed") if bound else "",
        )

    def section(self) -> None:
        self.table.add_section()

    def show(self) -> None:
        Console(width=118, soft_wrap=True).print(self.table)


def _figures(results: Sequence[Result]) -> tuple[str, str]:
    return f"{median(r.per_second for r in results):,.0f}", f"{median(r.p50 for r in results):.1f}"
