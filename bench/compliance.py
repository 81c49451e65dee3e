"""Measures compliance in the large company: `python -m bench compliance`.

Everybody must meet 50 requirements. It measures the pages of people and units against requirements, and the
files of all cells.
"""

import asyncio
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import asyncpg
import psutil

from bench.browser import Browser
from bench.company import ADMIN, GESTOR, TENANT, Company, opened_database, row_id
from bench.deployment import Deployment
from bench.load import percentile
from bench.results import Row, Section, at_most
from bench.scale import Scale
from trilha.training.reports.exports.making import Making
from trilha.training.reports.exports.matrix_rows import MatrixFilter

REQUIREMENTS = 50
PAGE_MS, PAST_MS, WORKER_MIB, FILE_SECONDS = 150.0, 3000.0, 40.0, 600.0
_MIB = 1 << 20
_MATRIX = "/admin/requirements/matrix"
_UNITS = "/admin/requirements/units"


async def run(company: Company, deployment: Deployment, scale: Scale) -> Section:
    cells = await _fill(company)
    rows = await asyncio.to_thread(lambda: list(_measure_pages(deployment, scale.samples)))
    async with opened_database(company) as database:
        for form in ("csv", "xlsx"):
            folder = company.folder / f"compliance-{form}"
            folder.mkdir(exist_ok=True)
            making = Making(folder, form)
            wanted = MatrixFilter(locale="pt-BR", time_zone="America/Sao_Paulo")
            task = asyncio.create_task(making.make(database, TENANT, wanted))
            rows += await _measure_file(form, cells, task)
            await asyncio.to_thread(shutil.rmtree, folder)
    return Section(f"Compliance ({cells:,} cells)", rows)


async def _fill(company: Company) -> int:
    """Applies 50 requirements to everybody, as the worker would have written them. Returns how many cells."""
    owner = await asyncpg.connect(company.url, timeout=600)
    cells: int = await owner.fetchval("SELECT count(*) FROM requirement_people", timeout=600)
    if cells > REQUIREMENTS * company.size.people // 2:  # filled before
        await owner.close()
        return cells
    ids = [row_id("requirement", number) for number in range(REQUIREMENTS)]
    await owner.execute(
        """
        INSERT INTO requirements (tenant_id, id, title, rule, course_id, due_days, window_days, active,
                                  cancel_not_started, created_at, updated_at)
        SELECT $1, id, 'NR-' || place, '{"all": []}', $3, 30, 60, true, false, now(), now()
        FROM unnest($2::uuid[]) WITH ORDINALITY AS new (id, place) ON CONFLICT DO NOTHING
        """,
        *(TENANT, ids, row_id("course", 0)),
    )
    # One in 200 is overdue, and one in 20,000 excused.
    await owner.execute(
        """
        INSERT INTO requirement_people (tenant_id, requirement_id, user_id, applies_since, state, due_at,
                                        business_unit_id)
        SELECT u.tenant_id, r.id, u.id, now(),
               CASE WHEN chance % 20000 = 0 THEN 'EXCUSED' WHEN chance % 200 = 0 THEN 'OVERDUE'
                    WHEN chance % 5 = 0 THEN 'DUE_SOON' WHEN chance % 5 = 1 THEN 'MISSING' ELSE 'VALID' END,
               now() + interval '90 days',
               COALESCE(u.business_unit_id, '00000000-0000-0000-0000-000000000000')
        FROM users AS u CROSS JOIN unnest($2::uuid[]) AS r (id)
        CROSS JOIN LATERAL (SELECT abs(hashtextextended(u.id::text || r.id, 0)) AS chance) AS drawn
        WHERE u.tenant_id = $1 AND u.status = 'ACTIVE' ON CONFLICT DO NOTHING
        """,
        *(TENANT, ids),
        timeout=1800,
    )
    await owner.execute("DELETE FROM requirement_totals WHERE tenant_id = $1", TENANT)
    await owner.execute(
        """
        INSERT INTO requirement_totals (tenant_id, requirement_id, business_unit_id, state, people)
        SELECT tenant_id, requirement_id, business_unit_id, state, count(*) FROM requirement_people
        WHERE tenant_id = $1 GROUP BY 1, 2, 3, 4
        """,
        TENANT,
        timeout=600,
    )
    if not await owner.fetchval(
        "SELECT EXISTS (SELECT FROM requirement_history WHERE tenant_id = $1)", TENANT
    ):
        await owner.execute(
            """
            INSERT INTO requirement_history (tenant_id, requirement_id, user_id, state, business_unit_id,
                                             changed_at)
            SELECT tenant_id, requirement_id, user_id, state, business_unit_id, now() - interval '1 day'
            FROM requirement_people WHERE tenant_id = $1
            """,
            TENANT,
            timeout=1800,
        )
    for table in ("requirement_people", "requirement_history", "requirement_totals", "requirements"):
        await owner.execute(f"VACUUM ANALYZE {table}", timeout=1800)
    cells = await owner.fetchval("SELECT count(*) FROM requirement_people", timeout=600)
    await owner.close()
    return cells


def _measure_pages(deployment: Deployment, samples: int) -> Iterator[Row]:
    browser = Browser(deployment.port)
    unit, requirement = row_id("unit", 1), row_id("requirement", 7)
    today = datetime.now(UTC).date()
    queries = {
        "everybody": "",
        "overdue": "?state=OVERDUE",
        "excused (rare)": "?state=EXCUSED",
        "a unit": f"?unit={unit}",
        "a name": "?q=ana",
        "a job title": "?job_title=Motorista",
        "overdue in one requirement": f"?state=OVERDUE&requirement={requirement}",
        "on another day": f"?as_of={today}",
    }
    for viewer in (ADMIN, GESTOR):
        for name, query in queries.items():
            times = _time(browser, f"{_MATRIX}{query}", viewer.token, samples)
            yield at_most(f"Matrix, {viewer.name}, {name}: p95", percentile(times, 0.95), PAGE_MS, "ms")
        times = _time(browser, _UNITS, viewer.token, samples)
        yield at_most(f"Units, {viewer.name}: p95", percentile(times, 0.95), PAGE_MS, "ms")
        times = _time(browser, "/admin", viewer.token, samples)
        yield at_most(f"Home, {viewer.name}: p95", percentile(times, 0.95), PAGE_MS, "ms")
    times = _time(browser, f"{_UNITS}?as_of={today}", ADMIN.token, 3)
    yield at_most("Units on another day: p95", percentile(times, 0.95), PAST_MS, "ms")


def _time(browser: Browser, address: str, token: str, samples: int) -> list[float]:
    browser.fetch(address, token)
    return sorted(browser.fetch(address, token).ms for _ in range(samples))


async def _measure_file(form: str, cells: int, task: "asyncio.Task[Path]") -> list[Row]:
    process = psutil.Process()
    before, most = process.memory_info().rss, 0
    began = asyncio.get_running_loop().time()
    while not (await asyncio.wait({task}, timeout=0.1))[0]:
        most = max(most, process.memory_info().rss)
    size = (await task).stat().st_size / _MIB
    seconds = asyncio.get_running_loop().time() - began
    what = f"{cells:,} cells as {form.upper()} ({size:.0f} MiB)"
    return [
        at_most(f"{what}: time", seconds, FILE_SECONDS, "s"),
        at_most(f"{what}: memory of the worker", (most - before) / _MIB, WORKER_MIB, "MiB"),
    ]
