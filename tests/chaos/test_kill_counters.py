"""Kills processes at any point: the counters that statistics read still equal the rows that they count."""

import asyncio
import contextlib
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import asyncpg
import httpx2
import psutil
import pytest

from running import Running, running, wait_until

COURSE = """
title: {0}
slug: {0}
certificate_validity_months: 12
modules:
  - {{title: A, duration_minutes: 5}}
"""
LONG = int(os.environ.get("CHAOS_OPERATIONS", "100000"))


class Writers:
    """Processes that change enrollments. A killed one is started again."""

    def __init__(self, folder: Path, told: dict[str, Any], count: int) -> None:
        self._folder = folder
        self._count = count
        self._told = told
        self._begun = 0
        self.running: list[subprocess.Popen[bytes]] = []

    def begin(self) -> None:
        while len(self.running) < self._count:
            self._begun += 1
            place = self._folder / f"dots-{self._begun}"
            told = json.dumps(self._told | {"seed": self._begun}).encode() + b"\n"
            with place.open("wb") as dots, (self._folder / "writers.log").open("ab") as log:
                process = subprocess.Popen(
                    [sys.executable, "-m", "training.reports.writing"],
                    cwd=Path(__file__).parents[1],
                    stdin=subprocess.PIPE,
                    stdout=dots,
                    stderr=log,
                )
            assert process.stdin is not None
            process.stdin.write(told)
            process.stdin.close()
            self.running.append(process)

    def end(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait()
        self.running.remove(process)

    def count(self) -> int:
        """Returns the number of operations of all processes so far."""
        return sum(each.stat().st_size for each in self._folder.glob("dots-*"))


@pytest.mark.parametrize(
    ("operations", "kills", "processes"),
    # Each process takes longer to start than to make the changes of the short form.
    [(400, 3, 4), pytest.param(LONG, 40, 8, marks=[pytest.mark.long, pytest.mark.timeout(3600)])],
)
def test_totals_are_what_is_counted(tmp_path: Path, operations: int, kills: int, processes: int) -> None:
    chance = random.Random(7)
    with running(tmp_path, TRILHA_WORKERS="2") as trilha:
        told = _prepare(trilha, tmp_path)
        writers = Writers(tmp_path, told, processes)
        try:
            for number in range(1, kills + 1):
                writers.begin()
                wanted = operations * number // kills
                wait_until(lambda wanted=wanted: writers.count() >= wanted, 600)
                _kill(trilha, writers, chance, number)
                wait_until(lambda: _is_whole(trilha), 60)
                print(f"{writers.count()} operations, {number} of {kills} killed", flush=True)
        finally:
            for each in list(writers.running):
                writers.end(each)
        assert writers.count() >= operations, (tmp_path / "writers.log").read_text()
        # The worker may expire enrollments meanwhile; it changes both sides, or neither.
        assert trilha.command("recount") == []
        _tell(trilha, writers.count())
        _compare(trilha, told)


def _prepare(trilha: Running, folder: Path) -> dict[str, Any]:
    tenant = trilha.command("tenant", "create", "--slug", "acme", "--name", "Acme")
    scopes = "users:write,enrollments:write,analytics:read"
    made = trilha.command("api-key", "create", "--tenant", "acme", "--name", "k", "--scopes", scopes)
    courses = []
    for name in ("um", "dois", "tres"):
        (folder / "course.yaml").write_text(COURSE.format(name))
        arguments = ("--tenant", "acme", "--file", str(folder / "course.yaml"), "--publish")
        courses.append(trilha.command("course", "create", *arguments)["id"])
    headers = {"authorization": f"Bearer {made['key']}"}
    with httpx2.Client(base_url=trilha.url, headers=headers) as http:
        bodies = [{"email": f"p{each}@example.com", "name": "Ana"} for each in range(40)]
        people = [http.post("/v1/users", json=body).json()["data"]["id"] for body in bodies]
    return {
        "url": trilha.url,
        "headers": headers,
        "database": trilha.database_url(),
        "key": (trilha.folder / "data" / "master.key").read_text().strip(),
        "tenant": tenant["id"],
        "courses": courses,
        "people": people,
    }


def _kill(trilha: Running, writers: Writers, chance: random.Random, number: int) -> None:
    """Kills serving processes, the database, the worker and three clients with SIGKILL at random moments."""
    time.sleep(chance.uniform(0, 0.2))
    finders: list[Callable[[], list[psutil.Process]]] = [
        lambda: trilha.children("work"),
        lambda: trilha.children("serve")[1:],
        lambda: [trilha.postmaster()],
    ]
    find = finders[number % 3]
    wait_until(find, 60)
    victims = find()
    print(f"kill -9 of {[each.name() for each in victims]}", flush=True)
    for each in victims:
        with contextlib.suppress(psutil.NoSuchProcess):
            each.kill()
    for process in chance.sample(writers.running, 3):
        writers.end(process)


def _is_whole(trilha: Running) -> bool:
    """Tells whether everything runs again. A serving process may not have noticed that the
    database was gone.
    """
    try:
        return _count(trilha, "true") > 0 and trilha.is_ready()
    except (OSError, asyncpg.PostgresError):
        return False


def _tell(trilha: Running, operations: int) -> None:
    """Prints the number of operations, and how many of them changed something."""
    changes = _count(trilha, "true", "events")
    months = _count(trilha, "overdue <> 0 OR expiring <> 0", "course_deadlines")
    print(f"{operations} operations, {changes} events, {_count(trilha, 'true')} enrollments, no difference")
    assert changes > operations / 4
    assert months > 0


def _compare(trilha: Running, told: dict[str, Any]) -> None:
    """Compares the report with the states of all enrollments, after the last expiration has happened."""
    wait_until(
        lambda: not _count(trilha, "expires_at IS NOT NULL AND status IN ('NOT_STARTED', 'IN_PROGRESS')")
    )
    with httpx2.Client(base_url=trilha.url, headers=told["headers"]) as http:
        overall = http.get("/v1/analytics/completion").json()["data"]["overall"]
    for name in ("not_started", "in_progress", "completed", "expired"):
        assert overall[name] == _count(trilha, f"status = '{name.upper()}'") > 0
    assert overall["certificates_issued"] == overall["completed"]


def _count(trilha: Running, where: str, table: str = "enrollments") -> int:
    async def count() -> int:
        connection = await asyncpg.connect(trilha.database_url())
        try:
            found: int = await connection.fetchval(f"SELECT count(*) FROM {table} WHERE {where}")
        finally:
            await connection.close()
        return found

    return asyncio.run(count())
