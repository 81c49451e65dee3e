"""People without a password are invited by mail, once, and choose a password through the link."""

import re
from datetime import timedelta

from msgspec import json

from conftest import World
from trilha.access.sessions import invitations
from trilha.access.sessions.rules import INVITATION_LINK
from trilha.core.web.parsing import convert
from trilha.people.users import actions as users
from trilha.people.users.schema import NewUser, User
from web.panel.signing_in import send, signed_in

JOB = invitations.job("http://trilha.test", 500)


async def invited(world: World, **members: str) -> User:
    raw = {"email": "novo@example.com", "name": "Novo Colega"} | members
    async with world.tx() as tx:
        return await users.create(tx, convert(NewUser, raw, tx.today), None)


async def links(world: World, kind: str = "invitation") -> list[str]:
    """Returns the links of the mails that wait to be sent."""
    async with world.tx() as tx:
        rows = await tx.rows(
            """
            SELECT id, content FROM mail_messages
            WHERE tenant_id = :tenant AND kind = :kind ORDER BY created_at, id
            """,
            kind=kind,
        )
        opened = [tx.keyring.open(row["content"], tx.tenant_id, "mail_messages", row["id"]) for row in rows]
    return [json.decode(each)["message"]["link"] for each in opened]


async def reset_link(world: World) -> str:
    (link,) = await links(world, "password_reset")
    return link


async def test_an_invitation_is_sent_once_and_opens_the_way_in(world: World) -> None:
    await invited(world)
    assert await JOB.run_in(world.database, world.tenant.id) == 1
    assert await JOB.run_in(world.database, world.tenant.id) == 0
    (link,) = await links(world)
    world.clock.now += INVITATION_LINK - timedelta(minutes=1)
    client = world.client()
    client.headers["sec-fetch-site"] = "same-origin"
    answer = await client.post(link, data={"new_password": "one of my own"})
    assert answer.headers["location"] == f"/login?tenant={world.tenant.slug}"
    form = {"tenant_slug": world.tenant.slug, "email": "novo@example.com", "password": "one of my own"}
    assert (await client.post("/login", data=form)).headers["location"] == "/learn"
    client.cookies.clear()
    assert (await client.post(link, data={"new_password": "another one"})).status_code == 422
    async with world.tx() as tx:
        kinds = await tx.rows("SELECT kind FROM mail_messages WHERE tenant_id = :tenant")
    assert "password_changed" not in [each["kind"] for each in kinds]


async def test_the_worker_finds_who_is_to_be_invited(world: World) -> None:
    await invited(world)
    assert world.tenant.id in await JOB.due_tenants(world.database, world.tenant.id)
    await JOB.run_in(world.database, world.tenant.id)
    assert world.tenant.id not in await JOB.due_tenants(world.database, world.tenant.id)


async def test_a_link_lasts_a_week(world: World) -> None:
    await invited(world)
    await JOB.run_in(world.database, world.tenant.id)
    (link,) = await links(world)
    world.clock.now += INVITATION_LINK + timedelta(minutes=1)
    client = world.client()
    client.headers["sec-fetch-site"] = "same-origin"
    assert (await client.post(link, data={"new_password": "one of my own"})).status_code == 422


async def test_who_is_suspended_is_not_invited(world: World) -> None:
    user = await invited(world)
    async with world.tx() as tx:
        await users.suspend(tx, user.id)
    await JOB.run_in(world.database, world.tenant.id)
    assert await links(world) == []


async def test_an_administrator_invites_again(world: World) -> None:
    user = await invited(world)
    await JOB.run_in(world.database, world.tenant.id)
    (first,) = await links(world)
    admin = await signed_in(world)
    page = (await admin.get(f"/admin/people/{user.id}")).text
    assert re.search(r"None yet; invited", page)
    assert (await send(admin, f"/admin/people/{user.id}/invite")).status_code == 303
    await JOB.run_in(world.database, world.tenant.id)
    (second,) = set(await links(world)) - {first}
    client = world.client()
    client.headers["sec-fetch-site"] = "same-origin"
    assert (await client.post(first, data={"new_password": "one of my own"})).status_code == 422
    assert (await client.post(second, data={"new_password": "one of my own"})).status_code == 303
    again = await send(admin, f"/admin/people/{user.id}/invite")
    assert again.status_code == 422
    assert "This person has a password already." in again.text


async def test_asking_for_another_password_leaves_the_invitation_alone(world: World) -> None:
    """Anyone can request a password for anyone, so this must not lock a new colleague out."""
    await invited(world)
    await JOB.run_in(world.database, world.tenant.id)
    (link,) = await links(world)
    stranger = world.client()
    stranger.headers["sec-fetch-site"] = "same-origin"
    asked = {"tenant_slug": world.tenant.slug, "email": "novo@example.com"}
    assert (await stranger.post("/login/forgotten", data=asked)).status_code == 200
    reset = await reset_link(world)
    assert (await stranger.get(reset)).status_code == 200
    world.clock.now += timedelta(hours=2)  # the requested link has expired, and the invitation has not
    assert (await stranger.get(reset)).status_code == 422
    assert (await stranger.post(link, data={"new_password": "one of my own"})).status_code == 303


async def test_whoever_chose_a_password_leaves_no_other_link_behind(world: World) -> None:
    await invited(world)
    await JOB.run_in(world.database, world.tenant.id)
    (link,) = await links(world)
    client = world.client()
    client.headers["sec-fetch-site"] = "same-origin"
    asked = {"tenant_slug": world.tenant.slug, "email": "novo@example.com"}
    await client.post("/login/forgotten", data=asked)
    reset = await reset_link(world)
    assert (await client.post(link, data={"new_password": "one of my own"})).status_code == 303
    assert (await client.post(reset, data={"new_password": "one of theirs"})).status_code == 422
