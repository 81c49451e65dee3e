"""Measures many people at the same time: `python -m bench start`.

3,000 signed-in people open the same course within a minute, each with the pages and files that their browser
loads, up to the first commit of the module. Then 2,000 people sign in within a minute, while others open
pages.
"""

import asyncio
import random
import time
from collections.abc import Sequence
from urllib.parse import urlsplit

import asyncpg
import msgspec

from bench import classroom, traffic
from bench.browser import Browser
from bench.classroom import Classroom, Pupil
from bench.company import TENANT, Company
from bench.deployment import Deployment
from bench.load import Outcome, Stream, percentile, run_process
from bench.packages import SERVED
from bench.results import Row, Section, at_most, failures
from bench.scale import Scale
from bench.start_load import (
    COMMIT,
    COURSE,
    FILES,
    FRAME,
    HOME,
    LAUNCH,
    LOGIN,
    MODULE,
    SIGN_IN,
    Opening,
    Signing,
    StartPlan,
)
from trilha.core.passwords import PASSWORDS

PAGE_MS, SIGN_IN_MS, OTHERS_MS = 2_000.0, 5_000.0, 500.0
OTHERS = "pages of others"
_OTHERS_PER_SECOND = 20.0
_PASSWORD = "correct horse battery"
_TRIES = 30


async def run(company: Company, deployment: Deployment, scale: Scale) -> Section:
    opening, signing, seconds = scale.opening, scale.signing, scale.start_seconds
    async with classroom.opened(company, max(opening, signing)) as room:
        await _set_password(company, room.course_id)
        others = Stream(OTHERS, _OTHERS_PER_SECOND, traffic.pages(random.Random(3), 500))
        rows = []
        if opening:
            plan = await asyncio.to_thread(_plan_openings, deployment, room, room.pupils[:opening], seconds)
            rows += _rows_of_opening(opening, await _run(deployment, plan))
        if signing:
            plan = StartPlan(
                port=deployment.port,
                seconds=seconds,
                streams=[others],
                signings=[Signing(each.email, _address(n)) for n, each in enumerate(room.pupils[:signing])],
                password=_PASSWORD,
            )
            rows += _rows_of_signing(signing, await _run(deployment, plan))
    return Section(f"Everybody at the same time, within {seconds:g} s", rows)


async def _run(deployment: Deployment, plan: StartPlan) -> tuple[Outcome, str]:
    before = deployment.measure_processors()
    outcome = await asyncio.to_thread(run_process, "bench.start_load", plan, Outcome)
    return outcome, deployment.measure_processors().describe_since(before, outcome.processor)


def _plan_openings(
    deployment: Deployment, room: Classroom, pupils: Sequence[Pupil], seconds: float
) -> StartPlan:
    """Records what one browser loads. Every other browser loads the same for the first time."""
    browser, first = Browser(deployment.port), room.pupils[-1]
    path = f"/learn/enrollments/{first.enrollment_id}/modules/{room.module_id}/launches"
    for _ in range(_TRIES):
        launched = browser.fetch(path, first.token, "POST")
        if launched.status < 300:
            break
        time.sleep(1)  # the server is still busy with the part before
    else:
        raise RuntimeError(f"the launch was answered {launched.status}: {launched.text[:500]}")
    address = msgspec.json.decode(launched.text)["address"]
    files = [urlsplit(each) for each in browser.load(address) if each != address]
    return StartPlan(
        port=deployment.port,
        seconds=seconds,
        openings=[
            Opening(each.token, str(each.enrollment_id), str(room.module_id), _address(number))
            for number, each in enumerate(pupils)
        ],
        shared=[each.path for each in files],
        package=list(SERVED),
    )


def _address(number: int) -> str:
    return f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


async def _set_password(company: Company, course_id: object) -> None:
    owner = await asyncpg.connect(company.url)
    await owner.execute(
        """
        UPDATE users SET password_hash = $3 WHERE tenant_id = $1 AND password_hash IS DISTINCT FROM $3
          AND id IN (SELECT user_id FROM enrollments WHERE tenant_id = $1 AND course_id = $2)
        """,
        *(TENANT, course_id, PASSWORDS.hash(_PASSWORD)),
    )
    await owner.close()


def _rows_of_opening(people: int, measured: tuple[Outcome, str]) -> list[Row]:
    outcome, processors = measured
    what = f"{people:,} people open a course"
    rows = [_row(what, outcome, name, PAGE_MS) for name in (COURSE, MODULE, LAUNCH, FRAME, FILES, COMMIT)]
    commits = outcome.tallies[COMMIT].times if COMMIT in outcome.tallies else []
    arrived = Row(
        f"{what}: who got as far as a commit", f"{len(commits):,}", f"{people:,}", len(commits) == people
    )
    return [*rows, arrived, *failures(what, outcome.tallies), Row(f"{what}: processors", processors)]


def _rows_of_signing(people: int, measured: tuple[Outcome, str]) -> list[Row]:
    outcome, processors = measured
    what = f"{people:,} people sign in"
    rows = [_row(what, outcome, name, SIGN_IN_MS) for name in (LOGIN, SIGN_IN, HOME)]
    worst = percentile(outcome.tallies[OTHERS].times, 1)
    rows.append(at_most(f"{what}: the slowest page of anybody else", worst, OTHERS_MS, "ms"))
    return [*rows, *failures(what, outcome.tallies), Row(f"{what}: processors", processors)]


def _row(what: str, outcome: Outcome, name: str, bound: float) -> Row:
    times = outcome.tallies[name].times if name in outcome.tallies else []
    more = f"p50 {percentile(times, 0.5):.0f}, p95 {percentile(times, 0.95):.0f} of {len(times):,}"
    return at_most(f"{what}: p99 of the {name}", percentile(times, 0.99), bound, "ms", more)
