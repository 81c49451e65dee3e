"""Package imports by the worker: everything of a good package is stored, nothing of a refused one, and kills
are survived.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4
from zipfile import ZIP_STORED

import psutil
import pytest

from conftest import World
from training.scorm import packages
from training.scorm.packages import PAGE, manifest, package, resource, written
from trilha.core.database import Tx
from trilha.core.errors import Conflict, Invalid, NotFound
from trilha.core.file_store import FileStore, open_file_store
from trilha.core.lists import fetch_page
from trilha.training.scorm import actions, archives, jobs, objects, queries, rules
from trilha.training.scorm.jobs import ImportPackages
from trilha.training.scorm.lists import PACKAGES
from trilha.training.scorm.package.__main__ import MEMORY
from trilha.training.scorm.schema import Package, PackageQuery
from trilha.training.scorm.unpacking import unpack


class Importing:
    """A worker's import job, and its file folder."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world = world
        self.folder = folder
        self.files: FileStore = open_file_store(None, folder / "files")
        self.job = ImportPackages(self.files, folder / "scratch")

    async def start(self, raw: bytes, file_name: str = "nr-35.zip") -> UUID:
        path = await asyncio.to_thread(written, self.folder, raw, f"{uuid4()}.zip")
        kept = await archives.keep(self.files, self.world.tenant.id, path)
        path.unlink()
        async with self.world.tx() as tx:
            return (await actions.start_import(tx, kept, file_name)).id

    async def run(self, package_id: UUID) -> Package:
        assert await self.job.run_next(self.world.database, self.world.tenant.id, package_id) == 1
        return await self.get(package_id)

    async def done(self, raw: bytes, file_name: str = "nr-35.zip") -> Package:
        return await self.run(await self.start(raw, file_name))

    async def get(self, package_id: UUID) -> Package:
        async with self.world.tx() as tx:
            return await queries.get(tx, package_id)

    def stored(self) -> set[str]:
        """Returns every remaining file of the store and of the job."""
        return {
            str(each.relative_to(self.folder))
            for part in ("files", "scratch")
            for each in (self.folder / part).rglob("*")
            if each.is_file()
        }


@pytest.fixture
def importing(world: World, tmp_path: Path) -> Importing:
    return Importing(world, tmp_path)


async def records(world: World) -> list[tuple[str, Any]]:
    async with world.tx() as tx:
        rows = await tx.rows(
            """
            SELECT action, detail FROM audit_records WHERE tenant_id = :tenant AND action LIKE 'package.%'
            ORDER BY created_at, id
            """
        )
    return sorted((row["action"], row["detail"]) for row in rows)


async def test_a_good_package_is_kept_by_what_was_sent(importing: Importing, world: World) -> None:
    raw = package(("Media/Foto.png", b"\x89PNG"))
    found = await importing.done(raw)
    assert (found.state, found.progress, found.title) == ("READY", 100, "Safety at height")
    assert (found.version, found.edition, found.file_name, found.size) == (
        "1.2",
        "1.2",
        "nr-35.zip",
        len(raw),
    )
    assert found.finished_at is not None
    assert found.report is not None
    assert (found.report.verdict, found.report.scos, found.report.findings) == ("accepted", 1, [])
    folder = objects.folder(world.tenant.id, found.sha256)
    assert importing.stored() == {f"files/{folder}/{number}" for number in range(3)}
    async with world.tx() as tx:
        contents = await queries.get_contents(tx, found.id)
    assert [each.title for each in contents.manifest.launchable()] == ["Part"]
    page = contents.find_file("INDEX.html")
    assert page is not None
    assert (page.media_type, page.size, page.encoding) == ("text/html", len(PAGE), "")
    assert b"".join([piece async for piece in importing.files.read(page.key)]).decode() == PAGE
    assert contents.find_file("media/foto.PNG") is not None
    assert contents.find_file("../index.html") is None
    assert contents.find_file("0") is None
    assert await records(world) == [("package.imported", {}), ("package.uploaded", {"size": len(raw)})]


