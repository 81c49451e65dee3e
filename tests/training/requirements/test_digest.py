"""The managers' weekly digest: once a week, only to managers whose people are late or due."""

from conftest import World
from training.requirements.settling import require, settle
from trilha.core.types import Name
from trilha.people.business_units import actions as units
from trilha.people.business_units.schema import NewBusinessUnit
from trilha.training.requirements.digest import build_job
from web.panel.signing_in import made

JOB = build_job("https://learn.example.com")


async def digests(world: World) -> list[tuple[str, str]]:
    async with world.tx() as tx:
        rows = await tx.rows(
            "SELECT id, to_email, content FROM mail_messages "
            "WHERE tenant_id = :tenant AND kind = 'manager_digest' ORDER BY created_at"
        )
    keyring = world.database.keyring
    return [
        (row["to_email"], keyring.open(row["content"], world.tenant.id, "mail_messages", row["id"]))
        for row in rows
    ]


async def work(world: World) -> None:
    await settle(world)
    while await JOB.run_in(world.database, world.tenant.id):
        pass


async def test_a_manager_is_told_once_a_week(world: World) -> None:
    manager, other = await made(world, "gestor"), await made(world, "gestor")
    async with world.tx() as tx:
        mine = (await units.create(tx, NewBusinessUnit(name=Name("Fábrica")))).id
        empty = (await units.create(tx, NewBusinessUnit(name=Name("Vazia")))).id
        await units.set_managers(tx, mine, [manager.id])
        await units.set_managers(tx, empty, [other.id])
    await world.user(name="Ana Lima", business_unit_id=str(mine))
    await require(world, title="NR-35", due_days=1)
    await work(world)
    assert await digests(world) == []
    for _ in range(9):
        world.clock.move(days=1)
        await work(world)
    sent = await digests(world)
    assert [to for to, _ in sent] == [manager.email] * len(sent)
    assert len(sent) in (1, 2)
    assert all(each in sent[-1][1] for each in ("Ana Lima", "NR-35", "/admin/requirements/matrix"))
    world.clock.move(days=7)
    await work(world)
    assert len(await digests(world)) == len(sent) + 1
    await world.http.patch("/v1/reminder-settings", json={"kinds": {"digest": False}})
    world.clock.move(days=7)
    await work(world)
    assert len(await digests(world)) == len(sent) + 1
