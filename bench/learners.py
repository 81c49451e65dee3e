"""Measures how many people can play at once: `python -m bench learners`.

Like the player, each learner commits every 10 seconds and sends a heartbeat every 30. Meanwhile, 20 pages and
50 API calls per second are requested. The time of a commit counts from when it was due.
"""

import asyncio
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import asyncpg

from bench import classroom, traffic
from bench.classroom import Classroom, Launch
from bench.company import TENANT, Company
from bench.deployment import Deployment, Processors
from bench.learner_load import COMMITS, HEARTBEATS, LearnersOutcome, LearnersPlan
from bench.load import Stream, percentile, run_process
from bench.proxy import Tally
from bench.results import Row, Section, at_most

EVERY_SECONDS = 10.0
STATE_BYTES = 4_096
PAGES_PER_SECOND, CALLS_PER_SECOND = 20.0, 50.0
P99_MS, GOAL_P99_MS = 200.0, 500.0
GOAL = "goal: 4,000"
REFUSAL_MS = 50.0
BEYOND = 1.5
# The share of the commits per second at the knee. One-minute measurements vary by less.
_KEPT = 0.95


@dataclass(frozen=True)
class Load:
    """The amount of load."""

    learners: int
    seconds: float
    every: float = EVERY_SECONDS
    state_bytes: int = STATE_BYTES


# A warm-up, so that one-time costs do not count: opening connections, preparing statements, reading
# templates.
WARM_UP = Load(20, 4.0, 1.0)


@dataclass(frozen=True)
class Measured:
    """One load and its result. `lost` are learners whose last acknowledged commit is not stored."""

    load: Load
    outcome: LearnersOutcome
    lost: int
    processors: str

    @property
    def commits(self) -> Tally:
        return self.outcome.tallies[COMMITS]

    @property
    def reads(self) -> dict[str, Tally]:
        """Returns the tallies of the reads beside the commits."""
        return {
            name: tally for name, tally in self.outcome.tallies.items() if name not in (COMMITS, HEARTBEATS)
        }

    @property
    def per_second(self) -> float:
        return self.outcome.requests / self.outcome.seconds

    @property
    def p99(self) -> float:
        """Returns the p99 of commits. Commits that were never saved count as infinite."""
        return percentile([*self.commits.times, *[math.inf] * self.outcome.unsaved], 0.99)

    @property
    def refused(self) -> int:
        return len(self.commits.refusals)

    @property
    def errors(self) -> int:
        tallies = self.outcome.tallies.values()
        return sum(each.failed + each.refusals_without_retry_after for each in tallies)

    @property
    def is_overloaded(self) -> bool:
        refused = any(each.refusals for each in self.outcome.tallies.values())
        return refused or self.p99 > GOAL_P99_MS or self.outcome.unsaved > 0


class Learners:
    """The launches of one run of the bench, which continue from load to load."""

    def __init__(self, company: Company, deployment: Deployment, room: Classroom) -> None:
        self.company = company
        self.deployment = deployment
        self.room = room
        self.launches: list[Launch] = []

    async def measure(self, load: Load) -> Measured:
        self.launches += await self.room.launch(range(len(self.launches), load.learners))
        launches = self.launches[: load.learners]
        await asyncio.to_thread(self.deployment.settle)
        plan = LearnersPlan(
            port=self.deployment.port,
            seconds=load.seconds,
            streams=await _make_streams(self.company, load.seconds),
            learners=[each.learner for each in launches],
            every=load.every,
            state_bytes=load.state_bytes,
        )
        before = self.deployment.measure_processors()
        watching = asyncio.create_task(self._processors_after(load.seconds))
        outcome = await asyncio.to_thread(run_process, "bench.learner_load", plan, LearnersOutcome)
        processors = (await watching).describe_since(before, outcome.processor)
        lost = 0
        stored = await self._load_sequences(launches)
        for launch, saved in zip(launches, outcome.saved, strict=True):
            lost += stored[launch.id] < saved
            launch.learner.sequence = max(saved, stored[launch.id])
        measured = Measured(load, outcome, lost, processors)
        print(describe(measured), flush=True)
        return measured

    async def _processors_after(self, seconds: float) -> Processors:
        await asyncio.sleep(seconds)
        return self.deployment.measure_processors()

    async def _load_sequences(self, launches: Sequence[Launch]) -> dict[Any, int]:
        """Returns the last stored sequence of each launch, in the launch and in the state itself."""
        owner = await asyncpg.connect(self.company.url)
        rows = await owner.fetch(
            """
            SELECT l.id, l.last_sequence, a.cmi::jsonb ->> 'suspend_data' AS state
            FROM launches l JOIN attempts a ON a.tenant_id = l.tenant_id AND a.id = l.attempt_id
            WHERE l.tenant_id = $1 AND l.id = ANY($2)
            """,
            *(TENANT, [each.id for each in launches]),
        )
        await owner.close()
        return {
            row["id"]: min(row["last_sequence"] or 0, int((row["state"] or "")[5:12] or 0)) for row in rows
        }


async def _make_streams(company: Company, seconds: float) -> list[Stream]:
    """Builds enough calls that none is sent twice, because a person is enrolled in a course once."""
    chance = random.Random(2)
    pages = traffic.pages(chance, 500)
    calls = await traffic.mixed_calls(company, chance, int(CALLS_PER_SECOND * (seconds + 10) * 1.2))
    return [
        Stream("pages", PAGES_PER_SECOND, pages),
        Stream("API calls", CALLS_PER_SECOND, calls),
    ]


