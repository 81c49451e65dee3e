"""What people are qualified for: over HTTP, on pages, and as it expires."""

from typing import Any
from uuid import UUID

from conftest import World
from trilha.app import PERSONAL_DATA
from trilha.training.qualifications import queries
from trilha.training.qualifications.jobs import TELL
from web.panel.training_pages import browsing, flash, send

PATH = "/v1/qualifications"


async def qualify(world: World, user_id: object, **members: Any) -> dict[str, Any]:
    body = {
        "user_id": str(user_id),
        "title": "Instrutor de NR-35",
        "issuing_body": "CREA-SP",
        "register_number": "5069123456",
        "valid_from": "2020-01-01",
    }
    answer = await world.http.post(PATH, json=body | members)
    assert answer.status_code == 201, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def _mails(world: World) -> list[str]:
    async with world.tx() as tx:
        rows = await tx.rows(
            "SELECT kind FROM mail_messages WHERE tenant_id = :tenant AND kind = 'qualification_expires'"
        )
    return [row["kind"] for row in rows]


async def test_a_qualification_is_added_changed_and_removed(world: World) -> None:
    user = await world.user()
    made = await qualify(world, user["id"])
    assert (made["state"], made["valid_until"], made["has_document"]) == ("VALID", None, False)
    one = f"{PATH}/{made['id']}"
    changed = await world.http.patch(one, json={"valid_until": "2020-12-31", "register_number": None})
    assert changed.json()["data"]["state"] == "EXPIRED"
    assert changed.json()["data"]["register_number"] is None
    backwards = await world.http.patch(one, json={"valid_from": "2021-01-01"})
    assert backwards.status_code == 400
    assert "ends_before_it_begins" in backwards.text
    found = (await world.http.get(PATH, params={"state": "EXPIRED", "user_id": user["id"]})).json()["data"]
    assert [each["id"] for each in found] == [made["id"]]
    assert (await world.http.delete(one)).status_code == 204
    assert (await world.http.get(one)).status_code == 404
    assert (await world.http.get(PATH)).json()["data"] == []


async def test_a_qualification_counts_on_its_days_alone(world: World) -> None:
    user = UUID((await world.user())["id"])
    await qualify(world, user, valid_from="2026-01-10", valid_until="2026-01-20")
    async with world.tx() as tx:
        for day, title, count in (
            ("2026-01-09", None, 0),
            ("2026-01-10", "instrutor  DE nr-35", 1),
            ("2026-01-20", None, 1),
            ("2026-01-21", None, 0),
            ("2026-01-15", "Instrutor de NR-10", 0),
        ):
            assert len(await queries.list_valid(tx, [user], day, title)) == count, day


async def test_a_title_may_grow_when_it_is_normalized(world: World) -> None:
    user = UUID((await world.user())["id"])
    title = "\ufdfa" * 45  # 810 characters under NFKC
    made = await qualify(world, user, title=title)
    async with world.tx() as tx:
        assert [str(each.id) for each in await queries.list_valid(tx, [user], "2020-01-01", title)] == [
            made["id"]
        ]


async def test_the_person_is_told_twice_before_it_expires(world: World) -> None:
    user = await world.user()
    last = (world.clock().date()).toordinal() + 60
    day = type(world.clock().date()).fromordinal(last).isoformat()
    await qualify(world, user["id"], valid_until=day)
    assert not await TELL.run_in(world.database, world.tenant.id)
    world.clock.move(days=31)
    assert await TELL.run_in(world.database, world.tenant.id) == 1
    assert not await TELL.run_in(world.database, world.tenant.id)
    world.clock.move(days=23)
    assert await TELL.run_in(world.database, world.tenant.id) == 1
    world.clock.move(days=100)
    assert not await TELL.run_in(world.database, world.tenant.id)
    assert await _mails(world) == ["qualification_expires"] * 2


async def test_an_administrator_adds_one_with_its_document(world: World) -> None:
    user = await world.user(name="Ana Lima")
    admin = await browsing(world)
    fields = {
        "user_id": user["id"],
        "title": "Instrutor de NR-35",
        "issuing_body": "CREA-SP",
        "valid_from": "2026-01-01",
    }
    bad = await send(admin, "/admin/qualifications/new", files={"document": ("a.exe", b"MZ")}, **fields)
    assert bad.status_code == 422
    done = await send(admin, "/admin/qualifications/new", files={"document": ("a.pdf", b"%PDF-1")}, **fields)
    assert flash(done) == "The qualification was added."
    assert "Ana Lima" in (await admin.get("/admin/qualifications")).text
    tab = (await admin.get(f"/admin/people/{user['id']}/qualifications")).text
    assert "Instrutor de NR-35" in tab
    (row,) = (await world.http.get(PATH)).json()["data"]
    address = f"/admin/qualifications/{row['id']}"
    assert (await admin.get(f"{address}/document")).content == b"%PDF-1"
    backwards = fields | {"valid_until": "2025-01-01"}
    assert (await send(admin, address, files={"document": ("", b"")}, **backwards)).status_code == 422
    done = await send(admin, f"{address}/remove")
    assert flash(done) == "The qualification Instrutor de NR-35 was removed."
    assert (await admin.get(f"{address}/document")).status_code == 404


async def test_managers_see_their_people_and_change_nothing(world: World) -> None:
    user = await world.user()
    made = await qualify(world, user["id"])
    manager = await browsing(world, "gestor")
    assert "Instrutor de NR-35" not in (await manager.get("/admin/qualifications")).text
    assert (await manager.get(f"/admin/qualifications/{made['id']}")).status_code == 403
    assert (await manager.get(f"/admin/qualifications/{made['id']}/document")).status_code == 404
    assert (await manager.get(f"/admin/people/{user['id']}/qualifications")).status_code == 404


async def test_an_erasure_keeps_the_evidence_without_the_document(world: World) -> None:
    user = await world.user()
    made = await qualify(world, user["id"])
    async with world.tx() as tx:
        await PERSONAL_DATA.erase(tx, UUID(user["id"]))
    left = (await world.http.get(f"{PATH}/{made['id']}")).json()["data"]
    assert (left["register_number"], left["has_document"]) == ("5069123456", False)
    body = {name: made[name] for name in ("user_id", "title", "issuing_body", "valid_from")}
    refused = await world.http.post(PATH, json=body)
    assert refused.status_code == 404
