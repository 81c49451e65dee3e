"""The loops that run what is due. Work is claimed by the state of its rows; there is no second queue."""

import asyncio
import contextlib
from collections.abc import Sequence
from datetime import timedelta

from trilha.certificates import jobs as certificates
from trilha.certificates.rendering.job import RenderCertificates
from trilha.certificates.rendering.making import Maker
from trilha.certificates.rendering.press import Press
from trilha.certificates.signatures.signer import Signer
from trilha.core import logs
from trilha.core.database import LOST, Database
from trilha.core.file_store import open_file_store
from trilha.core.jobs import ClosingJob, Job
from trilha.core.outbound.fetching import Fetcher
from trilha.core.sealing_jobs import SealOldFiles
from trilha.core.web import admission, idempotency
from trilha.enrollments import jobs as enrollments
from trilha.learning.completion import jobs as completion_jobs
from trilha.learning.reviews import jobs as review_jobs
from trilha.learning.voice import jobs as voice_jobs
from trilha.learning_paths import jobs as learning_paths
from trilha.mail import jobs as mail
from trilha.mail.delivery.dispatcher import Dispatcher as MailDispatcher
from trilha.mail.delivery.transports import transport_of
from trilha.oauth import jobs as oauth
from trilha.people_import import jobs as people_import
from trilha.reports import jobs as reports
from trilha.reports import mails as report_mails
from trilha.reports.exports import jobs as exports
from trilha.scorm.jobs import ImportPackages
from trilha.sessions import invitations
from trilha.sessions import jobs as sessions
from trilha.settings import Settings
from trilha.sso import jobs as sso
from trilha.sso.domains.actions import Verification
from trilha.sso.domains.jobs import CheckDomains
from trilha.sso.saml.actions import MetadataReader
from trilha.sso.saml.jobs import LookAfterMetadata
from trilha.status.jobs import KEEP_ERRORS
from trilha.users import jobs as users
from trilha.webhooks import jobs as webhooks
from trilha.webhooks.delivery.dispatcher import Dispatcher
from trilha.webhooks.delivery.sender import Sender


def all_jobs(settings: Settings) -> Sequence[Job]:
    return (
        *webhooks.jobs(
            deliveries=timedelta(days=settings.webhook_retention_days),
            events=timedelta(days=settings.event_retention_days),
        ),
        *enrollments.JOBS,
        review_jobs.CHECK_ENROLLMENTS,
        *completion_jobs.JOBS,
        *learning_paths.JOBS,
        certificates.tell(settings.address),
        certificates.RemoveFiles(open_file_store(settings.files_url, settings.data_dir / "files")),
        *mail.jobs(age=timedelta(days=settings.mail_retention_days), data_dir=settings.data_dir),
        *users.JOBS,
        *people_import.jobs(settings.address, settings.data_dir),
        _import_packages(settings),
        _render_certificates(settings),
        SealOldFiles(
            open_file_store(settings.files_url, settings.data_dir / "files"),
            (certificates.SEALED, voice_jobs.SEALED_RECORDINGS),
        ),
        voice_jobs.RemoveRecordings(open_file_store(settings.files_url, settings.data_dir / "files")),
        *reports.JOBS,
        report_mails.job(settings.address),
        *exports.jobs(
            open_file_store(settings.files_url, settings.data_dir / "files"), settings.data_dir / "scratch"
        ),
        *oauth.jobs(signing_key_age=timedelta(days=settings.signing_key_days)),
        CheckDomains(Verification.by(settings.dns_servers, settings.address)),
        LookAfterMetadata(MetadataReader(Fetcher(settings.guard), settings.guard), settings.address),
        sessions.PRUNE,
        *sso.PRUNING,
        KEEP_ERRORS,
        invitations.job(settings.address, settings.invitations_per_day),
        idempotency.PRUNE,
        admission.PRUNE_WINDOWS,
    )


def _import_packages(settings: Settings) -> ImportPackages:
    files = open_file_store(settings.files_url, settings.data_dir / "files")
    return ImportPackages(files, settings.data_dir / "scratch")


def _render_certificates(settings: Settings) -> RenderCertificates:
    files = open_file_store(settings.files_url, settings.data_dir / "files")
    scratch = settings.data_dir / "scratch"
    maker = Maker(files, Press(scratch), Signer(scratch), settings.address)
    return RenderCertificates(files, maker.prepare)


async def run(settings: Settings, database: Database, stop: asyncio.Event) -> None:
    """Until `stop` is set. A job that fails is tried again; the others go on."""
    sender = Sender(
        settings.guard,
        database.clock,
        seconds=settings.webhook_timeout,
        header_prefix=settings.header_prefix,
        agent=settings.webhook_agent,
    )
    async with sender, asyncio.TaskGroup() as tasks:
        dispatcher = Dispatcher(
            database,
            sender,
            slots=settings.webhook_slots,
            per_endpoint=settings.webhook_per_endpoint,
            lease=timedelta(seconds=3 * settings.webhook_timeout),
        )
        tasks.create_task(dispatcher.run(stop))
        tasks.create_task(_mail_dispatcher(settings, database).run(stop))
        for job in all_jobs(settings):
            tasks.create_task(_repeat(job, database, stop))


def _mail_dispatcher(settings: Settings, database: Database) -> MailDispatcher:
    if settings.smtp_url is None and settings.env == "production":
        logs.note("TRILHA_SMTP_URL is not set: mail is written to a folder")
    return MailDispatcher(
        database, transport_of(settings), sender=settings.sender, seconds=settings.smtp_timeout
    )


async def _repeat(job: Job, database: Database, stop: asyncio.Event) -> None:
    while not stop.is_set():
        pause = job.rest
        try:
            done = await job.run_once(database)
            if done:
                pause = 0
                if job.logged:
                    logs.note(job.name, count=done)
        except LOST as error:
            logs.note(f"{job.name}: database lost", error=logs.where(error))
        except Exception as error:
            logs.failed(f"{job.name} failed", error)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), pause or 0.01)
    if isinstance(job, ClosingJob):
        await job.close()
