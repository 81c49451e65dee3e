"""The database users of requests and the worker: injected SQL gets no further than they do."""

import os
import subprocess
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import asyncpg
import pytest

from conftest import World
from running import TRILHA, Running, running
from suite_database import is_superuser, with_database
from trilha.core.clock import system_clock
from trilha.core.database import Database, logins
from trilha.core.database.embedded import EmbeddedPostgres
from trilha.core.database.logins import LoginError, login_name, serving_urls
from trilha.core.database.master_keys import MasterKeyError
from trilha.core.database.migrate import migrate
from trilha.core.secrets import Keyring

REFUSED = (
    asyncpg.InsufficientPrivilegeError,
    # Parameters that set another user, and ALTER SYSTEM inside a transaction.
    asyncpg.InvalidParameterValueError,
    asyncpg.ActiveSQLTransactionError,
)
# Statements that would give the session to another user.
TAKING = (
    "SET ROLE postgres",
    "SET ROLE trilha_app",
    "SET ROLE trilha_unscoped",
    "SET SESSION AUTHORIZATION postgres",
    "SELECT set_config('role', 'trilha_app', false)",
    "SELECT set_config('session_authorization', 'postgres', false)",
)
# The state after a reset, which must not come from another user.
GIVING_UP = (
    "RESET ROLE",
    "SET ROLE NONE",
    "SELECT set_config('role', 'none', false)",
    "RESET SESSION AUTHORIZATION",
    "RESET ALL",
)
READING = (
    "SELECT rolpassword FROM pg_authid",
    "SELECT * FROM database_logins",
    "SELECT * FROM pg_hba_file_rules",
    "SELECT pg_read_file('postgresql.conf')",
    "SELECT pg_ls_dir('.')",
    "COPY users FROM '/etc/passwd'",
    "COPY (SELECT 1) TO '/tmp/x'",
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "COPY limit_windows FROM PROGRAM 'true'",
)
MAKING = (
    "CREATE TABLE x (y int)",
    "CREATE TEMPORARY TABLE users (id uuid)",
    "CREATE VIEW x AS SELECT 1",
    "CREATE FUNCTION x() RETURNS int RETURN 1",
    "CREATE FUNCTION pg_temp.x() RETURNS int RETURN 1",
    "CREATE SCHEMA x",
    "CREATE TYPE x AS ENUM ('y')",
    "CREATE SEQUENCE x",
    "CREATE ROLE x",
    "CREATE DATABASE x",
    "CREATE PUBLICATION x",
    "CREATE EVENT TRIGGER x ON ddl_command_start EXECUTE FUNCTION suppress_redundant_updates_trigger()",
    "CREATE FOREIGN DATA WRAPPER x",
    "CREATE SUBSCRIPTION x CONNECTION '' PUBLICATION y WITH (connect = false)",
    "CREATE TABLESPACE x LOCATION '/tmp'",
    "LOAD 'auto_explain'",
)
LARGE_OBJECTS = ("SELECT lo_creat(-1)", "SELECT lo_create(0)", "SELECT lo_from_bytea(0, '')")
CHANGING = (
    "ALTER TABLE users DISABLE ROW LEVEL SECURITY",
    "ALTER TABLE users NO FORCE ROW LEVEL SECURITY",
    "ALTER POLICY tenant ON users USING (true)",
    "DROP POLICY tenant ON users",
    "DROP TABLE users",
    "TRUNCATE users",
    "ALTER TABLE users OWNER TO CURRENT_USER",
    "GRANT trilha_unscoped, trilha_app TO CURRENT_USER",
    "ALTER ROLE CURRENT_USER SUPERUSER",
    "ALTER ROLE CURRENT_USER BYPASSRLS",
    "ALTER ROLE trilha_app LOGIN",
    "ALTER SYSTEM SET fsync = off",
    "SET session_replication_role = replica",
    "UPDATE schema_migrations SET digest = ''",
    "UPDATE tenants SET status = 'ACTIVE'",
    "UPDATE tenants SET environment = 'homologation'",
    "DROP POLICY own ON tenants",
    "ALTER TABLE tenants DISABLE ROW LEVEL SECURITY",
)


async def refuses(connection: Any, sql: str) -> bool:
    turn = connection.transaction()
    await turn.start()
    # The statement names a tenant, so that only the missing privilege refuses it.
    await connection.execute(f"SET LOCAL trilha.tenant = '{UUID(int=0)}'")
    try:
        await connection.execute(sql)
    except REFUSED:
        return True
    finally:
        await turn.rollback()
    return False


async def refuses_all(connection: Any, *, large_objects: bool = False) -> None:
    wanted = (*TAKING, *READING, *MAKING, *CHANGING, *(LARGE_OBJECTS if large_objects else ()))
    before = await connection.fetchrow("SELECT session_user, current_user")
    assert [sql for sql in wanted if not await refuses(connection, sql)] == []
    for sql in GIVING_UP:
        await connection.execute(sql)
        assert await connection.fetchrow("SELECT session_user, current_user") == before, sql
        assert await refuses(connection, "SELECT rolpassword FROM pg_authid")


