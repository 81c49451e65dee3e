"""The audit log is read in pages, with filters and a search, and as CSV."""

import csv
import io
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from conftest import World
from trilha.access.api_keys import actions as api_keys
from trilha.core.credentials import Actor
from trilha.core.errors import Invalid
from trilha.core.web.pagination import Page
from trilha.platform.audit import export, lists, queries
from trilha.platform.audit.schema import AuditQuery, AuditRecord


async def page(world: World, **filters: Any) -> Page[AuditRecord]:
    async with world.tx() as tx:
        return await queries.list_page(tx, AuditQuery(**filters))


async def found(world: World, **filters: Any) -> list[AuditRecord]:
    return list((await page(world, limit=100, **filters)).data)


async def as_csv(world: World, **filters: Any) -> list[list[str]]:
    reading = partial(world.database.transaction, world.tenant.id, read_only=True)
    raw = b"".join([piece async for piece in export.stream(reading, AuditQuery(**filters))])
    return list(csv.reader(io.StringIO(raw.decode("utf-8-sig"), newline="")))


async def test_pages_show_every_record_once_newest_first(world: World) -> None:
    for _ in range(7):
        world.clock.move(seconds=1)
        await world.user()
    seen: list[AuditRecord] = []
    cursor = None
    while True:
        each = await page(world, limit=3, cursor=cursor)
        seen += each.data
        await world.user()  # records that are added meanwhile do not interfere
        if (cursor := each.next_cursor) is None:
            break
    times = [each.created_at for each in seen]
    assert times == sorted(times, reverse=True)
    assert len({each.id for each in seen}) == len(seen) == 7 + 2  # the tenant and its key


async def test_a_cursor_belongs_to_its_filters_and_its_tenant(world: World, stranger: World) -> None:
    for each in (world, stranger):
        await each.user()
    cursor = (await page(world, limit=1)).next_cursor
    with pytest.raises(Invalid):
        await page(world, limit=1, cursor=cursor, action="user.")
    with pytest.raises(Invalid):
        await page(stranger, limit=1, cursor=cursor)


async def test_filters(world: World) -> None:
    user = await world.user()
    start = world.clock.now.isoformat()
    world.clock.move(minutes=1)
    middle = world.clock.now.isoformat()
    await world.http.post(f"/v1/users/{user['id']}/suspend")
    (actor,) = {each.actor for each in await found(world, action="user.")}
    told = [each.action for each in await found(world, target_id=UUID(user["id"]))]
    assert told == ["user.suspended", "user.created"]
    assert [each.action for each in await found(world, action="user.susp")] == ["user.suspended"]
    assert [each.action for each in await found(world, since=middle)] == ["user.suspended"]
    assert "user.suspended" not in [each.action for each in await found(world, until=middle)]
    assert await found(world, until=start) == []
    assert {each.action for each in await found(world, actor=actor)} == {"user.created", "user.suspended"}
    assert await found(world, action="user_") == []


async def test_names_are_those_of_today(world: World) -> None:
    user = await world.user(name="Ana Lima")
    course = await world.course(title="Altura")
    await world.enrollment(user_id=user["id"], course_id=course)
    await world.http.patch(f"/v1/users/{user['id']}", json={"name": "Ana Reis"})
    async with world.database.transaction(
        world.tenant.id, actor=Actor("session", user["id"], "192.0.2.7")
    ) as tx:
        await api_keys.create(tx, "ERP", ["users:read"], prefix="trl_live_")
    names = {each.action: each.target_name for each in await found(world) if each.target_name != "ERP"}
    assert names["user.created"] == "Ana Reis"
    assert names["enrollment.created"] == "Ana Reis, Altura"
    assert names["api_key.created"] == "Test"
    latest = await found(world, actor=user["id"])
    assert [(each.actor_kind, each.actor_name, each.source) for each in latest] == [
        ("session", "Ana Reis", "192.0.2.7")
    ]


async def test_search_finds_names_of_today_actions_and_sources(world: World) -> None:
    user = await world.user(name="Zoé 100%_", email="zoe@example.com")
    await world.user(name="Zoé 1000")
    await world.enrollment(user_id=user["id"])
    for text in ("Zoé 100%", "zoe@EXAMPLE"):
        assert {each.action for each in await found(world, search=text)} == {
            "user.created",
            "enrollment.created",
        }
        assert len(await found(world, search=text)) == 2
    assert [each.action for each in await found(world, search="course.cr")] == ["course.created"]
    assert await found(world, search="nobody of this name") == []


