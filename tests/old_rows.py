"""Rows of long ago, a tenant's retention periods, and its archive."""

from datetime import timedelta
from typing import Any

from conftest import World
from training.learning.learners import Learner, learner
from trilha.core.file_store import FileStore
from trilha.platform.audit import queries as audit
from trilha.platform.retention import actions, archive_queries, parquet
from trilha.platform.retention.archive import read_files
from trilha.platform.retention.schema import RetentionSettings
from trilha.training.certificates import actions as certificates


async def keep(world: World, **days: int) -> None:
    async with world.tx() as tx:
        await actions.change(tx, RetentionSettings(**days))


async def record(world: World, days_ago: int, action: str) -> None:
    now = world.clock.now
    world.clock.now -= timedelta(days=days_ago)
    async with world.tx() as tx:
        await audit.record(tx, action)
    world.clock.now = now


async def studied(world: World, days_ago: int, *, revoked: bool = False) -> Learner:
    """Completes an enrollment. Its certificate never expires; with `revoked`, it was revoked at once."""
    now = world.clock.now
    world.clock.now -= timedelta(days=days_ago)
    ana = await learner(world)
    player = await ana.launch()
    await player.watch(60)
    assert (await player.status("passed", score={"raw": "90"})).completed
    if revoked:
        async with world.tx() as tx:
            id = await tx.value(
                "SELECT id FROM certificates WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id",
                enrollment_id=ana.id,
            )
            await certificates.revoke(tx, id, "Error")
    world.clock.now = now
    return ana


async def files_of(world: World) -> list[archive_queries.ArchiveFile]:
    async with world.tx() as tx:
        return await archive_queries.list_files(tx)


async def rows_of(world: World, store: FileStore) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    async for _, content in read_files(store, world.database.keyring, await files_of(world)):
        rows += parquet.read(content)
    return rows


async def remaining(world: World) -> int:
    async with world.tx() as tx:
        number: int = await tx.value(
            "SELECT count(*) FROM audit_records WHERE tenant_id = :tenant AND action = 'course.published'"
        )
    return number
