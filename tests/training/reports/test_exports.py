"""POST /v1/analytics/exports, GET /v1/analytics/exports/{id}, the worker that creates the files, and the
files.
"""

import asyncio
import csv
import io
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import openpyxl
import pyarrow.parquet
import pytest

from conftest import World
from training.reports.test_export_csv import HEADER, NAMES, fill
from trilha.app import PERSONAL_DATA
from trilha.cli.tenants import _remove_files
from trilha.core.file_store import FileStore, open_file_store
from trilha.core.signed_links import LASTS
from trilha.core.types import Name
from trilha.people.business_units import actions as units
from trilha.people.business_units.schema import NewBusinessUnit
from trilha.platform.tenants.operator import operator
from trilha.settings import Settings
from trilha.training.reports.exports import actions, files, queries
from trilha.training.reports.exports.errors import MAX_WAITING
from trilha.training.reports.exports.jobs import LEASE, MAX_TRIES, RETENTION, MakeExports, RemoveExports
from trilha.training.reports.exports.rows import ExportFilter
from trilha.training.reports.exports.writing import workbook

PATH = "/v1/analytics/exports"


@pytest.fixture
def store(settings: Settings) -> FileStore:
    return open_file_store(settings.files_url, settings.data_dir / "files")


@pytest.fixture
def worker(store: FileStore, tmp_path: Path) -> MakeExports:
    return MakeExports(store, tmp_path / "scratch")


async def request(world: World, type: str = "csv", **filters: str) -> str:
    answer = await world.http.post(PATH, json={"type": type, "filters": filters})
    assert answer.status_code == 202, answer.text
    data = answer.json()["data"]
    assert data == {"id": data["id"], "status": "PENDING"}
    id: str = data["id"]
    return id


async def read(world: World, id: str) -> dict[str, Any]:
    answer = await world.http.get(f"{PATH}/{id}")
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def download(world: World, id: str) -> bytes:
    url = (await read(world, id))["url"]
    async with world.client() as http:  # the link needs no credential
        answer = await http.get(_path(url))
    assert answer.status_code == 200, answer.text
    return answer.content


def _path(url: str) -> str:
    return "/" + url.split("/", 3)[3]


async def named(world: World) -> list[str]:
    """Enrolls people with every name that is difficult to write."""
    names = [name for name in NAMES if "\x02" not in name]
    for name in names:
        user = (await world.user())["id"]
        await world.enrollment(user_id=user)
        async with world.tx() as tx:
            await tx.execute(
                "UPDATE users SET name = :name WHERE tenant_id = :tenant AND id = :id", name=name, id=user
            )
    return names


async def test_a_file_is_made_and_there_for_a_day(
    world: World, worker: MakeExports, store: FileStore
) -> None:
    course = (await world.enrollment())["course_id"]
    await world.enrollment()
    id = await request(world, course_id=course, status="not_started")
    pending = {"id": id, "status": "PENDING", "rows": 0, "url": None, "expires_at": None}
    assert await read(world, id) == pending
    assert await worker.run_next(world.database, world.tenant.id) == 1
    ready = await read(world, id)
    assert (ready["status"], ready["rows"]) == ("READY", 1)
    assert datetime.fromisoformat(ready["expires_at"]) == world.clock.now + RETENTION
    content = await download(world, id)
    assert content == (await world.http.get(f"{PATH}?course_id={course}")).content
    world.clock.move(seconds=RETENTION.total_seconds())
    assert (await world.http.get(f"{PATH}/{id}")).status_code == 404
    assert await RemoveExports(store).run_in(world.database, world.tenant.id) == 1
    assert not [key async for keys in store.list_keys(files.of_tenant(world.tenant.id)) for key in keys]


async def test_csv_has_no_limit_of_rows(world: World, worker: MakeExports) -> None:
    await fill(world, 50_002)
    id = await request(world)
    await worker.run_next(world.database, world.tenant.id)
    assert (await read(world, id))["rows"] == 50_002
    first, *rest = csv.reader(io.StringIO((await download(world, id)).decode(), newline=""))
    assert (first, len(rest)) == (HEADER, 50_002)


async def test_xlsx_holds_texts_numbers_and_times(world: World, worker: MakeExports) -> None:
    names = await named(world)
    id = await request(world, "xlsx")
    await worker.run_next(world.database, world.tenant.id)
    book = openpyxl.load_workbook(io.BytesIO(await download(world, id)))
    header, *rest = book.worksheets[0].iter_rows()
    assert [cell.value for cell in header] == HEADER
    # XML cannot contain a carriage return, so a workbook escapes it.
    found = {str(row[0].value).replace("_x000D_", "\r") for row in rest}
    assert found == set(names)
    assert {cell.data_type for row in rest for cell in row if cell.value is not None} == {"s", "n", "d"}
    assert all(row[4].value == 0 and row[5].value is None for row in rest)
    assert all(row[6].value == world.clock.now.replace(tzinfo=None) for row in rest)


