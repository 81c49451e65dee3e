"""Files of lists of people: all that match the filters, or the selected rows, with unit and manager."""

import csv
import io
import re
from uuid import UUID, uuid4

import httpx2
import pytest

from conftest import World
from training.requirements.settling import require
from trilha.core.types import Name
from trilha.people.business_units import actions as units
from trilha.people.business_units.schema import NewBusinessUnit
from trilha.training.learning_paths import actions as paths
from trilha.training.learning_paths.jobs import ROLL_OUT
from trilha.training.learning_paths.schema import NewPath
from web.panel.signing_in import browser_of, made, send, signed_in

WORKPLACE = ["Person", "E-mail", "Employee number", "Business unit", "Manager"]


class Site:
    """Ana in a unit with a manager, Rui in another, each in every list."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.addresses: dict[str, str] = {}

    async def open(self) -> None:
        world = self.world
        self.manager = await made(world, "gestor", name="Gil Alves")
        async with world.tx() as tx:
            plant = (await units.create(tx, NewBusinessUnit(name=Name("Fábrica")))).id
            await units.set_managers(tx, plant, [self.manager.id])
        self.ana = await world.user(name="Ana Lima", employee_number="A1", business_unit_id=str(plant))
        self.rui = await world.user(name="=Rui Reis", employee_number="B2")
        course = await world.course(title="NR-35")
        for person in (self.ana, self.rui):
            await world.enrollment(user_id=person["id"], course_id=course)
        requirement = await require(world, course_id=str(course))
        async with world.tx() as tx:
            path = (await paths.create(tx, NewPath(title=Name("Trilha")))).id  # type: ignore[arg-type]
            await paths.set_courses(tx, path, [course])
            await paths.publish(tx, path)
            await paths.assign_people(tx, path, [UUID(self.ana["id"]), UUID(self.rui["id"])])
        await ROLL_OUT.run_in(world.database, world.tenant.id)
        self.addresses = {
            "/admin/people.csv": "/admin/people/export",
            "/admin/enrollments.csv": "/admin/enrollments/export",
            f"/admin/requirements/{requirement['id']}/people.csv": (
                f"/admin/requirements/{requirement['id']}/export"
            ),
            f"/admin/paths/{path}/people.csv": f"/admin/paths/{path}/people/export",
        }


@pytest.fixture
async def site(world: World) -> Site:
    site = Site(world)
    await site.open()
    return site


def read(answer: httpx2.Response) -> tuple[list[str], dict[str, list[str]]]:
    """Returns the heads, and the rows by name."""
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"].startswith('attachment; filename="')
    heads, *rows = csv.reader(io.StringIO(answer.content.decode("utf-8-sig"), newline=""))
    assert {len(row) for row in rows} <= {len(heads)}
    return heads, {row[0]: row for row in rows}


async def test_every_file_names_the_workplace(site: Site) -> None:
    admin = await signed_in(site.world)
    for address in site.addresses:
        heads, rows = read(await admin.get(address))
        assert heads[:5] == WORKPLACE
        assert rows["Ana Lima"][:5] == ["Ana Lima", site.ana["email"], "A1", "Fábrica", "Gil Alves"]
        assert rows["'=Rui Reis"][2:5] == ["B2", "", ""]


async def test_a_file_has_the_rows_that_match(site: Site) -> None:
    admin = await signed_in(site.world)
    for address, export in site.addresses.items():
        assert set(read(await admin.get(address, params={"q": "ana"}))[1]) == {"Ana Lima"}
        everything = await send(admin, export, all="true", q="ana")
        assert set(read(everything)[1]) == {"Ana Lima"}


async def test_a_file_has_the_selected_rows(site: Site) -> None:
    admin = await signed_in(site.world)
    for address, export in site.addresses.items():
        path = address.removesuffix(".csv")
        path = path.removesuffix("/people") if "requirements" in path else path
        page = (await admin.get(path, params={"q": "reis"})).text
        selected = re.findall(r'type="checkbox" name="id" value="([^"]+)"', page)
        assert len(selected) == 1, address
        assert set(read(await send(admin, export, id=selected[0]))[1]) == {"'=Rui Reis"}
        nothing = await send(admin, export)
        assert nothing.status_code == 303
        assert read(await send(admin, export, id=str(uuid4())))[1] == {}


async def test_a_manager_gets_only_their_people(site: Site) -> None:
    manager = await browser_of(site.world, site.manager)
    for address, export in site.addresses.items():
        rows = read(await manager.get(address))[1]
        assert "Ana Lima" in rows
        assert "'=Rui Reis" not in rows
        for person in (site.ana, site.rui):
            assert "'=Rui Reis" not in read(await send(manager, export, id=person["id"]))[1]


async def test_nothing_of_another_company(site: Site, stranger: World) -> None:
    admin = await signed_in(stranger)
    for address, export in site.addresses.items():
        answer = await admin.get(address)
        posted = await send(admin, export, id=site.ana["id"])
        if "/people.csv" in address and address != "/admin/people.csv":
            assert (answer.status_code, posted.status_code) == (404, 404)
        else:
            assert "Ana Lima" not in answer.text
            assert "Ana Lima" not in posted.text
