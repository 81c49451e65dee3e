import asyncio
from collections.abc import Sequence

from trilha.core import logs
from trilha.core.database import Database
from trilha.feature import Feature
from trilha.platform.mail import erasure
from trilha.platform.mail.daily_limits import ServerLimit
from trilha.platform.mail.delivery.dispatcher import Dispatcher
from trilha.platform.mail.delivery.store import SEALED_FILES
from trilha.platform.mail.delivery.transports import transport_of
from trilha.platform.mail.jobs import jobs
from trilha.platform.mail.outbox import SEALED_MESSAGES
from trilha.settings import Settings


def _build_dependencies(settings: Settings, _: Database) -> Sequence[object]:
    return [ServerLimit(settings.invitations_per_day)]


async def _send_mail(settings: Settings, database: Database, stop: asyncio.Event) -> None:
    if settings.smtp_url is None and settings.env == "production":
        logs.note("TRILHA_SMTP_URL is not set: mail is written to files")
    transport = transport_of(settings, database.keyring)
    dispatcher = Dispatcher(database, transport, sender=settings.sender, seconds=settings.smtp_timeout)
    await dispatcher.run(stop)


FEATURE = Feature(
    name="mail",
    build_dependencies=_build_dependencies,
    build_jobs=jobs,
    loops=[_send_mail],
    sealed_files=[SEALED_FILES],
    sealed_columns=[SEALED_MESSAGES],
    erasures=[erasure.erase_person],
)
