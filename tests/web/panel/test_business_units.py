"""/admin/units"""

from uuid import UUID

from conftest import World
from web.panel.training_pages import actions_on_record, browsing, flash, id_of, manage, rows, send, unit


async def test_a_tree_is_made_and_found(world: World) -> None:
    admin = await browsing(world)
    assert "No business units yet" in (await admin.get("/admin/units")).text
    top = await send(admin, "/admin/units/new", name="Matriz", code="SP-01")
    assert flash(top) == "The unit Matriz was created."
    top_id = top.headers["location"].rpartition("/")[2]
    await send(admin, "/admin/units/new", name="Fábrica", parent_id=top_id)
    page = (await admin.get("/admin/units")).text
    assert rows(page) == ["Matriz", "Fábrica"]
    assert 'data-depth="1"' in page
    found = (await admin.get("/admin/units?q=fabri")).text
    assert rows(found) == ["Fábrica"]
    assert "Matriz" in found
    assert "No results for" in (await admin.get("/admin/units?q=nada")).text
    assert (await admin.get(f"/admin/units/{top_id}")).text.count("Fábrica") >= 1


async def test_a_taken_code_is_refused_and_nothing_typed_is_lost(world: World) -> None:
    admin = await browsing(world)
    await unit(world, "Matriz", code="SP-01")
    refused = await send(admin, "/admin/units/new", name="Outra", code="SP-01")
    assert refused.status_code == 422
    assert "Another unit already uses this code. Enter a different one." in refused.text
    assert 'value="Outra"' in refused.text


async def test_editing_clears_a_code(world: World) -> None:
    admin = await browsing(world)
    unit_id = await unit(world, "Matriz", code="SP-01")
    await send(admin, f"/admin/units/{unit_id}/edit", name="Sede", code="")
    page = (await admin.get(f"/admin/units/{unit_id}")).text
    assert "Sede" in page
    assert "SP-01" not in page


async def test_a_unit_is_moved_but_not_below_itself(world: World) -> None:
    admin = await browsing(world)
    top = await unit(world, "Matriz")
    below = await unit(world, "Fábrica", top)
    offered = (await admin.get(f"/admin/units/{top}/move")).text
    assert str(below) not in offered
    refused = await send(admin, f"/admin/units/{top}/move", parent_id=str(below))
    assert (refused.status_code, "into itself or its subunits" in refused.text) == (422, True)
    assert flash(await send(admin, f"/admin/units/{below}/move")) == "The unit Fábrica was moved."
    assert 'data-depth="1"' not in (await admin.get("/admin/units")).text


async def test_managers_are_added_and_removed(world: World) -> None:
    admin = await browsing(world)
    unit_id = await unit(world, "Matriz")
    gestor = await world.user(role="gestor", name="Gil Dias")
    learner = await world.user(name="Lia Melo")
    address = f"/admin/units/{unit_id}/managers"
    offered = (await admin.get("/admin/units/people?q=gil")).text
    assert gestor["id"] in offered
    assert "Lia" not in (await admin.get("/admin/units/people?q=lia")).text
    await send(admin, address, user_id=gestor["id"])
    assert "Gil Dias" in (await admin.get("/admin/units")).text
    refused = await send(admin, address, user_id=learner["id"])
    assert (refused.status_code, "with the manager role" in refused.text) == (422, True)
    await send(admin, f"{address}/remove", user_id=gestor["id"])
    assert "Gil Dias" not in (await admin.get("/admin/units")).text
    assert (await actions_on_record(world)).count("business_unit.managers_changed") == 2


async def test_only_an_empty_unit_is_deleted(world: World) -> None:
    admin = await browsing(world)
    full, empty = await unit(world, "Cheia"), await unit(world, "Vazia")
    await world.user(business_unit_id=str(full))
    assert "1 person" in (await admin.get(f"/admin/units/{full}/delete")).text
    refused = await send(admin, f"/admin/units/{full}/delete")
    assert refused.status_code == 422
    assert "Cheia" in (await admin.get("/admin/units")).text
    assert flash(await send(admin, f"/admin/units/{empty}/delete")) == "The unit Vazia was deleted."


async def test_a_manager_sees_their_units_alone_and_changes_none(world: World) -> None:
    gestor = await browsing(world, "gestor")
    assert "You do not manage any units yet" in (await gestor.get("/admin/units")).text
    top, other = await unit(world, "Matriz"), await unit(world, "Outra")
    below = await unit(world, "Fábrica", top)
    await manage(world, top, await id_of(world, "gestor"))
    page = (await gestor.get("/admin/units")).text
    assert rows(page) == ["Matriz", "Fábrica"]
    assert "/admin/units/new" not in page
    assert (await gestor.get(f"/admin/units/{below}")).status_code == 200
    assert (await gestor.get(f"/admin/units/{other}")).status_code == 404
    assert (await send(gestor, f"/admin/units/{top}/edit", name="X")).status_code == 403


async def test_another_companys_units_are_not_there(world: World, stranger: World) -> None:
    admin = await browsing(stranger)
    unit_id: UUID = await unit(world, "Matriz")
    for path in ("", "/edit", "/move", "/managers", "/delete"):
        assert (await admin.get(f"/admin/units/{unit_id}{path}")).status_code == 404
    assert (await send(admin, f"/admin/units/{unit_id}/edit", name="X")).status_code == 404
    assert (await send(admin, f"/admin/units/{unit_id}/delete")).status_code == 404
    refused = await send(admin, "/admin/units/new", name="Fábrica", parent_id=str(unit_id))
    assert refused.status_code == 404
