"""The worker issues certificates for completions from before certificates existed, and notifies nobody."""

import asyncio
from typing import Any
from uuid import UUID

import pytest

from conftest import World
from trilha.app import PERSONAL_DATA
from trilha.training.enrollments import actions as enrollments
from trilha.training.learning.completion import missing_certificates
from trilha.training.learning.completion.jobs import ISSUE_MISSING_CERTIFICATES
from trilha.training.learning.evidence import log
from trilha.training.learning.evidence import queries as evidence_queries


async def earlier(world: World, *, logged: bool = False, **course: Any) -> UUID:
    """Creates an enrollment that was completed before certificates existed, as the migration finds it."""
    enrollment = await world.enrollment(course_id=await world.course(**course))
    id = UUID(enrollment["id"])
    async with world.tx() as tx:
        await enrollments.start(tx, id)
        await enrollments.complete(tx, id)
        if logged:
            head = await evidence_queries.lock_head(tx, id)
            head = await log.append(tx, head, "launched", None)
            head = await log.append(tx, head, "completed", None)
            await log.append(tx, head, "launched", None)
        await tx.execute(
            "INSERT INTO missing_certificates (tenant_id, enrollment_id) VALUES (:tenant, :id)", id=id
        )
    return id


async def work(world: World) -> int:
    return await ISSUE_MISSING_CERTIFICATES.run_in(world.database, world.tenant.id)


async def certificates(world: World) -> dict[UUID, Any]:
    async with world.tx() as tx:
        rows = await tx.rows("SELECT * FROM certificates WHERE tenant_id = :tenant")
    return {each["enrollment_id"]: each for each in rows}


async def test_each_gets_its_own(world: World) -> None:
    plain, logged = await earlier(world), await earlier(world, logged=True)
    limited = await earlier(world, certificate_validity_months=60)
    over = await earlier(world, certificate_validity_months=1)
    world.clock.move(days=365)
    assert world.tenant.id in await ISSUE_MISSING_CERTIFICATES.due_tenants(
        world.database, start=world.tenant.id
    )
    assert await work(world) == 4
    assert await work(world) == 0
    made = await certificates(world)
    assert set(made) == {plain, logged, limited, over}
    assert made[plain]["evidence_number"] is None
    assert (made[logged]["evidence_number"], len(made[logged]["evidence_hash"])) == (2, 32)
    # It has the date of the completion, and is valid from then on.
    assert made[plain]["completed_at"] < made[plain]["issued_at"]
    assert made[over]["expires_at"] < made[over]["issued_at"]
    assert {id: each["notice"] for id, each in made.items()} == {
        plain: None,
        logged: None,
        limited: "EXPIRING",
        over: None,
    }
    assert len(await world.events("certificate.issued")) == 4


async def test_what_has_one_is_passed_over(world: World) -> None:
    id = await earlier(world)
    await work(world)
    async with world.tx() as tx:
        await tx.execute(
            "INSERT INTO missing_certificates (tenant_id, enrollment_id) VALUES (:tenant, :id)", id=id
        )
    assert await work(world) == 1
    assert len(await world.events("certificate.issued")) == 1


async def test_workers_beside_each_other(world: World) -> None:
    for _ in range(8):
        await earlier(world)
    done = await asyncio.gather(*(work(world) for _ in range(4)))
    assert sum(done) == 8
    assert len(await certificates(world)) == 8


async def test_no_more_than_are_rendered(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(missing_certificates, "_MAX_WAITING", 2)
    monkeypatch.setattr(missing_certificates, "_BATCH", 2)
    for _ in range(3):
        await earlier(world)
    assert [await work(world), await work(world)] == [2, 0]
    async with world.tx() as tx:
        await tx.execute("UPDATE certificates SET render_due_at = NULL WHERE tenant_id = :tenant")
    assert await work(world) == 1


async def test_of_somebody_who_is_erased_meanwhile_there_is_no_name(world: World) -> None:
    for _ in range(5):
        id = await earlier(world)
        user = (await world.http.get(f"/v1/enrollments/{id}")).json()["data"]["user_id"]

        async def forget(user_id: str = user) -> None:
            async with world.tx() as tx:
                await PERSONAL_DATA.erase(tx, UUID(user_id))

        await asyncio.gather(forget(), work(world))
        await work(world)
    assert {each["holder_name"] for each in (await certificates(world)).values()} == {None}
