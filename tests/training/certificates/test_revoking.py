"""Revocation with a reason, and reissue with a corrected name."""

import asyncio
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import pytest

from conftest import CPF, World
from training.certificates.holders import completed, in_transaction, reissue, revoke, row, stored, verify
from trilha.app import PERSONAL_DATA
from trilha.core.database import Tx
from trilha.core.errors import ApiError
from trilha.people.users import sealing
from trilha.platform.audit import queries as audit
from trilha.platform.audit.schema import AuditQuery, AuditRecord
from trilha.training.certificates import actions
from trilha.training.certificates.schema import Reason


async def records(world: World) -> list[AuditRecord]:
    async with world.tx() as tx:
        page = await audit.list_page(tx, AuditQuery(limit=100))
    return [each for each in page.data if each.action.startswith("certificate")]


async def refused(world: World, id: UUID) -> str:
    with pytest.raises(ApiError) as error:
        await reissue(world, id)
    return error.value.code


async def test_a_revoked_one(world: World) -> None:
    id = await completed(world, certificate_validity_months=12)
    world.clock.move(hours=1)
    after = await revoke(world, id, "Obtained by fraud")
    assert (after.revocation_reason, after.revoked_by) == ("Obtained by fraud", "trilha")
    assert after.revoked_at == after.updated_at
    assert (await row(world, id))["notice"] is None
    ((_, event),) = await world.events("certificate.revoked")
    assert event == {
        "certificate_id": str(id),
        "enrollment_id": str(after.enrollment_id),
        "user_id": str(after.user_id),
        "course_id": str(after.course_id),
        "revoked_at": after.revoked_at,
    }
    (record,) = await records(world)
    assert (record.action, record.target_id) == ("certificate.revoked", id)
    # The reason is free text, which may contain a name.
    assert "fraud" not in str(record).lower()


async def test_a_second_time_changes_nothing(world: World) -> None:
    id = await completed(world)
    first = await revoke(world, id, "One")
    world.clock.move(hours=1)
    assert await revoke(world, id, "Two") == first
    assert len(await world.events("certificate.revoked")) == 1


async def test_one_that_is_not_there(world: World, stranger: World) -> None:
    theirs = await completed(stranger)
    for id in (uuid4(), theirs):
        for action in (revoke, reissue):
            with pytest.raises(ApiError) as error:
                await action(world, id)
            assert error.value.code == "certificate_not_found"
    assert (await stored(stranger, theirs)).revoked_at is None


async def test_a_reissued_one(world: World) -> None:
    user = await world.user(name="Ana Lma")
    course = await world.course(title="Direção defensiva", certificate_validity_months=12)
    id = await completed(world, enrollment=await world.enrollment(user_id=user["id"], course_id=course))
    before = await row(world, id)
    patch = {"name": "Ana Lima", "cpf": CPF}
    assert (await world.http.patch(f"/v1/users/{user['id']}", json=patch)).status_code == 200
    world.clock.move(days=1)
    new = await row(world, (await reissue(world, id)).id)
    old = await row(world, id)
    assert (new["holder_name"], new["holder_cpf_masked"]) == ("Ana Lima", "***.***.***-25")
    async with world.tx() as tx:
        assert sealing.open_cpf(tx, UUID(user["id"]), new["holder_cpf"]) == "52998224725"
    kept = (
        *("enrollment_id", "user_id", "course_id", "course_title", "workload_minutes", "score", "started_at"),
        *("completed_at", "regulation_kind", "syllabus", "evidence_number", "evidence_hash", "expires_at"),
    )
    assert {name: new[name] for name in kept} == {name: before[name] for name in kept}
    assert new["issued_at"] > before["issued_at"]
    assert new["code"] != before["code"]
    assert (new["replaces"], new["replaced_by"], new["revoked_at"]) == (id, None, None)
    assert (new["render_due_at"], new["file_key"], new["notice"]) == (new["issued_at"], None, "ISSUED")
    changed = {name for name in old if old[name] != before[name]}
    assert changed == {
        *("revoked_at", "revoked_by", "revocation_reason", "replaced_by", "notice", "notice_due_at"),
        "updated_at",
    }
    assert old["replaced_by"] == new["id"]
    assert [type for type, _ in await world.events()][-2:] == ["certificate.revoked", "certificate.issued"]
    (record,) = await records(world)
    assert (record.action, record.target_id) == ("certificate.reissued", new["id"])
    stats = (await world.http.get(f"/v1/courses/{course}/stats")).json()["data"]
    assert (stats["completions"], stats["certificates_issued"]) == (1, 1)


