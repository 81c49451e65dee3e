"""Recent provider requests are logged with their result and the changed attributes, without values."""

import asyncio
from uuid import uuid4

from access.scim.providers import ENT, Provider, U, a_user, op
from conftest import World
from trilha.access.scim import request_log
from trilha.access.scim.request_log import MAX_REQUESTS, REQUESTS, LogEntry, RequestLog, RequestQuery
from trilha.app import PERSONAL_DATA
from trilha.core.database import Tx
from trilha.core.lists import fetch_page


def log_of(world: World) -> RequestLog:
    (log,) = {found.__self__ for each in world.app.surfaces if (found := each.noted) is not None}
    assert isinstance(log, RequestLog)
    return log


async def written(world: World) -> None:
    """Writes at once what would be written a second later."""
    await log_of(world).write()


async def text_of(tx: Tx) -> str:
    rows = await tx.rows("SELECT r::text AS line FROM scim_requests r WHERE tenant_id = :tenant")
    return " ".join(row["line"] for row in rows)


async def test_what_is_kept_of_a_request(provider: Provider, world: World) -> None:
    user = await provider.user(userName="secret@example.com", **{ENT: {"department": "Frota"}})
    world.clock.move(seconds=1)
    await provider.patch(user["id"], op("replace", "title", "Chefe"), op("replace", f"{ENT}:division", "Sul"))
    world.clock.move(seconds=1)
    await provider.patch(user["id"], op("replace", "title", "Chefe"))
    world.clock.move(seconds=1)
    await provider.filtered('userName eq "secret@example.com" and')
    world.clock.move(seconds=1)
    await provider.get("/scim/v2/secret@example.com")
    await written(world)
    async with world.tx() as tx:
        found = (await fetch_page(tx, REQUESTS, RequestQuery())).data
        activity = await request_log.find_activity(tx)
        text = await text_of(tx)
    shown = [(each.method, each.route, each.status, each.scim_type, each.changed) for each in found]
    assert shown[:4] == [
        ("", "", 404, None, []),
        ("GET", "/Users", 400, "invalidFilter", []),
        ("PATCH", "/Users/{user_id}", 200, None, []),
        ("PATCH", "/Users/{user_id}", 200, None, ["title", "division"]),
    ]
    assert shown[4][:3] == ("POST", "/Users", 201)
    assert set(shown[4][4]) == {"userName", "name", "active", "department"}
    assert activity is not None
    assert (activity.requests, activity.failures, activity.changes) == (5, 2, 2)
    for secret in ("secret", "Chefe", "Frota", "Ana"):
        assert secret not in text


async def test_strangers_fill_no_log(provider: Provider, world: World) -> None:
    await world.client().get(U)
    await world.client("trl_scim_" + "x" * 43).get(U)
    await written(world)
    async with world.tx() as tx:
        assert (await fetch_page(tx, REQUESTS, RequestQuery())).data == []
        assert await request_log.find_activity(tx) is None


async def test_the_last_thousand_are_kept(world: World) -> None:
    def noted(count: int) -> list[LogEntry]:
        world.clock.move(seconds=1)
        return [LogEntry(uuid4(), world.clock(), "GET", "/Users", 200, None, [], None) for _ in range(count)]

    for count in (600, 600, 1):
        async with world.tx() as tx:
            await request_log.keep(tx, noted(count))
    async with world.tx() as tx:
        kept = await tx.value("SELECT count(*) FROM scim_requests WHERE tenant_id = :tenant")
        activity = await request_log.find_activity(tx)
    assert kept == MAX_REQUESTS
    assert activity is not None
    assert activity.requests == 1201


async def test_of_the_erased_nothing_is_left(provider: Provider, world: World) -> None:
    user = await provider.user(userName="gone@example.com", displayName="Gilda Gomes")
    await written(world)
    async with world.tx() as tx:
        await PERSONAL_DATA.erase(tx, user["id"])
    async with world.tx() as tx:
        rows = await tx.rows("SELECT s::text AS line FROM scim_users s WHERE tenant_id = :tenant")
        assert (list(rows), await text_of(tx)) == ([], "")
    assert (await provider.get(f"{U}/{user['id']}")).status_code == 404
    assert (await provider.get(U)).json()["totalResults"] == 0
    again = await provider.post(a_user(userName="gone@example.com"))
    assert (again.status_code, again.json()["id"] == user["id"]) == (201, False)


async def test_all_that_is_noted_is_written_when_one_of_two_writers_is_done(
    provider: Provider, world: World
) -> None:
    await provider.filtered('userName eq "ana@example.com"')
    log = log_of(world)
    first = asyncio.create_task(log.write())
    await asyncio.sleep(0)
    await log.write()
    assert first.done()
    async with world.tx() as tx:
        assert len((await fetch_page(tx, REQUESTS, RequestQuery())).data) == 1
