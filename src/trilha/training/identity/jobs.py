"""Deletes photos when their last day is over."""

from trilha.core.database import Tx
from trilha.core.jobs import TenantJob, oldest
from trilha.training.identity import photo_queries

_BATCH = 200


async def delete_old_photos(tx: Tx) -> int:
    return await photo_queries.delete_old_photos(tx, _BATCH)


DELETE_OLD_PHOTOS = TenantJob(
    name="delete identity photos",
    due=oldest("identity_photos", "retained_until <= :now", "retained_until"),
    batch=delete_old_photos,
    rest=60,
)
