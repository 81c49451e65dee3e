"""A form for all rows of a list changes exactly those that the list shows, with every pair of its filters."""

import html
import itertools
import re
from uuid import UUID, uuid4

import httpx2
import pytest

from conftest import World
from trilha.core.lists import List
from trilha.core.types import Name
from trilha.people.learning_groups import actions as groups
from trilha.people.learning_groups.schema import NewLearningGroup
from trilha.training.learning_paths import actions as paths
from trilha.training.learning_paths.jobs import ROLL_OUT
from trilha.training.learning_paths.schema import NewPath
from trilha.web.panel import feature, people_picker
from trilha.web.panel.bulk.actions import list_actions
from trilha.web.panel.learning_groups.pages import build_members_table
from trilha.web.panel.lists import Table
from web.panel.training_pages import act, browsing, send, unit

Filters = dict[str, str]
_PEOPLE = """
    INSERT INTO users (tenant_id, email, name, role, status, business_unit_id, created_at, updated_at)
    SELECT :tenant, 'p' || n || '@example.com', (ARRAY['Ana Lima', 'Bia Lima', 'Ana Prado'])[1 + n % 3],
           (ARRAY['learner', 'instrutor'])[1 + n / 3 % 2],
           (ARRAY['ACTIVE', 'ACTIVE', 'SUSPENDED'])[1 + n / 6 % 3],
           (:units::uuid[])[1 + n / 18 % 3], :now, :now
    FROM generate_series(0, 53) AS n RETURNING id"""


class Office:
    """People of every kind, and requests for all of them on a page of the panel."""

    def __init__(self, world: World, admin: httpx2.AsyncClient, group: UUID, values: dict[str, str]) -> None:
        self.world, self.admin, self.group, self.values = world, admin, group, values

    async def shown(self, path: str, filters: Filters) -> tuple[set[UUID], Filters]:
        """Returns the ids of the rows on all pages, and the hidden fields of the form on the first."""
        page = (await self.admin.get(path, params={"limit": "7", **filters})).text
        hidden = dict(re.findall(r'type="hidden" name="(q|unit|role|group)" value="([^"]*)"', page))
        ids = set(_ids(page))
        while found := re.search(r'hx-get="([^"]*cursor=[^"]*)"', page):
            page = (await self.admin.get(html.unescape(found[1]), headers={"hx-request": "true"})).text
            ids |= set(_ids(page))
        return ids, {name: html.unescape(value) for name, value in hidden.items()}

    async def ids(self, sql: str, **params: object) -> set[UUID]:
        async with self.world.tx() as tx:
            return {row[0] for row in await tx.rows(sql, **params)}

    def pairs(self, *names: str) -> list[Filters]:
        chosen = [pair for count in (0, 1, 2) for pair in itertools.combinations(names, count)]
        return [{name: self.values[name] for name in pair} for pair in chosen]


def _ids(page: str) -> list[UUID]:
    return [UUID(each) for each in re.findall(r'type="checkbox" name="id" value="([^"]+)"', page)]


@pytest.fixture
async def office(world: World) -> Office:
    admin = await browsing(world)
    top = await unit(world, "Matriz")
    units = [top, await unit(world, "Filial", top), await unit(world, "Outra")]
    async with world.tx() as tx:
        people = [row["id"] for row in await tx.rows(_PEOPLE, units=units)]
        group = await groups.create(tx, NewLearningGroup(name=Name("Turma")))
        await groups.add_members(tx, group.id, people[::2])
    return Office(
        world, admin, group.id, {"q": "ana", "unit": str(top), "role": "learner", "group": str(group.id)}
    )


MEMBERS = "SELECT user_id FROM learning_group_members WHERE tenant_id = :tenant AND group_id = :group"


async def test_all_candidates_of_a_group(office: Office) -> None:
    for number, filters in enumerate(office.pairs("q", "unit", "role")):
        async with office.world.tx() as tx:
            group = (await groups.create(tx, NewLearningGroup(name=Name(f"Turma {number}")))).id
        path = f"/admin/groups/{group}/add"
        shown, hidden = await office.shown(path, filters)
        assert hidden == filters
        await send(office.admin, path, all="true", **hidden)
        assert await office.ids(MEMBERS, group=group) == shown != set()


async def test_all_members_of_a_group(office: Office) -> None:
    path = f"/admin/groups/{office.group}"
    for filters in [*office.pairs("q")[::-1], {"q": "bia", "sort": "-name"}]:
        before = await office.ids(MEMBERS, group=office.group)
        shown, hidden = await office.shown(path, filters)
        await act(office.admin, f"{path}/bulk/remove", all="true", **hidden)
        assert await office.ids(MEMBERS, group=office.group) == before - shown


async def test_all_candidates_of_a_path(office: Office) -> None:
    course = await office.world.course()
    for filters in office.pairs("q", "unit", "role"):
        async with office.world.tx() as tx:
            path_id = (await paths.create(tx, NewPath(title=Name("Trilha")))).id  # type: ignore[arg-type]
            await paths.set_courses(tx, path_id, [course])
            await paths.publish(tx, path_id)
        path = f"/admin/paths/{path_id}/assign"
        shown, hidden = await office.shown(path, filters)
        assert hidden == filters
        await send(office.admin, path, all="true", **hidden)
        await ROLL_OUT.run_in(office.world.database, office.world.tenant.id)
        assigned = (
            "SELECT user_id FROM learning_path_assignments WHERE tenant_id = :tenant AND path_id = :path"
        )
        assert await office.ids(assigned, path=path_id) == shown != set()


async def test_all_who_are_enrolled_at_once(office: Office) -> None:
    path = "/admin/enrollments/many"
    for filters in office.pairs("q", "unit", "role", "group"):
        course = await office.world.course()
        page = (await office.admin.get(path, params=filters)).text
        hidden = dict(re.findall(r'name="(q|unit|role|group)" value="([^"]*)" form="enroll"', page))
        assert hidden == filters
        await send(office.admin, path, course_id=course, **hidden)
        enrolled = "SELECT user_id FROM enrollments WHERE tenant_id = :tenant AND course_id = :course"
        # The same people as those of a group's picker, which has no filter by group.
        shown, _ = await office.shown(f"/admin/groups/{office.group}/add", filters)
        assert await office.ids(enrolled, course=course) == shown != set()
        count = re.search(r"Enroll (\d+) people", page)
        assert count
        assert int(count[1]) == len(shown)


def test_every_list_with_an_action_is_held_to_the_oracle() -> None:
    """A list with an action or a download must be in tests/lists/test_lists_against_an_oracle.py, or its
    actions in tests/web/panel/bulk/test_every_action.py.
    """
    modules = {route.handler.__module__ for routes in feature.PAGES for route in routes.all}
    tables = [build_members_table(uuid4()), people_picker.table("", "", "")]
    for name in modules:
        module = __import__(name, fromlist=["*"])
        tables += [each for each in vars(module).values() if isinstance(each, Table)]
    in_bulk = {each.targets.listing.name for each in list_actions() if isinstance(each.targets.listing, List)}
    acted_on = {each.listing.name for each in tables if each.listing and (each.bulk or each.download)}
    assert len(tables) > 15
    assert acted_on - in_bulk == {"certificates/listed", "audit", "bank-questions"}
