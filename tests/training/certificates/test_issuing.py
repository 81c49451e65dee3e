"""A certificate is issued in the transaction of the completion, with the data of that moment."""

import asyncio
import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from conftest import CPF, World
from training.certificates.holders import EVIDENCE, completed, in_transaction, read, row
from training.learning.learners import learner
from trilha.app import PERSONAL_DATA
from trilha.core.database import Tx
from trilha.core.types import Name
from trilha.people.users import sealing
from trilha.platform.audit import queries as audit
from trilha.platform.audit.schema import AuditQuery
from trilha.platform.tenants import actions as tenants
from trilha.platform.tenants.schema import CompanySettings
from trilha.training.certificates import actions
from trilha.training.courses import actions as courses
from trilha.training.courses.schema import CoursePatch, Regulation
from trilha.training.enrollments import actions as enrollments
from trilha.training.learning.completion import actions as completion
from trilha.training.learning.evidence import queries as evidence_queries

CODE = re.compile(r"[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}")


async def all_of(world: World) -> list[dict[str, Any]]:
    async with world.tx() as tx:
        rows = await tx.rows("SELECT * FROM certificates WHERE tenant_id = :tenant ORDER BY created_at")
    return [dict(each) for each in rows]


async def test_who_completes_a_course_has_a_certificate(world: World) -> None:
    user = await world.user(name="Ana Lúcia Conceição", cpf=CPF)
    ana = await learner(world, 10, 20, user_id=user["id"], regulation={"kind": "occupational_safety"})
    await (await ana.launch()).status("passed", final=True, score={"raw": "80"})
    assert await all_of(world) == []
    await (await ana.launch(1)).status("passed", final=True, score={"raw": "95"})
    (made,) = await all_of(world)
    async with world.tx() as tx:
        (entry,) = await tx.rows(
            "SELECT number, hash FROM learning_log WHERE tenant_id = :tenant AND kind = 'completed'"
        )
        opened = sealing.open_cpf(tx, UUID(user["id"]), made["holder_cpf"])
    done = await ana.read()
    assert (made["evidence_number"], made["evidence_hash"]) == (entry["number"], entry["hash"])
    assert {name: made[name] for name in EXPECTED} == EXPECTED
    assert (made["score"], made["completed_at"]) == (done["score"], done["completed_at"])
    assert (made["issued_at"], made["render_due_at"]) == (done["completed_at"],) * 2
    assert opened == "52998224725"
    told = [type for type in await ana.told() if not type.startswith("assessment")]
    assert told[-2:] == ["enrollment.completed", "certificate.issued"]
    ((_, event),) = await world.events("certificate.issued")
    assert event == {
        "certificate_id": str(made["id"]),
        "enrollment_id": str(ana.id),
        "user_id": user["id"],
        "course_id": done["course_id"],
        "issued_at": done["completed_at"],
        "expires_at": None,
    }


EXPECTED = {
    "holder_name": "Ana Lúcia Conceição",
    "holder_cpf_masked": "***.***.***-25",
    "course_title": "Segurança",
    "issued_by": "Test",
    "locale": "pt-BR",
    "workload_minutes": 30,
    "regulation_kind": "occupational_safety",
    "syllabus": [
        {"title": "M0", "minutes": 10, "kind": "THEORY", "delivery": "DISTANCE"},
        {"title": "M1", "minutes": 20, "kind": "THEORY", "delivery": "DISTANCE"},
    ],
    "expires_at": None,
    "revoked_at": None,
    "replaced_by": None,
    "file_key": None,
    "notice": "ISSUED",
}


async def test_a_change_of_the_course_that_completes_issues_too(world: World) -> None:
    ana = await learner(world, 10, regulation={"kind": "finance", "minimum_workload_minutes": 5})
    await (await ana.launch()).status("completed", final=True)
    assert await all_of(world) == []
    course_id = UUID((await ana.read())["course_id"])
    async with world.tx() as tx:
        await courses.change(tx, course_id, CoursePatch(regulation=Regulation(kind="finance")))
        assert await completion.reassess(tx, await evidence_queries.lock_head(tx, ana.id))
    (made,) = await all_of(world)
    assert made["evidence_number"] is not None


