"""Kills the process that archives and deletes rows, before and after a file is stored."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import World
from old_rows import files_of, keep, record, remaining, rows_of
from posting import run_job
from trilha.core.file_store import open_file_store
from trilha.platform.retention import jobs
from trilha.platform.retention.archive import Archive
from trilha.platform.retention.rules import EVIDENCE_DAYS

KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from uuid import UUID
from trilha.core.clock import system_clock
from trilha.core.database import Database
from trilha.core.database.logins import serving_urls
from trilha.core.file_store import FileStore, open_file_store
from trilha.core.secrets import Keyring
from trilha.platform.retention import archive_queries, jobs
from trilha.platform.retention.archive import Archive

url, tenant, folder, moment = sys.argv[1:]

async def kill(*_):
    os.kill(os.getpid(), signal.SIGKILL)

async def main():
    keyring = Keyring([b"k" * 32])
    database = Database(serving_urls(url, keyring), system_clock, keyring, size=1)
    await database.open()
    if moment == "before":
        FileStore.put = kill
    elif moment == "stored":
        FileStore.settle = kill
    else:
        archive_queries.insert = kill
    await jobs.prune_job(Archive(open_file_store(None, Path(folder)))).run_in(database, UUID(tenant))

asyncio.run(main())
"""


@pytest.mark.parametrize("moment", ["before", "stored", "settled"])
async def test_kill_9_loses_nothing_and_doubles_nothing(
    world: World, tmp_path: Path, database_url: str, moment: str
) -> None:
    store = open_file_store(None, tmp_path / "files")
    for days in range(5):
        await record(world, EVIDENCE_DAYS + 2 + days, "course.published")
    await keep(world, audit_log_days=EVIDENCE_DAYS)
    arguments = [database_url, str(world.tenant.id), str(tmp_path / "files"), moment]
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", KILLED, *arguments], capture_output=True
    )
    assert done.returncode == -9, done.stderr
    assert await remaining(world) == 5
    assert await files_of(world) == []
    left = [key async for keys in store.list_keys(f"archive/{world.tenant.id}") for key in keys]
    assert bool(left) == (moment != "before")
    assert await run_job(jobs.prune_job(Archive(store)), world) == 5
    rows = await rows_of(world, store)
    assert (len(rows), len({row["id"] for row in rows}), await remaining(world)) == (5, 5, 0)
    keys = {each.file_key for each in await files_of(world)}
    assert set(left) <= keys, "the same rows have the same name"