async def test_the_file_s_name_stands_in_for_a_title(importing: Importing) -> None:
    xml = manifest(organizations="<organizations/>")
    assert (await importing.done(package(xml=xml), "C:\\cursos\\NR 35.ZIP")).title == "NR 35"


@pytest.mark.parametrize("code", packages.HOSTILE)
async def test_nothing_of_a_refused_package_stays(importing: Importing, world: World, code: str) -> None:
    found = await importing.done(packages.HOSTILE[code]())
    assert (found.state, found.progress, found.title) == ("REFUSED", 100, "nr-35")
    assert found.report is not None
    errors = [each for each in found.report.findings if each.severity == "error"]
    assert [each.code for each in errors] == [code]
    assert errors[0].what
    assert errors[0].fix
    assert importing.stored() == set()
    assert {each.name for each in importing.folder.iterdir()} <= {"files", "scratch"}
    assert (await records(world))[0] == ("package.refused", {"reasons": [code]})
    async with world.tx() as tx:
        with pytest.raises(Conflict) as error:
            await queries.get_contents(tx, found.id)
    assert error.value.code == "package_not_ready"


async def test_the_same_file_twice_is_kept_once(importing: Importing) -> None:
    raw = package()
    first = await importing.done(raw)
    kept = importing.stored()
    second = await importing.done(raw)
    assert (first.id != second.id, first.sha256 == second.sha256) == (True, True)
    assert importing.stored() == kept


async def test_tenants_share_nothing(importing: Importing, world: World, stranger: World) -> None:
    theirs = Importing(stranger, importing.folder)
    mine = await importing.done(package())
    await theirs.done(package())
    assert len(importing.stored()) == 4
    async with stranger.tx() as tx:
        assert await queries.find(tx, mine.id) is None
        with pytest.raises(NotFound):
            await queries.get_contents(tx, mine.id)
    assert await theirs.job.run_next(stranger.database, stranger.tenant.id, mine.id) == 0


async def test_however_many_wait_of_one_tenant_another_is_found(
    importing: Importing, world: World, stranger: World
) -> None:
    first = await importing.start(package())
    async with world.tx() as tx:
        await tx.execute(
            """
            INSERT INTO packages (tenant_id, id, sha256, file_name, size, archive, title, actor_kind, actor,
                                  source, created_at)
            SELECT tenant_id, gen_random_uuid(), sha256, file_name, size, archive, title, actor_kind, actor,
                   source, created_at
            FROM packages CROSS JOIN generate_series(1, 1000) WHERE tenant_id = :tenant AND id = :id
            RETURNING tenant_id
            """,
            id=first,
        )
    stranger.clock.move(seconds=1)
    theirs = Importing(stranger, importing.folder)
    waiting = await theirs.start(package())
    assert stranger.tenant.id in await theirs.job.due_tenants(stranger.database, stranger.tenant.id)
    while (await theirs.get(waiting)).state != "READY":
        await theirs.job.run_once(stranger.database)


async def test_the_worker_finds_what_waits(importing: Importing, world: World) -> None:
    async def is_due() -> bool:
        return world.tenant.id in await importing.job.due_tenants(world.database)

    assert not await is_due()
    ids = [await importing.start(package()) for _ in range(2)]
    for _ in ids:
        assert await is_due()
        assert await importing.job.run_next(world.database, world.tenant.id) == 1
    assert not await is_due()
    assert [(await importing.get(each)).state for each in ids] == ["READY", "READY"]


async def test_newest_first_and_by_state(importing: Importing, world: World) -> None:
    bad = await importing.done(packages.HOSTILE["no_manifest"]())
    world.clock.move(seconds=1)
    good = await importing.done(package())
    async with world.tx() as tx:
        page = await fetch_page(tx, PACKAGES, PackageQuery())
        refused = await fetch_page(tx, PACKAGES, PackageQuery(state="REFUSED"))
    assert [each.id for each in page.data] == [good.id, bad.id]
    assert [each.id for each in refused.data] == [bad.id]