async def test_without_the_completion_there_is_none(world: World) -> None:
    enrollment = await world.enrollment()

    async def fail(tx: Tx) -> None:
        await enrollments.start(tx, UUID(enrollment["id"]))
        done = await enrollments.complete(tx, UUID(enrollment["id"]))
        assert done is not None
        assert await actions.issue(tx, done, EVIDENCE)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await in_transaction(world, fail)
    assert (await all_of(world), await world.events("certificate.issued")) == ([], [])


async def test_a_second_time_issues_nothing(world: World) -> None:
    id = await completed(world)
    enrollment_id = (await row(world, id))["enrollment_id"]
    async with world.tx() as tx:
        assert await actions.issue_all(tx, {enrollment_id: EVIDENCE}, announced=True) == []
    open_one = await world.enrollment()
    async with world.tx() as tx:
        assert await actions.issue_all(tx, {UUID(open_one["id"]): None}, announced=True) == []
    assert len(await world.events("certificate.issued")) == 1


@pytest.mark.parametrize(
    ("hours", "minutes", "workload"), [(0, [10, 20], 30), (1.5, [10], 90), (0, [0], 0), (40, [], 2400)]
)
async def test_the_workload_is_what_the_course_says_else_its_modules(
    world: World, hours: float, minutes: list[int], workload: int
) -> None:
    modules = [{"title": f"M{each}", "duration_minutes": each} for each in minutes]
    id = await completed(
        world, duration_hours=hours, modules=modules or [{"title": "M", "duration_minutes": 1}]
    )
    assert (await row(world, id))["workload_minutes"] == workload


async def in_zone(tx: Tx, zone: str) -> None:
    await tenants.change(tx, CompanySettings(name=Name("Test"), locale="en", time_zone=zone))


@pytest.mark.parametrize(
    ("zone", "at", "months", "expires"),
    [
        ("America/Sao_Paulo", "2026-03-09T12:00:00Z", 24, "2028-03-09T12:00:00.000Z"),
        # The day is that of the company's time zone, where it is still the 31st.
        ("America/Sao_Paulo", "2026-02-01T01:00:00Z", 1, "2026-03-01T01:00:00.000Z"),
        ("Asia/Tokyo", "2026-01-31T10:00:00Z", 1, "2026-02-28T10:00:00.000Z"),
        ("Asia/Tokyo", "2026-01-31T16:00:00Z", 1, "2026-02-28T16:00:00.000Z"),
        ("UTC", "2024-02-29T10:00:00Z", 12, "2025-02-28T10:00:00.000Z"),
        ("UTC", "2024-02-29T10:00:00Z", 48, "2028-02-29T10:00:00.000Z"),
        ("UTC", "2026-08-31T23:59:59.999Z", 6, "2027-02-28T23:59:59.999Z"),
        # The same local time in winter and in summer.
        ("Europe/Lisbon", "2026-01-15T09:00:00Z", 6, "2026-07-15T08:00:00.000Z"),
        # A local time that daylight saving skips.
        ("Europe/Lisbon", "2026-02-28T01:30:00Z", 1, "2026-03-28T01:30:00.000Z"),
        ("Europe/Lisbon", "2027-02-28T01:30:00Z", 1, "2027-03-28T01:30:00.000Z"),
        ("America/Sao_Paulo", "2026-03-09T12:00:00Z", 1200, "2126-03-09T12:00:00.000Z"),
        ("America/Sao_Paulo", "2026-03-09T12:00:00Z", None, None),
    ],
)
async def test_it_is_valid_until_the_same_day_so_many_months_later(
    world: World, zone: str, at: str, months: int | None, expires: str | None
) -> None:
    world.clock.now = datetime.fromisoformat(at)
    async with world.tx() as tx:
        await in_zone(tx, zone)
    id = await completed(world, certificate_validity_months=months)
    made = await row(world, id)
    assert (made["expires_at"], (await read(world, id))["expires_at"]) == (expires, expires)
    async with world.tx() as tx:
        until = await tx.value(
            "SELECT valid_until FROM enrollments WHERE tenant_id = :tenant AND id = :id",
            id=made["enrollment_id"],
        )
    assert until == expires
    assert made["locale"] == "en"


