"""/admin/requirements/matrix, units and files, and the team on the overview."""

import csv
import io
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import openpyxl
import pypdf
import pytest

from conftest import World
from training.requirements.settling import by_title, complete, enrolled, require, settle
from trilha.core.file_store import FileStore, open_file_store
from trilha.core.types import Name
from trilha.people.business_units import actions as units
from trilha.people.business_units.schema import NewBusinessUnit
from trilha.settings import Settings
from trilha.training.reports.exports.jobs import MakeExports
from web.panel.signing_in import browser_of, made, send, signed_in

PATH = "/admin/requirements"


@pytest.fixture
def store(settings: Settings) -> FileStore:
    return open_file_store(settings.files_url, settings.data_dir / "files")


async def unit(world: World, name: str, parent_id: UUID | None = None) -> UUID:
    async with world.tx() as tx:
        return (await units.create(tx, NewBusinessUnit(name=Name(name), parent_id=parent_id))).id


async def manage(world: World, unit_id: UUID, manager_id: UUID) -> None:
    async with world.tx() as tx:
        await units.set_managers(tx, unit_id, [manager_id])


async def test_people_against_requirements(world: World) -> None:
    admin = await signed_in(world, "admin")
    plant = await unit(world, "Fábrica")
    line = await unit(world, "Linha 1", plant)
    ana = await world.user(name="Ana Lima", job_title="Eletricista", business_unit_id=str(line))
    rui = await world.user(name="Rui Reis", job_title="Pedreiro")
    await require(world, title="NR-10", rule=by_title("Eletricista"), due_days=1)
    await require(world, title="NR-18", rule=by_title("Pedreiro"), due_days=90)
    await complete(world, (await enrolled(world, ana["id"]))[0]["id"])

    async def page(**query: str) -> str:
        answer = await admin.get(f"{PATH}/matrix", params=query)
        assert answer.status_code == 200
        return str(answer.text)

    text = await page()
    assert all(each in text for each in ("Ana Lima", "Rui Reis", "NR-10", "NR-18"))
    assert "Rui Reis" not in await page(state="VALID")
    assert "Ana Lima" not in await page(state="MISSING")
    assert "Rui Reis" not in await page(unit=str(plant))
    assert "Ana Lima" not in await page(job_title="Pedreiro")
    before = world.clock.now
    world.clock.move(days=100)
    await settle(world)
    admin = await signed_in(world, "admin")
    assert "Rui Reis" in await page(state="OVERDUE")
    # On the earlier day, nobody was late.
    text = await page(as_of=f"{before:%Y-%m-%d}")
    assert "Not done yet" in text
    assert 'class="badge" data-state="bad"' not in text
    # The filters are those of the chosen day.
    assert "Rui Reis" not in await page(as_of=f"{before:%Y-%m-%d}", state="OVERDUE")
    assert "Rui Reis" in await page(as_of=f"{before:%Y-%m-%d}", state="MISSING")
    assert "Rui Reis" not in await page(as_of="2020-01-01")
    shares = (await admin.get(f"{PATH}/units")).text
    assert f"{PATH}/matrix?unit={plant}" in shares
    assert "100%" in shares
    assert (await admin.get(f"{PATH}/units", params={"as_of": f"{before:%Y-%m-%d}"})).status_code == 200
    assert rui


async def test_a_manager_finds_who_is_late_at_home_and_reminds_them(world: World) -> None:
    user = await made(world, "gestor")
    mine, other = await unit(world, "Minha"), await unit(world, "Outra")
    await manage(world, mine, user.id)
    await world.user(name="Ana Lima", business_unit_id=str(mine))
    await world.user(name="Rui Reis", business_unit_id=str(other))
    await require(world, title="NR-35", due_days=1)
    world.clock.move(days=3)
    await settle(world)
    manager = await browser_of(world, user)
    home = (await manager.get("/admin")).text
    assert "Ana Lima" in home
    assert "Rui Reis" not in home
    assert f"{PATH}/remind?state=OVERDUE" in home
    asked = await manager.get(f"{PATH}/remind", params={"state": "OVERDUE"})
    assert "Ana Lima gets a message" in asked.text
    await send(manager, f"{PATH}/remind", all="true", state="OVERDUE", step="send", text="Vamos?")
    events = [data for _, data in await world.events("reminder.sent") if data["kind"] == "manual"]
    assert len(events) == 1
    again = await send(manager, f"{PATH}/remind", all="true", state="OVERDUE", step="send")
    assert again.status_code == 303
    assert len([1 for _, data in await world.events("reminder.sent") if data["kind"] == "manual"]) == 1


