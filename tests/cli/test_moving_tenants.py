"""A tenant moves between two installations with different master keys, whole or not at all."""

import asyncio
import hashlib
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import httpx2
import pytest

from conftest import CPF
from running import TRILHA, Running, running, wait_until, with_demo
from trilha.core.clock import system_clock
from trilha.core.database import Database
from trilha.core.database.logins import serving_urls
from trilha.core.file_store import open_file_store
from trilha.core.sealed_files import SealedFiles
from trilha.core.secrets import load_keyring
from trilha.training.learning.evidence import log, queries

KEY = "cd" * 32
USERS_WRITE = "users:read,users:write,webhooks:read,certificates:read"
# Copies whole tenants, on a machine that may do other work.
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("source")
    with_demo(folder)
    with running(folder, "--demo", TRILHA_TRANSFER_KEY=KEY) as server:
        yield server


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """An installation with a master key of its own."""
    folder = tmp_path_factory.mktemp("target")
    folder.chmod(0o711)
    environment = os.environ | {"TRILHA_DATA_DIR": str(folder / "data")}
    subprocess.run([TRILHA, "migrate"], env=environment, check=True, stdout=subprocess.DEVNULL)
    with running(folder, TRILHA_TRANSFER_KEY=KEY) as server:
        yield server


def new_key(server: Running) -> httpx2.Client:
    arguments = ("api-key", "create", "--tenant", "demo", "--name", "k", "--scopes", USERS_WRITE)
    key = server.command(*arguments)["key"]
    return httpx2.Client(base_url=f"{server.url}/v1", headers={"authorization": f"Bearer {key}"})


def verify(http: httpx2.Client, code: str) -> Any:
    answer = http.get(f"/certificates/verify/{code}")
    assert answer.status_code == 200
    return answer.json()["data"]


def read_files(server: Running, tenant_id: str) -> dict[str, str]:
    """Returns the hashes of the tenant's files by their keys, as the application reads them."""

    async def read() -> dict[str, str]:
        store = open_file_store(None, server.folder / "data" / "files")
        sealed = SealedFiles(store, load_keyring(server.folder / "data" / "master.key"))
        hashes = {}
        async for files in store.list_files():
            for key in (file.key for file in files if tenant_id in file.key):
                if not key.startswith("imports/"):
                    content = b"".join([piece async for piece in sealed.read(key)])
                    hashes[key] = hashlib.sha256(content).hexdigest()
        return hashes

    return asyncio.run(read())


async def write_logs(server: Running) -> None:
    """Gives the enrollments with a certificate a log, and the certificates the entries that they name."""
    keyring = load_keyring(server.folder / "data" / "master.key")
    database = Database(serving_urls(server.database_url(), keyring), system_clock, keyring)
    await database.open()
    owner = await asyncpg.connect(server.database_url())
    rows = await owner.fetch("SELECT tenant_id, enrollment_id FROM certificates ORDER BY id LIMIT 12")
    async with database.transaction(rows[0]["tenant_id"]) as tx:
        for row in rows:
            head = await queries.lock_head(tx, row["enrollment_id"])
            head = await log.append(tx, head, "launched", None, agent="Firefox")
            await log.append(tx, head, "completed", None, score=87.50, passed=True)
    await owner.execute(
        """
        UPDATE certificates c SET evidence_number = h.number, evidence_hash = h.hash FROM learning_heads h
        WHERE h.tenant_id = c.tenant_id AND h.enrollment_id = c.enrollment_id
        """
    )
    await owner.close()
    await database.close()


def count_proven(server: Running) -> int:
    """Returns the number of certificates that name an entry of the log by its hash."""

    async def count() -> int:
        owner = await asyncpg.connect(server.database_url())
        proven: int = await owner.fetchval(
            """
            SELECT count(*) FROM certificates c JOIN learning_log l ON l.tenant_id = c.tenant_id
                AND l.enrollment_id = c.enrollment_id AND l.number = c.evidence_number
            WHERE l.hash = c.evidence_hash
            """
        )
        await owner.close()
        return proven

    return asyncio.run(count())


