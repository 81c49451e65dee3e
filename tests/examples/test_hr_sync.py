"""Runs examples/hr_sync.py against a running server: the result is the same, whichever process is killed
meanwhile.
"""

import csv
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import psutil
import pytest

from examples.hr_company import FEW, PEOPLE, PUT, WHOLE, Company, at_length, company_of, counts
from running import Running, running
from trilha.settings import Settings, load

VICTIMS: dict[str, Callable[[Running], psutil.Process]] = {
    "worker": lambda server: server.children("serve")[1],
    "serve": lambda server: server.children("serve")[0],
    "database": Running.postmaster,
}


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
    # The file has another name, but the same people.
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


@pytest.mark.parametrize(("people", "limit"), [(15, "2/1s"), at_length(WHOLE, "20/5s")])
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
