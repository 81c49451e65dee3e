"""What a tenant uses is counted: people, learners, storage, API calls and e-mails."""

import asyncio
import json
from datetime import date, timedelta
from pathlib import Path

from click.testing import CliRunner

from access.scim.providers import U, new_token
from conftest import World
from metering import calls_of, send_mails, usage_of, write_mail
from training.learning.learners import learner
from trilha.app import list_file_prefixes
from trilha.cli import main
from trilha.core.file_store import open_file_store
from trilha.platform.tenants.usage import rules
from trilha.platform.tenants.usage.jobs import MERGE_COUNTERS, MeasureUsage


async def test_calls_of_machines_are_counted(world: World) -> None:
    await calls_of(world.app).write()
    before = (await usage_of(world)).api_calls
    for _ in range(3):
        await world.http.get("/v1/users")
    await world.http.get("/v1/nothing")
    await world.client(await new_token(world)).get(U)
    # Nobody's calls are these.
    await world.client("trl_live_x").get("/v1/users")
    await world.client().get("/login")
    await calls_of(world.app).write()
    await calls_of(world.app).write()
    assert (await usage_of(world)).api_calls == before + 5
    await MERGE_COUNTERS.run_in(world.database, world.tenant.id)
    assert (await usage_of(world)).api_calls == before + 5
    async with world.tx() as tx:
        assert await tx.value("SELECT count(*) FROM usage_counters WHERE tenant_id = :tenant") == 1


async def test_people_are_counted_by_status(world: World) -> None:
    users = [await world.user() for _ in range(3)]
    await world.http.post(f"/v1/users/{users[0]['id']}/suspend")
    usage = await usage_of(world)
    assert (usage.people, usage.active_people) == (3, 2)


async def test_learners_are_people_who_opened_a_course(world: World) -> None:
    await learner(world)  # who opens nothing
    active, other = await learner(world), await learner(world)
    for _ in range(2):
        await active.launch()
    assert (await usage_of(world)).active_learners == 1
    await other.launch()
    assert (await usage_of(world)).active_learners == 2
    world.clock.move(days=32)
    assert (await usage_of(world)).active_learners == 0


async def test_storage_is_measured_and_uploads_are_added(world: World, tmp_path: Path) -> None:
    files = open_file_store(None, tmp_path)
    for prefix in list_file_prefixes(world.tenant.id):
        await files.put(f"{prefix}/one", b"0123456789")
    await MeasureUsage(files, list_file_prefixes).run_in(world.database, world.tenant.id)
    size = 10 * len(list_file_prefixes(world.tenant.id))
    assert (await usage_of(world)).storage_bytes == size
    world.clock.move(seconds=1)
    async with world.tx() as tx:
        await tx.execute(
            """
            INSERT INTO media_files (tenant_id, sha256, media_type, size, name, created_at)
            VALUES (:tenant, repeat('a', 64), 'image/webp', 7, 'a', :now)
            """
        )
    assert (await usage_of(world)).storage_bytes == size + 7


async def test_a_past_month_has_what_was_measured_in_it(world: World, tmp_path: Path) -> None:
    files = open_file_store(None, tmp_path)
    await world.user()
    await MeasureUsage(files, list_file_prefixes).run_in(world.database, world.tenant.id)
    month = f"{rules.find_month(world.clock()):%Y-%m}"
    environment = {"TRILHA_DATABASE_URL": world.url, "TRILHA_MASTER_KEY": "6b" * 32}
    environment |= {"TRILHA_DATA_DIR": str(tmp_path)}

    def run(*options: str) -> dict[str, object]:
        done = CliRunner().invoke(
            main, ["tenant", "usage", "--tenant", world.tenant.slug, *options, "--json"], env=environment
        )
        assert done.exit_code == 0, done.output
        printed: dict[str, object] = json.loads(done.stdout)
        return printed

    usage = await asyncio.to_thread(run, "--month", month)
    assert (usage["month"], usage["people"], usage["active_people"]) == (month, 1, 1)
    earlier = await asyncio.to_thread(run, "--month", "2020-01")
    assert (earlier["people"], earlier["storage_bytes"], earlier["api_calls"]) == (None, None, 0)


async def test_mails_that_were_sent_are_counted(world: World) -> None:
    await write_mail(world)
    assert (await usage_of(world)).mails_waiting == 1
    assert await send_mails(world) == 1
    usage = await usage_of(world)
    assert (usage.mails, usage.mails_waiting) == (1, 0)


def test_months_begin_at_midnight_utc() -> None:
    month = date(2026, 12, 1)
    assert rules.find_next_month(month) == date(2027, 1, 1)
    assert rules.find_month(rules.start_of(month)) == month
    assert rules.find_month(rules.start_of(month) - timedelta(microseconds=1)) == date(2026, 11, 1)
    assert rules.count_remaining_seconds(rules.start_of(month) - timedelta(seconds=5)) in (5, 6)
