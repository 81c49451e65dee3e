"""Evidence of training is kept for its retention, announced, and erased on time."""

from typing import Any
from uuid import UUID

import httpx2
import pytest

from conftest import World
from training.practice.practices import offer
from trilha.core.file_store import FileStore
from trilha.settings import Settings
from trilha.training.classes.attendance_lists import scans
from trilha.training.record_retention.jobs import EraseRecords
from web.panel.signing_in import browser_of, made, send, signed_in
from web.panel.test_attendance_pages import DRAWING, Session, held

_PATH = "/admin/inspection/retention"


async def run(world: World, settings: Settings) -> int:
    job = EraseRecords(settings.open_files(), settings.address)
    return await job.run_in(world.database, world.tenant.id)


async def count(world: World, table: str, condition: str) -> int:
    async with world.tx() as tx:
        found: int = await tx.value(f"SELECT count(*) FROM {table} WHERE tenant_id = :tenant AND {condition}")
    return found


async def letters(world: World) -> int:
    return await count(world, "mail_messages", "kind = 'records_erased'")


async def certify(world: World, course_id: object, *, months: int | None) -> None:
    """Gives the enrollments of a course certificates that are valid for so many months from now."""
    async with world.tx() as tx:
        await tx.execute(
            """
            INSERT INTO certificates (tenant_id, id, code, user_id, enrollment_id, course_id, holder_name,
                                      course_title, issued_by, locale, workload_minutes, started_at,
                                      completed_at, syllabus, paper, issued_at, created_at, updated_at,
                                      expires_at)
            SELECT :tenant, gen_random_uuid(), upper(substr(md5(e.id::text), 1, 16)), e.user_id, e.id,
                   e.course_id, 'Ana', 'NR-35', 'Acme', 'en', 60, :now, :now, '[]', '{}', :now, :now, :now,
                   CAST(:now AS timestamptz) + CAST(:months AS integer) * interval '1 month'
            FROM all_enrollments e WHERE e.tenant_id = :tenant AND e.course_id = :course_id
            RETURNING id
            """,
            course_id=UUID(str(course_id)),
            months=months,
        )


async def attended(world: World) -> tuple[Session, httpx2.AsyncClient]:
    """Returns a session with a scan, a signature and a correction, and an administrator's browser."""
    session = await held(world)
    admin = await signed_in(world, name="Carla")
    person = await browser_of(world, session.people[0])
    answer = await send(person, f"/learn/sessions/{session.id}/signature", signature=DRAWING)
    assert answer.status_code == 303, answer.text
    for minutes, more in ((90, {}), (60, {"reason": "Saiu antes"})):
        entry = {"user_id": str(session.people[1].id), "minutes": minutes, **more}
        answer = await world.http.put(f"/v1/sessions/{session.id}/attendance", json={"entries": [entry]})
        assert answer.status_code == 200, answer.text
    file = ("lista da Ana.pdf", b"%PDF-1.7 list", "application/pdf")
    assert (await send(admin, f"{session.path}/scans", file=file)).status_code == 303
    return session, admin


async def test_evidence_is_announced_and_erased_on_time(
    world: World, stranger: World, settings: Settings
) -> None:
    session, admin = await attended(world)
    await certify(world, session.made["course_id"], months=12)
    assert await run(world, settings) == 0
    # 24 months of retention after 12 of validity; announced 45 days ahead, and never less than 30.
    world.clock.move(days=3 * 365 - 60)
    assert await run(world, settings) == 0
    world.clock.move(days=30)
    assert await run(world, settings) == 2
    assert await letters(world) == 1
    assert await run(world, settings) == 0
    page = (await (await signed_in(world, name="Carla")).get(_PATH)).text
    assert "Ana Lima" in page
    assert "Bruno Souza" in page
    world.clock.move(days=20)
    assert await run(world, settings) == 0
    assert await count(world, "signatures", "content IS NOT NULL") == 1
    world.clock.move(days=11)
    # Two enrollments, and the scan, which is about nobody else.
    assert await run(world, settings) == 3
    assert await letters(world) == 1
    for table, condition in (
        ("signatures", "content IS NOT NULL"),
        ("attendance_corrections", "true"),
        ("attendance_marks", "true"),
        ("attendance_scans", "erased_at IS NULL OR name <> '–'"),
    ):
        assert await count(world, table, condition) == 0, table
    # That they signed and attended stays.
    assert await count(world, "signatures", "true") == 1
    assert await count(world, "class_attendance", "minutes > 0") == 2
    assert await count(world, "audit_records", "action IN ('record.erased', 'record.scan_erased')") == 3
    files: FileStore = settings.open_files()
    async with world.tx() as tx:
        scan_id = await tx.value("SELECT id FROM attendance_scans WHERE tenant_id = :tenant")
    assert not await files.exists(scans.build_key(world.tenant.id, scan_id))
    admin = await signed_in(world, name="Carla")
    listed = (await admin.get(f"{session.path}/scans")).text
    assert "after its retention" in listed
    assert "lista da Ana" not in listed
    assert (await admin.get(f"{session.path}/scans/{scan_id}/download")).status_code == 404
    erased = (await admin.get(f"{_PATH}?state=erased")).text
    assert "Ana Lima" in erased
    assert await run(world, settings) == 0
    assert "Ana Lima" not in (await (await signed_in(stranger)).get(f"{_PATH}?state=erased")).text


