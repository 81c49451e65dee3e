"""Deleting a tenant removes everything that belongs to it, and leaves a proof that can be checked."""

from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest

from conftest import Clock, World
from contract.test_tenancy import populate, rows, tables
from contract.test_wipe import NAMES, Unnamed
from trilha.app import list_file_prefixes
from trilha.cli.tenant_deletion import _list_contents
from trilha.core.credentials import Actor
from trilha.core.file_store import FileStore, open_file_store
from trilha.platform.mail.delivery.store import SEALED_FILES
from trilha.platform.tenants.deletion.running import DeleteTenant
from trilha.platform.tenants.operator import TenantError, begin_owner

_SEND = """
    UPDATE mail_messages SET status = 'SENT', content = NULL, next_attempt_at = NULL, sent_at = :now
    WHERE tenant_id = :tenant
    """
ANA = Actor("operator", "ana", "host")


@pytest.fixture
def files(tmp_path: Path) -> FileStore:
    return open_file_store(None, tmp_path / "files")


@pytest.fixture
def deletions(world: World, database_url: str, clock: Clock, files: FileStore) -> DeleteTenant:
    begin = partial(begin_owner, database_url, clock)
    return DeleteTenant(world.database, begin, files, _list_contents(), ANA, lambda _: None)


async def put_files(world: World, files: FileStore) -> list[str]:
    """Stores a file of every kind, ten bytes each, and returns their keys."""
    async with world.tx() as tx:
        mails = await tx.rows(SEALED_FILES.select, after=UUID(int=0), limit=1)
    keys = [f"{prefix}/one" for prefix in list_file_prefixes(world.tenant.id)]
    keys += [SEALED_FILES.key(world.tenant.id, row) for row in mails]
    for key in keys:
        await files.put(key, b"0123456789")
    return keys


async def populate_all(*worlds: World) -> None:
    for each in worlds:
        await populate(each, {name: uuid4() for name in NAMES})
        async with each.tx() as tx:
            await tx.execute(_SEND)


async def count(world: World) -> dict[str, int]:
    async with world.tx() as tx:
        return {
            name: await tx.value(f"SELECT count(*) FROM {name} WHERE tenant_id = :tenant")
            for name in await tables(Unnamed(tx))
        }


async def test_nothing_is_left_but_the_proof(
    world: World, stranger: World, deletions: DeleteTenant, files: FileStore
) -> None:
    await populate_all(world, stranger)
    own, others = await put_files(world, files), await put_files(stranger, files)
    before, of_stranger = await count(world), await rows(stranger)
    assert all(before.values())
    proof = await deletions.run(world.tenant.slug)
    assert not any((await count(world)).values())
    assert [await files.exists(key) for key in (*own, *others)] == [False] * len(own) + [True] * len(others)
    assert await rows(stranger) == of_stranger
    assert {name: proof.rows[name] for name in before} == before
    assert (proof.files, proof.file_bytes) == (len(own), 10 * len(own))
    assert (proof.evidence_logs, proof.actor, proof.tenant_id) == (
        before["learning_heads"],
        "ana",
        world.tenant.id,
    )
    assert (await deletions.check(proof.id)).problems == []
    refused = await world.http.get("/v1/users")
    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "credential_invalid")
    with pytest.raises(TenantError, match="There is no tenant"):
        await deletions.run(world.tenant.slug)


async def test_an_interrupted_deletion_continues(
    world: World, deletions: DeleteTenant, files: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    await populate_all(world)
    own, before = await put_files(world, files), await count(world)
    with monkeypatch.context() as patch:
        patch.setattr(FileStore, "delete_below", _stop)
        with pytest.raises(KeyboardInterrupt):
            await deletions.run(world.tenant.slug)
    proof = await deletions.run(world.tenant.slug)
    assert {name: proof.rows[name] for name in before} == before
    assert proof.files == len(own)
    assert (await deletions.check(proof.id)).problems == []


async def test_credentials_are_refused_from_the_beginning(
    world: World, deletions: DeleteTenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(DeleteTenant, "_count", _stop)
        with pytest.raises(KeyboardInterrupt):
            await deletions.run(world.tenant.slug)
    refused = await world.http.get("/v1/users")
    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "credential_revoked")
    login = await world.client().get("/login", params={"tenant": world.tenant.slug})
    assert "Test" not in login.text
    await deletions.run(world.tenant.slug)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("UPDATE tenant_deletions SET files = 9 WHERE id = $1", "The record was changed after the deletion."),
        (
            """
            INSERT INTO tenants (id, slug, name, created_at)
            SELECT deleted_tenant, slug, 'Back', now() FROM tenant_deletions WHERE id = $1
            """,
            "The tenant exists.",
        ),
    ],
)
async def test_a_proof_that_does_not_hold_is_recognized(
    world: World, deletions: DeleteTenant, admin_url: str, change: str, problem: str
) -> None:
    proof = await deletions.run(world.tenant.slug)
    connection = await asyncpg.connect(admin_url)
    await connection.execute(change, proof.id)
    await connection.close()
    assert (await deletions.check(proof.id)).problems == [problem]


async def test_proofs_are_a_chain(
    world: World, stranger: World, deletions: DeleteTenant, admin_url: str
) -> None:
    first = await deletions.run(world.tenant.slug)
    second = await deletions.run(stranger.tenant.slug)
    connection = await asyncpg.connect(admin_url)
    await connection.execute("DELETE FROM tenant_deletions WHERE id = $1", first.id)
    await connection.close()
    if second.previous == first.hash:
        (problem,) = (await deletions.check(second.id)).problems
        assert problem == "The record of the deletion before this one was changed or removed."


async def _stop(*_: Any) -> None:
    raise KeyboardInterrupt