async def test_what_it_says_never_changes(world: World) -> None:
    user = await world.user(name="Ana Lima", cpf=CPF)
    course = await world.course(certificate_validity_months=12)
    id = await completed(world, enrollment=await world.enrollment(user_id=user["id"], course_id=course))
    before = await row(world, id)
    world.clock.move(days=1)
    answer = await world.http.patch(f"/v1/users/{user['id']}", json={"name": "Ana Souza", "cpf": None})
    assert answer.status_code == 200
    async with world.tx() as tx:
        patch = CoursePatch(title="Another", certificate_validity_months=1)
        await courses.change(tx, course, patch)
        await tenants.change(tx, CompanySettings(name=Name("New name"), locale="en", time_zone="UTC"))
    assert await row(world, id) == before


@pytest.mark.parametrize(
    "column",
    ["code", "course_title", "issued_at", "expires_at", "evidence_hash", "score", "user_id", "paper"],
)
async def test_not_even_by_a_statement(world: World, column: str) -> None:
    await completed(world)
    for change in (f"UPDATE certificates SET {column} = {column}", "DELETE FROM certificates"):
        statement = f"{change} WHERE tenant_id = :tenant"
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            async with world.tx() as tx:
                await tx.execute(statement)


async def test_of_somebody_who_was_erased_it_has_no_name(world: World) -> None:
    enrollment = await world.enrollment()
    async with world.tx() as tx:
        await PERSONAL_DATA.erase(tx, UUID(enrollment["user_id"]))
    made = await row(world, await completed(world, enrollment=enrollment))
    assert (made["holder_name"], made["holder_cpf"], made["erased_at"] is None) == (None, None, False)
    assert (made["render_due_at"], made["notice"]) == (None, None)


async def test_it_is_counted_and_not_recorded(world: World) -> None:
    course = await world.course()
    for _ in range(3):
        await completed(world, enrollment=await world.enrollment(course_id=course))
    stats = (await world.http.get(f"/v1/courses/{course}/stats")).json()["data"]
    assert (stats["completions"], stats["certificates_issued"]) == (3, 3)
    async with world.tx() as tx:
        records = await audit.list_page(tx, AuditQuery(limit=100))
    assert not [each for each in records.data if each.action.startswith("certificate")]


async def test_two_hundred_at_once_have_two_hundred_codes(world: World) -> None:
    course = await world.course()
    enrollments = [await world.enrollment(course_id=course) for _ in range(200)]
    made = await asyncio.gather(*(completed(world, enrollment=each) for each in enrollments))
    assert len(set(made)) == 200
    found = await all_of(world)
    assert len({each["code"] for each in found}) == len({each["enrollment_id"] for each in found}) == 200
    assert len({each["badge_index"] for each in found}) == 200
    stats = (await world.http.get(f"/v1/courses/{course}/stats")).json()["data"]
    assert (stats["completions"], stats["certificates_issued"]) == (200, 200)
    assert len(await world.events("certificate.issued")) == 200


async def test_a_completion_costs_three_statements_more(world: World, monkeypatch: Any) -> None:
    enrollment = await world.enrollment()
    asked: list[str] = []
    run = Tx._run

    async def noting(self: Tx, method: Any, text: str, values: Any) -> Any:
        asked.append(text)
        return await run(self, method, text, values)

    async with world.tx() as tx:
        await enrollments.start(tx, UUID(enrollment["id"]))
        done = await enrollments.complete(tx, UUID(enrollment["id"]))
        assert done is not None
        monkeypatch.setattr(Tx, "_run", noting)
        await actions.issue(tx, done, EVIDENCE)
        monkeypatch.undo()
    assert len(asked) == 3


async def test_the_clock_of_the_test_is_in_utc(world: World) -> None:
    id = await completed(world)
    issued = datetime.fromisoformat((await row(world, id))["issued_at"])
    assert abs(issued - world.clock.now.astimezone(UTC)) < timedelta(milliseconds=1)
    assert CODE.fullmatch((await read(world, id))["verification_code"])
