import asyncio
from collections.abc import Sequence
from datetime import timedelta

from trilha.core import logs
from trilha.core.database import Database
from trilha.core.jobs import Job
from trilha.feature import Feature
from trilha.platform.mail import erasure
from trilha.platform.mail.daily_limits import ServerLimit
from trilha.platform.mail.delivery.dispatcher import Dispatcher
from trilha.platform.mail.delivery.transports import transport_of
from trilha.platform.mail.jobs import jobs
from trilha.platform.mail.outbox import SEALED_MESSAGES
from trilha.settings import Settings


def _build_dependencies(settings: Settings, _: Database) -> Sequence[object]:
    return [ServerLimit(settings.invitations_per_day)]


def _build_jobs(settings: Settings) -> Sequence[Job]:
    return jobs(age=timedelta(days=settings.mail_retention_days), data_dir=settings.data_dir)


async def _send_mail(settings: Settings, database: Database, stop: asyncio.Event) -> None:
    if settings.smtp_url is None and settings.env == "production":
        logs.note("TRILHA_SMTP_URL is not set: mail is written to a folder")
    transport = transport_of(settings)
    dispatcher = Dispatcher(database, transport, sender=settings.sender, seconds=settings.smtp_timeout)
    await dispatcher.run(stop)


FEATURE = Feature(
    name="mail",
    build_dependencies=_build_dependencies,
    build_jobs=_build_jobs,
    loops=[_send_mail],
    sealed_columns=[SEALED_MESSAGES],
    erasures=[erasure.erase_person],
)