@pytest.fixture(params=["tenants", "unscoped"])
async def session(world: World, request: pytest.FixtureRequest) -> AsyncIterator[Any]:
    """Returns the connection that runs statements, as injected SQL would have it."""
    if request.param == "tenants":
        async with world.tx() as tx:
            await tx._connection.execute("COMMIT")
            yield tx._connection
            await tx._connection.execute("BEGIN")
    else:
        async with world.database.unscoped() as unscoped:
            yield unscoped._connection


async def test_a_serving_session_becomes_nobody_reads_nothing_and_makes_nothing(
    session: Any, world: World
) -> None:
    # Only a superuser can take the right to make large objects from everyone.
    await refuses_all(session, large_objects=await is_superuser(world.url))


async def test_row_level_security_holds_whatever_the_session_tries(world: World, stranger: World) -> None:
    await stranger.user()
    async with world.tx() as tx:
        session = tx._connection
        for sql in ("RESET ROLE", "SET ROLE NONE", "RESET SESSION AUTHORIZATION"):
            await session.execute(sql)
            assert await session.fetch("SELECT FROM users") == []
    async with world.tx() as tx:
        await tx._connection.execute("SET LOCAL row_security = off")
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await tx._connection.fetch("SELECT FROM users")
        await tx._connection.execute("ROLLBACK; BEGIN")


async def test_what_a_user_changes_of_itself_is_taken_back(apart: str, keyring: Keyring) -> None:
    """PostgreSQL lets every user change its own password and settings."""
    urls = serving_urls(apart, keyring)
    connection = await asyncpg.connect(urls.app)
    await connection.execute("ALTER ROLE CURRENT_USER PASSWORD 'mine'")
    await connection.execute("ALTER ROLE CURRENT_USER SET search_path = pg_temp")
    await connection.close()
    await migrate(apart, keyring)
    connection = await asyncpg.connect(urls.app)
    assert await connection.fetchval("SHOW search_path") == "public"
    await connection.close()
    owner = await asyncpg.connect(apart)
    kept = await owner.fetch(
        "SELECT rolpassword = verifier AS same FROM pg_authid, database_logins WHERE rolname = $1"
        " AND role = 'trilha_app'",
        urlsplit(urls.app).username,
    )
    assert [row["same"] for row in kept] == [True]
    await owner.close()


@pytest.fixture
async def apart(admin_url: str, keyring: Keyring, database: Database) -> AsyncIterator[str]:
    """Creates a migrated database whose name needs quoting."""
    name = f'Apart "{uuid4().hex}" {"x" * 20}'
    quoted = '"' + name.replace('"', '""') + '"'
    owner = await asyncpg.connect(admin_url)
    await owner.execute(f"CREATE DATABASE {quoted}")
    url = with_database(admin_url, name)
    await migrate(url, keyring)
    yield url
    await owner.execute(f"DROP DATABASE {quoted}")
    for role in ("trilha_app", "trilha_unscoped"):
        await owner.execute(f'DROP ROLE "{login_name(role, name)}"')
    await owner.close()


async def test_databases_of_one_server_have_users_of_their_own(
    apart: str, database_url: str, keyring: Keyring
) -> None:
    users = {
        urlsplit(url).username
        for each in (apart, database_url)
        for url in vars(serving_urls(each, keyring)).values()
    }
    assert len(users) == 4


async def test_a_master_key_of_somebody_else_changes_no_password(apart: str, keyring: Keyring) -> None:
    verifiers = (
        "SELECT rolname, rolpassword FROM pg_authid WHERE rolname LIKE 'trilha!_%' ESCAPE '!' ORDER BY 1"
    )
    owner = await asyncpg.connect(apart)
    before = await owner.fetch(verifiers)
    with pytest.raises(MasterKeyError, match="master key does not open this database"):
        await migrate(apart, Keyring([b"x" * 32]))
    assert await owner.fetch(verifiers) == before
    await owner.close()


