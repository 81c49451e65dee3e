"""How long logs are kept: a tenant's own periods, and the minimums that the law sets."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import asyncpg
import pytest
from click.testing import CliRunner
from msgspec import ValidationError, convert

from conftest import World
from old_rows import keep, record, studied
from posting import Post, run_job
from training.learning.learners import Learner
from trilha.access.scim import jobs as scim_jobs
from trilha.access.scim import request_log
from trilha.access.sso import jobs as sso_jobs
from trilha.access.sso import sign_ins
from trilha.cli import main
from trilha.core.jobs import TenantJob
from trilha.platform.retention import jobs, queries
from trilha.platform.retention.archive import Archive
from trilha.platform.retention.rules import ACCESS_DAYS, EVIDENCE_DAYS, MIN_DAYS
from trilha.platform.retention.schema import RetentionSettings
from trilha.platform.webhooks import jobs as webhook_jobs
from trilha.training.learning.evidence import jobs as evidence_jobs
from trilha.training.learning.evidence import verification

MONTH = timedelta(days=30)


async def count(world: World, table: str, where: str = "true") -> int:
    async with world.tx() as tx:
        number: int = await tx.value(f"SELECT count(*) FROM {table} WHERE tenant_id = :tenant AND {where}")
    return number


@pytest.mark.parametrize("name", MIN_DAYS)
async def test_no_period_is_below_its_minimum(world: World, name: str) -> None:
    with pytest.raises(ValidationError):
        convert({name: MIN_DAYS[name] - 1}, RetentionSettings)
    await keep(world, **{name: MIN_DAYS[name]})
    async with world.tx() as tx:
        assert getattr(await queries.get(tx), name) == MIN_DAYS[name]


async def test_a_change_is_recorded_with_its_days(world: World) -> None:
    await keep(world, event_days=90)
    await keep(world, event_days=90, sign_in_days=365)
    async with world.tx() as tx:
        rows = await tx.rows(
            """
            SELECT detail FROM audit_records WHERE tenant_id = :tenant AND action = 'tenant.settings_changed'
            ORDER BY created_at, id
            """
        )
    assert sorted(map(str, (row["detail"] for row in rows))) == [
        "{'event_days': 90}",
        "{'sign_in_days': 365}",
    ]


async def test_the_audit_log_without_a_period_is_kept(world: World) -> None:
    await record(world, 9_000, "course.published")
    assert await run_job(jobs.prune_job(Archive()), world) == 0
    assert await count(world, "audit_records", "action = 'course.published'") == 1


async def test_audit_records_and_sign_ins_have_their_own_periods(world: World) -> None:
    for days in (EVIDENCE_DAYS + 1, EVIDENCE_DAYS - 1, ACCESS_DAYS + 1, ACCESS_DAYS - 1):
        await record(world, days, "course.published")
        await record(world, days, "session.started")
    await keep(world, audit_log_days=EVIDENCE_DAYS, sign_in_days=ACCESS_DAYS)
    assert await run_job(jobs.prune_job(Archive()), world) == 4
    assert await run_job(jobs.prune_job(Archive()), world) == 0
    assert await count(world, "audit_records", "action = 'course.published'") == 3
    assert await count(world, "audit_records", "action = 'session.started'") == 1


async def test_the_database_itself_keeps_what_the_law_asks_for(world: World) -> None:
    for days in (EVIDENCE_DAYS + 1, EVIDENCE_DAYS - 1):
        await record(world, days, "course.published")
    for days in (ACCESS_DAYS + 1, ACCESS_DAYS - 1):
        await record(world, days, "session.started")
    async with world.tx() as tx:
        assert await tx.execute("DELETE FROM audit_records WHERE tenant_id = :tenant") == 2


async def problem_of(world: World, ana: Learner) -> str:
    async with world.tx() as tx:
        return (await verification.verify(tx, ana.id)).problem


async def test_a_log_is_kept_until_years_after_the_certificate_ended(world: World, admin_url: str) -> None:
    owner = await asyncpg.connect(admin_url)
    endless, valid, over = [await studied(world, EVIDENCE_DAYS + 400) for _ in range(3)]
    recent = await studied(world, EVIDENCE_DAYS - 10)
    for ana, days in ((valid, EVIDENCE_DAYS - 1), (over, EVIDENCE_DAYS + 1)):
        at = world.clock.now - timedelta(days=days)
        await owner.execute("UPDATE certificates SET expires_at = $1 WHERE enrollment_id = $2", at, ana.id)
    await owner.close()
    assert await run_job(evidence_jobs.prune_job(Archive()), world) == 0
    await keep(world, learning_log_days=EVIDENCE_DAYS)
    assert await run_job(evidence_jobs.prune_job(Archive()), world) == 1
    assert await run_job(evidence_jobs.prune_job(Archive()), world) == 0
    assert [await problem_of(world, each) for each in (endless, valid, over, recent)] == [
        "",
        "",
        "retired",
        "",
    ]
    assert await count(world, "learning_log", f"enrollment_id = '{over.id}'") == 0


async def test_a_young_log_cannot_be_removed(world: World) -> None:
    ana = await studied(world, EVIDENCE_DAYS - 1)
    async with world.tx() as tx:
        assert await tx.execute("DELETE FROM learning_log WHERE tenant_id = :tenant") == 0
    assert await problem_of(world, ana) == ""


async def sign_in(world: World, days_ago: int) -> None:
    now = world.clock.now
    world.clock.now -= timedelta(days=days_ago)
    async with world.tx() as tx:
        await sign_ins.record(tx, None, "REFUSED")
    world.clock.now = now


async def call_scim(world: World, days_ago: int) -> None:
    entry = request_log.LogEntry(
        uuid4(), world.clock.now - timedelta(days=days_ago), "GET", "/Users", 200, None, [], None
    )
    async with world.tx() as tx:
        await request_log.keep(tx, [entry])


@pytest.mark.parametrize(
    ("add", "table", "setting", "job", "module", "limit"),
    [
        (sign_in, "sso_sign_ins", "sign_in_days", sso_jobs.prune_job(Archive()), sign_ins, "MAX_SIGN_INS"),
        (
            call_scim,
            "scim_requests",
            "request_log_days",
            scim_jobs.prune_job(Archive()),
            request_log,
            "MAX_REQUESTS",
        ),
    ],
)
async def test_a_short_log_by_number_or_by_age(
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    add: Callable[[World, int], Any],
    table: str,
    setting: str,
    job: TenantJob,
    module: Any,
    limit: str,
) -> None:
    monkeypatch.setattr(module, limit, 2)
    for _ in range(3):
        await add(world, 1)
    assert await count(world, table) == 2
    await keep(world, **{setting: ACCESS_DAYS})
    for days in (ACCESS_DAYS + 1, ACCESS_DAYS - 1, 1):
        await add(world, days)
    assert await count(world, table) == 5
    assert await run_job(job, world) == 1
    assert await count(world, table) == 4


async def test_events_and_deliveries_have_their_own_periods(post: Post) -> None:
    world, job = post.world, webhook_jobs.prune_job(deliveries=MONTH, events=MONTH, archive=Archive())
    await world.course()
    await post.relay()
    world.clock.move(days=40)
    await keep(world, event_days=60, delivery_days=60)
    before = await count(world, "events")
    await run_job(job, world)
    assert await count(world, "events") == before
    await keep(world, event_days=20)
    await run_job(job, world)
    assert await count(world, "events") < before


def test_the_command_shows_and_sets_the_periods(tmp_path: Any) -> None:
    tmp_path.chmod(0o711)
    environment = {"TRILHA_DATA_DIR": str(tmp_path / "data")}

    def run(*arguments: str) -> Any:
        return CliRunner().invoke(main, ["tenant", *arguments], env=environment)

    assert run("create", "--slug", "acme", "--name", "Acme").exit_code == 0
    done = run("retention", "--tenant", "acme", "--events", "90", "--sign-ins", "365", "--json")
    assert '"event_days": 90' in done.output
    assert '"audit_log_days": null' in done.output
    done = run("retention", "--tenant", "acme", "--events", "default")
    assert "sign_in_days          365" in done.output
    assert run("retention", "--tenant", "acme", "--json").output.count("null") == 5
    refused = run("retention", "--tenant", "acme", "--audit-log", "100")
    assert refused.exit_code == 2
    assert "at least 1,827 days" in refused.output
