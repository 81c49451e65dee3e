"""A backup holds every row and file, opens with its key alone, and never looks complete if it is not."""

from collections.abc import AsyncIterator
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import asyncpg
import pytest

from conftest import Clock, World, new_world
from trilha.app import create_app
from trilha.cli.backups import build_content_check
from trilha.core.database import Database
from trilha.core.database.logins import serving_urls
from trilha.core.database.migrate import migrate
from trilha.core.database.migration_files import MigrationError
from trilha.core.file_store import FileStore, open_file_store
from trilha.core.secrets import Keyring
from trilha.platform.backups import pruning, restoring
from trilha.platform.backups.creating import Backup
from trilha.platform.backups.destination import BackupError, Destination, file_list, table_part
from trilha.platform.backups.loading import compare_database
from trilha.platform.backups.schema import BackupResult, Manifest, StoredFile
from trilha.settings import Settings
from trilha.training.learning.evidence import log
from trilha.training.learning.evidence import queries as evidence

KEYS = Keyring([b"b" * 32])
FILE = "packages/a/b.bin"
NAME = "tab\t, line\n, backslash \\N, é"
_seconds = count(1)


class Site:
    """An installation with files, and a destination of its backups."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world = world
        self.folder = folder
        self.files = open_file_store(None, folder / "files")
        self.store = open_file_store(None, folder / "backups")
        self.destination = Destination(self.store, KEYS)

    async def back_up(self, destination: Destination | None = None, url: str | None = None) -> BackupResult:
        self.world.clock.now += timedelta(seconds=next(_seconds))  # backups are named by the time
        place = (url or self.world.url, self.files, destination or self.destination, self.world.clock, str)
        return await Backup(*place, version="1.0.0").run()

    async def manifest(self) -> Manifest:
        return await self.destination.read_manifest(await self.destination.find_id(None))

    async def restore(self, url: str, files: FileStore, **options: bool) -> None:
        options = {"overwrite": False, "paused": False} | options
        await restoring.restore(url, files, self.destination, await self.manifest(), print, **options)

    def objects(self, pattern: str) -> list[Path]:
        return sorted(each for each in (self.folder / "backups").glob(pattern) if each.is_file())


@pytest.fixture(scope="module")
async def urls(database_url: str, database: Database) -> AsyncIterator[list[str]]:
    """The addresses of three empty databases."""
    owner = await asyncpg.connect(database_url)
    names = [f"b{uuid4().hex}" for _ in range(3)]
    for name in names:
        await owner.execute(f"CREATE DATABASE {name}")
    yield [urlsplit(database_url)._replace(path=f"/{name}").geturl() for name in names]
    for name in names:
        await owner.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await owner.close()


@pytest.fixture(scope="module")
async def world_apart(
    urls: list[str], keyring: Keyring, session_clock: Clock, settings: Settings
) -> AsyncIterator[World]:
    """A tenant in the first of these databases. Migrating one takes longer than most tests."""
    await migrate(urls[0], keyring)
    database = Database(serving_urls(urls[0], keyring), session_clock, keyring, size=2)
    await database.open()
    app = create_app(settings, database, session_clock)
    world = await new_world(urls[0], database, session_clock, app)
    async with world.tx() as tx:
        await tx.execute("INSERT INTO categories (tenant_id, name) VALUES (:tenant, :name)", name=NAME)
    yield world
    await database.close()


async def log_something(world: World) -> UUID:
    """Writes an entry of the log of a new enrollment."""
    enrollment_id = UUID((await world.enrollment())["id"])
    async with world.tx() as tx:
        head = await evidence.lock_head(tx, enrollment_id)
        await log.append(tx, head, "launched", None, device="desktop")
    return enrollment_id


@pytest.fixture
async def site(world_apart: World, tmp_path: Path) -> Site:
    site = Site(world_apart, tmp_path)
    await site.files.put(FILE, b"content" * 20_000)
    return site


async def read(files: FileStore, key: str = FILE) -> bytes:
    return b"".join([piece async for piece in files.read(key)])


async def test_rows_files_and_schema_come_back_as_they_were(
    site: Site, urls: list[str], tmp_path: Path
) -> None:
    result = await site.back_up()
    assert (result.files, result.copied) == (1, 1)
    copy = open_file_store(None, tmp_path / "copy")
    await site.restore(urls[1], copy)
    assert await compare_database(urls[1], await site.manifest()) == []
    assert await read(copy) == await read(site.files)
    owner = await asyncpg.connect(urls[1])
    assert await owner.fetchval("SELECT name FROM categories") == NAME
    await owner.close()
    assert await read_catalogue(urls[1]) == await read_catalogue(urls[0])


async def read_catalogue(url: str) -> list[tuple[str, str, str]]:
    """Returns constraints, indexes, row-level security and triggers."""
    owner = await asyncpg.connect(url)
    rows = await owner.fetch(
        """
        SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
        WHERE connamespace = 'public'::regnamespace
        UNION ALL SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
        UNION ALL SELECT relname, 'guards', relrowsecurity::text || relforcerowsecurity FROM pg_class
                  WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
        UNION ALL SELECT tgrelid::regclass::text, tgname, tgenabled::text FROM pg_trigger
                  WHERE NOT tgisinternal
        ORDER BY 1, 2, 3
        """
    )
    await owner.close()
    return [tuple(row) for row in rows]


@pytest.mark.whole
async def test_verifying_restores_and_checks_the_logs_of_evidence(site: Site, keyring: Keyring) -> None:
    await log_something(site.world)
    changed = await log_something(site.world)
    owner = await asyncpg.connect(site.world.url)
    await owner.execute("UPDATE learning_log SET detail = '{}' WHERE enrollment_id = $1", changed)
    await owner.close()
    await site.back_up()
    manifest = await site.manifest()
    assert restoring.opens_with(keyring, manifest)
    check = await restoring.verify(site.destination, manifest, print, build_content_check(keyring))
    assert (check.evidence_logs, check.files) == (2, 1)
    assert check.problems == [f"The log of enrollment {changed} was changed at entry 1 (changed)."]


async def test_files_are_copied_once(site: Site) -> None:
    assert (await site.back_up()).copied == 1
    await site.files.put("packages/a/c.bin", b"new")
    assert (await site.back_up()).copied == 1
    await site.files.put(FILE, b"CONTENT" * 20_000)  # as after `trilha keys reseal`
    assert (await site.back_up()).copied == 1


async def test_pruning_keeps_what_the_latest_backups_need(site: Site) -> None:
    first = await site.back_up()
    await site.files.delete(FILE)
    await site.files.put("packages/a/c.bin", b"new")
    last = await site.back_up()
    pruned = await pruning.prune(site.world.url, site.destination, 1)
    assert (pruned.removed, pruned.files) == ([first.id], 1)
    assert await site.destination.list_ids() == ([last.id], [])
    (file,) = await site.destination.read_value(file_list(last.id, 0), list[StoredFile])
    pieces = [piece async for piece in site.destination.read_file(file.name, file.size)]
    assert (file.key, b"".join(pieces)) == ("packages/a/c.bin", b"new")


async def test_a_database_in_use_is_not_replaced_unless_asked(site: Site, tmp_path: Path) -> None:
    await site.back_up()
    with pytest.raises(BackupError, match="restore into an empty one"):
        await site.restore(site.world.url, open_file_store(None, tmp_path / "copy"))
    assert await list_tenants(site) == [site.world.tenant.id]


async def list_tenants(site: Site) -> list[UUID]:
    owner = await asyncpg.connect(site.world.url)
    rows = await owner.fetch("SELECT id FROM tenants")
    await owner.close()
    return [row["id"] for row in rows]


async def test_an_interrupted_backup_is_not_listed(site: Site) -> None:
    class Full(Destination):
        async def put_file(self, name: str, source: Any) -> int:
            raise OSError("No space left on device")

    with pytest.raises(OSError, match="No space"):
        await site.back_up(Full(site.store, KEYS))
    ids, unfinished = await site.destination.list_ids()
    assert (ids, len(unfinished)) == ([], 1)
    with pytest.raises(BackupError, match="no complete backup"):
        await site.destination.find_id(None)
    assert (await pruning.prune(site.world.url, site.destination, 1)).unfinished == 1
    assert site.objects("**/*") == []


async def test_nothing_at_the_destination_is_readable(site: Site) -> None:
    await site.back_up()
    every = b"".join(each.read_bytes() for each in site.objects("**/*"))
    assert b"contentcontent" not in every
    assert site.world.tenant.slug.encode() not in every
    assert FILE not in str(site.objects("**/*"))
    with pytest.raises(BackupError, match="does not open with TRILHA_BACKUP_KEY"):
        await Destination(site.store, Keyring([b"c" * 32])).read_manifest(
            await site.destination.find_id(None)
        )


@pytest.mark.parametrize(
    "pattern", ["backups/*/manifest", "backups/*/tables/*/*", "files/*/*", "backups/*/files/*"]
)
@pytest.mark.parametrize("damage", ["changed", "cut", "replaced", "removed", "exchanged"])
async def test_damage_is_found(site: Site, pattern: str, damage: str) -> None:
    await site.back_up()
    await read_everything(site)
    (first, *others), tables = site.objects(pattern), site.objects("backups/*/tables/*/*")
    content = first.read_bytes()
    if damage == "changed":
        first.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    elif damage == "cut":
        first.write_bytes(content[:-1])
    elif damage == "replaced":
        first.write_bytes(b"plain")
    elif damage == "removed":
        first.unlink()
    else:
        first.write_bytes((others or tables)[-1].read_bytes())
    with pytest.raises(BackupError):
        await read_everything(site)


async def read_everything(site: Site) -> None:
    """Reads every object of the latest backup, as a restore does."""
    manifest = await site.manifest()
    for number, table in enumerate(manifest.tables):
        for part in range(table.parts):
            await site.destination.read(table_part(manifest.id, number, part))
    for number in range(manifest.file_lists):
        for file in await site.destination.read_value(file_list(manifest.id, number), list[StoredFile]):
            async for _ in site.destination.read_file(file.name, file.size):
                pass


async def test_a_restore_that_fails_leaves_no_tenant(site: Site, urls: list[str], tmp_path: Path) -> None:
    await site.back_up()
    site.objects("backups/*/tables/*/*")[-1].unlink()
    with pytest.raises(BackupError, match="is missing at the destination"):
        await site.restore(urls[1], open_file_store(None, tmp_path / "copy"), overwrite=True)
    owner = await asyncpg.connect(urls[1])
    assert await owner.fetchval("SELECT count(*) FROM tenants") == 0
    await owner.close()


async def test_a_backup_of_a_newer_version_is_refused(site: Site, urls: list[str]) -> None:
    await site.back_up()
    with pytest.raises(MigrationError, match="needs a newer version"):
        await migrate(urls[1], names=[*(await site.manifest()).migrations, "9999_later.sql"])


async def test_an_owner_without_privileges_backs_up_and_restores(
    site: Site, urls: list[str], tmp_path: Path
) -> None:
    own = [urls[0], urls[2]]
    superuser, name = await asyncpg.connect(site.world.url), f"o{uuid4().hex}"
    await superuser.execute(
        f"""
        CREATE ROLE {name} LOGIN CREATEROLE NOSUPERUSER NOBYPASSRLS;
        GRANT trilha_app, trilha_unscoped, trilha_door TO {name} WITH ADMIN TRUE, INHERIT FALSE, SET TRUE
        """
    )
    for url in own:
        await superuser.execute(f"ALTER DATABASE {urlsplit(url).path[1:]} OWNER TO {name}")
    await superuser.execute(
        f"""
        DO $$ DECLARE r record; BEGIN
            FOR r IN SELECT c.oid::regclass AS name FROM pg_class c
                     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v')
            LOOP EXECUTE format('ALTER TABLE %s OWNER TO {name}', r.name); END LOOP; END $$
        """
    )
    source, target = (urlsplit(url)._replace(netloc=f"{name}@").geturl() for url in own)
    await site.back_up(url=source)
    await site.restore(target, open_file_store(None, tmp_path / "copy"), paused=True)
    assert await compare_database(urls[2], await site.manifest()) == []
    for url in own:
        await superuser.execute(f"ALTER DATABASE {urlsplit(url).path[1:]} OWNER TO postgres")
        each = await asyncpg.connect(url)
        await each.execute(f"REASSIGN OWNED BY {name} TO postgres; DROP OWNED BY {name}")
        await each.close()
    await superuser.execute(f"DROP ROLE {name}")
    await superuser.close()