async def test_a_longer_retention_withdraws_what_was_announced(world: World, settings: Settings) -> None:
    session, _ = await attended(world)
    await certify(world, session.made["course_id"], months=12)
    world.clock.move(days=5 * 365)
    # Even what is over long since is announced 30 days ahead.
    assert await run(world, settings) == 2
    admin = await signed_in(world, name="Carla")
    path = f"{_PATH}/settings"
    for values in ({"record_years": "1"}, {"record_years": "51"}, {"record_years": "x"}):
        assert (await send(admin, path, unlimited_record_years="", **values)).status_code == 422, values
    assert (await send(admin, path, record_years="", unlimited_record_years="4")).status_code == 422
    assert (await send(admin, path, record_years="10", unlimited_record_years="")).status_code == 303
    assert await count(world, "record_erasures", "true") == 0
    world.clock.move(days=31)
    assert await run(world, settings) == 0
    assert await count(world, "attendance_corrections", "true") == 1
    for role in ("gestor", "instrutor"):
        other = await signed_in(world, role)
        assert (await other.get(_PATH)).status_code == 403
        assert (await other.get(path)).status_code == 403


@pytest.mark.parametrize(("years", "erased"), [("", 0), ("6", 2)])
async def test_certificates_without_an_end_have_a_rule_of_their_own(
    world: World, settings: Settings, years: str, erased: int
) -> None:
    session, _ = await attended(world)
    await certify(world, session.made["course_id"], months=None)
    admin = await signed_in(world, name="Carla")
    answer = await send(admin, f"{_PATH}/settings", record_years="", unlimited_record_years=years)
    assert answer.status_code == 303
    world.clock.move(days=5 * 365)
    assert await run(world, settings) == 0
    world.clock.move(days=2 * 365)
    assert await run(world, settings) == erased


async def test_a_scan_stays_while_somebody_on_it_has_a_record(world: World, settings: Settings) -> None:
    session, _ = await attended(world)
    await certify(world, session.made["course_id"], months=12)
    late = await made(world, name="Caio Reis")
    await session.classes.register(session.made, late.id)
    world.clock.move(days=4 * 365)
    assert await run(world, settings) == 2
    world.clock.move(days=31)
    assert await run(world, settings) == 2
    assert await count(world, "attendance_scans", "erased_at IS NULL") == 1
    # It does not make the others' records due again.
    assert await run(world, settings) == 0


async def test_who_was_registered_anew_keeps_the_evidence(world: World, settings: Settings) -> None:
    session, _ = await attended(world)
    world.clock.move(hours=6)
    first, second = session.people
    for person in (first, second):
        (before,) = [
            each
            for each in await session.classes.list_registrations(session.made)
            if each["user_id"] == str(person.id)
        ]
        await session.classes.unregister(before)
        answer = await world.http.delete(f"/v1/enrollments/{before['enrollment_id']}")
        assert answer.status_code == 204, answer.text
    again = await session.classes.register(session.made, first.id)
    assert again["enrollment_id"] != before["enrollment_id"]
    world.clock.move(days=2 * 365 + 2)
    await run(world, settings)
    world.clock.move(days=31)
    await run(world, settings)
    # The second person is in no class any more.
    assert await count(world, "signatures", "content IS NOT NULL") == 1
    assert await count(world, "attendance_corrections", "true") == 0
    assert await run(world, settings) == 0


async def test_photos_notes_and_both_signatures_of_practice_are_erased(
    world: World, settings: Settings
) -> None:
    practice = await offer(world)
    enrollment = await practice.enroll()
    recorded = await practice.record(enrollment, "SATISFACTORY", "SATISFACTORY")
    assessment: dict[str, Any] = recorded.json()["data"]
    assert (await practice.sign(assessment["id"])).status_code == 303
    await certify(world, practice.course_id, months=6)
    async with world.tx() as tx:
        await tx.execute("UPDATE practice_ratings SET note = 'Ana hesitou' WHERE tenant_id = :tenant")
        await tx.execute(
            """
            INSERT INTO practice_photos (tenant_id, assessment_id, item_id, sha256, size, created_at)
            VALUES (:tenant, :id, :item_id, repeat('a', 64), 1, :now)
            """,
            id=UUID(assessment["id"]),
            item_id=UUID(assessment["items"][0]["id"]),
        )
    world.clock.move(days=3 * 365)
    assert await run(world, settings) == 1
    world.clock.move(days=31)
    assert await run(world, settings) == 1
    assert await count(world, "practice_photos", "removed_at IS NULL") == 0
    assert await count(world, "practice_ratings", "note IS NOT NULL") == 0
    assert await count(world, "signatures", "content IS NOT NULL") == 0
    kept = await practice.read(assessment["id"])
    assert (kept["result"], kept["items"][0]["rating"]) == ("SATISFACTORY", "SATISFACTORY")
