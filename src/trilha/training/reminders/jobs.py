"""The worker's jobs for reminders."""

from collections.abc import Sequence
from functools import partial

from trilha.core.jobs import Job, TenantJob, oldest
from trilha.settings import Settings
from trilha.training.reminders import making
from trilha.training.reminders.calling import CallPeople
from trilha.training.reminders.channels import Providers, WhatsApp

MAKE_DUE = TenantJob(
    name="make reminders",
    due=oldest("reminder_schedules", "next_at <= :now", "next_at"),
    batch=making.make_due,
    rest=2,
)


def build_mail_job(address: str) -> TenantJob:
    """`address` is the base of links."""
    return TenantJob(
        name="mail reminders",
        due=oldest(
            "reminder_deliveries",
            "status = 'PENDING' AND channel = 'mail' AND next_attempt_at <= :now",
            "next_attempt_at",
        ),
        batch=partial(making.send_mails, address=address),
        rest=2,
    )


def find_providers(settings: Settings) -> Providers:
    url, token = settings.whatsapp_url, settings.whatsapp_token
    return Providers(WhatsApp(url, token) if url and token else None)


def build_jobs(settings: Settings) -> Sequence[Job]:
    contact = f"mailto:{settings.sender.rpartition('<')[2].strip('>')}"
    calls = CallPeople(settings.guard, settings.address, contact, find_providers(settings))
    return (MAKE_DUE, build_mail_job(settings.address), calls)
