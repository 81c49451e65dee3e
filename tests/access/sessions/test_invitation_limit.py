"""Integrations have a daily limit of mails to addresses of their choice; administrators have none."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID

from httpx2 import AsyncClient

from conftest import World
from trilha.access.sessions import invitations
from trilha.platform.mail import daily_limits
from web.panel.signing_in import send, signed_in

JOB = invitations.job("http://trilha.test", 3)
PAGE = "/admin/outbox/invitations"


def strangers(count: int, first: int = 0) -> list[dict[str, Any]]:
    return [
        {"email": f"stranger-{n}@example.com", "name": f"Stranger {n}"} for n in range(first, first + count)
    ]


async def create(world: World, count: int, first: int = 0) -> None:
    answer = await world.http.put("/v1/users/bulk", json={"users": strangers(count, first)})
    assert answer.json()["data"]["created"] == count, answer.text


async def run(world: World) -> None:
    while await JOB.run_in(world.database, world.tenant.id):
        pass


async def mailed(world: World, kind: str = "invitation") -> list[str]:
    async with world.tx() as tx:
        rows = await tx.rows(
            "SELECT to_email FROM mail_messages WHERE tenant_id = :tenant AND kind = :kind", kind=kind
        )
    return sorted(row["to_email"] for row in rows)


async def limit_to(world: World, invitations: int | None) -> None:
    async with world.tx() as tx:
        await daily_limits.set_limit(tx, invitations)


async def test_what_is_over_the_limit_waits_for_the_next_day(world: World) -> None:
    await create(world, 5)
    await run(world)
    assert len(first := await mailed(world)) == 3
    world.clock.now += timedelta(days=1)
    await create(world, 3, first=5)
    await run(world)
    assert set(first) < set(second := await mailed(world))
    assert len(second) == 6
    # the message that has waited longest is first
    assert {f"stranger-{n}@example.com" for n in range(5)} < set(second)


async def test_two_workers_count_exactly(world: World) -> None:
    await create(world, 40)
    await limit_to(world, 25)
    await asyncio.gather(*(run(world) for _ in range(4)))
    assert len(await mailed(world)) == 25


async def test_what_an_administrator_asks_for_is_sent_at_once(world: World) -> None:
    await create(world, 4)
    await run(world)
    admin = await signed_in(world)
    form = {"email": "novo@example.com", "name": "Novo Colega", "role": "learner", "entry": "invitation"}
    assert (await send(admin, "/admin/people/new", **form)).status_code == 303
    (waiting,) = {f"stranger-{n}@example.com" for n in range(4)} - set(await mailed(world))
    await invite(admin, world, waiting)
    await run(world)
    assert len(await mailed(world)) == 5


async def invite(admin: AsyncClient, world: World, email: str) -> None:
    (user,) = (await world.http.get(f"/v1/users?email={email}")).json()["data"]
    page = (await admin.get(f"/admin/people/{user['id']}")).text
    assert "the invitation will be sent shortly" in page
    assert (await send(admin, f"/admin/people/{user['id']}/invite")).status_code == 303


async def test_somebody_without_a_way_in_by_password_does_not_count(world: World) -> None:
    await create(world, 5)
    (first,) = (await world.http.get("/v1/users?email=stranger-0@example.com")).json()["data"]
    await world.http.post(f"/v1/users/{first['id']}/suspend")
    await run(world)
    assert len(await mailed(world)) == 3
    assert "stranger-0@example.com" not in await mailed(world)


async def test_the_panel_tells_when_the_limit_is_near_and_when_it_is_reached(world: World) -> None:
    await limit_to(world, 5)
    admin = await signed_in(world)
    assert "Nothing needs your attention" not in (overview := (await admin.get("/admin")).text)
    assert PAGE not in overview
    await create(world, 4)
    await run(world)
    overview = (await admin.get("/admin")).text
    assert "Integrations sent 4 invitations today (limit: 5)" in overview
    assert f'href="{PAGE}"' in overview
    await create(world, 3, first=4)
    await run(world)
    overview = (await admin.get("/admin")).text
    assert "2 invitations are waiting: today's limit of 5 was reached" in overview
    waiting = {f"stranger-{n}@example.com" for n in range(7)} - set(await mailed(world))
    (last,) = (await world.http.get(f"/v1/users?email={waiting.pop()}")).json()["data"]
    page = (await admin.get(f"/admin/people/{last['id']}")).text
    assert "the invitation waits, because today's limit is reached" in page


async def test_an_administrator_raises_the_limit(world: World) -> None:
    await limit_to(world, 3)
    await create(world, 5)
    await run(world)
    admin = await signed_in(world)
    page = (await admin.get(PAGE)).text
    assert "3 of 3" in page
    for wrong in ("0", "1000001", "many"):
        assert (await send(admin, PAGE, invitations=wrong)).status_code == 422
    assert (await send(admin, PAGE, invitations="5")).status_code == 303
    await run(world)
    assert len(await mailed(world)) == 5
    assert "5 of 5" in (await admin.get(PAGE)).text
    assert (await send(admin, PAGE, invitations="")).status_code == 303
    assert "of 500" in (await admin.get(PAGE)).text


async def test_notices_to_addresses_that_nobody_used_are_limited(world: World) -> None:
    """Otherwise a key could write to strangers by changing a user's address again and again."""
    user = await world.user(email="somebody@example.com")
    for n in range(daily_limits.NOTICES + 5):
        changed = await world.http.patch(f"/v1/users/{user['id']}", json={"email": f"s-{n}@example.com"})
        assert changed.status_code == 200
    assert len(await mailed(world, "email_changed")) == daily_limits.NOTICES
    async with world.tx() as tx:  # the person signs in with the current address
        await tx.execute(
            "UPDATE users SET last_login_at = :now, email_changed_at = :now"
            " WHERE tenant_id = :tenant AND id = :id",
            id=UUID(user["id"]),
        )
    await world.http.patch(f"/v1/users/{user['id']}", json={"email": "last@example.com"})
    assert len(await mailed(world, "email_changed")) == daily_limits.NOTICES + 1
