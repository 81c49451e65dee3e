"""An erasure removes everything that names the holder. Before that, the holder can download their data."""

import json
from functools import partial
from uuid import UUID

from conftest import CPF, World
from training.certificates.holders import attach, completed, reissue, revoke, row, verify
from trilha.app import PERSONAL_DATA
from trilha.core.file_store import open_file_store
from trilha.feature import ExportReader
from trilha.settings import Settings
from trilha.training.certificates import jobs, unscoped

GONE = {"holder_name", "holder_cpf", "holder_cpf_masked", "badge", "render_due_at", "notice", "notice_due_at"}


async def test_the_row_stays_without_the_person(world: World, settings: Settings) -> None:
    store = open_file_store(settings.files_url, settings.data_dir / "files")
    user = await world.user(name="Zoé Quintela", cpf=CPF)
    course = await world.course(certificate_validity_months=12)
    id = await completed(world, enrollment=await world.enrollment(user_id=user["id"], course_id=course))
    other = await completed(world)
    digest = await attach(world, store, id, b"%PDF-1.7 Zo\xc3\xa9 Quintela" + id.bytes)
    before, theirs = await row(world, id), await row(world, other)
    world.clock.move(minutes=1)
    async with world.tx() as tx:
        await PERSONAL_DATA.erase(tx, UUID(user["id"]))
    after = await row(world, id)
    assert {name for name in after if after[name] != before[name]} == GONE | {"erased_at", "updated_at"}
    assert {after[name] for name in GONE} == {None}
    assert await row(world, other) == theirs
    await jobs.RemoveFiles(store).run_once(world.database)
    after = await row(world, id)
    assert (after["file_key"], after["file_size"], after["files_removed_at"] is None) == (None, None, False)
    # A copy of the file still verifies, without the name.
    found = await unscoped.find_by_file(world.database, digest)
    assert found is not None
    assert (found.id, found.holder_name) == (id, None)
    assert (await verify(world, found.code))["verified"] is True


async def test_a_reason_may_name_them(world: World) -> None:
    enrollment = await world.enrollment()
    id = await completed(world, enrollment=enrollment)
    await revoke(world, id, "Zoé Quintela copied it")
    async with world.tx() as tx:
        await PERSONAL_DATA.erase(tx, UUID(enrollment["user_id"]))
    assert (await row(world, id))["revocation_reason"] == "[erased]"


async def test_what_is_being_rendered_is_removed_after_that(world: World, settings: Settings) -> None:
    store = open_file_store(settings.files_url, settings.data_dir / "files")
    enrollment = await world.enrollment()
    id = await completed(world, enrollment=enrollment)
    async with world.tx() as tx:
        await tx.execute(
            """
            UPDATE certificates SET render_lease_until = CAST(:now AS timestamptz) + interval '30 seconds'
            WHERE tenant_id = :tenant AND id = :id
            """,
            id=id,
        )
        await PERSONAL_DATA.erase(tx, UUID(enrollment["user_id"]))
    removing = jobs.RemoveFiles(store)
    await removing.run_once(world.database)
    assert (await row(world, id))["files_removed_at"] is None
    # The file of a worker that was killed before it could record it.
    key = f"certificates/{world.tenant.id}/{id}/left.pdf"
    await store.put(key, b"%PDF")
    world.clock.move(seconds=31)
    await removing.run_once(world.database)
    assert (await row(world, id))["files_removed_at"] is not None
    assert not await store.exists(key)


async def test_what_they_are_given_of_it(world: World) -> None:
    user = await world.user(name="Zoé Quintela", cpf=CPF)
    enrollment = await world.enrollment(user_id=user["id"])
    old = await completed(world, enrollment=enrollment)
    world.clock.move(seconds=1)
    new = await reissue(world, old)
    await completed(world)  # another person's certificate
    reading = partial(world.database.transaction, world.tenant.id, read_only=True)
    reader = ExportReader(reading, "https://learn.example.com", world.database.keyring)
    pieces = [piece async for piece in await PERSONAL_DATA.export(reader, UUID(user["id"]))]
    given = json.loads(b"".join(pieces))["certificates"]
    assert [each["id"] for each in given] == [str(new.id), str(old)]
    assert given[0] == {
        "id": str(new.id),
        "verification_code": new.display_code,
        "user_id": user["id"],
        "enrollment_id": enrollment["id"],
        "course_id": enrollment["course_id"],
        "pdf_url": None,
        "pdf_a1b_url": None,
        "issued_at": new.issued_at,
        "expires_at": None,
        "verification_url": f"https://learn.example.com/verify/{new.display_code}",
        "holder_name": "Zoé Quintela",
        "holder_cpf": "***.***.***-25",
        "course_title": "Segurança",
        "issued_by": "Test",
        "workload_minutes": 10,
        "score": 90.0,
        "completed_at": new.completed_at,
        "revoked_at": None,
        "revocation_reason": None,
    }