async def test_another_tenants_records_are_not_there(world: World, stranger: World) -> None:
    user = await stranger.user(name="Zoé")
    assert await found(world, target_id=UUID(user["id"])) == []
    assert await found(world, search="Zoé") == []
    assert user["id"] not in str(await as_csv(world))
    assert len(await found(stranger, search="Zoé")) == 1


async def test_csv_has_all_that_is_found_and_runs_nothing(world: World) -> None:
    for number in range(205):
        await world.user(name=f'=HYPERLINK("{number}")')
    header, *rows = await as_csv(world, action="user.", limit=1)
    assert header == list(export.COLUMNS)
    assert len(rows) == 205
    names = {row[header.index("target_name")] for row in rows}
    assert names == {f'\'=HYPERLINK("{number}")' for number in range(205)}
    assert {row[header.index("action")] for row in rows} == {"user.created"}


async def test_search_takes_other_filters_and_pages(world: World) -> None:
    person = await world.user(name="Zoé Prado")
    for _ in range(3):
        world.clock.move(seconds=1)
        await world.enrollment(user_id=person["id"])
    since = world.clock.now.isoformat()
    assert len(await found(world, search="prado zo")) == 4
    assert len(await found(world, search="Prado", action="enrollment.")) == 3
    assert len(await found(world, search="Prado", since=since)) == 1
    assert len(await found(world, search="Prado", until=since)) == 3
    assert len(await found(world, search="Prado", target_id=UUID(person["id"]))) == 1
    assert await found(world, search="Prado", actor="nobody") == []
    seen: list[UUID] = []
    cursor = None
    while True:
        each = await page(world, search="Prado", limit=1, cursor=cursor)
        seen += [record.id for record in each.data]
        if (cursor := each.next_cursor) is None:
            break
    assert seen == [each.id for each in await found(world, search="Prado")]


async def test_search_finds_who_did_it_from_where_and_names_on_record(world: World) -> None:
    person = await world.user(name="Zoé Prado")
    for number, source in enumerate(("192.0.2.7", "192.0.2.70")):
        world.clock.move(seconds=1)
        async with world.database.transaction(
            world.tenant.id, actor=Actor("session", person["id"], source)
        ) as tx:
            await queries.record(tx, "learning_group.deleted", None, f"Turma {number} 100%")
    by_person = await found(world, search="Prado", action="learning_group.")
    assert [each.source for each in by_person] == ["192.0.2.70", "192.0.2.7"]
    assert [each.source for each in await found(world, search="192.0.2.7")] == ["192.0.2.7"]
    assert [each.target_name for each in await found(world, search="turma 1")] == ["Turma 1 100%"]
    assert await found(world, search="turma_1") == []


async def test_filters_by_kind_of_action_go_with_pages_and_with_who_did_it(world: World) -> None:
    user = await world.user()
    for _ in range(2):
        world.clock.move(seconds=1)
        await world.http.post(f"/v1/users/{user['id']}/suspend")
        world.clock.move(seconds=1)
        await world.http.post(f"/v1/users/{user['id']}/reactivate")
    (actor,) = {each.actor for each in await found(world, action="user.")}
    first = await page(world, action="user.", actor=actor, limit=3)
    then = await page(world, action="user.", actor=actor, limit=3, cursor=first.next_cursor)
    assert [each.action for each in [*first.data, *then.data]] == [
        *("user.reactivated", "user.suspended", "user.reactivated", "user.suspended", "user.created")
    ]
    assert await found(world, action="user.", actor="nobody") == []


async def test_records_of_the_newest_enrollments_of_courses_that_are_found(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists, "MAX_ENROLLMENTS", 4)
    made: list[UUID] = []
    courses = [await world.course(title=f"Altura {number}") for number in range(3)]
    for number in (0, 0, 0, 1, 2, 0, 1, 1):
        world.clock.move(seconds=1)
        made.append(UUID((await world.enrollment(course_id=str(courses[number])))["id"]))
        await world.enrollment()
    records = await found(world, search="altura", action="enrollment.created")
    assert [each.target_id for each in records] == made[:-5:-1]
