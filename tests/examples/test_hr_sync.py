"""examples/hr_sync.py against a running server: it ends the same whatever is killed on the way."""

import csv
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from conftest import Clock, World, new_world
from running import Running, running, wait_until
from trilha.core.database import Database
from trilha.core.database.embedded import EmbeddedPostgres
from trilha.core.database.logins import serving_urls
from trilha.core.secrets import load_keyring
from trilha.settings import Settings, load

EXAMPLES = Path(__file__).parents[2] / "examples"
COURSES = ("boas-vindas", "direcao")
PUT = "PUT /v1/users/bulk"
PEOPLE = 24
# People in one call, so that there is something to be interrupted in.
FEW = "--batch=4"
VICTIMS: dict[str, Callable[[Running], psutil.Process]] = {
    "worker": lambda server: server.children("serve")[1],
    "serve": lambda server: server.children("serve")[0],
    "database": Running.postmaster,
}
# As many as the export of a company; `make chaos` runs these.
WHOLE = 5_000


def at_length(*values: object) -> Any:
    return pytest.param(*values, marks=[pytest.mark.long, pytest.mark.timeout(3600)])


class Company:
    """A tenant of a running server, and the HR export that is to be kept in step with it."""

    def __init__(self, server: Running, world: World, key: str, path: Path) -> None:
        self.server = server
        self.world = world
        self.path = path
        self.in_courses = True
        self._key = key

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
        """The counts of the summary."""
        self.summary = run.communicate(timeout=1800)[0]
        assert run.returncode == code, self.summary
        counts = (line.rsplit(maxsplit=1) for line in self.summary.partition("\n\n")[0].splitlines())
        return {name: int(count) for name, count in counts}

    def sync(self, *options: str, code: int = 0) -> dict[str, int]:
        return self.finish(self.start(*options), code)

    def log(self) -> list[dict[str, Any]]:
        """What the server told of this company's requests."""
        tenant = str(self.world.tenant.id)
        lines = self.server.log.read_text().splitlines()
        # The last line may still be being written.
        return [json.loads(line) for line in lines if tenant in line and line.endswith("}")]

    def count(self, message: str, status: int) -> int:
        return sum((line["message"], line["status"]) == (message, status) for line in self.log())

    def wait_for_people(self, batches: int) -> None:
        wait_until(lambda: self.count(PUT, 200) >= batches, seconds=600)

    async def holds_each_once(self, people: int = PEOPLE) -> None:
        """The people of the file and their places, each with the event of its making."""
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
                "SELECT id, employee_number, email, name, department, status FROM users"
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


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture
async def company(server: Running, tmp_path: Path) -> AsyncIterator[Company]:
    async with company_of(server, tmp_path) as company:
        yield company


@pytest.mark.parametrize("people", [PEOPLE, at_length(WHOLE)])
async def test_a_second_run_changes_nothing(company: Company, people: int) -> None:
    company.export(people)
    assert company.sync() == counts(created=people, enrolled=2 * people, changes=3 * people)
    assert company.sync() == counts(unchanged=people, already_enrolled=2 * people)
    calls = company.count(PUT, 200)
    # A file of another name is about the same people.
    company.path = company.path.rename(company.path.with_name("employees-2.csv"))
    assert company.sync() == counts(unchanged=people, already_enrolled=2 * people)
    assert company.count(PUT, 200) == calls > 0
    company.path.with_name("hr_sync.json").unlink()
    assert company.sync() == counts(unchanged=people, already_enrolled=2 * people)
    assert company.count(PUT, 200) == 2 * calls
    await company.holds_each_once(people)


async def test_what_changed_in_the_file_changes(company: Company) -> None:
    company.export(8)
    company.sync()
    company.edit(1, Cargo="Gerente")
    company.edit(2, CPF="529.982.247-25")
    company.edit(3, Situação="Desligado")
    assert company.sync() == counts(updated=2, suspended=1, unchanged=5, already_enrolled=14, changes=3)
    assert company.sync() == counts(unchanged=8, already_enrolled=14)
    changed = [data["changed"] for _, data in await company.world.events("user.updated")]
    assert sorted(changed) == [["cpf"], ["job_title"]]
    assert len(await company.world.events("user.suspended")) == 1


async def test_each_broken_row_is_told_with_its_reason(company: Company) -> None:
    company.export(6, "--dirty", "3")
    assert company.sync(code=1) == counts(created=6, enrolled=12, failed=3, changes=18)
    for reason in ("invalid_cpf", "has no e-mail", "has the same e-mail"):
        assert reason in company.summary
    assert company.sync(code=1) == counts(unchanged=6, already_enrolled=12, failed=3)


async def test_the_file_beside_holds_no_document(company: Company) -> None:
    company.export(3)
    company.sync()
    kept = company.path.with_name("hr_sync.json").read_text()
    with company.path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    for cell in ("Nome", "E-mail", "CPF", "Celular"):
        assert not any(row[cell] in kept for row in rows)


@pytest.mark.parametrize(("people", "limit"), [(15, "6/1s"), at_length(WHOLE, "600/1m")])
async def test_it_waits_for_the_limit_to_reset(tmp_path: Path, people: int, limit: str) -> None:
    with running(tmp_path, TRILHA_LIMIT_V1=limit) as server:
        async with company_of(server, tmp_path) as company:
            company.export(people)
            assert company.sync() == counts(created=people, enrolled=2 * people, changes=3 * people)
            assert '"status":429' in server.log.read_text()
            await company.holds_each_once(people)


@pytest.mark.parametrize("people", [PEOPLE, at_length(WHOLE)])
async def test_a_killed_run_is_finished_by_the_next(company: Company, people: int) -> None:
    company.export(people)
    run = company.start(FEW if people == PEOPLE else "--batch=100")
    company.wait_for_people(2)
    run.kill()
    run.communicate()
    company.sync()
    await company.holds_each_once(people)
    assert company.sync()["changes"] == 0


@pytest.mark.parametrize(
    ("victim", "people"),
    [
        ("worker", PEOPLE),
        ("database", PEOPLE),
        ("serve", PEOPLE),
        *(at_length(each, WHOLE) for each in VICTIMS),
    ],
)
async def test_a_run_outlasts_the_death_of(company: Company, victim: str, people: int) -> None:
    company.export(people)
    run = company.start(FEW if people == PEOPLE else "--batch=100")
    company.wait_for_people(2)
    VICTIMS[victim](company.server).kill()
    assert company.finish(run) == counts(created=people, enrolled=2 * people, changes=3 * people)
    await company.holds_each_once(people)
    assert company.sync()["changes"] == 0
    assert {line["status"] for line in company.log() if line["status"] >= 500} <= {503}
    told = company.server.log.read_text().splitlines()
    (greeting,) = [line for line in told if not line.startswith("{")]
    assert greeting.startswith("Trilha answers at ")


def test_the_server_starts_where_the_client_s_variables_are_set() -> None:
    assert load({"TRILHA_URL": "http://127.0.0.1:8000", "TRILHA_API_KEY": "trl_live_x"}) == Settings()


def counts(**some: int) -> dict[str, int]:
    """A whole summary of which only these are not zero."""
    names = (
        *("created", "updated", "unchanged", "suspended", "reactivated", "enrolled", "already enrolled"),
        *("cancelled", "leavers", "wrong enrollments", "skipped", "failed", "changes"),
    )
    return dict.fromkeys(names, 0) | {name.replace("_", " "): n for name, n in some.items()}