async def test_parquet_holds_texts_numbers_and_times(world: World, worker: MakeExports) -> None:
    names = await named(world)
    id = await request(world, "parquet")
    await worker.run_next(world.database, world.tenant.id)
    table = pyarrow.parquet.read_table(io.BytesIO(await download(world, id)))
    assert table.column_names == HEADER
    assert set(table["student_name"].to_pylist()) == set(names)
    assert set(table["progress"].to_pylist()) == {0.0}
    assert set(table["score"].to_pylist()) == {None}
    assert set(table["enrolled_at"].to_pylist()) == {world.clock.now.astimezone(UTC)}


def test_what_one_sheet_has_no_room_for_goes_on_in_the_next(tmp_path: Path) -> None:
    source, target = tmp_path / "rows.csv", tmp_path / "rows.xlsx"
    lines = [",".join(HEADER), *(f"Ana {n},a@x.org,C,COMPLETED,100,,,,," for n in range(7))]
    source.write_text("\r\n".join([*lines, ""]), newline="")
    workbook.write(source, target, (4, 2), lambda _: None, sheet_rows=4)
    sheets = openpyxl.load_workbook(target).worksheets
    assert [[row[0] for row in sheet.iter_rows(values_only=True)] for sheet in sheets] == [
        ["student_name", "Ana 0", "Ana 1", "Ana 2"],
        ["student_name", "Ana 3", "Ana 4", "Ana 5"],
        ["student_name", "Ana 6"],
    ]


async def test_a_link_is_good_for_a_while_and_for_its_file_alone(
    world: World, stranger: World, worker: MakeExports
) -> None:
    id, other = await request(world), await request(stranger)
    for each in (world, stranger):
        await worker.run_next(each.database, each.tenant.id)
    url = _path((await read(world, id))["url"])
    async with world.client() as http:
        foreign = url.replace(id, other).replace(str(world.tenant.id), str(stranger.tenant.id))
        for wrong, code in (
            (foreign, "link_invalid"),
            (url[:-1] + ("0" if url[-1] != "0" else "1"), "link_invalid"),
            (url.partition("?")[0], "link_invalid"),
        ):
            answer = await http.get(wrong)
            assert (answer.status_code, answer.json()["error"]["code"]) == (403, code)
        assert (await http.get(url.replace("enrollments.csv", "other.csv"))).status_code == 404
        world.clock.move(seconds=LASTS.total_seconds())
        assert (await http.get(url)).json()["error"]["code"] == "link_expired"
        assert (await http.get(_path((await read(world, id))["url"]))).status_code == 200


async def test_made_again_by_another_worker_when_the_first_one_was_killed(
    world: World, worker: MakeExports
) -> None:
    await world.enrollment()
    id = await request(world)
    async with world.tx() as tx:  # the state of a worker that was killed
        assert await queries.claim(tx, tx.now + LEASE)
    assert (await read(world, id))["status"] == "RUNNING"
    assert await worker.run_next(world.database, world.tenant.id) == 0
    world.clock.move(seconds=LEASE.total_seconds())
    assert await worker.run_next(world.database, world.tenant.id) == 1
    assert (await read(world, id))["status"] == "READY"


async def test_given_up_after_some_tries(world: World, worker: MakeExports) -> None:
    id = await request(world)
    for _ in range(MAX_TRIES):
        async with world.tx() as tx:
            assert await queries.claim(tx, tx.now + LEASE)
        world.clock.move(seconds=LEASE.total_seconds())
    await worker.run_next(world.database, world.tenant.id)
    failed = await read(world, id)
    assert (failed["status"], failed["url"]) == ("FAILED", None)
    assert await worker.run_next(world.database, world.tenant.id) == 0


async def test_a_store_that_fails_is_tried_again(world: World, tmp_path: Path) -> None:
    class Full(FileStore):
        async def move(self, key: str, source: Path) -> None:
            raise OSError(28, "No space left on device")

    (tmp_path / "store").mkdir()
    full = Full(lambda: None, tmp_path / "store")  # type: ignore[arg-type,return-value]
    id = await request(world)
    await MakeExports(full, tmp_path / "scratch").run_next(world.database, world.tenant.id)
    assert (await read(world, id))["status"] == "RUNNING"
    assert list((tmp_path / "scratch").iterdir()) == []


async def test_erasing_a_person_takes_every_file_back(world: World, worker: MakeExports) -> None:
    user = (await world.user(name="Ana Apagada"))["id"]
    await world.enrollment(user_id=user)
    ready = await request(world)
    await worker.run_next(world.database, world.tenant.id)
    url = _path((await read(world, ready))["url"])
    running = await request(world)
    async with world.tx() as tx:
        held = await queries.claim(tx, tx.now + LEASE)
    assert held is not None
    async with world.tx() as tx:
        await PERSONAL_DATA.erase(tx, UUID(user))
    async with world.client() as http:
        assert (await http.get(url)).status_code == 404
    async with world.tx() as tx:  # the worker of the other export finds that it no longer owns it
        assert not await queries.finish(tx, held, 1, "exports/x", 1, b"", tx.now + timedelta(days=1))
    await worker.run_next(world.database, world.tenant.id)
    assert b"Apagada" not in await download(world, running)