async def test_reissued_again_it_is_the_one_in_its_place(world: World) -> None:
    id = await completed(world)
    new = await reissue(world, id)
    assert await reissue(world, id) == new
    newest = await reissue(world, new.id)
    assert newest.id != new.id
    assert await reissue(world, id) == newest
    assert len(await world.events("certificate.issued")) == 3
    assert [(await verify(world, each.code))["verified"] for each in (new, newest)] == [False, True]


async def test_a_revoked_one_is_reissued_with_one_revocation(world: World) -> None:
    id = await completed(world)
    revoked = await revoke(world, id, "The name is wrong")
    world.clock.move(hours=1)
    new = await reissue(world, id)
    old = await stored(world, id)
    assert (old.revoked_at, old.revocation_reason) == (revoked.revoked_at, "The name is wrong")
    assert old.replaced_by == new.id
    assert len(await world.events("certificate.revoked")) == 1


async def test_an_expired_one_is_not(world: World) -> None:
    id = await completed(world, certificate_validity_months=1)
    world.clock.move(days=32)
    assert await refused(world, id) == "certificate_expired"
    assert (await stored(world, id)).revoked_at is None


async def test_nor_one_of_somebody_who_was_erased(world: World) -> None:
    enrollment = await world.enrollment()
    id = await completed(world, enrollment=enrollment)
    async with world.tx() as tx:
        await PERSONAL_DATA.erase(tx, UUID(enrollment["user_id"]))
    assert await refused(world, id) == "holder_erased"


async def test_many_at_once_reissue_it_once(world: World) -> None:
    id = await completed(world)
    new = await asyncio.gather(*(reissue(world, id) for _ in range(12)))
    assert len({each.id for each in new}) == 1
    assert len(await world.events("certificate.issued")) == 2
    assert len(await world.events("certificate.revoked")) == 1


async def test_revoking_and_reissuing_at_once_revokes_once(world: World) -> None:
    for _ in range(5):
        id = await completed(world)
        acts: list[Any] = [revoke(world, id), reissue(world, id), revoke(world, id), reissue(world, id)]
        await asyncio.gather(*acts)
        old = await stored(world, id)
        assert old.revoked_at is not None
        assert old.replaced_by is not None
    assert len(await world.events("certificate.revoked")) == 5


async def test_erasing_the_holder_meanwhile_leaves_no_name(world: World) -> None:
    """Both orders are tested: the two do not wait for each other, and no certificate has the name
    afterward.
    """
    for _ in range(6):
        enrollment = await world.enrollment()
        id = await completed(world, enrollment=enrollment)

        async def forget(user_id: str = enrollment["user_id"]) -> None:
            async with world.tx() as tx:
                await PERSONAL_DATA.erase(tx, UUID(user_id))

        done = await asyncio.gather(forget(), reissue(world, id), revoke(world, id), return_exceptions=True)
        unexpected = [each for each in done if isinstance(each, Exception) and not isinstance(each, ApiError)]
        assert not unexpected
        async with world.tx() as tx:
            named = await tx.value(
                """
                SELECT count(*) FROM certificates WHERE tenant_id = :tenant AND enrollment_id = :id
                  AND (holder_name IS NOT NULL OR erased_at IS NULL)
                """,
                id=UUID(enrollment["id"]),
            )
        assert named == 0


async def test_what_is_undone_is_undone_whole(world: World) -> None:
    id = await completed(world)
    before = await row(world, id)

    async def fail(tx: Tx, act: Any) -> None:
        await act(tx)
        raise ZeroDivisionError

    for act in (lambda tx: actions.reissue(tx, id), lambda tx: actions.revoke(tx, id, Reason("x"))):
        with pytest.raises(ZeroDivisionError):
            await in_transaction(world, partial(fail, act=act))
    assert await row(world, id) == before
    assert await world.events("certificate.revoked") == []
