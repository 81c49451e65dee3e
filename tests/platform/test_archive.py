"""Rows that retention deletes are stored first, and can be read again: each once, whatever is killed when."""

import asyncio
import json
from datetime import timedelta
from io import BytesIO
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from conftest import World
from old_rows import files_of, keep, record, remaining, rows_of, studied
from posting import Post, run_job
from trilha.cli import main
from trilha.core.file_store import FileStore, open_file_store
from trilha.core.sealed_files import SealedFiles
from trilha.core.secrets import Keyring
from trilha.platform.retention import jobs
from trilha.platform.retention.archive import SEALED_FILES, Archive, read_files
from trilha.platform.retention.rules import EVIDENCE_DAYS
from trilha.platform.webhooks import jobs as webhook_jobs
from trilha.settings import Settings
from trilha.training.learning.evidence import jobs as evidence_jobs

MONTH = timedelta(days=30)


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    return open_file_store(None, tmp_path / "files")


async def test_audit_records_by_month(world: World, store: FileStore) -> None:
    for days in (EVIDENCE_DAYS + 2, EVIDENCE_DAYS + 40, EVIDENCE_DAYS + 41, 1):
        await record(world, days, "course.published")
    await keep(world, audit_log_days=EVIDENCE_DAYS)
    assert await run_job(jobs.prune_job(Archive(store)), world) == 3
    files, rows = await files_of(world), await rows_of(world, store)
    assert {each.log for each in files} == {"audit_log"}
    assert sum(each.rows for each in files) == len(rows) == 3
    assert {each.month for each in files} == {f"{row['created_at']:%Y-%m}" for row in rows}
    for each in files:
        assert each.file_key.startswith(f"archive/{world.tenant.id}/audit_log/{each.month}/")
    assert {row["action"] for row in rows} == {"course.published"}
    assert await remaining(world) == 1


async def test_files_are_encrypted_and_any_reader_reads_the_content(world: World, store: FileStore) -> None:
    await record(world, EVIDENCE_DAYS + 2, "course.published")
    await keep(world, audit_log_days=EVIDENCE_DAYS)
    await run_job(jobs.prune_job(Archive(store)), world)
    (file,) = await files_of(world)
    assert await SealedFiles(store, world.database.keyring).is_sealed(file.file_key)
    async for _, content in read_files(store, world.database.keyring, [file]):
        table = pq.read_table(BytesIO(content))
    assert table.schema.field("created_at").type.tz == "UTC"
    assert table.to_pylist()[0]["detail"] == "{}"


async def test_a_learning_log_keeps_what_its_hashes_are_about(world: World, store: FileStore) -> None:
    ana = await studied(world, EVIDENCE_DAYS + 400, revoked=True)
    async with world.tx() as tx:
        before = await tx.rows(
            "SELECT number, detail, hash FROM learning_log WHERE tenant_id = :tenant ORDER BY number"
        )
    await keep(world, learning_log_days=EVIDENCE_DAYS)
    assert await run_job(evidence_jobs.prune_job(Archive(store)), world) == 1
    rows = sorted(await rows_of(world, store), key=lambda row: int(row["number"]))
    assert {row["enrollment_id"] for row in rows} == {str(ana.id)}
    assert [(row["number"], row["detail"], row["hash"]) for row in rows] == [
        (row["number"], row["detail"], row["hash"].hex()) for row in before
    ]


async def test_events_and_deliveries_without_responses(post: Post, store: FileStore) -> None:
    world = post.world
    endpoint = await post.endpoint("http://127.0.0.1:9/hook", "user.*")
    user = await world.user(name="Maria Archived", email="maria.archived@example.com")
    await post.relay()
    await world.http.delete(f"/v1/webhooks/{endpoint['id']}")
    world.clock.move(days=40)
    job = webhook_jobs.prune_job(deliveries=MONTH, events=MONTH, archive=Archive(store))
    while await run_job(job, world):
        pass
    rows = await rows_of(world, store)
    created = [row for row in rows if row.get("type") == "user.created"]
    assert [json.loads(row["data"])["user_id"] for row in created] == [user["id"]]
    assert [row["status"] for row in rows if "event_id" in row] == ["PENDING"]
    assert "aria" not in str([row.get("data") for row in rows])


async def test_without_an_archive_rows_are_only_deleted(world: World, settings: Settings) -> None:
    await record(world, EVIDENCE_DAYS + 2, "course.published")
    await keep(world, audit_log_days=EVIDENCE_DAYS)
    assert Archive.of(Settings(archive="off"))._files is None
    assert await run_job(jobs.prune_job(Archive()), world) == 1
    assert await files_of(world) == []


async def test_rows_stay_if_the_store_fails(world: World, store: FileStore, tmp_path: Path) -> None:
    await record(world, EVIDENCE_DAYS + 2, "course.published")
    await keep(world, audit_log_days=EVIDENCE_DAYS)
    (tmp_path / "files").write_text("no folder")
    with pytest.raises(Exception, match=r"."):
        await run_job(jobs.prune_job(Archive(store)), world)
    assert await remaining(world) == 1


async def test_files_are_encrypted_again_with_a_new_master_key(world: World, store: FileStore) -> None:
    await record(world, EVIDENCE_DAYS + 2, "course.published")
    await keep(world, audit_log_days=EVIDENCE_DAYS)
    await run_job(jobs.prune_job(Archive(store)), world)
    (file,) = await files_of(world)
    newer = Keyring([b"n" * 32, b"k" * 32])
    sealed = SealedFiles(store, newer)
    assert await sealed.find_key_id(file.file_key) != newer.current
    assert await sealed.reseal(file.file_key)
    async with world.tx() as tx:
        rows = await tx.rows(SEALED_FILES.select, after="00000000-0000-0000-0000-000000000000", limit=9)
    assert [SEALED_FILES.key(world.tenant.id, row) for row in rows] == [file.file_key]


async def test_the_commands_list_and_read(
    world: World, store: FileStore, tmp_path: Path, database_url: str
) -> None:
    for days in (2, 3):
        await record(world, EVIDENCE_DAYS + days, "course.published")
    await keep(world, audit_log_days=EVIDENCE_DAYS)
    await run_job(jobs.prune_job(Archive(store)), world)
    environment = {
        "TRILHA_DATABASE_URL": database_url,
        "TRILHA_MASTER_KEY": "6b" * 32,
        "TRILHA_DATA_DIR": str(tmp_path),
    }

    async def run(*arguments: str) -> str:
        command = ["archive", *arguments, "--tenant", world.tenant.slug]
        done = await asyncio.to_thread(CliRunner().invoke, main, command, env=environment)
        assert done.exit_code == 0, done.output
        return done.stdout

    listed = json.loads(await run("list", "--json"))
    assert sum(each["rows"] for each in listed) == 2
    rows = [json.loads(line) for line in (await run("read", "--log", "audit_log")).splitlines()]
    assert {(row["log"], row["action"], row["created_at"][-1]) for row in rows} == {
        ("audit_log", "course.published", "Z")
    }
    assert await run("read", "--log", "events") == ""
    assert await run("read", "--month", "1999-01") == ""
    await run("read", "--output", str(tmp_path / "out"))
    tables = [pq.read_table(each) for each in (tmp_path / "out" / "audit_log").rglob("*.parquet")]
    assert sum(table.num_rows for table in tables) == 2