async def test_a_file_that_is_too_large_is_not_kept(importing: Importing, world: World) -> None:
    path = importing.folder / "large.zip"
    with path.open("wb") as file:
        file.truncate(rules.MAX_BYTES + 1)
    with pytest.raises(Invalid) as error:
        await archives.keep(importing.files, world.tenant.id, path)
    assert error.value.code == "package_too_large"
    assert importing.stored() == set()


async def test_a_file_that_is_gone_fails(importing: Importing, world: World) -> None:
    package_id = await importing.start(package())
    await importing.files.delete(objects.archive(world.tenant.id, package_id))
    found = await importing.run(package_id)
    assert found.state == "FAILED"
    assert found.report is not None
    assert [each.code for each in found.report.findings] == ["archive_gone"]
    assert (await records(world))[0] == ("package.failed", {"reasons": ["archive_gone"]})


async def test_what_cannot_be_stored_fails_and_leaves_nothing(importing: Importing, world: World) -> None:
    package_id = await importing.start(package())
    sha256 = (await importing.get(package_id)).sha256
    place = importing.folder / "files" / objects.folder(world.tenant.id, sha256)
    # A folder is in place of a file; the other files are stored by then.
    (place / "1").mkdir(parents=True)
    found = await importing.run(package_id)
    assert found.state == "FAILED"
    assert found.report is not None
    assert [each.code for each in found.report.findings] == ["storage_failed"]
    assert importing.stored() == set()


async def interrupted(importing: Importing, package_id: UUID, tries: int = 1) -> None:
    """Leaves the state of a worker that was killed while it stored the files."""
    async with importing.world.tx() as tx:
        for _ in range(tries):
            claimed = await queries.claim(tx, tx.now + jobs.LEASE, package_id)
            assert claimed is not None
            await release(tx, package_id)
        await tx.execute(
            "UPDATE packages SET lease_until = :until WHERE tenant_id = :tenant AND id = :id",
            until=tx.now + jobs.LEASE,
            id=package_id,
        )
    folder = importing.folder / "scratch" / f"{package_id}.{tries}"
    folder.mkdir(parents=True)
    (folder / "result.json").write_bytes(b"{")


async def release(tx: Tx, package_id: UUID) -> None:
    await tx.execute(
        "UPDATE packages SET lease_until = NULL WHERE tenant_id = :tenant AND id = :id", id=package_id
    )


async def test_an_import_is_begun_again_when_its_lease_is_over(importing: Importing, world: World) -> None:
    package_id = await importing.start(package())
    await interrupted(importing, package_id)
    assert await importing.job.run_next(world.database, world.tenant.id) == 0
    assert (await importing.get(package_id)).state == "RUNNING"
    world.clock.move(seconds=31)
    assert (await importing.run(package_id)).state == "READY"
    assert len(importing.stored()) == 2


async def test_an_import_is_not_begun_for_ever(importing: Importing, world: World) -> None:
    package_id = await importing.start(package())
    await interrupted(importing, package_id, jobs.MAX_TRIES)
    world.clock.move(seconds=31)
    found = await importing.run(package_id)
    assert found.state == "FAILED"
    assert found.report is not None
    assert [each.code for each in found.report.findings] == ["tried_too_often"]


async def test_who_lost_the_lease_ends_nothing(importing: Importing, world: World) -> None:
    package_id = await importing.start(package())
    async with world.tx() as tx:
        first = await queries.claim(tx, tx.now + jobs.LEASE, package_id)
    assert first is not None
    world.clock.move(seconds=31)
    async with world.tx() as tx:
        second = await queries.claim(tx, tx.now + jobs.LEASE, package_id)
        assert second is not None
        assert not await queries.advance(tx, first, 50, tx.now)
        assert not await actions.fail(tx, first, "archive_gone")
        assert await queries.advance(tx, second, 50, tx.now)
    assert (await importing.get(package_id)).progress == 50


