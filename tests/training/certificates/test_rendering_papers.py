"""Certificates become PDFs, once each, whichever process is killed meanwhile."""

import asyncio
import hashlib
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID

import psutil
import pytest

from conftest import World
from training.certificates.paperwork import Paperwork
from trilha.training.certificates.pdf import jobs, queries
from trilha.training.certificates.pdf.jobs import BATCH, DELAYS, LEASE, RenderCertificates
from trilha.training.certificates.pdf.press import NotRendered


@pytest.fixture
async def paperwork(world: World, tmp_path: Path) -> AsyncIterator[Paperwork]:
    made = Paperwork(world, tmp_path)
    yield made
    await made.close()


MORTAL = Path(__file__).parent / "mortal.py"


async def test_a_certificate_is_rendered_once_and_kept(paperwork: Paperwork) -> None:
    [certificate_id] = await paperwork.issue()

    assert await paperwork.run() == 1
    assert await paperwork.run() == 0

    row = (await paperwork.rows())[certificate_id]
    pdf = await paperwork.pdf(certificate_id)
    assert pdf.startswith(b"%PDF-1.7")
    assert row["file_sha256"] == hashlib.sha256(pdf).digest()
    assert row["file_size"] == len(pdf)
    assert row["render_error"] is row["render_due_at"] is row["render_lease_until"] is None
    assert paperwork.stored() == {row["file_key"]}


# More than two processes render at the same time.
@pytest.mark.parametrize("many", [2 * BATCH + 4, pytest.param(500, marks=pytest.mark.long)])
async def test_all_at_once_are_a_file_each(paperwork: Paperwork, many: int) -> None:
    ids = await paperwork.issue([f"Pessoa {number}" for number in range(many)])
    workers = [paperwork.new_job(), paperwork.new_job()]

    while any(await asyncio.gather(*(turn(paperwork, each) for each in workers))):
        pass

    rows = await paperwork.rows()
    assert set(rows) == set(ids)
    assert len({row["code"] for row in rows.values()}) == many
    assert len({row["file_sha256"] for row in rows.values()}) == many
    assert paperwork.stored() == {row["file_key"] for row in rows.values()}
    assert all(row["render_tries"] == 1 for row in rows.values())


async def turn(paperwork: Paperwork, worker: RenderCertificates) -> int:
    return await worker.run_in(paperwork.world.database, paperwork.world.tenant.id)


async def test_the_due_are_found_without_a_tenant(paperwork: Paperwork) -> None:
    await paperwork.issue()
    database = paperwork.world.database
    async with paperwork.world.tx() as tx:  # ahead of the certificates that other tests left behind
        await tx.execute("UPDATE certificates SET render_due_at = '2000-01-01' WHERE tenant_id = :tenant")
    # Each search finds some of the companies that other tests left behind, beginning at another one.
    searches = [await paperwork.job.due_tenants(database) for _ in range(40)]
    assert any(paperwork.world.tenant.id in found for found in searches)
    await paperwork.run()
    assert paperwork.world.tenant.id not in await paperwork.job.due_tenants(database)


async def test_who_is_behind_loses_and_leaves_nothing(paperwork: Paperwork) -> None:
    """Two workers rendered the same certificate. The one whose lease had ended finds it done, and leaves no
    file.
    """
    [certificate_id] = await paperwork.issue()
    world = paperwork.world
    slow, fast = paperwork.new_job(), paperwork.new_job()
    begun, may_go_on = asyncio.Event(), asyncio.Event()

    async def slowly(tx: Any) -> Any:
        make = await fast._prepare(tx)

        async def make_slowly(certificate: Any) -> Any:
            made = await make(certificate)
            begun.set()
            await may_go_on.wait()
            return jobs.RenderedFiles(made.pdf + b"%slow", made.badge)

        return make_slowly

    slow._prepare = slowly
    behind = asyncio.create_task(turn(paperwork, slow))
    await begun.wait()
    world.clock.move(seconds=LEASE.total_seconds() + 1)
    # The slow worker may renew the lease first; then it must end again.
    while not await turn(paperwork, fast):
        world.clock.move(seconds=LEASE.total_seconds() + 1)
    kept = (await paperwork.rows())[certificate_id]
    may_go_on.set()
    await behind

    assert (await paperwork.rows())[certificate_id]["file_key"] == kept["file_key"]
    assert paperwork.stored() == {kept["file_key"]}


