import asyncio
from collections.abc import Sequence
from datetime import timedelta

from trilha.core.database import Database
from trilha.core.jobs import Job
from trilha.feature import Feature
from trilha.platform.retention.archive import Archive
from trilha.platform.webhooks import erasure, errors
from trilha.platform.webhooks.actions import SEALED_SECRETS, EndpointLimit
from trilha.platform.webhooks.api import routes
from trilha.platform.webhooks.delivery.dispatcher import Dispatcher
from trilha.platform.webhooks.delivery.sender import Sender
from trilha.platform.webhooks.jobs import jobs
from trilha.settings import Settings


def _build_dependencies(settings: Settings, _: Database) -> Sequence[object]:
    return [EndpointLimit(settings.webhook_endpoints)]


def _build_jobs(settings: Settings) -> Sequence[Job]:
    return jobs(
        deliveries=timedelta(days=settings.webhook_retention_days),
        events=timedelta(days=settings.event_retention_days),
        archive=Archive.of(settings),
    )


async def _send_deliveries(settings: Settings, database: Database, stop: asyncio.Event) -> None:
    sender = Sender(
        settings.guard,
        database.clock,
        seconds=settings.webhook_timeout,
        header_prefix=settings.header_prefix,
        agent=settings.webhook_agent,
    )
    async with sender:
        await Dispatcher(
            database,
            sender,
            slots=settings.webhook_slots,
            per_endpoint=settings.webhook_per_endpoint,
            lease=timedelta(seconds=3 * settings.webhook_timeout),
        ).run(stop)


FEATURE = Feature(
    name="webhooks",
    errors=[errors],
    v1=[routes],
    build_dependencies=_build_dependencies,
    build_jobs=_build_jobs,
    loops=[_send_deliveries],
    sealed_columns=[SEALED_SECRETS],
    erasures=[erasure.erase_person],
)