async def test_a_finished_one_is_only_tidied(importing: Importing, world: World) -> None:
    package_id = await importing.start(package())
    found = await importing.run(package_id)
    key = objects.archive(world.tenant.id, package_id)
    await importing.files.put(key, b"left behind")
    async with world.tx() as tx:
        await tx.execute(
            "UPDATE packages SET archive = :key WHERE tenant_id = :tenant AND id = :id",
            key=key,
            id=package_id,
        )
    assert await importing.run(package_id) == found
    assert not await importing.files.exists(key)


async def test_a_reader_whose_worker_was_killed_ends(importing: Importing, world: World) -> None:
    """Nobody reads its progress, so it stops writing, and the next worker starts again."""
    package_id = await importing.start(package())
    folder = importing.folder / "scratch" / f"{package_id}.0"
    folder.mkdir(parents=True)
    read, write = os.pipe()
    os.close(read)
    archive = importing.files.local_path(objects.archive(world.tenant.id, package_id))
    command = (sys.executable, "-I", "-m", "trilha.training.scorm.package", str(archive), str(folder))
    reader = await asyncio.create_subprocess_exec(*command, stdout=write, stderr=asyncio.subprocess.DEVNULL)
    os.close(write)
    assert await reader.wait() != 0
    assert not (folder / "result.json").exists()
    assert (await importing.run(package_id)).state == "READY"
    assert len(importing.stored()) == 2


async def test_who_is_cancelled_ends_its_reader(tmp_path: Path) -> None:
    noise = os.urandom(1 << 20)
    raw = packages.zipped(
        [("imsmanifest.xml", manifest()), ("index.html", PAGE), *((f"{n}.bin", noise) for n in range(60))],
        ZIP_STORED,
    )
    folder = tmp_path / "work"
    folder.mkdir()
    begun = asyncio.Event()
    path = await asyncio.to_thread(written, tmp_path, raw)
    work = asyncio.create_task(unpack(path, folder, lambda _: begun.set()))
    await begun.wait()
    readers = [
        each for each in psutil.Process().children() if "trilha.training.scorm.package" in each.cmdline()
    ]
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert not any(each.is_running() for each in readers)


async def test_a_reader_has_limits_of_its_own(tmp_path: Path) -> None:
    """A package that makes its reader use too much ends the reader, not the machine."""
    script = """
import resource, sys
from trilha.training.scorm.package.__main__ import limit_self
limit_self()
print(*(resource.getrlimit(getattr(resource, name))[1] for name in sys.argv[1:]))
try:
    bytes(1 << 30)
except MemoryError:
    print("refused")
"""
    names = ("RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_FSIZE", "RLIMIT_NOFILE", "RLIMIT_CORE")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-c", script, *names, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    limits, refused = out.decode().splitlines()
    assert limits.split() == [str(MEMORY), "120", str(501 << 20), "64", "0"]
    assert refused == "refused"


async def test_a_report_tells_what_was_found(importing: Importing, world: World) -> None:
    page = PAGE + '<script src="https://cdn.example.com/x.js"></script>'
    xml = manifest(resources=resource("r-i1", "INDEX.html"))
    raw = packages.zipped([("imsmanifest.xml", xml), ("index.html", page), ("story_content/user.js", "")])
    found = await importing.done(raw)
    assert found.report is not None
    assert found.report.tool == "Articulate Storyline"
    assert found.report.hosts == ["cdn.example.com"]
    assert [(each.code, each.what) for each in found.report.findings] == [
        ("external_hosts", "Pages load something from other servers (1), for example cdn.example.com."),
        (
            "launch_misnamed",
            "A page name in the manifest differs from the file: INDEX.html. It is matched anyway.",
        ),
    ]
    assert json.loads(json.dumps(found.report.findings[0].values)) == {"count": 1, "host": "cdn.example.com"}
