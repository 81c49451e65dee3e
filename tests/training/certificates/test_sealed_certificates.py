"""A certificate contains the whole CPF, so its PDF is encrypted in the store. A download returns the same
bytes.
"""

from pathlib import Path
from uuid import UUID

import pytest

from conftest import World
from training.certificates.test_certificate_files import PDF, get, linked
from trilha.app import PERSONAL_DATA
from trilha.core.file_store import FileStore, open_file_store
from trilha.core.resealing.files import ResealFiles
from trilha.settings import Settings
from trilha.training.certificates import jobs as certificates
from trilha.training.learning.voice_answers import jobs as voice_jobs


@pytest.fixture
def store(settings: Settings) -> FileStore:
    return open_file_store(settings.files_url, settings.data_dir / "files")


@pytest.fixture
def job(store: FileStore) -> ResealFiles:
    return ResealFiles(store, (certificates.SEALED_CERTIFICATES, voice_jobs.SEALED_RECORDINGS))


async def file_of(world: World, store: FileStore, id: UUID) -> Path:
    async with world.tx() as tx:
        key = await tx.value(
            "SELECT file_key FROM certificates WHERE tenant_id = :tenant AND id = :id", id=id
        )
    path = store.local_path(key)
    assert path is not None
    return path


async def upgraded(world: World) -> None:
    """Creates a tenant from before files were encrypted."""
    async with world.tx() as tx:
        await tx.execute(
            """
            INSERT INTO file_sealings (tenant_id, kind)
            VALUES (:tenant, 'certificates'), (:tenant, 'recordings')
            """
        )


async def run(world: World, job: ResealFiles) -> list[int]:
    counts = []
    while count := await job.run_in(world.database, world.tenant.id):
        counts.append(count)
    return counts


async def test_old_files_are_read_and_sealed_behind_everybodys_back(
    world: World, store: FileStore, job: ResealFiles
) -> None:
    made = [await linked(world, store) for _ in range(23)]
    paths = [await file_of(world, store, id) for id, _ in made]
    before = (await get(world, made[0][1])).content
    assert before == PDF + made[0][0].bytes
    await upgraded(world)
    assert await run(world, job) == [20, 3, 1]  # there are no recordings, so this takes one look
    for (id, link), path in zip(made, paths, strict=True):
        assert PDF[:40] not in path.read_bytes()
        assert (await get(world, link)).content == PDF + id.bytes
    part = await get(world, made[0][1], range="bytes=3-9")
    assert (part.status_code, part.content) == (206, before[3:10])
    sealed = [path.read_bytes() for path in paths]
    await upgraded(world)  # like after a kill: it starts again, and encrypts nothing twice
    await run(world, job)
    assert [path.read_bytes() for path in paths] == sealed


async def test_what_was_erased_does_not_come_back(world: World, store: FileStore, job: ResealFiles) -> None:
    id, _ = await linked(world, store)
    path = await file_of(world, store, id)
    async with world.tx() as tx:
        holder = await tx.value(
            "SELECT user_id FROM certificates WHERE tenant_id = :tenant AND id = :id", id=id
        )
        await PERSONAL_DATA.erase(tx, holder)
    await certificates.RemoveFiles(store).run_once(world.database)
    assert not path.exists()
    await upgraded(world)
    await run(world, job)
    assert not path.exists()
