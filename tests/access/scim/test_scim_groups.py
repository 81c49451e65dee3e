"""SCIM groups are the tenant's learning groups."""

from typing import Any
from uuid import uuid4

import pytest

from access.scim.providers import GROUP, LIST, G, Provider, check_error, op
from conftest import World
from trilha.core.database import Tx
from trilha.core.lists import fetch_page
from trilha.people.learning_groups import actions as learning_groups
from trilha.people.learning_groups.lists import GROUPS
from trilha.people.learning_groups.schema import GroupQuery, NewLearningGroup


def members(*ids: str) -> list[dict[str, str]]:
    return [{"value": each} for each in ids]


async def people(provider: Provider, count: int) -> list[str]:
    return [(await provider.user())["id"] for _ in range(count)]


async def in_group(provider: Provider, id: str) -> set[str]:
    told = (await provider.get(f"{G}/{id}")).json()
    return {each["value"] for each in told.get("members", [])}


async def names(tx: Tx) -> list[tuple[str, int]]:
    page = await fetch_page(tx, GROUPS, GroupQuery())
    return [(each.name, each.members) for each in page.data]


async def test_a_group_is_a_learning_group(provider: Provider, world: World) -> None:
    ana, bia = await people(provider, 2)
    group = await provider.group(
        displayName="Motoristas", externalId="g1", members=members(ana, bia, str(uuid4()))
    )
    assert group["schemas"] == [GROUP]
    assert {each["value"] for each in group["members"]} == {ana, bia}
    async with world.tx() as tx:
        assert await names(tx) == [("Motoristas", 2)]
    check_error(await provider.post({"displayName": "Motoristas"}, G), 409, "uniqueness")
    check_error(await provider.post({"displayName": "Outros", "externalId": "g1"}, G), 409, "uniqueness")
    check_error(await provider.post({}, G), 400, "invalidValue")
    assert (await provider.delete(group["id"], G)).status_code == 204
    check_error(await provider.get(f"{G}/{group['id']}"), 404)
    async with world.tx() as tx:
        assert await names(tx) == []


async def test_groups_made_in_the_panel_are_seen(provider: Provider, world: World) -> None:
    async with world.tx() as tx:
        made = await learning_groups.create(tx, NewLearningGroup(name="Painel"))  # type: ignore[arg-type]
    told = (await provider.filtered('displayName eq "painel"', G)).json()
    assert (told["schemas"], told["totalResults"]) == ([LIST], 1)
    (group,) = told["Resources"]
    assert (group["id"], group["displayName"]) == (str(made.id), "Painel")
    changed = await provider.patch(group["id"], op("replace", "externalId", "p1"), path=G)
    assert changed.status_code == 200
    assert await provider.found('externalId eq "p1"', G) == [group["id"]]


async def test_filters_and_parts_of_groups(provider: Provider) -> None:
    ana, bia = await people(provider, 2)
    one = await provider.group(members=members(ana))
    two = await provider.group(members=members(bia))
    await provider.group()
    assert await provider.found(f'members eq "{ana}"', G) == [one["id"]]
    assert await provider.found(f'members.value eq "{ana}" or members[value eq "{bia}"]', G) == [
        *(one["id"], two["id"])
    ]
    assert await provider.found("not (members pr)", G) != []
    assert await provider.found(f'id eq "{one["id"]}"', G) == [one["id"]]
    assert await provider.found('id eq "nonsense"', G) == []
    check_error(await provider.filtered('userName eq "x"', G), 400, "invalidFilter")
    told = (await provider.get(G, excludedAttributes="members", sortBy="displayName")).json()
    assert not any("members" in each for each in told["Resources"])
    shown = [each["displayName"].lower() for each in told["Resources"]]
    assert shown == sorted(shown)


@pytest.mark.parametrize(
    "add",
    [
        lambda user: op("Add", "members", [{"value": user}]),
        lambda user: op("add", "members", {"value": user}),
        lambda user: op("add", value={"members": [{"value": user, "display": "x"}]}),
    ],
    ids=["Entra", "one", "pathless"],
)
@pytest.mark.parametrize(
    "remove",
    [
        lambda user: op("Remove", f'members[value eq "{user}"]'),
        lambda user: op("Remove", "members", [{"value": user}]),
    ],
    ids=["path", "Entra"],
)
async def test_members_come_and_go(provider: Provider, add: Any, remove: Any) -> None:
    ana, bia = await people(provider, 2)
    group = await provider.group(members=members(bia))
    answer = await provider.patch(group["id"], add(ana), path=G)
    assert (answer.status_code, await in_group(provider, group["id"])) == (200, {ana, bia})
    assert answer.headers["etag"] != group["meta"]["version"]
    again = await provider.patch(group["id"], add(ana), path=G)
    assert again.headers["etag"] == answer.headers["etag"]
    await provider.patch(group["id"], remove(ana), path=G)
    assert await in_group(provider, group["id"]) == {bia}
    assert (await provider.patch(group["id"], remove(ana), path=G)).status_code == 200