async def test_what_fails_is_tried_five_times_and_then_told(paperwork: Paperwork) -> None:
    [certificate_id] = await paperwork.issue()

    async def prepare(tx: Any) -> Any:
        async def make(certificate: Any) -> Any:
            raise NotRendered("out of paper")

        return make

    failing = RenderCertificates(paperwork.files, prepare)
    for delay in DELAYS:
        assert await turn(paperwork, failing) == 1
        assert await turn(paperwork, failing) == 0
        paperwork.world.clock.move(seconds=delay.total_seconds())
    assert await turn(paperwork, failing) == 1
    paperwork.world.clock.move(days=30)
    assert await turn(paperwork, failing) == 0

    row = (await paperwork.rows())[certificate_id]
    assert (row["render_error"], row["render_due_at"], row["file_key"]) == ("out of paper", None, None)
    async with paperwork.world.tx() as tx:
        assert await queries.try_again(tx, certificate_id)
        assert not await queries.try_again(tx, certificate_id)
    assert await paperwork.run() == 1
    assert (await paperwork.rows())[certificate_id]["render_error"] is None


async def test_what_one_does_to_its_process_harms_no_other(
    paperwork: Paperwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that crashes on one certificate is replaced, and that certificate is rendered later."""
    ids = await paperwork.issue([f"Pessoa {number}" for number in range(BATCH // 2)])
    ask = paperwork.press.workers.ask
    killed: list[int] = []

    async def ask_and_kill(message: bytes, files: Any, *, tenant_id: UUID) -> bytes:
        answer = await ask(message, files, tenant_id=tenant_id)
        if not killed:
            running = children(paperwork.folder)
            killed.append(running[0].pid)
            running[0].kill()
        return answer

    monkeypatch.setattr(paperwork.press.workers, "ask", ask_and_kill)
    await paperwork.run()
    rows = await paperwork.rows()
    failed = [each for each in ids if rows[each]["file_key"] is None]
    assert killed
    assert len(failed) == 1
    assert "Killed" in rows[failed[0]]["render_error"]
    paperwork.world.clock.move(seconds=DELAYS[0].total_seconds())
    assert await paperwork.run() == 1
    assert len(paperwork.stored()) == len(ids)


def children(folder: Path) -> list[psutil.Process]:
    """Returns the processes that render certificates in this folder."""
    found = []
    for each in psutil.Process().children(recursive=True):
        with_folder = each.cwd() if each.is_running() and each.status() != psutil.STATUS_ZOMBIE else ""
        if with_folder.startswith(str(folder)):
            found.append(each)
    return found


@pytest.mark.parametrize(
    ("word", "count"),
    [
        ("rendering", 1),
        ("stored", 20),
        pytest.param("stored", 1, marks=pytest.mark.long),
        pytest.param("rendering", 40, marks=pytest.mark.long),
    ],
)
async def test_who_is_killed_loses_none_and_makes_none_twice(
    paperwork: Paperwork, database_url: str, word: str, count: int
) -> None:
    world = paperwork.world
    ids = await paperwork.issue([f"Pessoa {number}" for number in range(60)])
    worker = await asyncio.create_subprocess_exec(
        *(sys.executable, MORTAL, database_url, paperwork.folder, str(world.tenant.id)),
        stdout=asyncio.subprocess.PIPE,
    )
    assert worker.stdout is not None
    while count:
        line = await worker.stdout.readline()
        assert line, "it ended by itself"
        count -= line.split() == [word.encode()]
    worker.kill()
    await worker.wait()
    before = {id: row["file_key"] for id, row in (await paperwork.rows()).items() if row["file_key"]}
    assert len(before) < 60

    world.clock.move(seconds=2 * LEASE.total_seconds())
    while await paperwork.run():
        pass

    rows = await paperwork.rows()
    assert set(rows) == set(ids)
    assert {id: rows[id]["file_key"] for id in before} == before
    # There are exactly as many files as certificates: the file of the killed worker was removed.
    assert paperwork.stored() == {row["file_key"] for row in rows.values()}
    for id, row in rows.items():
        assert hashlib.sha256(await paperwork.pdf(id)).digest() == row["file_sha256"]


async def test_the_pdf_is_sealed_in_the_store(paperwork: Paperwork) -> None:
    [id] = await paperwork.issue(cpf="529.982.247-25")
    await paperwork.run()
    path = paperwork.files.local_path((await paperwork.rows())[id]["file_key"])
    assert path is not None
    stored, pdf = path.read_bytes(), await paperwork.pdf(id)
    assert pdf.startswith(b"%PDF-")
    assert not stored.startswith(b"%PDF-")
    assert pdf[:200] not in stored
    assert len(pdf) == (await paperwork.rows())[id]["file_size"]
