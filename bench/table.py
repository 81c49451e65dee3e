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
    """The results of each entry, round by round, each second round in the other order. A short round before
    the first warms up."""
    for entry in entries:
        entry.run(seconds / 4)
    results: list[list[Result]] = [[] for _ in entries]
    for number in range(rounds):
        turn = list(zip(entries, results, strict=True))
        for entry, kept in turn[:: -1 if number % 2 else 1]:
            kept.append(entry.run(seconds))
    return results


def ratio(these: Sequence[Result], those: Sequence[Result]) -> float:
    """Requests a second of these to those: the median over rounds that stood side by side."""
    return median(a.per_second / b.per_second for a, b in zip(these, those, strict=True))


def ratio_of_p50(these: Sequence[Result], those: Sequence[Result]) -> float:
    return median(a.p50 / b.p50 for a, b in zip(these, those, strict=True))


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
        self._row(name, ours, beside, theirs, value, at_least, at_most)

    def add_p50(
        self, name: str, ours: Sequence[Result], beside: str, theirs: Sequence[Result], *, at_most: float
    ) -> None:
        self._row(f"{name}: p50", ours, beside, theirs, ratio_of_p50(ours, theirs), None, at_most)

    def add_rate(self, name: str, ours: Sequence[Result], *, at_least: float) -> None:
        """A bound on requests a second, beside nothing."""
        self._row(name, ours, "", ours, median(each.per_second for each in ours), at_least, None)

    def _row(
        self,
        name: str,
        ours: Sequence[Result],
        beside: str,
        theirs: Sequence[Result],
        value: float,
        at_least: float | None,
        at_most: float | None,
    ) -> None:
        held = (at_least is None or value >= at_least) and (at_most is None or value <= at_most)
        unanswered = sum(each.unanswered for each in (*ours, *theirs))
        if unanswered:
            print(f"{name}: {unanswered} requests were never answered")
        held &= not unanswered
        self.missed += not held
        bound = f"≥ {at_least:g}" if at_least else f"≤ {at_most:g}" if at_most else ""
        self.table.add_row(
            name,
            *_figures(ours),
            beside,
            *_figures(theirs),
            f"{value:.2f}",
            bound,
            "" if held else "missed",
        )

    def section(self) -> None:
        self.table.add_section()

    def show(self) -> int:
        """Prints it; how many bounds are missed."""
        Console(width=118, soft_wrap=True).print(self.table)
        print(f"bounds missed: {self.missed}")
        return self.missed


def _figures(results: Sequence[Result]) -> tuple[str, str]:
    return f"{median(r.per_second for r in results):,.0f}", f"{median(r.p50 for r in results):.1f}"
