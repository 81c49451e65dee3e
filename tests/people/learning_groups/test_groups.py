"""Learning groups and their members."""

from uuid import UUID, uuid4

import pytest

from conftest import World
from trilha.core.errors import Conflict
from trilha.core.lists import fetch_page
from trilha.core.types import Name
from trilha.people.learning_groups import actions, queries
from trilha.people.learning_groups.lists import GROUPS
from trilha.people.learning_groups.schema import GroupQuery, LearningGroupPatch, NewLearningGroup
from trilha.people.users.lists import PEOPLE
from trilha.people.users.reach import EVERYONE
from trilha.people.users.schema import PeopleQuery


async def test_members_come_and_go_in_bulk(world: World, stranger: World) -> None:
    people = [UUID((await world.user(name=f"P{n}"))["id"]) for n in range(3)]
    theirs = UUID((await stranger.user())["id"])
    async with world.tx() as tx:
        group = await actions.create(tx, NewLearningGroup(name=Name("CIPA"), description="x"))
        assert await actions.add_members(tx, group.id, [*people[:2], theirs, uuid4()]) == 2
        assert await actions.add_members(tx, group.id, people) == 1
        assert await actions.remove_members(tx, group.id, [people[0], theirs]) == 1
        assert (await queries.get(tx, group.id)).members == 2
        page = await fetch_page(tx, PEOPLE, PeopleQuery(group=group.id), EVERYONE)
        assert [person.name for person in page.data] == ["P1", "P2"]
        await actions.delete(tx, group.id)
        assert await tx.value("SELECT count(*) FROM users WHERE tenant_id = :tenant") == 3


async def test_a_name_is_one_groups(world: World, stranger: World) -> None:
    for each in (world, stranger):
        async with each.tx() as tx:
            await actions.create(tx, NewLearningGroup(name=Name("CIPA")))
    async with world.tx() as tx:
        other = await actions.create(tx, NewLearningGroup(name=Name("Brigada")))
    with pytest.raises(Conflict, match="learning_group_exists"):
        async with world.tx() as tx:
            await actions.update(tx, other.id, LearningGroupPatch(name=Name("CIPA")))
    async with world.tx() as tx:
        first = await fetch_page(tx, GROUPS, GroupQuery(limit=1))
        rest = await fetch_page(tx, GROUPS, GroupQuery(limit=1, cursor=first.next_cursor))
        assert [each.name for page in (first, rest) for each in page.data] == ["Brigada", "CIPA"]
        assert [each.name for each in (await fetch_page(tx, GROUPS, GroupQuery(q="ci"))).data] == ["CIPA"]
