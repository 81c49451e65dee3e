"""The order in which certificates are rendered."""

from datetime import timedelta
from pathlib import Path

from conftest import World
from training.certificates.paperwork import Paperwork
from trilha.core.jobs import LOOKS
from trilha.training.certificates.pdf import queries
from trilha.training.certificates.pdf.jobs import BATCH, LEASE


async def test_the_newest_does_not_wait_for_all_that_was_due_before(world: World, tmp_path: Path) -> None:
    paperwork = Paperwork(world, tmp_path)
    before = await paperwork.issue(["Ana"] * (4 * BATCH))
    world.clock.move(seconds=1)
    [newest] = await paperwork.issue(["Bia"])
    world.clock.move(seconds=1)
    async with world.tx() as tx:
        first = [each.id for each in await queries.claim(tx, tx.now + LEASE, BATCH)]
    assert len(first) == BATCH
    assert first[-1] == newest
    # A claimed certificate is not given to another worker, and all are rendered in the end.
    async with world.tx() as tx:
        rest = [each.id for each in await queries.claim(tx, tx.now + LEASE, 10 * BATCH)]
    assert sorted([*first, *rest]) == sorted([*before, newest])
    async with world.tx() as tx:
        assert await queries.claim(tx, tx.now + timedelta(seconds=1), BATCH) == []


async def test_a_company_is_found_whatever_others_have_due(
    world: World, stranger: World, tmp_path: Path
) -> None:
    paperwork = Paperwork(world, tmp_path)
    await paperwork.issue(["Ana"] * (LOOKS + 50))
    world.clock.move(seconds=1)
    await Paperwork(stranger, tmp_path).issue(["Bia"])
    # Other tests leave more companies than one search finds; each search begins at another company.
    searches = [await paperwork.job.due_tenants(world.database) for _ in range(40)]
    assert {world.tenant.id, stranger.tenant.id} <= {each for found in searches for each in found}