async def test_nothing_while_the_tenant_is_suspended(world: World, worker: MakeExports) -> None:
    id, waiting = await request(world), ""
    await worker.run_next(world.database, world.tenant.id)
    url = _path((await read(world, id))["url"])
    waiting = await request(world)
    for status in ("SUSPENDED", "ACTIVE"):
        async with operator(world.url, world.clock) as each:
            await each.set_status(world.tenant.slug, status)
        made = await worker.run_next(world.database, world.tenant.id)
        async with world.client() as http:
            found = (await http.get(url)).status_code
        assert (made, found) == ((0, 404) if status == "SUSPENDED" else (1, 200))
    assert (await read(world, waiting))["status"] == "READY"


async def test_only_so_many_wait(world: World) -> None:
    for _ in range(20):
        await request(world)
    answer = await world.http.post(PATH, json={"type": "csv"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "too_many_exports")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        *(({}, "type"), ({"type": "pdf"}, "type"), ({"type": "csv", "rows": 1}, "rows")),
        ({"type": "csv", "filters": {"status": "DONE"}}, "filters.status"),
        ({"type": "csv", "filters": {"course_id": "7"}}, "filters.course_id"),
        ({"type": "csv", "filters": {"reader": None}}, "filters.reader"),
    ],
)
async def test_what_is_no_member_or_value_of_one(world: World, body: Any, field: str) -> None:
    answer = await world.http.post(PATH, json=body)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)


async def test_another_tenants_export_is_not_there(world: World, stranger: World) -> None:
    id = await request(stranger)
    for each in (id, "7"):
        answer = await world.http.get(f"{PATH}/{each}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "export_not_found")


async def test_of_many_that_come_together_only_as_many_as_may_wait_are_taken(world: World) -> None:
    answers = await asyncio.gather(
        *(world.http.post(PATH, json={"type": "csv"}) for _ in range(3 * MAX_WAITING))
    )
    taken = [each for each in answers if each.status_code == 202]
    assert len(taken) == MAX_WAITING
    assert {each.json()["error"]["code"] for each in answers if each not in taken} == {"too_many_exports"}


async def test_repeating_the_call_makes_one_export(world: World, worker: MakeExports) -> None:
    sent = {"json": {"type": "csv"}, "headers": {"idempotency-key": "one"}}
    first, second = [await world.http.post(PATH, **sent) for _ in range(2)]
    assert first.json() == second.json()
    assert second.headers["idempotent-replayed"] == "true"
    assert [await worker.run_next(world.database, world.tenant.id) for _ in range(2)] == [1, 0]


async def test_wiping_a_tenant_removes_files_too(world: World, worker: MakeExports, store: FileStore) -> None:
    await request(world)
    await worker.run_next(world.database, world.tenant.id)
    await _remove_files(store, world.tenant.id)
    assert not [key async for keys in store.list_keys(files.of_tenant(world.tenant.id)) for key in keys]


@pytest.mark.parametrize("type", ["csv", "xlsx", "parquet"])
async def test_files_of_the_panel_name_the_workplace(world: World, worker: MakeExports, type: str) -> None:
    async with world.tx() as tx:
        unit = await units.create(tx, NewBusinessUnit(name=Name("Fábrica")))
    user = await world.user(name="Ana Lima", employee_number="A1", business_unit_id=str(unit.id))
    manager = await world.user(name="Gil Alves", role="gestor")
    await world.enrollment(user_id=user["id"])
    async with world.tx() as tx:
        await units.set_managers(tx, unit.id, [UUID(manager["id"])])
        export = await actions.request(tx, type, ExportFilter(workplaces=True))
    await worker.run_next(world.database, world.tenant.id)
    content = await download(world, str(export.id))
    expected = ["Ana Lima", user["email"], "A1", "Fábrica", "Gil Alves", "Segurança"]
    if type == "csv":
        heads, row = list(csv.reader(io.StringIO(content.decode(), newline="")))
    elif type == "xlsx":
        sheet = openpyxl.load_workbook(io.BytesIO(content)).worksheets[0]
        heads, row = [[str(cell) for cell in each] for each in sheet.iter_rows(values_only=True)]
    else:
        table = pyarrow.parquet.read_table(io.BytesIO(content))
        heads, row = table.column_names, [str(each) for each in table.to_pylist()[0].values()]
    assert heads == [*HEADER[:2], "employee_number", "business_unit", "manager", *HEADER[2:]]
    assert row[:6] == expected