async def test_okta_replaces_all_of_a_group(provider: Provider) -> None:
    ana, bia = await people(provider, 2)
    group = await provider.group(displayName="Antes", members=members(ana))
    told = await provider.patch(
        group["id"], op("replace", value={"id": group["id"], "displayName": "Depois"}), path=G
    )
    assert (told.status_code, told.json()["displayName"]) == (200, "Depois")
    await provider.patch(group["id"], op("replace", "members", members(bia)), path=G)
    assert await in_group(provider, group["id"]) == {bia}
    answer = await provider.put(group["id"], {"displayName": "Enfim", "members": members(ana)}, G)
    assert (answer.status_code, await in_group(provider, group["id"])) == (200, {ana})
    await provider.patch(group["id"], op("remove", "members"), path=G)
    assert await in_group(provider, group["id"]) == set()


async def test_hundreds_of_members_in_one_call(provider: Provider, world: World) -> None:
    async with world.tx() as tx:
        rows = await tx.rows(
            """
            INSERT INTO users (tenant_id, email, name, role, created_at, updated_at)
            SELECT :tenant, 'p' || n || '@example.com', 'Ana', 'learner', :now, :now
            FROM generate_series(1, 600) AS n RETURNING id
            """
        )
    ids = [str(row["id"]) for row in rows]
    group = await provider.group()
    sent = members(*ids, str(uuid4()), "nonsense")
    answer = await provider.patch(group["id"], op("Add", "members", sent), path=G)
    assert answer.status_code == 200
    assert await in_group(provider, group["id"]) == set(ids)
    some = [op("Remove", f'members[value eq "{each}"]') for each in ids[:300]]
    assert (await provider.patch(group["id"], *some, path=G)).status_code == 200
    assert await in_group(provider, group["id"]) == set(ids[300:])
    too_many = [op("remove", "members")] * 1001
    check_error(await provider.patch(group["id"], *too_many, path=G), 400, "tooMany")


async def test_all_operations_on_a_group_or_none(provider: Provider) -> None:
    (ana,) = await people(provider, 1)
    group = await provider.group(displayName="Antes")
    wrong = [
        (op("replace", "id", "x"), "mutability"),
        (op("replace", "members[value eq ", "x"), "invalidPath"),
        (op("remove", 'members[type eq "User"]'), "invalidPath"),
        (op("remove"), "noTarget"),
        (op("add", "members", [7]), None),
        (op("move", "members"), "invalidValue"),
        (op("replace", "displayName", ""), "invalidValue"),
        (op("remove", "displayName"), "mutability"),
    ]
    for operation, scim_type in wrong:
        first = op("replace", "displayName", "CHANGED")
        answer = await provider.patch(
            group["id"], first, op("add", "members", members(ana)), operation, path=G
        )
        check_error(answer, 400, scim_type or "invalidValue")
    told = (await provider.get(f"{G}/{group['id']}")).json()
    assert (told["displayName"], told.get("members")) == ("Antes", None)


async def test_groups_of_another_tenant(provider: Provider, other_provider: Provider) -> None:
    (ana,) = await people(provider, 1)
    group = await provider.group(members=members(ana))
    own = await other_provider.group()
    for answer in (
        await other_provider.get(f"{G}/{group['id']}"),
        await other_provider.put(group["id"], {"displayName": "x"}, G),
        await other_provider.patch(group["id"], op("remove", "members"), path=G),
        await other_provider.delete(group["id"], G),
    ):
        check_error(answer, 404)
    await other_provider.patch(own["id"], op("add", "members", members(ana)), path=G)
    assert await in_group(other_provider, own["id"]) == set()
    assert await in_group(provider, group["id"]) == {ana}


async def test_who_is_deleted_is_in_no_group(provider: Provider) -> None:
    ana, bia = await people(provider, 2)
    group = await provider.group(members=members(ana, bia))
    await provider.delete(ana)
    assert await in_group(provider, group["id"]) == {bia}
