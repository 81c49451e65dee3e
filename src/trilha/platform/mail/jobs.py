"""The worker's jobs for e-mail, except sending."""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from trilha.core.database import Database, Tx
from trilha.core.jobs import Job, ServiceJob, TenantJob, tenants_where
from trilha.platform.mail import queries
from trilha.platform.mail.delivery.transports import unsent_mail_of
from trilha.settings import Settings

_PRUNE_BATCH = 5_000


async def prune(tx: Tx, *, age: timedelta) -> int:
    return await queries.prune(tx, tx.now - age, _PRUNE_BATCH)


def prune_job(age: timedelta) -> TenantJob:
    return TenantJob(
        name="prune mail",
        due=tenants_where(
            """(SELECT m.status <> 'PENDING' FROM mail_messages m
                WHERE m.tenant_id = home.tenant_id AND m.created_at < :mail
                ORDER BY m.created_at LIMIT 1)"""
        ),
        ages={"mail": age},
        batch=partial(prune, age=age),
        rest=60,
    )


async def prune_unsent(database: Database, *, settings: Settings, age: timedelta) -> int:
    """Deletes the files of messages older than `age`, which no mail server has sent."""
    return await unsent_mail_of(settings, database.keyring).prune(database.clock() - age)


def jobs(settings: Settings) -> Sequence[Job]:
    age = timedelta(days=settings.mail_retention_days)
    unsent = partial(prune_unsent, settings=settings, age=age)
    return (prune_job(age), ServiceJob(name="prune mail folder", run_once=unsent, rest=3600))
