"""What changes in a company where sign-in with the provider is required."""

from uuid import UUID

import pytest

from access.sso.federation import Company
from conftest import World
from trilha.access.sessions.invitations import send_due
from trilha.access.sso import enforcement
from trilha.core.errors import Conflict
from trilha.people.users import actions as users


async def made_admin(world: World, company: Company, name: str) -> UUID:
    body = {"email": f"{name}@{company.domain}", "password": "correct horse"}
    admin = UUID((await world.user(**body))["id"])
    await world.promote(admin, "admin")
    return admin


async def test_the_last_administrator_who_gets_in_stays_one(world: World, company: Company) -> None:
    first, second = [await made_admin(world, company, name) for name in ("root", "other")]
    async with world.tx() as tx:
        await enforcement.set_break_glass(tx, first, allowed=True)
        await enforcement.require(tx)
    for change in (users.suspend, lambda tx, user_id: users.change_role(tx, user_id, "learner")):
        with pytest.raises(Conflict) as refused:
            async with world.tx() as tx:
                await change(tx, first)
        assert refused.value.code == "last_admin"
    async with world.tx() as tx:
        await users.suspend(tx, second)  # could not sign in anyway
        await enforcement.allow_passwords(tx)
        await users.reactivate(tx, second)
        await users.suspend(tx, first)


async def test_nobody_is_asked_to_choose_a_password(world: World, company: Company) -> None:
    admin = await made_admin(world, company, "root")
    async with world.tx() as tx:
        await enforcement.set_break_glass(tx, admin, allowed=True)
        await enforcement.require(tx)
    await world.user(email=f"bia@{company.domain}", password=None)
    async with world.tx() as tx:
        await tx.execute("UPDATE users SET invitation_due = true WHERE tenant_id = :tenant")
        assert await send_due(tx, address="https://learn.example.com", per_day=500) > 0
        sql = "SELECT count(*) FROM mail_messages WHERE tenant_id = :tenant AND kind = 'invitation'"
        assert await tx.value(sql) == 0