def test_a_tenant_moves_with_everything(source: Running, target: Running, tmp_path: Path) -> None:
    demo = json.loads((source.folder / "data" / "demo.json").read_text())
    with new_key(source) as http:
        body = {"email": "cpf@example.com", "name": "Ana", "cpf": CPF, "password": "correct horse"}
        ana = http.post("/users", json=body).json()["data"]
        codes = [each["verification_code"] for each in http.get("/certificates").json()["data"]]
        verified = {code: verify(http, code) for code in codes}
    asyncio.run(write_logs(source))
    wait_until(lambda: not source.command("status")["backlog"][6]["waiting"], 120)
    scim = source.command("scim", "token", "create", "--tenant", "demo", "--name", "idp")["token"]
    source.command("tenant", "suspend", "demo")
    archive = tmp_path / "demo.trilha"
    exported = source.command("tenant", "export", "--tenant", "demo", "--output", str(archive))
    assert b"cpf@example.com" not in archive.read_bytes()

    refuse_damaged(target, archive)
    imported = target.command("tenant", "import", "--input", str(archive))
    names = ("tenant_id", "rows", "files", "file_bytes")
    assert {name: imported[name] for name in names} == {name: exported[name] for name in names}
    assert imported["files"] > 0
    files = read_files(source, imported["tenant_id"])
    assert len(files) == imported["files"]
    assert read_files(target, imported["tenant_id"]) == files

    logs = target.command("evidence", "verify", "--tenant", "demo")
    assert len(logs) > 10
    assert {each["problem"] for each in logs} == {""}
    assert count_proven(target) == count_proven(source) > 10
    assert target.command("recount", "--tenant", "demo") == []
    with new_key(target) as http:
        assert {code: verify(http, code) for code in codes} == verified
        found = http.post("/users/search", json={"cpf": CPF}).json()["data"]
        assert [user["id"] for user in found] == [ana["id"]]
        hooks = http.get("/webhooks").json()["data"]
        assert hooks
        assert not any(hook["active"] for hook in hooks)
    login = {"tenant_slug": "demo", "email": "cpf@example.com", "password": "correct horse"}
    assert httpx2.post(f"{target.url}/api/auth/login", json=login).status_code == 200
    headers = {"authorization": f"Bearer {scim}"}
    assert httpx2.get(f"{target.url}/scim/v2/Users", headers=headers).status_code == 200
    # Only keyed hashes of API keys are stored.
    headers = {"authorization": f"Bearer {demo['key']}"}
    assert httpx2.get(f"{target.url}/v1/users", headers=headers).status_code == 401
    for options in ((), ("--slug", "other")):
        with pytest.raises(RuntimeError, match="There is a tenant with the"):
            target.command("tenant", "import", "--input", str(archive), *options)


def refuse_damaged(target: Running, archive: Path) -> None:
    """Leaves nothing of a file that was cut short or changed, or that another key encrypted."""
    content = archive.read_bytes()
    damaged = archive.with_name("damaged")
    for changed in (content[: len(content) // 2], content[:-1], content[:5000] + b"x" + content[5001:]):
        damaged.write_bytes(changed)
        assert "does not open" in refusal(target, damaged)
    target.environment["TRILHA_TRANSFER_KEY"] = "ab" * 32
    assert "does not open" in refusal(target, archive)
    target.environment["TRILHA_TRANSFER_KEY"] = KEY
    assert target.command("tenant", "list") == []
    assert not [path for path in (target.folder / "data" / "files").rglob("*") if path.is_file()]


def refusal(target: Running, archive: Path) -> str:
    with pytest.raises(RuntimeError) as refused:
        target.command("tenant", "import", "--input", str(archive))
    return str(refused.value)


def test_the_key_is_required(source: Running, tmp_path: Path) -> None:
    variables: dict[str, Any] = {**source.environment}
    del variables["TRILHA_TRANSFER_KEY"]
    command = [TRILHA, "tenant", "export", "--tenant", "demo", "--output", str(tmp_path / "x")]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert (done.returncode, "TRILHA_TRANSFER_KEY" in done.stderr) == (1, True)
