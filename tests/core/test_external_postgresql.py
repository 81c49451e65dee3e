"""PostgreSQL servers of others: TLS only, an owner that is no superuser, and PgBouncer between."""

import asyncio
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import httpx2
import pytest

import ambient
from authority import Authority
from postgresql.pgbouncer import FIRST_VERSION, find_programs, running_pooler
from postgresql.servers import NotInstalled, Server, running_server
from running import TRILHA, Running, migrated

pytestmark = pytest.mark.whole
SCOPES = "users:read,users:write,courses:read"
_UNENCRYPTED = """
    SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
    WHERE backend_type = 'client backend' AND NOT ssl
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    yield from start(18, tmp_path_factory.mktemp("server"))


def start(version: int, folder: Path) -> Iterator[Server]:
    folder.chmod(0o711)
    try:
        with running_server(version, folder) as server:
            yield server
    except NotInstalled as error:
        pytest.skip(str(error))


def serve(folder: Path, url: str) -> Iterator[Running]:
    """Runs `trilha up` on a database. The data folder has the master key."""
    migrated(folder)
    trilha = Running(folder, TRILHA_DATABASE_URL=url, TRILHA_WORKERS="2")
    try:
        trilha.wait_ready()
        yield trilha
    finally:
        trilha.stop()


def use(trilha: Running, slug: str) -> str:
    """Creates a tenant with a person. Returns the key."""
    trilha.command("tenant", "create", "--slug", slug, "--name", slug)
    created = trilha.command("api-key", "create", "--tenant", slug, "--name", "k", "--scopes", SCOPES)
    key: str = created["key"]
    with httpx2.Client(base_url=trilha.url, headers={"authorization": f"Bearer {key}"}) as client:
        new = {"email": f"ana@{slug}.example", "name": slug, "password": "correct horse"}
        answer = client.post("/v1/users", json=new)
        assert answer.status_code == 201, answer.text
        assert [user["name"] for user in client.get("/v1/users").json()["data"]] == [slug]
    return key


async def count(url: str, sql: str) -> int:
    connection = await asyncpg.connect(url)
    try:
        number: int = await connection.fetchval(sql)
        return number
    finally:
        await connection.close()


def test_everything_runs_over_tls(server: Server, tmp_path: Path) -> None:
    url = asyncio.run(server.make_database("whole"))
    for trilha in serve(tmp_path, url):
        use(trilha, "acme")
        assert asyncio.run(count(server.admin_url, _UNENCRYPTED)) == 0
        # Of two serving processes, one worker, and nothing else.
        mine = "SELECT count(*) FROM pg_stat_activity WHERE datname = 'whole'"
        assert 0 < asyncio.run(count(server.admin_url, mine)) <= 3 * 8


def refusal(url: str, folder: Path) -> str:
    environment = os.environ | {"TRILHA_DATABASE_URL": url, "TRILHA_DATA_DIR": str(folder / "data")}
    done = subprocess.run([TRILHA, "migrate"], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_another_authority_is_refused(server: Server, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    url = server.url("owner", "postgres", ca=Authority(other).file)
    assert "certificate verify failed" in refusal(url, tmp_path)


def test_a_connection_without_tls_is_refused(server: Server, tmp_path: Path) -> None:
    said = refusal(server.url("owner", "postgres", sslmode="disable"), tmp_path)
    assert "no encryption" in said


@pytest.mark.parametrize("version", [16, 17])
def test_older_versions_serve_too(
    version: int, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    for server in start(version, tmp_path_factory.mktemp(f"server{version}")):
        for trilha in serve(tmp_path, asyncio.run(server.make_database("smoke"))):
            use(trilha, "acme")


def pooler_program(config: pytest.Config, *, is_new: bool) -> tuple[str, tuple[int, ...]]:
    for program, version in find_programs(ambient.variable(config, "PGBOUNCER")).items():
        if (version >= FIRST_VERSION) is is_new:
            return program, version
    pytest.skip(f"needs PgBouncer {'1.21 or newer' if is_new else 'before 1.21'}: set TRILHA_TEST_PGBOUNCER")


def test_everything_runs_through_a_new_pgbouncer(
    server: Server, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    program, version = pooler_program(pytestconfig, is_new=True)
    folder = tmp_path / "pooler"
    folder.mkdir()
    folder.chmod(0o755)
    url = asyncio.run(server.make_database("pooled"))
    with running_pooler(program, version, server, folder) as pooler:
        for trilha in serve(tmp_path, pooler.through(url)):
            keys = {slug: use(trilha, slug) for slug in ("acme", "globex")}
            asyncio.run(read_at_once(trilha.url, keys))
            assert "lacks settings" not in trilha.log.read_text()
            settings = asyncio.run(settings_through(trilha, pooler.through(url)))
            assert settings == "off"


async def read_at_once(url: str, keys: dict[str, str]) -> None:
    """Reads many times beside each other; nobody gets a row of the other tenant."""

    async def read(client: httpx2.AsyncClient, slug: str) -> None:
        answer = await client.get("/v1/users", headers={"authorization": f"Bearer {keys[slug]}"})
        assert [user["name"] for user in answer.json()["data"]] == [slug]

    async with httpx2.AsyncClient(base_url=url) as client, asyncio.TaskGroup() as group:
        for _ in range(100):
            for slug in keys:
                group.create_task(read(client, slug))


async def settings_through(trilha: Running, owner_url: str) -> str:
    """Returns how a serving session commits statements without a tenant."""
    from trilha.core.database.logins import serving_urls
    from trilha.core.secrets import load_keyring

    keyring = load_keyring(trilha.folder / "data" / "master.key", make=False)
    connection = await asyncpg.connect(serving_urls(owner_url, keyring).unscoped)
    try:
        value: str = await connection.fetchval("SHOW synchronous_commit")
        return value
    finally:
        await connection.close()


def test_an_old_pgbouncer_is_refused(server: Server, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    program, version = pooler_program(pytestconfig, is_new=False)
    folder = tmp_path / "pooler"
    folder.mkdir()
    folder.chmod(0o755)
    url = asyncio.run(server.make_database("old_pooler"))
    with running_pooler(program, version, server, folder) as pooler:
        said = [refusal(pooler.through(url), tmp_path) for _ in range(2)]
    assert all("use PgBouncer 1.21 or newer" in each for each in said)