async def test_a_manager_gives_more_time_from_home(world: World) -> None:
    user = await made(world, "gestor")
    mine = await unit(world, "Minha")
    await manage(world, mine, user.id)
    ana = await world.user(name="Ana Lima", business_unit_id=str(mine))
    rui = await world.user(name="Rui Reis")
    id = (await require(world, title="NR-35", due_days=1))["id"]
    world.clock.move(days=3)
    await settle(world)
    manager = await browser_of(world, user)
    address = f"/admin/people/{ana['id']}/requirements/{id}/extend"
    assert address in (await manager.get("/admin")).text
    done = await send(manager, address, days="15", page="overview")
    assert (done.status_code, done.headers["location"]) == (303, "/admin")
    await settle(world)
    # A shorter extension takes nothing away.
    await send(manager, address, days="7", page="overview")
    await settle(world)
    home = (await manager.get("/admin")).text
    assert address not in home
    tab = (await manager.get(f"/admin/people/{ana['id']}/requirements")).text
    assert address in tab
    async with world.tx() as tx:
        due = await tx.value(
            "SELECT due_at FROM all_enrollments WHERE tenant_id = :tenant AND user_id = :id",
            id=UUID(ana["id"]),
        )
    assert timedelta(days=15) <= datetime.fromisoformat(due) - world.clock.now < timedelta(days=16)
    world.clock.move(days=16)
    await settle(world)
    manager = await browser_of(world, user)
    assert address in (await manager.get("/admin")).text
    for other, days in ((ana, "365"), (rui, "15"), ({"id": str(user.id)}, "15")):
        refused = await send(manager, f"/admin/people/{other['id']}/requirements/{id}/extend", days=days)
        assert refused.status_code in (400, 403, 404)


async def test_an_instructor_gets_no_file(world: World) -> None:
    instructor = await signed_in(world, "instrutor")
    assert (await instructor.get(f"{PATH}/files")).status_code == 403
    assert (await send(instructor, f"{PATH}/files", type="csv")).status_code == 403


async def test_files(world: World, store: FileStore, tmp_path: Path) -> None:
    admin = await signed_in(world, "admin")
    plant = await unit(world, "Fábrica")
    await manage(world, plant, (await made(world, "gestor", name="Bia Reis")).id)
    ana = await world.user(
        name="=Ana; Lima",
        email=f"{uuid4().hex}@example.com",
        job_title="Eletricista",
        employee_number="0042",
        business_unit_id=str(plant),
    )
    await require(world, title="=NR-10", rule=by_title("Eletricista"), due_days=1, renew_months=12)
    world.clock.move(minutes=1)
    await complete(world, (await enrolled(world, ana["id"]))[0]["id"])
    before = world.clock.now
    world.clock.move(days=1)
    admin = await signed_in(world, "admin")
    contents = {}
    for type, day in (("csv", ""), ("xlsx", ""), ("pdf", ""), ("csv", f"{before:%Y-%m-%d}")):
        answer = await send(admin, f"{PATH}/files", type=type, as_of=day)
        assert answer.status_code == 303
        assert await MakeExports(store, tmp_path / "scratch").run_next(world.database, world.tenant.id) == 1
        link = await admin.get(f"{answer.headers['location']}/download")
        assert f"compliance.{type}" in link.headers["location"]
        contents[type, day] = (await admin.get(link.headers["location"])).content
    header, row = csv.reader(io.StringIO(contents["csv", ""].decode()))
    assert header == ["Name", "E-mail", "Employee number", "Business unit", "Manager", "Job title", "'=NR-10"]
    assert row[:1] + row[2:6] == ["'=Ana; Lima", "0042", "Fábrica", "Bia Reis", "Eletricista"]
    assert row[6].startswith("Valid · ")
    past = list(csv.reader(io.StringIO(contents["csv", f"{before:%Y-%m-%d}"].decode())))
    assert past[1][6] == "Valid"
    sheet = openpyxl.load_workbook(io.BytesIO(contents["xlsx", ""])).active
    assert [cell.value for cell in sheet[2]][::6] == ["=Ana; Lima", row[6]]
    assert sheet.cell(2, 1).data_type == "s"
    text = pypdf.PdfReader(io.BytesIO(contents["pdf", ""])).pages[0].extract_text()
    assert "=Ana; Lima" in text


async def test_a_person_is_excused(world: World) -> None:
    admin = await signed_in(world, "admin")
    ana = await world.user(name="Ana Lima")
    requirement = await require(world, title="NR-35")
    page = f"/admin/people/{ana['id']}/requirements"
    assert "Required by “NR-35”: it applies to everybody." in (await admin.get(page)).text
    form = f"{page}/{requirement['id']}/excuse"
    assert (await admin.get(form)).status_code == 200
    assert (await send(admin, form, reason=" ")).status_code == 422
    assert (await send(admin, form, reason="Afastada", until="2020-01-01")).status_code == 422
    assert (await send(admin, form, reason="Afastada", until="2040-01-01")).status_code == 303
    await settle(world)
    text = (await admin.get(page)).text
    assert all(each in text for each in ("Afastada", "Excused"))
    assert (await send(admin, f"{page}/{requirement['id']}/end-excuse")).status_code == 303
    await settle(world)
    assert "Afastada" not in (await admin.get(page)).text
