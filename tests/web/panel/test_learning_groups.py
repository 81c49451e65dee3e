"""/admin/groups"""

from uuid import UUID

from conftest import World
from trilha.core.types import Name
from trilha.people.learning_groups import actions
from trilha.people.learning_groups.schema import NewLearningGroup
from web.panel.training_pages import act, actions_on_record, browsing, flash, id_of, manage, rows, send, unit


async def group(world: World, name: str = "Brigada", *members: str) -> UUID:
    async with world.tx() as tx:
        made = await actions.create(tx, NewLearningGroup(name=Name(name)))
        await actions.add_members(tx, made.id, [UUID(each) for each in members])
    return made.id


async def test_a_group_is_made_changed_and_deleted(world: World) -> None:
    admin = await browsing(world)
    assert "No learning groups yet" in (await admin.get("/admin/groups")).text
    made = await send(admin, "/admin/groups/new", name="Brigada", description="Quem apaga o fogo")
    assert "was created" in flash(made)
    address = made.headers["location"]
    again = await send(admin, "/admin/groups/new", name="Brigada")
    assert (
        again.status_code,
        "Another group already has this name. Enter a different one." in again.text,
    ) == (422, True)
    await send(admin, f"{address}/edit", name="Brigada de incêndio", description="")
    page = (await admin.get("/admin/groups")).text
    assert rows(page) == ["Brigada de incêndio"]
    assert "Quem apaga" not in page
    assert "deleted" in flash(await send(admin, f"{address}/delete"))
    assert rows((await admin.get("/admin/groups")).text) == []
    assert {"learning_group.created", "learning_group.updated", "learning_group.deleted"} <= set(
        await actions_on_record(world)
    )


async def test_those_ticked_are_added_and_removed(world: World) -> None:
    admin = await browsing(world)
    group_id = await group(world)
    people = [await world.user(name=name) for name in ("Ana Lima", "Bia Sá", "Caio Paz")]
    address = f"/admin/groups/{group_id}"
    assert rows((await admin.get(f"{address}/add?q=bia")).text) == ["Bia Sá"]
    added = await send(admin, f"{address}/add", id=[people[0]["id"], people[1]["id"]])
    assert flash(added) == "People added: 2. Already members: 0."
    assert rows((await admin.get(address)).text) == ["Ana Lima", "Bia Sá"]
    assert rows((await admin.get(f"{address}?sort=-name")).text) == ["Bia Sá", "Ana Lima"]
    assert rows((await admin.get(f"{address}?q=ana")).text) == ["Ana Lima"]
    assert "Select people" in flash(await send(admin, f"{address}/add"))
    await act(admin, f"{address}/bulk/remove", id=people[0]["id"])
    assert rows((await admin.get(address)).text) == ["Bia Sá"]


async def test_all_that_a_search_finds_are_added(world: World) -> None:
    admin = await browsing(world)
    group_id = await group(world)
    factory = await unit(world, "Fábrica")
    for number in range(23):
        # The search includes e-mail addresses, none of which begins with z.
        await world.user(
            name=f"{'Zeca' if number < 10 else 'Pessoa'} {number:02}", business_unit_id=str(factory)
        )
    await world.user(name="Pessoa de fora")
    page = (await admin.get(f"/admin/groups/{group_id}/add?unit={factory}")).text
    assert "Select all 23" in page
    added = await send(admin, f"/admin/groups/{group_id}/add", all="true", unit=str(factory))
    assert flash(added) == "People added: 23. Already members: 0."
    assert len(rows((await admin.get(f"/admin/groups/{group_id}")).text)) == 20
    removed = await act(admin, f"/admin/groups/{group_id}/bulk/remove", all="true", q="zeca")
    assert flash(removed) == "10 people were removed from the group."


async def test_addresses_that_nobody_has_are_told(world: World) -> None:
    admin = await browsing(world)
    group_id = await group(world)
    ana, bia = await world.user(name="Ana Lima"), await world.user(name="Bia Sá")
    address = f"/admin/groups/{group_id}/add-by-email"
    pasted = f"Ana <{ana['email'].upper()}>; nobody@example.com\n{bia['email']}, not-an-address"
    told = await send(admin, address, emails=pasted)
    assert told.status_code == 200
    assert "2 e-mail addresses not found" in told.text
    assert "nobody@example.com" in told.text
    assert "not-an-address" in told.text
    assert ana["email"] not in told.text
    assert rows((await admin.get(f"/admin/groups/{group_id}")).text) == ["Ana Lima", "Bia Sá"]
    assert flash(await send(admin, address, emails=ana["email"])) == "People added: 0. Already members: 1."
    assert (await send(admin, address, emails="")).status_code == 422


async def test_a_manager_sees_the_members_of_their_units(world: World) -> None:
    gestor = await browsing(world, "gestor")
    mine = await unit(world, "Minha")
    await manage(world, mine, await id_of(world, "gestor"))
    near, far = await world.user(name="Perto", business_unit_id=str(mine)), await world.user(name="Longe")
    group_id = await group(world, "Brigada", near["id"], far["id"])
    page = (await gestor.get(f"/admin/groups/{group_id}")).text
    assert rows(page) == ["Perto"]
    assert "Longe" not in page
    assert (await gestor.get(f"/admin/groups/{group_id}/add")).status_code == 403
    assert (await send(gestor, f"/admin/groups/{group_id}/bulk/remove", id=near["id"])).status_code == 403


async def test_another_companys_groups_and_people_are_not_there(world: World, stranger: World) -> None:
    admin = await browsing(stranger)
    group_id = await group(world)
    for path in ("", "/edit", "/add", "/add-by-email", "/delete"):
        assert (await admin.get(f"/admin/groups/{group_id}{path}")).status_code == 404
    ana = await world.user(name="Ana Lima")
    theirs = await group(stranger)
    assert "No one was added" in flash(await send(admin, f"/admin/groups/{theirs}/add", id=ana["id"]))