async def run(
    company: Company, deployment: Deployment, loads: Sequence[Load], steps: Sequence[Load]
) -> Section:
    """Measures each load, and then each step until the server is at its limit."""
    limit = max(each.learners for each in (*loads, *steps, WARM_UP))
    async with classroom.opened(company, int(limit * (BEYOND if steps else 1))) as room:
        learners = Learners(company, deployment, room)
        await learners.measure(WARM_UP)
        measured = [await learners.measure(load) for load in loads]
        rows = [row for each in measured for row in _rows(each)]
        if steps:
            rows += await _find_knee(learners, measured[-1], steps)
    return Section("Learners at once", rows)


async def _find_knee(learners: Learners, first: Measured, steps: Sequence[Load]) -> list[Row]:
    """Finds the last load that is served in time, and then sends more than that."""
    last = None if first.is_overloaded else first
    for step in steps if last else ():
        measured = await learners.measure(step)
        if measured.is_overloaded:
            break
        last = measured
    what = f"The most learners that are served with p99 ≤ {GOAL_P99_MS:g} ms"
    if last is None:
        return [Row(what, f"fewer than {first.load.learners:,}", GOAL)]
    count = last.load.learners
    beyond = await learners.measure(replace(steps[0], learners=int(count * BEYOND)))
    return [Row(what, f"{count:,}; {_reading(last)}", GOAL), *_rows_beyond(last, beyond)]


def _rows(measured: Measured) -> list[Row]:
    load, outcome = measured.load, measured.outcome
    what = f"{load.learners:,} learners, {_minutes(load.seconds)}"
    rows = [
        at_most(
            f"{what}: p99 of a commit",
            measured.p99,
            P99_MS,
            "ms",
            _reading(measured),
        )
    ]
    for name, tally in measured.reads.items():
        p50, p95, p99_of = (percentile(tally.times, share) for share in (0.5, 0.95, 0.99))
        rows.append(Row(f"{what}: {name} beside", f"p50 {p50:.0f}, p95 {p95:.0f}, p99 {p99_of:.0f} ms"))
    rows += [
        at_most(f"{what}: commits lost", measured.lost + outcome.unsaved, 0, "commits"),
        at_most(f"{what}: errors", measured.errors, 0, "errors", _errors_of(measured)),
        Row(f"{what}: refused", _refusals_of(measured)),
        Row(f"{what}: processors", measured.processors),
    ]
    return rows


def _reading(measured: Measured) -> str:
    p50, p95 = (percentile(measured.commits.times, share) for share in (0.5, 0.95))
    return f"p50 {p50:.0f}, p95 {p95:.0f}; {measured.per_second:,.0f} commits/s"


def _rows_beyond(knee: Measured, beyond: Measured) -> list[Row]:
    what = f"Beyond the knee, {beyond.load.learners:,} learners"
    refusals = sorted(beyond.commits.refusals)
    refused_reads = sum(len(each.refusals) for each in beyond.reads.values())
    reads = sum(len(each.times) for each in beyond.reads.values()) + refused_reads
    due = len(beyond.commits.times) + beyond.refused
    least = knee.per_second * _KEPT
    return [
        Row(
            f"{what}: commits a second, beside {knee.per_second:,.0f} at the knee",
            f"{beyond.per_second:,.0f}",
            f"≥ {least:,.0f}",
            beyond.per_second >= least,
        ),
        Row(
            f"{what}: refused, commits and reads",
            f"{beyond.refused / max(1, due):.1%} and {refused_reads / max(1, reads):.1%}",
            "commits first",
            beyond.refused / max(1, due) <= refused_reads / max(1, reads),
        ),
        at_most(f"{what}: p99 of a refusal", percentile(refusals, 0.99), REFUSAL_MS, "ms"),
        at_most(f"{what}: commits lost", beyond.lost, 0, "commits"),
        at_most(f"{what}: errors", beyond.errors, 0, "errors", _errors_of(beyond)),
    ]


def describe(measured: Measured) -> str:
    """Returns one line of progress."""
    outcome, load = measured.outcome, measured.load
    commits = measured.commits.times
    parts = [
        f"{load.learners:,} learners, {load.seconds:.0f} s: {measured.per_second:,.0f} commits/s",
        f"p50 {percentile(commits, 0.5):.0f}, p95 {percentile(commits, 0.95):.0f}",
        f"p99 {measured.p99:.0f} ms, worst {percentile(commits, 1):.0f}",
    ]
    for name, tally in {HEARTBEATS: outcome.tallies[HEARTBEATS], **measured.reads}.items():
        p50, p95, p99 = (percentile(tally.times, share) for share in (0.5, 0.95, 0.99))
        parts.append(f"{name} p50 {p50:.0f}, p95 {p95:.0f}, p99 {p99:.0f}")
    parts.append(f"refused {_refusals_of(measured)}")
    parts.append(f"lost {measured.lost}, never saved {outcome.unsaved}, errors {_errors_of(measured)}")
    parts.append(measured.processors)
    return "; ".join(parts)


def _refusals_of(measured: Measured) -> str:
    tallies = measured.outcome.tallies
    parts = [
        f"{len(tally.refusals):,} {name} (p99 {percentile(tally.refusals, 0.99):.0f} ms)"
        for name, tally in tallies.items()
        if tally.refusals
    ]
    return ", ".join(parts) or "none"


def _errors_of(measured: Measured) -> str:
    tallies = measured.outcome.tallies
    parts = [
        f"{name}: {count} × {what}" for name, tally in tallies.items() for what, count in tally.errors.items()
    ]
    without = sum(each.refusals_without_retry_after for each in tallies.values())
    return ", ".join(parts + ([f"{without} refusals without Retry-After"] if without else [])) or "none"


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:g} min" if seconds >= 60 else f"{seconds:g} s"
