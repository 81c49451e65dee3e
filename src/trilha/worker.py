"""The loops that run due work. Work is claimed by the status of its rows; there is no second queue."""

import asyncio
import contextlib
import time
from collections.abc import Sequence

from trilha.app import FEATURES, list_file_prefixes
from trilha.core import logs, metrics, tracing
from trilha.core.database import CONNECTION_ERRORS, Database
from trilha.core.jobs import ClosingJob, Job, TenantJob
from trilha.core.resealing.files import ResealFiles
from trilha.core.web import admission, idempotency
from trilha.platform.tenants.usage.jobs import MeasureUsage
from trilha.settings import Settings

# Their spans are those of the work in each tenant.
_TRACED_BY_TENANT = (TenantJob, ClosingJob)


def all_jobs(settings: Settings) -> Sequence[Job]:
    """Returns the jobs of every feature and of the core."""
    kinds = tuple(kind for feature in FEATURES for kind in feature.sealed_files)
    return (
        *(job for feature in FEATURES for job in feature.build_jobs(settings)),
        MeasureUsage(settings.open_files(), list_file_prefixes),
        *(ResealFiles(settings.open_files(), kinds), idempotency.PRUNE, admission.PRUNE_WINDOWS),
    )


async def run(settings: Settings, database: Database, stop: asyncio.Event) -> None:
    """Works until `stop` is set. A job that fails is tried again; the others go on."""
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(metrics.watch_process(database.count_connections, stop))
        for loop in (loop for feature in FEATURES for loop in feature.loops):
            tasks.create_task(loop(settings, database, stop))
        for job in all_jobs(settings):
            tasks.create_task(_repeat(job, database, stop))


async def _repeat(job: Job, database: Database, stop: asyncio.Event) -> None:
    while not stop.is_set():
        pause, began = job.rest, time.time()
        try:
            done = await job.run_once(database)
            metrics.count_job(job.name, "done" if done else "idle", done)
            if done:
                pause = 0
                if not isinstance(job, _TRACED_BY_TENANT):
                    tracing.record_turn(job.name, began, done)
                if job.is_logged:
                    logs.note(job.name, count=done)
        except CONNECTION_ERRORS as error:
            logs.note(f"{job.name}: database lost", error=logs.where(error))
        except Exception as error:
            metrics.count_job(job.name, "failed")
            logs.log_failure(f"{job.name} failed", error)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), pause or 0.01)
    if isinstance(job, ClosingJob):
        await job.close()
