"""A company with an HR export, and runs of `examples/hr_sync.py` on it."""

import csv
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from conftest import Clock, World, new_world
from running import Running, wait_until
from trilha.core.database import Database
from trilha.core.database.embedded import EmbeddedPostgres
from trilha.core.database.logins import serving_urls
from trilha.core.secrets import load_keyring

EXAMPLES = Path(__file__).parents[2] / "examples"
COURSES = ("boas-vindas", "direcao")
PUT = "PUT /v1/users/bulk"
PEOPLE = 24
# The number of people in one call, so that a run can be interrupted between calls.
FEW = "--batch=4"
# As many people as in the export of a real company; `make chaos` runs these.
WHOLE = 5_000


def at_length(*values: object) -> Any:
    return pytest.param(*values, marks=[pytest.mark.long, pytest.mark.timeout(3600)])


class Company:
    """A tenant of a running server, and the HR export that it is synchronized with."""

    def __init__(self, server: Running, world: World, key: str, path: Path) -> None:
        self.server = server
        self.world = world
        self.path = path
        self.in_courses = True
        self._key = key
        self.authorization = {"authorization": f"Bearer {key}"}

    def export(self, count: int, *options: str) -> None:
        command = [sys.executable, EXAMPLES / "make_employees.py", str(count), self.path, *options]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def edit(self, line: int, **cells: str) -> None:
        with self.path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file, delimiter=";"))
        rows[line] |= cells
        with self.path.open("w", encoding="utf-8-sig", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys(), delimiter=";")
            writer.writeheader()
            writer.writerows(rows)

    def start(self, *options: str) -> "subprocess.Popen[str]":
        command = [sys.executable, EXAMPLES / "hr_sync.py", self.path, *options]
        if self.in_courses:
            command += [f"--course={slug}" for slug in COURSES]
        environment = os.environ | {"TRILHA_URL": self.server.url, "TRILHA_API_KEY": self._key}
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)

    def finish(self, run: "subprocess.Popen[str]", code: int = 0) -> dict[str, int]:
        """Finishes the run and returns the counts of its summary."""
        self.summary = run.communicate(timeout=1800)[0]
        assert run.returncode == code, self.summary
        counts = (line.rsplit(maxsplit=1) for line in self.summary.partition("\n\n")[0].splitlines())
        return {name: int(count) for name, count in counts}

    def sync(self, *options: str, code: int = 0) -> dict[str, int]:
        return self.finish(self.start(*options), code)

    def log(self) -> list[dict[str, Any]]:
        """Returns the server's log of this company's requests."""
        tenant = str(self.world.tenant.id)
        lines = self.server.log.read_text().splitlines()
        # The last line may be incomplete.
        told = [json.loads(line) for line in lines if tenant in line and line.endswith("}")]
        return [line for line in told if "status" in line]

    def count(self, message: str, status: int) -> int:
        return sum((line["message"], line["status"]) == (message, status) for line in self.log())

    def wait_for_people(self, batches: int) -> None:
        wait_until(lambda: self.count(PUT, 200) >= batches, seconds=600)

    async def holds_each_once(self, people: int = PEOPLE) -> None:
        """Checks that each person of the file and each enrollment exists once, with the event of its
        creation.
        """
        async with self.world.tx() as tx:
            emails = await tx.rows("SELECT email FROM users WHERE tenant_id = :tenant")
            places = await tx.rows("SELECT user_id, course_id FROM enrollments WHERE tenant_id = :tenant")
        created = [data["user_id"] for _, data in await self.world.events("user.created")]
        enrolled = await self.world.events("enrollment.created")
        pairs = [(data["user_id"], data["course_id"]) for _, data in enrolled]
        for rows, each in ((emails, 1), (created, 1), (places, 2), (pairs, 2)):
            assert (len(rows), len(set(rows))) == (each * people, each * people)
        assert await self.world.events("user.updated") == []

    async def people(self) -> list[dict[str, Any]]:
        async with self.world.tx() as tx:
            rows = await tx.rows(
                "SELECT id, employee_number, email, name, department, job_title, cpf, status FROM users"
                " WHERE tenant_id = :tenant"
            )
        return [dict(row) for row in rows]


@asynccontextmanager
async def company_of(server: Running, tmp_path: Path) -> AsyncIterator[Company]:
    folder = server.folder / "data"
    postgres = EmbeddedPostgres(folder)
    postgres.start()
    clock = Clock()
    keyring = load_keyring(folder / "master.key")
    database = Database(serving_urls(postgres.url, keyring), clock, keyring, size=2)
    await database.open()
    try:
        world = await new_world(postgres.url, database, clock, app=None)
        for slug in COURSES:
            await world.course(slug=slug)
        enrollments = [f"enrollments:{may}" for may in ("read", "write", "bulk")]
        key = await world.key("users:read", "users:write", "courses:read", *enrollments)
        yield Company(server, world, key, tmp_path / "employees.csv")
    finally:
        await database.close()
        postgres.stop()


def counts(**some: int) -> dict[str, int]:
    """Returns a summary in which only these counts are not zero."""
    names = (
        *("created", "updated", "unchanged", "suspended", "reactivated", "enrolled", "already enrolled"),
        *("cancelled", "leavers", "wrong enrollments", "skipped", "failed", "changes"),
    )
    return dict.fromkeys(names, 0) | {name.replace("_", " "): n for name, n in some.items()}
