"""The worker's jobs for e-mail, except sending."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path

from trilha.core.database import Database, Tx
from trilha.core.jobs import Job, ServiceJob, TenantJob, window
from trilha.platform.mail import queries
from trilha.platform.mail.delivery.folder import FolderTransport

_PRUNE_BATCH = 5_000


async def prune(tx: Tx, *, age: timedelta) -> int:
    return await queries.prune(tx, tx.now - age, _PRUNE_BATCH)


def prune_job(age: timedelta) -> TenantJob:
    return TenantJob(
        name="prune mail",
        due=f"""
            SELECT t.id AS tenant_id FROM {window("tenants", "id")} AS t
            WHERE (SELECT m.status <> 'PENDING' FROM mail_messages m
                   WHERE m.tenant_id = t.id AND m.created_at < :mail
                   ORDER BY m.created_at LIMIT 1)
            """,  # noqa: S608
        ages={"mail": age},
        batch=partial(prune, age=age),
        rest=60,
    )


async def prune_folder(database: Database, *, data_dir: Path, age: timedelta) -> int:
    """Deletes the files of messages older than `age`."""
    return await asyncio.to_thread(FolderTransport(data_dir).prune, database.clock() - age)


def jobs(*, age: timedelta, data_dir: Path) -> Sequence[Job]:
    """Returns the jobs. `age` is the retention period of sent messages."""
    folder = partial(prune_folder, data_dir=data_dir, age=age)
    return (prune_job(age), ServiceJob(name="prune mail folder", run_once=folder, rest=3600))
