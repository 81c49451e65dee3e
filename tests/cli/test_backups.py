"""`trilha backup` works beside a busy server, and what it makes can be restored elsewhere."""

import asyncio
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from promises import Load, Promises
from running import TRILHA, Running, running, with_demo

KEY = "ab" * 32
# Copies whole databases, on a machine that may do other work.
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("backups")
    with_demo(folder)
    place = f"file://{folder}/backups"
    with running(folder, TRILHA_BACKUP_URL=place, TRILHA_BACKUP_KEY=KEY) as server:
        yield server


def query(server: Running, sql: str) -> list[Any]:
    async def fetch() -> list[Any]:
        connection = await asyncpg.connect(server.database_url())
        rows: list[Any] = await connection.fetch(sql)
        await connection.close()
        return rows

    return asyncio.run(fetch())


def test_a_backup_under_load_is_restored_elsewhere(server: Running, tmp_path: Path) -> None:
    promises = Promises(server)
    with Load(promises) as load:
        for _ in range(2):
            back_up_and_kill(server)
        assert server.command("backup", "list") == []
        first = server.command("backup")
        made_before = set(load.made)
        second = server.command("backup")
    assert load.failures == []
    assert (first["copied"], second["copied"], second["vanished"]) == (first["files"], 0, 0)
    assert [each["id"] for each in server.command("backup", "list")] == [first["id"], second["id"]]
    check = server.command("backup", "verify")
    assert (check["id"], check["problems"]) == (second["id"], [])
    last = server.command("status")["last_backup"]
    assert (last["id"], last["outcome"], last["verified_at"] is not None) == (second["id"], "DONE", True)
    assert server.command("backup", "prune", "--keep", "1")["removed"] == [first["id"]]

    tmp_path.chmod(0o711)
    (tmp_path / "data").mkdir(mode=0o711)
    key = (server.folder / "data" / "master.key").read_bytes()
    (tmp_path / "data" / "master.key").write_bytes(key)
    (tmp_path / "data" / "master.key").chmod(0o600)
    environment = server.environment | {"TRILHA_DATA_DIR": str(tmp_path / "data")}
    done = subprocess.run(
        [TRILHA, "restore", "--paused"], env=environment, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    again = subprocess.run([TRILHA, "restore"], env=environment, check=False, capture_output=True, text=True)
    assert (again.returncode, "restore into an empty one" in again.stderr) == (1, True)
    with running(tmp_path) as copy:
        promises.server = copy
        promises.check()
        users = {str(row["id"]) for row in query(copy, "SELECT id FROM users")}
        assert made_before <= users
        assert query(copy, "SELECT FROM webhook_endpoints WHERE active") == []
        # The counters that triggers keep were not counted twice.
        assert copy.command("recount", "--tenant", "demo") is not None


def back_up_and_kill(server: Running) -> None:
    process = subprocess.Popen([TRILHA, "backup"], env=server.environment, stderr=subprocess.PIPE)
    assert process.stderr is not None
    process.stderr.readline()  # the first table is stored
    time.sleep(random.uniform(0, 0.05))
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stderr.close()