@pytest.fixture
async def strict(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    """Returns the owner's URL on a new server that requires passwords."""
    folder = tmp_path_factory.mktemp("strict")
    folder.chmod(0o711)
    postgres = EmbeddedPostgres(folder)
    postgres.start()
    owner = await asyncpg.connect(postgres.url)
    await owner.execute("ALTER ROLE postgres PASSWORD 's3cret'")
    (folder / "postgres" / "pg_hba.conf").write_text("local all all scram-sha-256\n")
    await owner.execute("SELECT pg_reload_conf()")
    await owner.close()
    yield postgres.url.replace("postgres@", "postgres:s3cret@")
    postgres.stop()


async def test_passwords_are_asked_for_and_match(strict: str) -> None:
    keyring, other = Keyring([b"a" * 32]), Keyring([b"b" * 32])
    await migrate(strict, keyring)
    database = Database(serving_urls(strict, keyring), system_clock, keyring, size=1)
    await database.open()
    async with database.unscoped() as unscoped:
        assert await unscoped.value("SELECT session_user") == "trilha_unscoped_postgres"
    await database.close()
    database = Database(serving_urls(strict, other), system_clock, other, size=1)
    with pytest.raises(LoginError, match="run `trilha migrate` with the same master key"):
        await database.open()
    await database.close()


async def test_a_new_master_key_changes_passwords_while_processes_run(strict: str) -> None:
    old, both, new = (Keyring(keys) for keys in ([b"a" * 32], [b"n" * 32, b"a" * 32], [b"n" * 32]))
    await migrate(strict, old)
    running = Database(serving_urls(strict, both), system_clock, both, size=1)
    await running.open()
    await migrate(strict, both)
    owner = await asyncpg.connect(strict)
    await logins.change_passwords(owner, both)
    await owner.execute(
        "UPDATE hash_keys SET sealed = n.sealed FROM unnest($1::text[], $2::bytea[]) n (purpose, sealed)"
        " WHERE n.purpose = hash_keys.purpose",
        *zip(*both.seal_hash_keys().items(), strict=True),
    )
    await owner.execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename LIKE 'trilha%'"
    )
    await owner.close()
    async with running.unscoped() as unscoped:  # with a new connection
        assert await unscoped.value("SELECT session_user") == "trilha_unscoped_postgres"
    await running.close()
    later = Database(serving_urls(strict, new), system_clock, new, size=1)
    await later.open()
    await later.close()


@pytest.mark.parametrize(
    "form",
    [
        "postgresql://owner:pw@db.example.com:5432/acme",
        "postgresql://owner@db.example.com/?dbname=acme",
        "postgres:///acme?host=/run/postgresql&user=owner&password=pw",
        "postgresql://acme:pw@10.0.0.1,10.0.0.2/",
        "postgresql://acme@[2001:db8::1]:5432",
    ],
)
def test_the_owners_url_becomes_the_logins_in_every_form(form: str, keyring: Keyring) -> None:
    url = urlsplit(serving_urls(form, keyring).app)
    assert (url.username, url.path) == ("trilha_app_acme", "/acme")
    assert url.password == next(iter(keyring.database_passwords("trilha_app").values()))
    assert url.netloc.rpartition("@")[2] == urlsplit(form).netloc.rpartition("@")[2]
    assert "pw" not in url.query
    assert "user" not in url.query


def test_the_processes_that_answer_do_not_know_the_owner(running_trilha: Running) -> None:
    *_, answering = running_trilha.children("serve")
    environment = answering.environ()
    assert "TRILHA_DATABASE_URL" not in environment
    assert "postgres@" not in str(environment)
    # The server's processes know neither the master key nor any other setting.
    assert [name for name in running_trilha.postmaster().environ() if name.startswith("TRILHA_")] == []
    uids, gids = running_trilha.postmaster().uids(), running_trilha.postmaster().gids()
    if os.geteuid() == 0:
        assert 0 not in (*uids, *gids)


@pytest.fixture(scope="module")
def running_trilha(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with running(tmp_path_factory.mktemp("running")) as each:
        yield each


def test_serving_needs_the_operators_users_alone(running_trilha: Running) -> None:
    """Runs `trilha work` on a machine without the owner's URL and without its own database."""
    owner_url = f"postgresql://postgres@/postgres?host={running_trilha.folder / 'data' / 'postgres'}"
    key = (running_trilha.folder / "data" / "master.key").read_text()
    urls = serving_urls(owner_url, Keyring([bytes.fromhex(key.strip())]))
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TRILHA_")}
    settings = {"TRILHA_DATABASE_APP_URL": urls.app, "TRILHA_DATABASE_UNSCOPED_URL": urls.unscoped}
    settings |= {"TRILHA_MASTER_KEY": key, "TRILHA_DATA_DIR": str(running_trilha.folder / "none")}
    worker = subprocess.Popen([TRILHA, "work"], env=clean | settings, stderr=subprocess.PIPE, text=True)
    try:
        worker.wait(2)
    except subprocess.TimeoutExpired:
        worker.terminate()
    assert worker.communicate(timeout=20)[1] == ""
    done = subprocess.run(
        [TRILHA, "tenant", "list"], env=clean | settings, capture_output=True, text=True, check=False
    )
    assert done.stderr == "trilha: This needs the database's owner: set TRILHA_DATABASE_URL too.\n"
    # The worker may already have measured the files; it keeps neither a database nor a key there.
    assert [each.name for each in (running_trilha.folder / "none").glob("*") if each.name != "files"] == []
